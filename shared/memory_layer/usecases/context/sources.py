"""Sources of a context: the tenant's shared project, the project, the session, and the caller's own experience."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from memory_layer.domain.access import SHARED_PROJECT, Principal, is_author
from memory_layer.domain.context.fragments import Layer, Offer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Category, Memory, Ref, Scope
from memory_layer.domain.text_rules import MEMORY_ID
from memory_layer.domain.tier_policy import matches_memory
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Deadline, Ports, layout_of
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, newest_records, newest_unseen
from memory_layer.usecases.recall.hydrate import hydrate_records, hydrate_shown
from memory_layer.usecases.recall.relevant_memories import RelevantMemories, RelevantMemorySearch

PINNED_RELEVANCE: Final = 0.5
"""Least relevance of a memory that a pattern has pinned, however little it bears on the intent."""

PREFERENCES: Final[tuple[Category, ...]] = ("preference", "tool_preference", "coding_style")

READ_MORE: Final = 2
"""Records read for each that is offered: some may not be shown."""

PINNED_LABELS_MAX: Final = 64
"""Labels that the pins may match; a pattern that fits more has all but pinned the project."""

_IS_ID: Final = re.compile(MEMORY_ID).fullmatch

TURNS_READ: Final = 40
"""Last turns of a session that are read; those that may be shown are among them."""

TRUSTED_TURNS: Final = 2
"""Last trusted turns that those after them leave room for."""


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """Query that every source answers.

    Args:
        search: caller, time and words of the query.
        relevant: search for memories that bear on the intent in the projects asked; run once for all sources.
        session_id: None also where the workshop is not asked.
        pins: globs over tags and URNs, and ids, of memories to look for besides.
        weighs_accesses: the request's rules look at how often memories were recalled.
    """

    ports: Ports
    principal: Principal
    search: CandidateSearch
    visibility: Visibility
    relevant: RelevantMemorySearch
    session_id: str | None = None
    pins: tuple[str, ...] = ()
    weighs_accesses: bool = False

    @property
    def scope(self) -> Scope:
        return self.search.project

    def read(self, refs: Sequence[Ref]) -> list[Memory]:
        """Reads the records that may be shown, as they lie: the index is no authority."""
        wanted = list(dict.fromkeys(refs))
        records = (
            self.ports.store.memories.get_many(
                self.scope.tenant, wanted, with_bodies=False, with_accesses=False
            )
            if wanted
            else {}
        )
        return [memory for memory in records.values() if self.visibility.shows(memory)]

    def offered(
        self,
        layer: Layer,
        memories: Sequence[Memory],
        limit: int,
        relevant: RelevantMemories,
        least: Mapping[Ref, float],
    ) -> SourceOffers:
        """Offers of the first `limit` memories with all their words. Args: least: relevance that some have at least."""
        first = list({memory.ref: memory for memory in memories}.values())[:limit]
        hydrate = hydrate_shown if self.weighs_accesses else hydrate_records
        whole, no_words = hydrate(self.ports.store.memories, first)
        found = {memory.ref: memory for memory in whole}
        vectors = _vectors_of(self.ports, found, relevant.vectors)
        offers = (
            Offer(
                memory=memory,
                layer=self._layer_of(memory, layer),
                relevance=max(relevant.relevance.get(ref, 0.0), least.get(ref, 0.0)),
                vector=vectors.get(ref),
            )
            for ref, memory in found.items()
        )
        return SourceOffers(tuple(offers), (*relevant.notes, *no_words))

    def _layer_of(self, memory: Memory, layer: Layer) -> Layer:
        """Layer of a memory that a source found: turns of the session are the workshop's, whoever found them."""
        is_turn = self.session_id is not None and memory.session_id == self.session_id
        return "workshop" if is_turn and memory.project == self.scope.project else layer


@dataclass(frozen=True, slots=True)
class SourceOffers:
    """Offers of a source, best first, and notes on what was not there to be used."""

    offers: tuple[Offer, ...] = ()
    notes: tuple[str, ...] = ()


class ContextSource(Protocol):
    """Source of offers for one layer of a context."""

    @property
    def layer(self) -> Layer: ...

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        """Offers at most `limit` memories, each as it may be shown to the caller.

        Raises:
            Late: the deadline is over; nobody waits any more.
        """


@dataclass(frozen=True, slots=True)
class KnownSource:
    """Source of a project's memories: pinned ones, those that bear on the intent, and those tied to them."""

    layer: Layer

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        scope = query.scope
        if self.layer == "global":
            scope = Scope(scope.tenant, SHARED_PROJECT)
        relevant = query.relevant.found(deadline)
        pinned = _pinned(query, scope, relevant, limit)
        deadline.check()
        least = {memory.ref: PINNED_RELEVANCE for memory in pinned}
        memories = [*pinned, *relevant.of(scope.project)]
        return query.offered(self.layer, memories, limit, relevant, least)


