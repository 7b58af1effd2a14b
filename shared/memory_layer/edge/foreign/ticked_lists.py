"""Lists with boxes: what a box says of its line, a task or nothing."""

import re
from collections.abc import Sequence
from typing import Final

_TASKS: Final = re.compile(
    r"\bto-?\s?dos?\b|\btasks?\b|\baction items?\b|\broadmap\b|\bbacklog\b|\bnext steps\b|\bplan(?:s|ned)?\b"
    r"|\bmilestones?\b|\baufgaben?\b|\bn\u00e4chste schritte\b|\bgeplant|\boffen(?:e[nrs]?)?\b",
    re.IGNORECASE,
)
_NO_TASKS: Final = re.compile(
    r"check|definition of done|criteria|\bbefore\b|review|\bgates?\b|requirements|pull request|\bprs?\b"
    r"|\brules?\b|\bconventions?\b|\bguidelines?\b|\bprinciples?\b|\bpolic(?:y|ies)\b|\bstandards?\b|\bsteps?\b"
    r"|\bprocedures?\b|\bdo'?s and don'?ts\b|\bnever\b|\balways\b"
    r"|pr\u00fcf|\bbevor\b|regeln?\b|konvention(?:en)?\b|\brichtlinien?\b|schritte?\b|\bvorgehen\b"
    r"|\bablauf\b|\bvorgaben?\b|\bgrunds\u00e4tze\b",
    re.IGNORECASE,
)
_RULE: Final = re.compile(
    r"(?:\W{0,4}(?:never|always|do not|don'?t|avoid|no|only|must|should|nie|niemals|immer|nicht|keine?n?|nur"
    r"|vermeiden?)\b)|[^.!?\n]{0,80}\b(?:must(?: not|n't)?|shall(?: not)?|may not|should(?: not|n't)?"
    r"|(?:is|are) (?:never|always)|m\u00fcssen|muss|d\u00fcrfen|darf|sollen|soll)\b",
    re.IGNORECASE,
)


def box_words(words: str, titles: Sequence[str], *, is_ticked: bool) -> str:
    """Words that stand for the box before a line; empty where it is there to be ticked again and again, as that of a
    rule, a step or a line of a checklist is.

    Args:
        titles: headings over the line, of which the nearest that names tasks or no tasks decides.
    """
    for title in reversed(titles):
        if _TASKS.search(title):
            break
        if _NO_TASKS.search(title):
            return ""
    else:
        if _RULE.match(words):
            return ""
    return "Done: " if is_ticked else "To do: "
