"""Everything that a project keeps, page by page, and how a manifest names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from memory_layer.domain.memory import Scope
from memory_layer.domain.verification import Kept
from memory_layer.ports import RecordStore

PAGE_IDS = 200
"""Each with all its versions, which stay on the disk until they are looked at."""


def kept_records(store: RecordStore, scope: Scope, *, with_history: bool) -> Iterator[tuple[Kept, ...]]:
    """Pages of all that lies there, as ports.RecordStore.kept."""
    after: str | None = None
    while True:
        page = store.kept(scope, after=after, limit=PAGE_IDS, with_history=with_history)
        yield page.kept
        if page.next_key is None:
            return
        after = page.next_key


def one_each(lines: Iterable[str]) -> Iterator[str]:
    """Of a record that was written while it was read, and so came twice, the newer line. Args: lines: sorted."""
    for _, same in groupby(lines, key=id_in):
        yield max(same, key=version_in)


def id_in(line: str) -> str:
    return line.split("\t", 1)[0]


def place_of(line: str) -> str:
    """What sorted lines are in order of: the id, and the tab after it."""
    return line[: line.index("\t") + 1]


def version_in(line: str) -> int:
    return int(line.split("\t", 2)[1])