@dataclass(frozen=True, slots=True)
class WorkshopSource:
    """Source of the session's last turns and tool outputs."""

    layer: Layer = "workshop"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        if query.session_id is None:
            return SourceOffers()
        turns = query.ports.store.sessions.last_turns(query.scope, query.session_id, TURNS_READ)
        deadline.check()
        shown = _last([turn for turn in turns if query.visibility.shows(turn)], limit)
        vectors = _vectors_of(query.ports, {turn.ref: turn for turn in shown}, {})
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


def _last(turns: Sequence[Memory], limit: int) -> list[Memory]:
    """Selects the last turns, and the last trusted ones if they are earlier. Args: turns: the last first."""
    trusted = [turn for turn in turns if turn.is_trusted][:TRUSTED_TURNS]
    earlier = [turn for turn in trusted if turn not in turns[:limit]]
    return [*turns[: max(0, limit - len(earlier))], *earlier][:limit]


@dataclass(frozen=True, slots=True)
class ExperienceSource:
    """Source of the caller's preferences and of memories that have worked before on such a matter."""

    layer: Layer = "experience"

    def offers(self, query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        query.relevant.unseen(deadline)  # before the index is asked
        refs = (
            _preferences(query, limit) if query.search.query else []
        )  # while another source finds what bears on the intent
        relevant = query.relevant.found(deadline)
        liked = _liked(query, refs, relevant) if query.search.query else []
        deadline.check()
        lived = [memory for memory in relevant.memories if _is_experience(memory)]
        memories = sorted(
            [*lived, *liked],
            key=lambda memory: (
                -relevant.relevance.get(memory.ref, 0.0),
                not _is_own(memory, query.principal),
                memory.ref,
            ),
        )
        return query.offered(self.layer, memories, limit, relevant, {})


SOURCES: Final[Mapping[Layer, ContextSource]] = {
    "global": KnownSource("global"),
    "project": KnownSource("project"),
    "workshop": WorkshopSource(),
    "experience": ExperienceSource(),
}


def _is_experience(memory: Memory) -> bool:
    return memory.category in PREFERENCES or memory.outcome_score > 0.0


def _is_own(memory: Memory, principal: Principal) -> bool:
    return is_author(principal, memory) or memory.persona in principal.own_personas


def _vectors_of(
    ports: Ports, memories: Mapping[Ref, Memory], known: Mapping[Ref, Vector]
) -> Mapping[Ref, Vector]:
    """Rows (VectorLayout) of the records: one read for each project of which one is not known.

    Args:
        known: vectors as stored, or rows.
    """
    layout = layout_of(ports.embedder)  # vectors of two models have a cosine of 0
    current = {ref: memory for ref, memory in memories.items() if memory.embedding_model in layout.dimensions}
    found = {ref: known[ref] for ref in current if ref in known}
    missing = [memory for ref, memory in current.items() if ref not in known]
    for scope in {memory.scope for memory in missing}:
        stored = ports.store.memories.vectors(
            scope, [memory.id for memory in missing if memory.scope == scope]
        )
        found |= {Ref(scope.project, id): vectors.content for id, vectors in stored.items()}
    rows = {
        ref: vector if len(vector) == layout.width else layout.row(current[ref].embedding_model, vector)
        for ref, vector in found.items()
    }
    return {ref: row for ref, row in rows.items() if row is not None}


def _pinned(query: SourceQuery, scope: Scope, relevant: RelevantMemories, limit: int) -> list[Memory]:
    if not query.pins:
        return []
    refs = [Ref(scope.project, pin) for pin in query.pins if _IS_ID(pin)]
    news = [ref for ref in newest_unseen(relevant.unseen) if ref.project == scope.project]
    found = query.read([*refs, *_pinned_by_label(query, scope, limit), *news])
    return [memory for memory in found if matches_memory(memory, query.pins)][:limit]


def _pinned_by_label(query: SourceQuery, scope: Scope, limit: int) -> list[Ref]:
    """Records in the best standing that carry a pinned label; without an index the newest, whatever they carry."""
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


def _liked(query: SourceQuery, refs: Sequence[Ref], relevant: RelevantMemories) -> list[Memory]:
    known = {memory.ref: memory for memory in relevant.memories}
    news = newest_unseen(relevant.unseen)
    read = query.read([ref for ref in (*refs, *news) if ref not in known])
    liked = Filters(category=PREFERENCES)
    return [memory for memory in (*map(known.get, (*refs, *news)), *read) if memory and liked.accept(memory)]


def _in_standing(query: SourceQuery, scopes: tuple[Scope, ...], filters: Filters, limit: int) -> list[Ref]:
    search = query.search
    filters = replace(filters, standing=search.filters.standing)
    try:
        return query.ports.index.standing(scopes, filters, search.viewer, now=search.now, k=limit).refs()
    except IndexUnavailable:
        found = newest_records(query.ports, replace(search, filters=filters, within=scopes))
        return list(found)[:limit]
