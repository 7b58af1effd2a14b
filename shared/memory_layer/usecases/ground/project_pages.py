"""Pages over a whole project, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator, Sized
from itertools import accumulate
from typing import Final

from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.errors import Conflict
from memory_layer.ports.records import MemoryStore, RecordPage

Progress = Callable[[int, int], None]
"""Callback with the records done and the total; the total may grow while the work goes on."""

NAMED_MAX: Final = 1_000
"""Ids that a report names at most, so that it fits into an operation."""


def ignore_progress(done: int, total: int) -> None:
    """Progress callback that does nothing."""


PAGE_RECORDS = 500


def every_record(memories: MemoryStore, scope: Scope, frozen: list[str] | None = None) -> Iterator[Memory]:
    """Yields each record as it is stored, oldest first; one that is written meanwhile may be missed.

    Args:
        frozen: gets the ids of those left out because their words are in deep archive.

    Raises:
        Conflict: a record is damaged (its content hash differs): it must not go on under a new seal.
    """
    for page in _pages(memories, scope, PAGE_RECORDS):
        damaged = [m.id for m in page.memories if content_hash(m.content) != m.content_hash]
        _refuse(*page.unread, *damaged)
        if frozen is not None:
            frozen += page.frozen
        yield from page.memories


def record_pages(
    memories: MemoryStore, scope: Scope, page_records: int = PAGE_RECORDS
) -> Iterator[tuple[Memory, ...]]:
    """Yields the readable records a page at a time, no page empty."""
    return (page.memories for page in _pages(memories, scope, page_records) if page.memories)


def whole_pages(memories: MemoryStore, scope: Scope, page_records: int) -> Iterator[tuple[Memory, ...]]:
    """Yields pages as `record_pages`, and fails where a record cannot be read.

    Raises:
        Conflict: the words of a record are lost: it would stay behind unseen.
    """
    for page in _pages(memories, scope, page_records):
        _refuse(*page.unread)
        if page.memories:
            yield page.memories


def _refuse(*damaged: str) -> None:
    if damaged:
        raise Conflict(f"{damaged[0]} is damaged: run mem verify, and bring it back from a snapshot first")


def _pages(memories: MemoryStore, scope: Scope, page_records: int) -> Iterator[RecordPage]:
    after = None
    while True:
        page = memories.every(scope, after=after, limit=page_records)
        yield page
        if page.next_key is None:
            return
        after = page.next_key


def has_at_most(pages: Iterable[Sized], records: int) -> bool:
    """Tells if a project is small, so that work on all of it takes no time worth reporting.

    Args:
        pages: of the project; read no further than the answer needs.
    """
    return all(found <= records for found in accumulate(map(len, pages)))
