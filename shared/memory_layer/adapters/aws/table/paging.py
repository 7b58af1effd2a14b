"""Cursors of pages, and the numbers of items that one page after another looks at."""

from collections.abc import Iterator
from typing import Final

from memory_layer.errors import Malformed

CURSOR_MAX_BYTES: Final = 512
"""Longer than any time with an id of ours: no cursor of ours."""

Place = tuple[str, str]
"""A time and an id: where a page ends, and the next one begins."""


def checked_cursor(cursor: str) -> str:
    """Returns the text of a cursor that is no longer than ours are.

    Raises:
        Malformed: no page ever ended there.
    """
    if len(cursor.encode()) > CURSOR_MAX_BYTES:
        raise Malformed("the cursor is none of ours; start again without one")
    return cursor


def growing_sizes(first: int, most: int) -> Iterator[int]:
    """Sizes of pages, each four times the one before, up to a maximum: a filter may leave nothing of the first."""
    size = min(first, most)
    while True:
        yield size
        size = min(4 * size, most)
