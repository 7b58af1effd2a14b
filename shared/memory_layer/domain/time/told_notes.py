"""Notes without a conjugated verb, as people write minutes: `Workshop next week`, `Continuing on this tomorrow`."""

import re
from typing import Final

_LEAD: Final = r"^[\s*#>\-\u2022\d.()\[\]\u00b7]*"
_DOING: Final = re.compile(
    _LEAD
    + r"(?!(?:during|according|regarding|including|following (?:is|are)|something|nothing|anything|everything"
    r"|existing|missing|remaining|running|testing|building|using|setting|pending|string|thing|king|billing|pricing"
    r"|onboarding|logging|training)\b)[a-z]{2,}ing\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|am|was|were|be|been|has|have|had|do|does|did|will|won't|would|can|could|should|may|might|must"
    r"|needs?|isn't|aren't|wasn't|don't|doesn't|didn't)\b|'(?:s|re|ve|ll|m)\b"
    r"|\b(?:[Tt]he|[Aa]n?|[Tt]his|[Tt]hat|[Ii]t|[Hh]e|[Ss]he|who|which)(?: \w+){1,2} (?!this\b)\w*[^\Ws]s\b"
    r"|\b(?:[Ii]st|[Ss]ind|[Ww]ar(?:en)?|[Hh]at(?:te|ten)?|[Hh]aben|[Hh]abe|[Ww]ird|[Ww]erden|[Ww]urden?|[Kk]ann"
    r"|[Kk]\u00f6nnen|[Ss]oll(?:en|te|ten)?|[Mm]uss|[Mm]\u00fcssen|[Dd]arf|[Dd]\u00fcrfen|[Ww]ill|[Ww]ollen)\b"
)
_GERMAN_VERB: Final = re.compile(
    r"(?<![\w\u00c4\u00d6\u00dc])(?!(?:nicht|mit|seit|jetzt|erst|fast|selbst|zuerst|bereit|statt|samt|laut|oft|gut"
    r"|gesamt|evt|den|einen|keinen|seinen|ihren|allen|neuen|gegen|wegen|neben|zwischen|eben|oben|unten|innen|au\u00dfen"
    r"|morgen|\u00fcbermorgen|(?:ersten|zweiten|dritten|letzten|n\u00e4chsten|diesen|kommenden|vorigen|vergangenen))\b)"
    r"[a-z\u00e4\u00f6\u00fc\u00df]{2,}(?:t|en)\b"
)
_OF_RULES: Final = re.compile(
    r"\b(?:no|not|any|only|all|per|kein\w*|nur|alle)\b|[<>=|]|\d \||^[^:]{0,40}\?$|\bor\b", re.IGNORECASE
)
_GERMAN_TIME: Final = re.compile(
    r"(?:vor)?gestern|heute|(?:\u00fcber)?morgen|(?:am|im|anfang|mitte|ende|seit|bis|vor) \S+"
    r"|in \S+ (?:tag|woche|monat|jahr)\w*"
    r"|\d{1,2}\. ?\S|(?:dies|letzt|n\u00e4chst|kommend|vergangen|vorig|vorletzt|\u00fcbern\u00e4chst)\w+",
    re.IGNORECASE,
)
_FROM_TODAY: Final = re.compile(
    r"(?:the day (?:before|after) )?(?:yesterday|tomorrow|tonight)|(?:last|next|this) "
    r"|\w+ (?:days|weeks|months|years) ago"
    r"|(?:on )?(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|[a-z]{3}\.?) \d",
    re.IGNORECASE,
)
_OF_MANY: Final = re.compile(
    _LEAD + r"(?:[A-Z]?\w+ )?\w+(?<!s)s\b|\b(?:than|from|of|with|vs)\b|'s\b|\b[a-z]+ed \w+ \w+$|^\W*[a-z]"
)
_WORDS_MOST: Final = 14


def is_note(sentence: str, start: int, end: int) -> bool:
    """Tests if a sentence has no conjugated verb, and notes what was, is or will be done at sentence[start:end]."""
    if _OF_RULES.search(sentence) or _VERB.search(sentence):
        return False
    if _GERMAN_TIME.match(sentence, start, end):
        return len(sentence.split()) <= _WORDS_MOST and not _GERMAN_VERB.search(sentence)
    return _DOING.search(sentence) is not None or (
        len(sentence.split()) <= _WORDS_MOST
        and _FROM_TODAY.match(sentence, start) is not None
        and _OF_MANY.search(sentence) is None
    )
