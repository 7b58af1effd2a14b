"""Difference between events, which have their day, and rules, habits, conditions and instructions, which have none."""

import re
from typing import Final

from memory_layer.domain.time.tenses import FUTURE, PAST, clause_about, sentence_about
from memory_layer.domain.time.told_notes import is_note
from memory_layer.domain.time.told_plans import is_ahead, is_bounded

_HIDDEN: Final = "\u00b7"
_LEAD: Final = r"^[\s*#>\-\u2022\d.()\[\]]*"

_HABIT: Final = re.compile(
    r"\b(?:every|each|by default|(?-i:daily|nightly|weekly|monthly|^(?:Daily|Nightly|Weekly|Monthly))"
    r"|whenever|per default|on demand"
    r"|jede[nmrs]?|stets|standardm\u00e4\u00dfig|grunds\u00e4tzlich|in der Regel|t\u00e4glich|w\u00f6chentlich"
    r"|monatlich|jeweils)\b",
    re.IGNORECASE,
)
"""Words of what is so again and again."""

_CONDITION: Final = re.compile(
    r"\b(?:(?<!even )if|unless|in case|assuming|provided|suppose|as long as"
    r"|wenn|falls|sofern|solange|sobald|angenommen)\b",
    re.IGNORECASE,
)
_MUST: Final = re.compile(
    r"\b(?:must|should|shall|can|cannot|can't|may|might|could|would|has to|have to|need to|needs to|ought to|always"
    r"|never|usually|typically|normally|don't|do not|does not|doesn't"
    r"|muss|m\u00fcssen|soll|sollen|sollte|sollten|kann|k\u00f6nnen|darf|d\u00fcrfen|k\u00f6nnte|w\u00fcrde|nie"
    r"|niemals"
    r"|immer|\u00fcblicherweise|normalerweise|meistens)\b",
    re.IGNORECASE,
)
"""Words of a rule, unless somebody speaks of a person's own doing."""

_EVER: Final = re.compile(
    r"\b(?:always|never|usually|typically|normally|often|sometimes|only|no|not|don't|doesn't|cannot|can't|mustn't"
    r"|shouldn't|might|you|one|anyone|people|users?|nie|niemals|immer|meistens|oft|nur|nicht|kein\w*|man|du|Sie)\b"
)
"""Words by which a modal verb speaks of a rule, or to whoever it concerns."""

_MODAL: Final = re.compile(
    r"\b(?:should|can|could|would|shall|must|has to|have to|need(?:s|ed)? to|soll(?:en|te|ten)?|kann|k\u00f6nnen|muss"
    r"|m\u00fcssen)\b",
    re.IGNORECASE,
)
_AHEAD: Final = re.compile(
    r"(?:today|tonight|tomorrow|(?:the day )?after tomorrow|(?:next|this|coming|by|until|bis|ab)\b"
    r"|in (?:\w+ ){1,3}(?:day|week|month|year)|(?:\w+ ){1,2}(?:day|week|month|year)s? from\b"
    r"|heute|morgen|\u00fcbermorgen|(?:n\u00e4chst|kommend|\u00fcbern\u00e4chst|diese)\w*)",
    re.IGNORECASE,
)
_IS_TO_COME: Final = re.compile(
    r"(?-i:morgen|Morgen)\b|heute\b(?! (?:noch|\u00fcblich|schon|viel|meist|gilt|gelten))|\u00fcbermorgen"
    r"|(?:n\u00e4chst|kommend|\u00fcbern\u00e4chst)\w+ (?!\w+s\b)",
    re.IGNORECASE,
)
"""German words for which the present tense is the future, as in `sie fangen n\u00e4chste Woche an`."""

_ANYBODY: Final = re.compile(r"\b(?:man|wie|viele|\u00fcblicherweise)\b")
_MONTH_AHEAD: Final = re.compile(r"(?:im|anfang|mitte|ende) [A-Z\u00c4]")
_IS_TO: Final = re.compile(r"\bsoll(?:en)?\b")

