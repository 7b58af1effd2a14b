"""Lists in an order of the caller's choice, and the number of what passes their filters."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Memory, Ref, as_of_now
from memory_layer.ports.index import ListQuery
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import listable_filters


@dataclass(frozen=True, slots=True)
class OrderedPage:
    """Page in an order, each record with its place; the next page continues after `next_place` (None: the last)."""

    memories: tuple[Memory, ...]
    places: tuple[OrderedId, ...]
    next_place: OrderedId | None
    unread: tuple[str, ...] = ()


def list_in_order(
    ports: Ports,
    principal: Principal,
    project: str,
    filters: Filters,
    order: ListOrder,
    *,
    after: OrderedId | None,
    limit: int,
) -> OrderedPage:
    """Reads a page in an order of the index, whose hits are read again and held against the filters.

    A page may hold fewer than `limit`, even none, and name a next one all the same.

    Raises:
        IndexUnavailable: the index does not answer now.
    """
    asked = listable_filters(principal, filters)
    if asked is None:
        return OrderedPage((), (), None)
    scope, viewer, now = principal.scope(project), viewer_of(principal), ports.clock.now()
    query = ListQuery(scope, asked, viewer, now)
    places = ports.index.ordered(query, order, after=after, k=limit + 1)
    refs = {Ref(project, place.id): place for place in places[:limit]}
    found = ports.store.memories.get_many(scope.tenant, refs)
    accepts = asked.acceptor()
    shown = {
        ref: memory
        for ref, memory in ((ref, as_of_now(found[ref], now)) for ref in refs if ref in found)
        if viewer.may_see(memory.persona) and accepts(memory)
    }
    return OrderedPage(
        tuple(shown.values()),
        tuple(refs[ref] for ref in shown),
        places[limit - 1] if len(places) > limit else None,
        tuple(ref.id for ref in _unread(ports, scope.tenant, [ref for ref in refs if ref not in found])),
    )


def _unread(ports: Ports, tenant: str, missing: Sequence[Ref]) -> list[Ref]:
    return ports.store.memories.damaged_among(tenant, missing) if missing else []


def count_listed(ports: Ports, principal: Principal, project: str, filters: Filters) -> int:
    """Counts what a list with these filters holds on all its pages; it may lag as far as the index does.

    Raises:
        IndexUnavailable: the index does not answer now.
    """
    asked = listable_filters(principal, filters)
    if asked is None:
        return 0
    now = ports.clock.now()
    return ports.index.count(ListQuery(principal.scope(project), asked, viewer_of(principal), now))
