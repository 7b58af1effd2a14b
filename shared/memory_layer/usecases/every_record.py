"""A whole project, page by page, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import accumulate

from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.errors import Conflict
from memory_layer.ports import RecordStore

PAGE_RECORDS = 500


def every_record(store: RecordStore, scope: Scope) -> Iterator[Memory]:
    """Each record as it is stored, oldest first; one that is written meanwhile may be missed.

    Raises:
        Conflict: one does not say any more what was written: it must not go on under a new seal.
    """
    for page in record_pages(store, scope):
        for memory in page:
            if content_hash(memory.content) != memory.content_hash:
                raise Conflict(
                    f"{memory.id} is damaged: run mem verify, and bring it back from a snapshot first"
                )
            yield memory


def record_pages(
    store: RecordStore, scope: Scope, page_records: int = PAGE_RECORDS
) -> Iterator[tuple[Memory, ...]]:
    """As `every_record`, a page at a time, none of them empty."""
    after = None
    while True:
        page = store.every(scope, after=after, limit=page_records)
        if page.memories:
            yield page.memories
        if page.next_key is None:
            return
        after = page.next_key


def has_at_most(pages: Iterable[Sized], records: int) -> bool:
    """Whether a project is small: what is done with all of it takes no time worth a word.

    Args:
        pages: of it, as whoever works on it reads them; read no further than it takes to say.
    """
    return all(found <= records for found in accumulate(map(len, pages)))
