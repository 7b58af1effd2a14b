"""Marks of Markdown that say nothing in a memory: boxes, struck words, images, footnotes, lists of definitions."""

import re
from collections.abc import Sequence
from typing import Final

_CODE: Final = re.compile(r"(```.*?```|~~~.*?~~~|`+[^`\n]*`+)", re.DOTALL)
_STRUCK: Final = re.compile(r"~~(?=\S)[^~\n]{1,200}~~ ?")
_IMAGE: Final = re.compile(r"!\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_NOTE: Final = re.compile(r"(?m)^\[\^[\w-]{1,40}\]: +|(?<=\S)\[\^[\w-]{1,40}\](?!\()")
_DEFINED: Final = re.compile(r"(?m)^([^\n:|`/;,(={]{1,60}?) : (?=\S)")
_BOX: Final = re.compile(r"(?m)^(\s*(?:[-*+] )?)\[([ xX])\] (?=\S)")
_CHECKLIST: Final = re.compile(
    r"check|definition of done|criteria|\bbefore\b|review|\bgates?\b|requirements|pull request|\bprs?\b"
    r"|pr\u00fcf|\bbevor\b",
    re.IGNORECASE,
)
_SAID_BY_BOXES: Final = {" ": "To do", "x": "Done", "X": "Done"}


def without_marks(text: str, titles: Sequence[str]) -> str:
    """Text as it is read: without what is struck out, images by their words, boxes as `To do:` and `Done:`; code stays.

    Args:
        titles: headings over it; under those of a checklist a box is there to be ticked, and says nothing.
    """
    if not any(mark in text for mark in ("~~", "](", "[^", " : ", "[ ]", "[x]", "[X]")):
        return text
    parts = _CODE.split(text)
    is_to_tick = any(_CHECKLIST.search(title) for title in titles)
    plain = (part if at % 2 else _plain(part, is_to_tick=is_to_tick) for at, part in enumerate(parts))
    return "".join(plain).strip() or text


def is_struck_out(text: str) -> bool:
    """Tests if all that a text says is struck out, boxes aside."""
    return "~~" in text and not _STRUCK.sub("", _BOX.sub(r"\1", text)).strip(" \n.,;:-*_")


def _plain(text: str, *, is_to_tick: bool) -> str:
    text = _DEFINED.sub(r"\1: ", _NOTE.sub("", _IMAGE.sub(r"\1", _STRUCK.sub("", text))))
    return _BOX.sub(lambda box: box[1] if is_to_tick else f"{box[1]}{_SAID_BY_BOXES[box[2]]}: ", text)