_BASES: Final = (
    "add adjust alert append apply archive ask avoid back call check choose clean clear close commit compare "
    "configure consider consult copy count create delete deploy disable discard display do don't download drop "
    "enable ensure exclude fetch fill filter find fix flag follow generate get give ignore include insert "
    "install investigate keep let limit list look make mark merge migrate move name never note notify only "
    "open pass pick post prefer print publish pull purge push put query read rebase rebuild record reject "
    "reload remember remove rename replace rerun reset resolve restart restore retry return reuse revert "
    "review rotate run save schedule search select send set show skip sort start stop store submit summarise "
    "switch take tell test treat try update upgrade upload use validate verify wait warn watch write "
    "l\u00f6sche verwende nutze nimm pr\u00fcfe starte f\u00fchre vergleiche zeige sende lade setze stelle "
    "achte lies schreibe schreib benutze behalte entferne ersetze melde nie niemals kein keine nicht summarize"
)
_BASES_OF_NOUNS: Final = r"release|report|request|build|export|import|log|roll|change|load|backup"
_IMPERATIVE: Final = re.compile(
    _LEAD
    + r"(?:(?:please|then|first|next|finally|also|always|never|make sure|be sure|bitte)[ ,]+(?:to |that )?)*"
    rf"(?:{'|'.join(_BASES.split())}|(?:{_BASES_OF_NOUNS})"
    r"(?! (?:v?\d\S* )?(?:[a-z]+ed|was|were|went|broke|ran|took|is|are|has)\b))\b(?!')",
    re.IGNORECASE,
)
"""Sentence that begins with the base of a verb: it tells to do something."""

_SOMEBODY: Final = re.compile(
    r"\b(?:I|I'm|I'll|I've|I'd|[Ww]e|[Ww]e're|[Ww]e'll|[Ww]e've|[Ww]e'd|[Mm]y|[Oo]ur|us|me|[Hh]e|[Ss]he"
    r"|[Hh]e's|[Ss]he's|[Hh]is|[Hh]er|[Tt]hey|[Tt]hey're|[Tt]hem|[Tt]heir"
    r"|[Ll]et'?s|[Hh]ere's|[Hh]ere is|[Pp]ic(?:ture)?'s|[Ii]ch|[Ww]ir|mein\w*|unser\w*|uns|mir|mich)\b"
)
"""Words of those whose own doing is told."""

_YOU_WERE: Final = re.compile(
    r"\b(?:you(?:'re| are| were| had| did| said| told| went| got| made| saw| mentioned)|(?:are|were|did|have"
    r"|will) you"
    r"|hast du|du)\b",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"(?<!\bsay )(?<!\bsays )(?<!\bsaid )(?<!\bthinks )(?<!\breports )(?<!\bnotes )(?<!\bmeans )(?<!\bso )"
    r"\b(?:who|whom|whose|which|that|what|whatever|whoever|when|once|where|than|wer"
    r"|was(?= (?:ich|wir|er|sie|es|gestern|heute|letzte[nrsm]?|vor|in der)\b))\b"
    r"|,\s(?:die|der|das|den|dem|deren|was|welche[rs]?)\b|^\s*Wer\b"
)
"""Words that open a clause about no one in particular, if nothing outside it tells of the past."""

_GENERIC: Final = re.compile(
    _LEAD + r"(?!(?:the|this|that|these|those|it|its|there|der|die|das|den|dem|diese[rsmn]?|es)\b)"
    r"(?:an?|any|all|no|ein|eine|alle|kein\w*|(?:\w+ )?(?!(?:this|as|is|was|has|us|does|its|his|bis)\b)\w+(?:s|en))\b",
    re.IGNORECASE,
)
_STATE_AFTER: Final = re.compile(
    r"^[^.,;]{0,60}?\b(?:is|are|has|have|gets?|expires?|counts?|remains?|stays?|becomes?|bekommt|ist|sind|werden"
    r"|wird"
    r"|verfallen|gelten|gilt)\b"
)
_ADVERBIAL_SUBJECT: Final = re.compile(
    r"^,? (?:(?:the|a|an|our|my|we|I|he|she|they|it|you|this|there|all|both|some|another|one|two"
    r"|three|der|die|das|ein|eine)\b"
    r"|[A-Z\u00c4\u00d6\u00dc0-9]"
    r"|[a-z\u00e4\u00f6\u00fc]+ (?:der|die|das|ein|eine|wir|ich|unser\w*|[A-Z\u00c4\u00d6\u00dc])\w*)"
)
_IS_ADJACENT: Final = re.compile(r"(?:\b(?:is|are|ist|sind)|'s)(?: on| again)? $")
_NOWADAYS: Final = re.compile(r"today|heute", re.IGNORECASE)
_LATER: Final = re.compile(
    r"(?:today|tonight|tomorrow|next|this|on|in|heute|morgen|n\u00e4chst|kommend|am|im)", re.IGNORECASE
)
_CLOCK: Final = re.compile(r"^,? (?:at|um|from|ab) \d")


_IMPERSONAL: Final = re.compile(
    rf"^\W*{_HIDDEN}+ (?:wird|werden) (?:nicht|nie|nur|kein\w*|[a-z\u00e4\u00f6\u00fc]\w*(?:t|en)\b)"
)
"""Order to whoever it concerns: `am Freitag wird nicht deployt`."""

