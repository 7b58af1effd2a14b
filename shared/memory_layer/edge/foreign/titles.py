"""Titles over what follows: headings without their marks, and the sentences that lead into a list."""

import re
from typing import Final

HEADING_MAX_CHARS: Final = 160

_ANCHOR: Final = re.compile(r"\s*\{:?\s*#[\w.:-]+[^{}]*\}\s*$")
"""Id of a heading for links: `## Install {#install}`."""
_SENTENCE_END: Final = re.compile(r"(?<=[\w)`\"]{2}[.!?]) (?=[A-Z\u00c4\u00d6\u00dc`*])")
_LABELLED: Final = re.compile(r"(?:\*\*|__)[^*_\n]{1,60}(?::(?:\*\*|__)|(?:\*\*|__):)")
"""Label in bold before words: `**Release date:** Oct 9, 2024`."""
_QUESTION: Final = re.compile(
    r"(?P<mark>\*\*|__)(?:(?!(?P=mark)|[.!?]\s).)+(?:\?(?P=mark)|(?P=mark)\?)"
    r"|(?:q|question|frage) ?\d{0,3}: (?:(?![.!?]\s).)+\?",
    re.IGNORECASE | re.DOTALL,
)
"""One question and no other sentence: what a question is asked for may stand behind it."""
_ASKED_BY: Final = re.compile(r"(?:q|question|frage) ?\d{0,3}: ", re.IGNORECASE)


def is_question_alone(text: str) -> bool:
    """Tests for a paragraph that is a question in bold, or behind `Q:`, and nothing else: the next ones answer it.

    One that is too long for a heading says something itself.
    """
    return len(text) <= HEADING_MAX_CHARS and _QUESTION.fullmatch(text) is not None


def question_title(text: str) -> str:
    """Question of such a paragraph, on one line, without its marks."""
    return _ASKED_BY.sub("", title_of(" ".join(text.split()).strip("_")), count=1)


def without_label(text: str) -> str:
    """Words of a line without the label in bold before them, and without their own marks."""
    return _LABELLED.sub("", text, count=1).strip("*_ .")


def is_more_than_a_title(text: str) -> bool:
    """Tests if what leads into a list says more than its last sentence: then it is a memory as well."""
    plain = " ".join(text.split())
    return len(plain) > HEADING_MAX_CHARS or len(_SENTENCE_END.split(plain)) > 1


def lead_title(text: str) -> str:
    """Last sentence of what leads into a list."""
    return title_of(_SENTENCE_END.split(" ".join(text.split()))[-1])


def title_of(text: str) -> str:
    """First line of a heading, without its emphasis."""
    first = _ANCHOR.sub("", text.partition("\n")[0]).replace("*", "").replace("`", "")
    return first.strip().rstrip(":").strip()[:HEADING_MAX_CHARS]
