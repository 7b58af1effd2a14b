"""Titles whose list says the opposite without them: `The backup does not include`, `Nicht gesichert werden`, `Cons`."""

import re
from typing import Final

_SUBORDINATE: Final = re.compile(
    r"\b(?:if|when|whenever|while|unless|until|because|since|that|which|who|whose|whether|where|why|how|so|once"
    r"|otherwise|or|else|although|though|in case|make sure|check|problem|error|symptom|issue|not only"
    r"|wie|was|warum|wieso|wann|wo|wer|wenn|falls|sobald|solange|damit|weil|bevor|ob|dass|sofern|obwohl|sonst"
    r"|nicht nur|problem|fehler)\b|, (?:der|die|das|den|dem|denen|deren|dessen|welche\w*|um)\b"
)
"""Words that begin a clause whose negation denies nothing of what is listed: `users who do not pay`."""

_OPEN_ENDS: Final = (
    r"because|if|when|unless|until|but|only|yet|than|due|limited|necessarily|since|weil|wenn|falls|nur|bis"
    r"|sofern"
)
_NOT: Final = (
    r"(?:(?:do|does|did|is|are|was|were|will|would|can|could|may|should|must|has|have|need)(?:n't| not)|cannot"
    r"|won't|can't|never|no longer)"
)
_LEFT_OUT: Final = (
    r"(?:ignored|excluded|omitted|skipped|missing|unsupported|unavailable|blocked|rejected|left out|disabled"
    r"|denied|dropped|absent|exempt|untested)"
)
_LEFT_OUT_IN_GERMAN: Final = (
    r"(?:ausgeschlossen|ausgenommen|ignoriert|\u00fcbersprungen|gesperrt|untersagt|weggelassen|blockiert"
    r"|deaktiviert|abgelehnt)"
)
_DENYING: Final = re.compile(
    rf"(?<!,)(?<!;)(?<!but)(?<!and) {_NOT}(?: (?!(?:{_OPEN_ENDS})\b)[\w-]+){{0,4}}$"
    rf"|\b(?:is|are|was|were|be|been|gets?|remains?|stays?) (?:\w+ )?{_LEFT_OUT}$"
    rf"|^{_LEFT_OUT} .{{0,60}}\b(?:is|are|was|were)$|^{_LEFT_OUT} from\b"
    r"|(?<= )(?:ignores?|excludes?|omits?|skips?|lacks?|rejects?|drops? support for|has no|have no|without"
    r"|except(?: for)?|nobody (?:should|may|can|must)|none of(?: these| them| the following)?)$"
    r"|\b(?:has|have|had) no (?:[\w-]+ ){0,2}[\w-]+$|\bmissing (?:from|in)\b"
    r"|\bnicht(?! nur| zuletzt| unbedingt)(?: (?!(?:weil|wenn|falls|nur|bis|sofern|um|zu)\b)\w+){0,3}$"
    rf"|\bfehl(?:t|en)(?: \w+)?$|\b{_LEFT_OUT_IN_GERMAN}(?: (?:ist|sind|wird|werden|bleibt|bleiben))?$"
    r"|\b(?:keine?n?|ohne|au\u00dfer)$|\b(?:hat|haben|gibt es|bietet|bieten) keine?n? \w+$"
    r"|\b(?:following|these|some|certain|known|folgende\w*|diese\w*|einige\w*|bekannte\w*) (?:[\w-]+ )?(?:limits?"
    r"|limitations?|restrictions?|exceptions?|exclusions?|einschr\u00e4nkungen|ausnahmen|grenzen)$"
    r"|^(?:limitations?|shortcomings?|exclusions?|einschr\u00e4nkungen)(?: (?:of|in|von|der|des|bei) .*)?$"
)
_WEIGHING: Final = re.compile(
    r"(?:pros?|cons?|contra|advantages?|disadvantages?|benefits?|drawbacks?|downsides?|upsides?|strengths?"
    r"|weaknesses|risks?|(?:arguments )?against|vorteile?|nachteile?|st\u00e4rken|schw\u00e4chen|risiken|dagegen"
    r"|(?:positive|negative) (?:consequences|impacts?|effects?|folgen))"
    r"(?: (?:of|to|in|with|von|der|des|bei|einer?|mit) .*)?$"
    r"|(?:what|things|was|dinge)(?: \w+){0,4} (?:went|worked|works|go|gone|lief|liefen|gelaufen)(?: \w+)? "
    r"?(?:well|right|wrong|poorly|badly|gut|schlecht|schief)\b.*"
    r"|(?:what|things) (?:went|worked|did not work|didn't work|(?:we )?c(?:ould|an) (?:be|do|have been)).*"
    r"|where we (?:got|were) (?:un)?lucky|was (?:wir )?(?:gut|schlecht|schief|nicht gut) (?:lief|liefen|war)\b.*"
)


def denies(words: str) -> bool:
    """Tests if a title says of what stands under it that it is not so, or not there.

    Args:
        words: of the title, in lower case, without marks before and behind.
    """
    found = _DENYING.search(words)
    return found is not None and _SUBORDINATE.search(words[: found.start()]) is None


def weighs(words: str) -> bool:
    """Tests if a title says that what stands under it speaks for or against something. Args: words: as `denies`."""
    return _WEIGHING.fullmatch(words) is not None