_BY_PARTICIPLE: Final = re.compile(
    r"^ [a-z\u00e4\u00f6\u00fc]+(?:te|ene)[nrsm]? [A-Z\u00c4\u00d6\u00dc]\w+ .{0,60}?\b(?:wird|werden|ist|sind"
    r"|bleib\w+|muss|m\u00fcssen)\b"
)
"""Thing that is told by what was done to it: `gestern angelegte Nutzer werden gel\u00f6scht`."""


def tells_of_event(text: str, start: int, end: int) -> bool:
    """Tests if words about time, text[start:end], date something that was or will be once.

    Args:
        text: with ' for every apostrophe.
    """
    first, last = sentence_about(text, start, end)
    sentence, start, end = text[first:last], start - first, end - first
    begin, stop = clause_about(sentence, start, end)
    clause = sentence[begin:start] + _HIDDEN * (end - start) + sentence[end:stop]
    if _HABIT.search(sentence) or _CONDITION.search(sentence, begin, start):
        return False
    is_past, is_future = PAST.search(clause) is not None, FUTURE.search(clause) is not None
    is_personal = _SOMEBODY.search(clause) is not None or _YOU_WERE.search(clause) is not None
    if _is_expected(sentence, start, end, is_personal=is_personal):
        return True
    if is_personal:
        return is_past or is_future or not _is_rule(sentence)
    if _is_rule(sentence) or _is_of_no_one(sentence, start, end) or _IMPERSONAL.search(clause):
        return False
    return (
        is_past
        or (_IS_TO_COME.match(sentence, start) is not None and _ANYBODY.search(sentence) is None)
        or (is_future and not _is_attribute(sentence, start, end))
        or _stands_alone(sentence, start, end)
        or is_note(sentence, start, end)
        or is_ahead(sentence, start, end)
        or is_bounded(sentence, start, end)
    )


def _is_expected(sentence: str, start: int, end: int, *, is_personal: bool) -> bool:
    """Tests if the words tell when one thing is to be: `this should be done next week`."""
    is_set = _MONTH_AHEAD.match(sentence, start) and _IS_TO.search(sentence)
    if not (is_set or _AHEAD.match(sentence, start)) or (
        _NOWADAYS.match(sentence, start) and not is_personal
    ):
        return False
    before = sentence[:start]
    modal = _MODAL.search(sentence)
    return (
        modal is not None
        and _EVER.search(sentence) is None
        and _IMPERATIVE.search(sentence) is None
        and _GENERIC.search(sentence) is None
        and _SUBORDINATE.search(before[modal.end() if is_personal else 0 :]) is None
        and not _is_attribute(sentence, start, end)
    )


def _is_rule(sentence: str) -> bool:
    return _MUST.search(sentence) is not None or _IMPERATIVE.search(sentence) is not None


def _is_of_no_one(sentence: str, start: int, end: int) -> bool:
    """Tests if the words stand in a clause about whoever or whatever it is true of."""
    if _BY_PARTICIPLE.search(sentence[end:]):
        return True
    opened = [found.start() for found in _SUBORDINATE.finditer(sentence, 0, start)]
    if opened:
        comma = sentence.find(",", end)
        return not (PAST.search(sentence[: opened[-1]]) or PAST.search(sentence, max(comma, end)))
    return _STATE_AFTER.search(sentence[end:]) is not None and _GENERIC.search(sentence[:start]) is not None


_ATTRIBUTE: Final = re.compile(
    r"(?<!\bend )(?<!\bbeginning )(?<!\bstart )(?<!\bmiddle )(?<!\bhalf )(?<!\brest )(?<!\bpart )(?<!\bas )"
    r"(?<!\bscheduled )(?<!\bplanned )(?<!\bbooked )(?<!\bmoved )(?<!\bpostponed )"
    r"\b(?:of|from|for|with|than|to|like|by|as|vom?|von|f\u00fcr|mit|aus|als)(?: the| dem| der)? $"
)


def _is_attribute(sentence: str, start: int, end: int) -> bool:
    """Tests if the words say which thing is meant, and not when something is."""
    return sentence.startswith("'s", end) or _ATTRIBUTE.search(sentence[:start]) is not None


def _stands_alone(sentence: str, start: int, end: int) -> bool:
    """Tests if words about time date a sentence without a mark of tense: `tomorrow Ana presents`."""
    if _is_attribute(sentence, start, end):
        return False
    before, after = sentence[:start], sentence[end:]
    is_first = re.fullmatch(r"\W*", before) is not None
    return bool(
        (is_first and _ADVERBIAL_SUBJECT.search(after) and not _NOWADAYS.fullmatch(sentence, start, end))
        or (_IS_ADJACENT.search(before) and _LATER.match(sentence, start))
        or _CLOCK.search(after)
        or sentence.endswith("!")
    )
