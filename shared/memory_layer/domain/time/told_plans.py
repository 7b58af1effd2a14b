"""Lengths of time and bounds that tell when something is: `the audit begins in two weeks`, `broken since Monday`."""

import re
from typing import Final

from memory_layer.domain.time.tenses import PAST, clause_about

_LENGTH: Final = re.compile(r"in\b", re.IGNORECASE)
_SINCE: Final = re.compile(r"\b(?:since|seit)(?: the| dem| der)? $", re.IGNORECASE)
_BOUND: Final = re.compile(r"(?:since|seit|by|until|till|bis|ab)\b", re.IGNORECASE)
_OF_MANY: Final = re.compile(
    r"\b(?:you|your|one|any|anyone|somebody|someone|a|an|all|per|no more|at most|at least|man|du|dich|jemand"
    r"|ein|eine|einen|alle|kein\w*|kann|can|could|would|might|must|may|expires?|renews?|deleted|removed"
    r"|l\u00e4uft|verf\u00e4llt|verfallen|gel\u00f6scht)\b",
    re.IGNORECASE,
)
"""Words of what is so of many, or at any time: a token expires in 30 days whenever it was made."""

_OF_EACH: Final = re.compile(r"^ (?:zu [a-z]+en|nach|zahlbar|after|of)\b")
"""Words by which a length of time is that of each case: `in 14 Tagen nach Eingang`."""

_TURNS: Final = re.compile(
    r"(?:\b(?:begins?|starts?|ends?|opens?|closes|launch(?:es)?|kicks off|takes place|arrives?|leaves|returns?"
    r"|(?:comes?|goes) (?:back|out|up|live|down|away)|coming up|is|are"
    r"|beginnt|beginnen|startet|starten|endet|enden|\u00f6ffnet|schlie\u00dft|findet|finden|kommt|kommen|geht|gehen"
    r"|f\u00e4hrt|fahren|reist|reisen|fliegt|fliegen|zieht|ziehen|heiratet|ist|sind)|(?<=[a-z])'s)"
    r"(?: (?:only|again|already|just|aber|schon|erst|bereits|wieder))* $",
    re.IGNORECASE,
)
"""Verbs of one turn of things, whose present tense is the future beside a length of time."""

_AGAIN: Final = re.compile(
    r"\b(?:meet|talk|chat|discuss|come back|check (?:in|back)|see|revisit|reopen|return|follow up|catch up|sync"
    r"|vote|reconvene|hear)\b",
    re.IGNORECASE,
)
_PEOPLE: Final = re.compile(r"\b(?:we|I|us|I'm|we're|we'll|I'll|let's|see you|talk to you)\b", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"^,? (?:the|our|my|his|her|their|we|I|he|she|they|there|this|[A-Z]\w+)\b[^,;]{0,60}? (?:begins?|starts?|ends?"
    r"|opens?|closes|launch(?:es)?|takes place|arrives?|leaves?|returns?|goes|comes|meets?|moves?|is|are|will)\b"
)
_GERMAN_VERB: Final = re.compile(
    r"^ (?!(?:online|kann|k\u00f6nnen|kannst|muss|soll|war|waren|hat|haben|hatte|ist man)\b)"
    r"[a-z\u00e4\u00f6\u00fc\u00df]{2,}(?:t|en|e|ist)"
    r" (?:der|die|das|wir|ich|er|sie|es|unser\w*|[A-Z\u00c4\u00d6\u00dc])"
)
_WILL: Final = re.compile(r"\b(?:will|won't|going to|wird|werden)\b|\w'll\b")
_CONDITION: Final = re.compile(r"\b(?:if|unless|when|wenn|falls|sofern)\b", re.IGNORECASE)
_START: Final = re.compile(r"\W*(?:(?:and|so|but|und|also) )?")


def is_ahead(text: str, start: int, end: int) -> bool:
    """Tests if a length of time, text[start:end], tells when something will be, and not how long it takes."""
    if not _LENGTH.match(text, start, end):
        return False
    first, last = clause_about(text, start, end)
    before, after = text[first:start], text[end:last]
    if PAST.search(before) or PAST.search(after) or _OF_EACH.search(after):
        return False
    if _PEOPLE.search(before) and _AGAIN.search(before):
        return True
    if _OF_MANY.search(before):
        return False
    if _START.fullmatch(before):
        return (_SUBJECT.search(after) or _GERMAN_VERB.search(after)) is not None
    is_told = _WILL.search(before) and not _OF_MANY.search(after)
    return bool(is_told or _TURNS.search(before))


def is_bounded(sentence: str, start: int, end: int) -> bool:
    """Tests if the words at sentence[start:end] tell since when or until when something is."""
    is_bound = _SINCE.search(sentence[:start]) or _BOUND.match(sentence, start, end)
    return is_bound is not None and not _CONDITION.search(sentence)
