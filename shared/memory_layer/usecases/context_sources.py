"""Where contexts come from: what the tenant shares, the project, the session, and the caller's own experience."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Protocol

from memory_layer.context_ports import Deadline
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.context_parts import Layer, Offer
from memory_layer.domain.filters import Filters
from memory_layer.domain.globs import glob_matches
from memory_layer.domain.memory import Category, Memory, Ref, Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports import Ports, Vectors
from memory_layer.usecases.bearing_memories import Bearing, BearingMemories, visible_whole
from memory_layer.usecases.find_candidates import NO_INDEX, Search, newest_records
from memory_layer.usecases.visibility import Visibility

NAMED_RELEVANCE: Final = 0.5
"""Of a memory that carries an entity which the request names, however little its words bear on the intent."""

PINNED_RELEVANCE: Final = 0.5
"""Of a memory that a pattern has pinned, in the same case."""

PREFERENCES: Final[tuple[Category, ...]] = ("preference", "tool_preference", "coding_style")

READ_MORE: Final = 2
"""Records read for each that is offered: some may not be shown."""

NEAR_A_LIKING: Final = 8
"""Records that bear on the intent, read for each one offered: few are preferences or have worked before."""

PINNED_TAGS_MAX: Final = 64
"""A pattern that fits more has all but pinned the project."""

TURNS_READ: Final = 40
"""The last turns of a session among which those are that may be shown."""


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """What every source is asked.

    Args:
        search: on whose behalf, when, and for what.
        bearing: what bears on the intent in the projects that are asked; found once for all.
        pins: globs over tags and URNs of what is to be looked for besides.
    """

    ports: Ports
    principal: Principal
    search: Search
    visibility: Visibility
    bearing: BearingMemories
    entities: tuple[str, ...] = ()
    session_id: str | None = None
    pins: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        return self.search.project


@dataclass(frozen=True, slots=True)
class Offered:
    """What a source brings, best first, and what was not there to be used."""

    offers: tuple[Offer, ...] = ()
    notes: tuple[str, ...] = ()


class Source(Protocol):
    """One place that contexts come from."""

    @property
    def layer(self) -> Layer: ...

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> Offered:
        """At most `limit` memories, each as it may be shown to the caller.

        Raises:
            Late: the deadline is over; nobody waits any more.
        """


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What a project knows that bears on the intent, names an entity of the request, or is pinned."""

    layer: Layer

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> Offered:
        scope = query.scope
        if self.layer == "global":
            scope = Scope(scope.tenant, SHARED_PROJECT)
        bearing = query.bearing.found(deadline)
        deadline.check()
        named, notes = _named(query, scope, limit)
        pinned = _pinned(query, scope, limit)
        refs = [*bearing.refs(scope.project)[: READ_MORE * limit], *named, *pinned]
        deadline.check()
        memories, no_words = visible_whole(query.ports, query.scope, refs, query.visibility, len(refs))
        least = {**dict.fromkeys(pinned, PINNED_RELEVANCE), **dict.fromkeys(named, NAMED_RELEVANCE)}
        offers = _judged(query, bearing, memories, self.layer, least)
        deadline.check()
        return Offered(_with_vectors(query.ports, offers[:limit]), (*bearing.notes, *notes, *no_words))


@dataclass(frozen=True, slots=True)
class WorkshopSource:
    """What was said last in the session: its turns, and what its tools put out."""

    layer: Layer = "workshop"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> Offered:
        if query.session_id is None:
            return Offered()
        turns = query.ports.store.last_turns(query.scope, query.session_id, TURNS_READ)
        deadline.check()
        shown = [turn for turn in turns if query.visibility.shows(turn)][:limit]
        ranks = range(len(shown))
        offers = [
            Offer(memory=turn, layer=self.layer, relevance=1.0 - rank / (2 * limit))
            for rank, turn in zip(ranks, shown, strict=True)
        ]
        return Offered(_with_vectors(query.ports, offers))


