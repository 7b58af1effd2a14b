"""Search for the memories that name an entity: in the index, among records it has not seen yet, read from the store."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.process import Ports
from memory_layer.ports.records import UNSEEN_MAX

EVERYONE: Final = Viewer(sees_all_personas=True)

URNS_TOGETHER: Final = 100
"""URNs asked for in one search."""

DEPTH: Final = 10_000
"""The most that a search gives (OpenSearch, index.max_result_window)."""

READ_TOGETHER: Final = 200


@dataclass(frozen=True, slots=True)
class EntityMemories:
    """Active memories that name some URNs, of all personas, read from the store a page at a time.

    Args:
        urns: those that are done with once these memories were looked at.
        has_more: there may be more memories of these URNs.
    """

    urns: Collection[str]
    has_more: bool
    pages: Iterator[list[Memory]]


class EntityMemorySearch:
    """Search over one project's memories; records that the index had not seen at the start are read once.

    Raises:
        IndexUnavailable: from every method.
    """

    def __init__(self, ports: Ports, scope: Scope, now: datetime) -> None:
        self._ports = ports
        self._scope = scope
        self._now = now
        position = ports.index.covered(scope)
        refs = [] if position is None else ports.store.memories.written_after(scope, position)
        self._unseen = list(self._read(refs)) if refs else []
        self._unseen_refs = frozenset(refs)
        self._misses_some = len(refs) >= UNSEEN_MAX

    def active(self, urns: Sequence[str]) -> Iterator[EntityMemories]:
        """Yields the records that the index has not seen, which is done with no URN, then those that it finds."""
        filters = Filters(entities=tuple(urns))
        yield EntityMemories((), False, iter([[memory for memory in self._unseen if filters.accept(memory)]]))
        for asked in _chunks(urns):
            yield from self._halved(asked)

    def _halved(self, urns: Sequence[str]) -> Iterator[EntityMemories]:
        filters = Filters(entities=tuple(urns))
        refs = self._standing(filters, EVERYONE, DEPTH)
        if len(refs) < DEPTH or len(urns) == 1:
            seen = [ref for ref in refs if ref not in self._unseen_refs]
            yield EntityMemories(urns, len(refs) == DEPTH or self._misses_some, self._pages(seen, filters))
            return
        for half in (urns[: len(urns) // 2], urns[len(urns) // 2 :]):
            yield from self._halved(half)

    def _pages(self, refs: Sequence[Ref], filters: Filters) -> Iterator[list[Memory]]:
        for start in range(0, len(refs), READ_TOGETHER):
            found = self._read(refs[start : start + READ_TOGETHER])
            yield [memory for memory in found if filters.accept(memory)]

    def known(self, urns: Sequence[str], viewer: Viewer) -> set[str]:
        """URNs that a memory of any status names, as far as this viewer may see it."""
        found = {urn for memory in self._unseen if viewer.may_see(memory.persona) for urn in memory.entities}
        for asked in _chunks([urn for urn in urns if urn not in found]):
            found |= self._known_among(asked, viewer)
        return found & set(urns)

    def _known_among(self, urns: Sequence[str], viewer: Viewer) -> set[str]:
        """URNs named by the best hits of one search; the others are searched again in halves."""
        filters = Filters(entities=tuple(urns), status=())
        refs = self._standing(filters, viewer, READ_TOGETHER)
        named = [memory for memory in self._read(refs) if viewer.may_see(memory.persona)] if refs else []
        found = {urn for memory in named for urn in memory.entities}
        if len(refs) < READ_TOGETHER or len(urns) == 1:
            return found
        left = [urn for urn in urns if urn not in found]
        halves = (left[: len(left) // 2], left[len(left) // 2 :])
        return found.union(*(self._known_among(half, viewer) for half in halves if half))

    def _standing(self, filters: Filters, viewer: Viewer, k: int) -> list[Ref]:
        return self._ports.index.standing((self._scope,), filters, viewer, now=self._now, k=k).refs()

    def _read(self, refs: Collection[Ref]) -> Collection[Memory]:
        """Reads the records as they lie, without bodies: the index is no authority."""
        return self._ports.store.memories.get_many(self._scope.tenant, refs, with_bodies=False).values()


def _chunks(urns: Sequence[str]) -> Iterator[Sequence[str]]:
    return (urns[start : start + URNS_TOGETHER] for start in range(0, len(urns), URNS_TOGETHER))
