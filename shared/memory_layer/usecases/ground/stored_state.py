"""Stored records of a project, page by page, with bodies; and the lines by which a manifest names them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.maintenance import IntegrityStore
from memory_layer.ports.records import MemoryStore

PAGE_IDS = 200
"""Records of a page, each with all its versions, which stay on the disk until they are looked at."""


def kept_records(
    integrity: IntegrityStore, scope: Scope, *, with_history: bool
) -> Iterator[tuple[StoredRecord, ...]]:
    """Yields all stored records in pages, as ports.maintenance.IntegrityStore.kept."""
    after: str | None = None
    while True:
        page = integrity.kept(scope, after=after, limit=PAGE_IDS, with_history=with_history)
        yield page.kept
        if page.next_key is None:
            return
        after = page.next_key


def with_bodies(
    memories: MemoryStore, integrity: IntegrityStore, scope: Scope, kept: Sequence[StoredRecord]
) -> list[StoredRecord]:
    """Stored records with their bodies read in; one whose body is missing or damaged has a flaw more.

    A record in deep archive stays a stub: its words stay where they are, whatever becomes of the record.
    """
    stubs = [one.memory for one in kept if one.memory is not None and one.body_bytes is not None]
    whole = {memory.id: memory for memory in memories.whole(stubs)} if stubs else {}
    lost = [one for one in kept if one.body_bytes is not None and one.id not in whole]
    flaws = {flaw.id: flaw for flaw in integrity.body_flaws(scope, lost)} if lost else {}
    return [_with_body(one, whole.get(one.id), flaws.get(one.id)) for one in kept]


def _with_body(kept: StoredRecord, whole: Memory | None, flaw: BrokenPart | None) -> StoredRecord:
    if whole is not None:
        return replace(kept, memory=whole, body_bytes=None)
    return kept if flaw is None else replace(kept, flaws=(*kept.flaws, flaw))


def newest_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yields one line per record: the newer, where a write during the read gave two. Args: lines: sorted."""
    for _, same in groupby(lines, key=id_in):
        yield max(same, key=version_in)


def id_in(line: str) -> str:
    return line.split("\t", 1)[0]


def sort_key_of(line: str) -> str:
    """Sort key of a line: the id, and the tab after it."""
    return line[: line.index("\t") + 1]


def version_in(line: str) -> int:
    return int(line.split("\t", 2)[1])
