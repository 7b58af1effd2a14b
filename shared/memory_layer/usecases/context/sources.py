"""Where contexts come from: what the tenant shares, the project, the session, and the caller's own experience."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.context.fragments import Layer, Offer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Category, Memory, Ref, Scope
from memory_layer.domain.text_rules import MEMORY_ID
from memory_layer.domain.tier_policy import is_meant
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Deadline, Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, latest_news, newest_records
from memory_layer.usecases.recall.hydrate import whole_or_told
from memory_layer.usecases.recall.relevant_memories import RelevantMemories, RelevantMemorySearch

PINNED_RELEVANCE: Final = 0.5
"""Of a memory that a pattern has pinned, however little it bears on the intent."""

PREFERENCES: Final[tuple[Category, ...]] = ("preference", "tool_preference", "coding_style")

READ_MORE: Final = 2
"""Records read for each that is offered: some may not be shown."""

PINNED_LABELS_MAX: Final = 64
"""A pattern that fits more has all but pinned the project."""

_IS_ID: Final = re.compile(MEMORY_ID).fullmatch

TURNS_READ: Final = 40
"""The last turns of a session among which those are that may be shown."""


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """What every source is asked.

    Args:
        search: on whose behalf, when, and for what.
        bearing: what bears on the intent in the projects that are asked; found once for all.
        pins: globs over tags and URNs, and ids, of what is to be looked for besides.
    """

    ports: Ports
    principal: Principal
    search: CandidateSearch
    visibility: Visibility
    bearing: RelevantMemorySearch
    session_id: str | None = None
    pins: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        return self.search.project

    def read(self, refs: Sequence[Ref]) -> list[Memory]:
        """Those that may be shown, as they lie: the index is no authority."""
        wanted = list(dict.fromkeys(refs))
        records = self.ports.store.get_many(self.scope.tenant, wanted, with_bodies=False) if wanted else {}
        return [memory for memory in records.values() if self.visibility.shows(memory)]

    def offered(
        self,
        layer: Layer,
        memories: Sequence[Memory],
        limit: int,
        bearing: RelevantMemories,
        least: Mapping[Ref, float],
    ) -> SourceOffers:
        """The first `limit` of these with all their words. Args: least: relevance that some have at least."""
        first = list({memory.ref: memory for memory in memories}.values())[:limit]
        whole, no_words = whole_or_told(self.ports.store, first)
        vectors = _vectors_of(self.ports, whole, bearing.vectors)
        offers = (
            Offer(
                memory=memory,
                layer=layer,
                relevance=max(bearing.relevance.get(ref, 0.0), least.get(ref, 0.0)),
                vector=vectors.get(ref),
            )
            for ref, memory in {memory.ref: memory for memory in whole}.items()
        )
        return SourceOffers(tuple(offers), (*bearing.notes, *no_words))


@dataclass(frozen=True, slots=True)
class SourceOffers:
    """What a source brings, best first, and what was not there to be used."""

    offers: tuple[Offer, ...] = ()
    notes: tuple[str, ...] = ()


class ContextSource(Protocol):
    """One place that contexts come from."""

    @property
    def layer(self) -> Layer: ...

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        """At most `limit` memories, each as it may be shown to the caller.

        Raises:
            Late: the deadline is over; nobody waits any more.
        """


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What a project knows that bears on the intent, or hangs together with what does; and what is pinned."""

    layer: Layer

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        scope = query.scope
        if self.layer == "global":
            scope = Scope(scope.tenant, SHARED_PROJECT)
        bearing = query.bearing.found(deadline)
        pinned = _pinned(query, scope, bearing, limit)
        deadline.check()
        least = {memory.ref: PINNED_RELEVANCE for memory in pinned}
        memories = [*pinned, *bearing.of(scope.project)]
        return query.offered(self.layer, memories, limit, bearing, least)