@dataclass(frozen=True, slots=True)
class ExperienceSource:
    """What the caller likes, and what has worked before on such a matter."""

    layer: Layer = "experience"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> Offered:
        bearing = query.bearing.found(deadline)
        deadline.check()
        preferences, notes = _preferences(query, READ_MORE * limit)
        deadline.check()
        refs = [*bearing.refs()[: NEAR_A_LIKING * limit], *preferences]
        memories, no_words = visible_whole(query.ports, query.scope, refs, query.visibility, len(refs))
        mine = [memory for memory in memories if _is_experience(memory)]
        offers = _judged(query, bearing, mine, self.layer, {})
        own = sorted(offers, key=lambda offer: (-offer.relevance, not _is_own(offer.memory, query.principal)))
        return Offered(_with_vectors(query.ports, own[:limit]), (*notes, *no_words))


SOURCES: Final[Mapping[Layer, Source]] = {
    "global": KnownSource("global"),
    "project": KnownSource("project"),
    "workshop": WorkshopSource(),
    "experience": ExperienceSource(),
}


def _is_experience(memory: Memory) -> bool:
    return memory.category in PREFERENCES or memory.outcome_score > 0.0


def _is_own(memory: Memory, principal: Principal) -> bool:
    return memory.created_by == principal.name or (
        memory.persona is not None and memory.persona == principal.persona
    )


def _judged(
    query: SourceQuery,
    bearing: Bearing,
    memories: Sequence[Memory],
    layer: Layer,
    least: Mapping[Ref, float],
) -> list[Offer]:
    """Best first. Args: least: relevance that some have whatever they say."""
    judged = query.bearing.judged(memories, bearing)
    offers = [
        Offer(
            memory=memory,
            layer=layer,
            relevance=max(judged.get(memory.ref, 0.0), least.get(memory.ref, 0.0)),
        )
        for memory in memories
        if memory.ref in judged or memory.ref in least or layer == "experience"
    ]
    return sorted(offers, key=lambda offer: (-offer.relevance, offer.memory.ref))


def _with_vectors(ports: Ports, offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """One read for each project."""
    found: dict[Ref, Vectors] = {}
    chosen = tuple(offers)
    for scope in {offer.memory.scope for offer in chosen}:
        ids = [offer.memory.id for offer in chosen if offer.memory.scope == scope]
        stored = ports.store.vectors(scope, ids)
        found |= {Ref(scope.project, id): vectors for id, vectors in stored.items()}
    return tuple(
        replace(offer, vector=found[offer.memory.ref].content) if offer.memory.ref in found else offer
        for offer in chosen
    )


def _named(query: SourceQuery, scope: Scope, limit: int) -> tuple[list[Ref], tuple[str, ...]]:
    """Those that carry an entity of the request, in their standing."""
    if not query.entities:
        return [], ()
    return _in_standing(query, (scope,), Filters(entities=query.entities), limit)


def _pinned(query: SourceQuery, scope: Scope, limit: int) -> list[Ref]:
    if not query.pins:
        return []
    try:
        carried = query.ports.index.tags((scope,))
    except IndexUnavailable:
        return []
    fitting = (tag for tag in carried if any(glob_matches(pattern, tag) for pattern in query.pins))
    tags = tuple(islice(fitting, PINNED_TAGS_MAX))
    return _in_standing(query, (scope,), Filters(tags=tags), limit)[0] if tags else []


def _preferences(query: SourceQuery, limit: int) -> tuple[list[Ref], tuple[str, ...]]:
    return _in_standing(query, query.search.scopes, Filters(category=PREFERENCES), limit)


def _in_standing(
    query: SourceQuery, scopes: tuple[Scope, ...], filters: Filters, limit: int
) -> tuple[list[Ref], tuple[str, ...]]:
    search = query.search
    try:
        return query.ports.index.standing(scopes, filters, search.viewer, now=search.now, k=limit), ()
    except IndexUnavailable:
        found = newest_records(query.ports, replace(search, filters=filters, within=scopes))
        return list(found)[:limit], (NO_INDEX,)
