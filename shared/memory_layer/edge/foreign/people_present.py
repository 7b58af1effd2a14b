"""Lists of who was there: one memory that names them all, where a memory for each name says nothing."""

import re
from collections.abc import Sequence
from typing import Final

_PRESENT: Final = re.compile(
    r"(?:members? |people |voting members? )?(?:present|attend(?:ees|ance|ing|ants)|in attendance|attended(?: by)?"
    r"|absent|absentees|regrets|apologies(?: for absence)?|participants?|roll ?call|observers?|guests?|invited"
    r"|facilitators?|moderators?|note ?takers?|scribes?"
    r"|anwesen(?:d|de|heit)|teilnehm(?:er|ende|erinnen|erinnen und teilnehmer|er:innen|er\*innen)|entschuldigt"
    r"|abwesend(?:e)?|g\u00e4ste|protokoll(?:ant|antin|f\u00fchrung)|sitzungsleitung|moderation)"
    r"(?: (?:members?|people|mitglieder))?\W*",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(
    r"[.!?;](?:\s|$)(?<!\b[A-Z]\.\s)|\n|\b(?:is|are|was|were|will|has|have|should|must|ist|sind|war|wird|hat|soll)\b"
)
NAME_MAX_CHARS: Final = 80
PEOPLE_MAX: Final = 60


def line_of_people(title: str, items: Sequence[str]) -> str | None:
    """One line for a list under a title that names who was there, or was not; None for any other list."""
    are_people = (
        0 < len(items) <= PEOPLE_MAX
        and _PRESENT.fullmatch(title.strip()) is not None
        and all(len(item) <= NAME_MAX_CHARS and _SENTENCE.search(item) is None for item in items)
    )
    return f"{title}: {', '.join(items)}" if are_people else None