@dataclass(frozen=True, slots=True)
class WorkshopSource:
    """What was said last in the session: its turns, and what its tools put out."""

    layer: Layer = "workshop"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        if query.session_id is None:
            return SourceOffers()
        turns = query.ports.store.last_turns(query.scope, query.session_id, TURNS_READ)
        deadline.check()
        shown = [turn for turn in turns if query.visibility.shows(turn)][:limit]
        vectors = _vectors_of(query.ports, shown, {})
        offers = (
            Offer(
                memory=turn,
                layer=self.layer,
                relevance=1.0 - rank / (2 * limit),
                vector=vectors.get(turn.ref),
            )
            for rank, turn in enumerate(shown)
        )
        return SourceOffers(tuple(offers))


@dataclass(frozen=True, slots=True)
class ExperienceSource:
    """What the caller likes, and what has worked before on such a matter."""

    layer: Layer = "experience"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        query.bearing.unseen(deadline)  # before the index is asked
        refs = _preferences(query, limit)  # while another source finds what bears on the intent
        bearing = query.bearing.found(deadline)
        liked = _liked(query, refs, bearing)
        deadline.check()
        lived = [memory for memory in bearing.memories if _is_experience(memory)]
        memories = sorted(
            [*lived, *liked],
            key=lambda memory: (
                -bearing.relevance.get(memory.ref, 0.0),
                not _is_own(memory, query.principal),
                memory.ref,
            ),
        )
        return query.offered(self.layer, memories, limit, bearing, {})


SOURCES: Final[Mapping[Layer, ContextSource]] = {
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


def _vectors_of(
    ports: Ports, memories: Iterable[Memory], known: Mapping[Ref, Vector]
) -> Mapping[Ref, Vector]:
    """Those known, and those of these records: one read for each project with one whose vector is not known yet."""
    found = dict(known)
    missing = [memory for memory in memories if memory.embedding_model and memory.ref not in known]
    for scope in {memory.scope for memory in missing}:
        stored = ports.store.vectors(scope, [memory.id for memory in missing if memory.scope == scope])
        found |= {Ref(scope.project, id): vectors.content for id, vectors in stored.items()}
    return found


def _pinned(query: SourceQuery, scope: Scope, bearing: RelevantMemories, limit: int) -> list[Memory]:
    if not query.pins:
        return []
    refs = [Ref(scope.project, pin) for pin in query.pins if _IS_ID(pin)]
    news = [ref for ref in latest_news(bearing.news) if ref.project == scope.project]
    found = query.read([*refs, *_pinned_by_label(query, scope, limit), *news])
    return [memory for memory in found if is_meant(memory, query.pins)][:limit]


def _pinned_by_label(query: SourceQuery, scope: Scope, limit: int) -> list[Ref]:
    """Those in the best standing that carry a label that is meant; without an index the newest, whatever they carry."""
    try:
        meant = query.ports.index.labels((scope,), query.pins, PINNED_LABELS_MAX)
    except IndexUnavailable:  # what bears on the intent says so
        return list(newest_records(query.ports, replace(query.search, within=(scope,))))
    asked = (Filters(tags=meant["tags"]), Filters(entities=meant["entities"]))
    return [
        ref
        for filters in asked
        if filters != Filters()
        for ref in _in_standing(query, (scope,), filters, limit)
    ]


def _preferences(query: SourceQuery, limit: int) -> list[Ref]:
    return _in_standing(query, query.search.scopes, Filters(category=PREFERENCES), READ_MORE * limit)


def _liked(query: SourceQuery, refs: Sequence[Ref], bearing: RelevantMemories) -> list[Memory]:
    known = {memory.ref: memory for memory in bearing.memories}
    news = latest_news(bearing.news)
    read = query.read([ref for ref in (*refs, *news) if ref not in known])
    liked = Filters(category=PREFERENCES)
    return [memory for memory in (*map(known.get, (*refs, *news)), *read) if memory and liked.accept(memory)]


def _in_standing(query: SourceQuery, scopes: tuple[Scope, ...], filters: Filters, limit: int) -> list[Ref]:
    search = query.search
    try:
        return query.ports.index.standing(scopes, filters, search.viewer, now=search.now, k=limit)
    except IndexUnavailable:
        found = newest_records(query.ports, replace(search, filters=filters, within=scopes))
        return list(found)[:limit]
