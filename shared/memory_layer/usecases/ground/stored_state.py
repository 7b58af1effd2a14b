"""Everything that a project keeps, page by page, and how a manifest names it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.records import RecordStore

PAGE_IDS = 200
"""Each with all its versions, which stay on the disk until they are looked at."""


def kept_records(
    store: RecordStore, scope: Scope, *, with_history: bool
) -> Iterator[tuple[StoredRecord, ...]]:
    """Pages of all that lies there, as ports.RecordStore.kept."""
    after: str | None = None
    while True:
        page = store.kept(scope, after=after, limit=PAGE_IDS, with_history=with_history)
        yield page.kept
        if page.next_key is None:
            return
        after = page.next_key


def with_bodies(store: RecordStore, scope: Scope, kept: Sequence[StoredRecord]) -> list[StoredRecord]:
    """The same with all words in the records; one whose body is missing or damaged has a flaw more.

    One in deep archive stays the stub that it is: its words stay where they are, whatever becomes of the record.
    """
    stubs = [one.memory for one in kept if one.memory is not None and one.body_bytes is not None]
    whole = {memory.id: memory for memory in store.whole(stubs)} if stubs else {}
    lost = [one for one in kept if one.body_bytes is not None and one.id not in whole]
    flaws = {flaw.id: flaw for flaw in store.body_flaws(scope, lost)} if lost else {}
    return [_with_body(one, whole.get(one.id), flaws.get(one.id)) for one in kept]


def _with_body(kept: StoredRecord, whole: Memory | None, flaw: BrokenPart | None) -> StoredRecord:
    if whole is not None:
        return replace(kept, memory=whole, body_bytes=None)
    return kept if flaw is None else replace(kept, flaws=(*kept.flaws, flaw))


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
