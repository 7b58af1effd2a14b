"""Context assembly for an intent: sources asked, offers chosen to fit the token budget, all within the time budget."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.fragments import AssembledContext, ContextWarning, Layer, Offer, chars4
from memory_layer.domain.context.kv_policy import pin_patterns, weighs_accesses
from memory_layer.domain.context.token_prices import TokenPrice
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.pasted_output import without_output
from memory_layer.domain.text.synonyms import by_key
from memory_layer.errors import MemoryLayerError
from memory_layer.manifest import metrics
from memory_layer.ports.prefetch import PrefetchStream
from memory_layer.ports.process import CachedContext, Deadline, DeadlinePassed, Ports
from memory_layer.usecases.context.assemble_in_time import (
    STILL_LOADING,
    TIME_IS_OVER,
    assemble_in_time,
    counter_in_time,
    counting_until,
)
from memory_layer.usecases.context.assembled_page import AssembledPage, request_receipt_id
from memory_layer.usecases.context.courtesy import Courtesy
from memory_layer.usecases.context.gather_offers import GatheredOffers, gather_in_time, late_sources
from memory_layer.usecases.context.kept_pairs import assemble_with_decisions
from memory_layer.usecases.context.page_receipts import leave_receipts
from memory_layer.usecases.context.prerequisites import ContextPrerequisites, kept_until, read_prerequisites
from memory_layer.usecases.context.request import (
    ContextRequest,
    asked_context,
    assembly_request,
    check_request,
    context_key,
    price_in_force,
    unpriced,
)
from memory_layer.usecases.context.sources import SOURCES, ContextSource, SourceQuery
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, recalled_scopes
from memory_layer.usecases.recall.relevant_memories import RelevantMemorySearch

SOURCES_SHARE: Final = 0.8
"""Share of the time budget that the sources have; the rest is for the assembly (SPEC 9.3)."""

SPARE_SHARE, SPARE_MAX_S = 0.1, 0.025
"""Time kept back for handing the context over: a share of the time budget, and at most so many seconds."""

READ_AT_LEAST: Final = 40
"""Relevant records that are read; as in a recall, those beyond are too far behind to come up."""

_log = logging.getLogger(__name__)


def assemble_context(
    ports: Ports,
    principal: Principal,
    project: str,
    request: ContextRequest,
    *,
    sources: Mapping[Layer, ContextSource] = SOURCES,
    since: float | None = None,
) -> AssembledPage:
    """Assembles the context to put before a model, within a budget of tokens and one of time.

    Partial beats late: a source that hangs, fails or is empty costs its own memories, and a warning. The context of
    an earlier, equal request is reused as long as nothing was written and no time has run out.

    Args:
        since: on the clock of `ports.contexts.timer`, when the caller began to wait; None: now.

    Raises:
        Invalid: the intent is blank, there is no such tokenizer, or a session is asked for without its name.

    Source: SPEC 9; Context Assembly, context assembly process.
    """
    prefetch = ports.contexts.prefetch
    work = _Assembly(ports, principal, principal.scope(project), request, sources, since=since)
    with nullcontext() if prefetch is None else prefetch.serving(work.stream):
        return work.run()


def fill_cache(
    ports: Ports, principal: Principal, project: str, request: ContextRequest, give_way: Callable[[], None]
) -> bool:
    """Assembles a context into the cache for a request that is expected; nobody is answered, and no receipt is left.

    Args:
        give_way: called before each step.

    Returns:
        False: it is in the cache, may not be kept, or the project's settings do not ask for it.
    """
    work = _Assembly(ports, principal, principal.scope(project), request, SOURCES, give_way=give_way)
    return work.fill()


class _Assembly:
    """Assembly of one context request. Times are those of `contexts.timer`."""

    def __init__(
        self,
        ports: Ports,
        principal: Principal,
        scope: Scope,
        request: ContextRequest,
        sources: Mapping[Layer, ContextSource],
        *,
        since: float | None = None,
        give_way: Callable[[], None] | None = None,
    ) -> None:
        contexts = ports.contexts
        self._started = contexts.timer() if since is None else since
        check_request(request)
        self._ports, self._contexts = ports, contexts
        self._principal, self._scope, self._request = principal, scope, request
        self._sources = {layer: source for layer, source in sources.items() if request.asks(layer)}
        time_s = request.time_ms / 1_000
        self._courtesy = give_way or Courtesy(ports.turns, time_s, contexts.timer)
        self._whole = self._deadline(time_s - min(SPARE_SHARE * time_s, SPARE_MAX_S))
        self._gathering = self._deadline(SOURCES_SHARE * time_s)
        self._tokenizer, self._count = counter_in_time(contexts, request.tokenizer, self._whole)
        self._now = ports.clock.now()
        self._price: TokenPrice | None = None
        self.stream = PrefetchStream(principal, scope, request.session_id)

    def run(self) -> AssembledPage:
        request_id = self._request.request_id or self._ports.new_id("ctx_")
        prerequisites, warned = self._prerequisites(key := self._key)
        self._learn_price(prerequisites)
        kept = prerequisites.kept if prerequisites is not None else None
        assembled = kept or self._assembled(key, prerequisites, warned)
        if prerequisites is not None and self._request.model is not None and self._price is None:
            assembled = replace(assembled, warnings=[*assembled.warnings, unpriced(self._request.model)])
        recall_id = self._ports.new_id("rcl_")
        ids = recall_id, request_receipt_id(self._principal, request_id)
        leave_receipts(self._ports, self._principal, self._scope, assembled, ids, self._whole)
        self._note_for_prefetch(prerequisites)
        taken_s = self._contexts.timer() - self._started
        self._measure(assembled, taken_s, was_kept=kept is not None)
        return AssembledPage(
            request_id=request_id,
            recall_id=recall_id,
            assembled=assembled,
            tokenizer=self._tokenizer,
            model=self._request.model,
            price=self._price,
            assembly_time_ms=round(1_000 * taken_s, 3),
            was_kept=kept is not None,
        )

    def fill(self) -> bool:
        """Assembles into the cache alone; tells if it did."""
        prerequisites, _ = self._prerequisites(key := self._key)
        if prerequisites is None or prerequisites.kept is not None:
            return False
        if not prerequisites.policies[self._scope].context_prefetch:
            return False  # it was turned off since
        self._learn_price(prerequisites)
        self._assembled(key, prerequisites, ())
        return self._contexts.kept.find(key, prerequisites.versions, self._now) is not None

    @property
    def _key(self) -> str:
        return context_key(self._principal, self._scope, self._request, self._now.date().isoformat())

    def _learn_price(self, prerequisites: ContextPrerequisites | None) -> None:
        if prerequisites is not None and self._request.model is not None:
            self._price = price_in_force(self._request, prerequisites.policies[self._scope].token_prices)

    def _note_for_prefetch(self, prerequisites: ContextPrerequisites | None) -> None:
        """Has the prefetch learn from this request; one that the store did not answer for says nothing."""
        prefetch = self._contexts.prefetch
        if prefetch is not None and prerequisites is not None:
            policy = prerequisites.policies.get(self._scope)
            is_on = None if policy is None else policy.context_prefetch
            prefetch.note(self.stream, asked_context(self._request), self._now, is_on=is_on)

    def _deadline(self, seconds: float) -> Deadline:
        return Deadline(self._started + seconds, self._contexts.timer, self._courtesy)

    def _prerequisites(self, key: str) -> tuple[ContextPrerequisites | None, tuple[ContextWarning, ...]]:
        """Reads settings, or a context that was kept; None and warnings if the store fails or is late."""
        if self._count is None:
            return None, late_sources(tuple(self._sources), STILL_LOADING)
        read = partial(
            read_prerequisites,
            self._ports,
            recalled_scopes(self._scope),
            key=key,
            now=self._now,
            deadline=self._gathering,
            is_priced=self._request.model is not None,
        )
        try:
            return self._contexts.workers.begin("ground", read, self._gathering).result(self._gathering), ()
        except DeadlinePassed:
            why = "was not asked: the record store did not answer in its share of the time budget"
        except MemoryLayerError as error:
            why = f"was not asked: {error.detail}"
        except Exception:
            _log.exception("the settings of %s cannot be read", self._scope.project)
            why = "was not asked: the project's settings cannot be read; the reason is in the server's log"
        return None, late_sources(tuple(self._sources), why)

    def _assembled(
        self, key: str, prerequisites: ContextPrerequisites | None, warned: tuple[ContextWarning, ...]
    ) -> AssembledContext:
        if prerequisites is None:
            return replace(self._page(None, [], None), warnings=warned)
        with self._contexts.watch.span("query", **self._request.budgets):
            gathered = self._gathered(prerequisites)
        page = partial(self._page, prerequisites)
        assembled = assemble_in_time(self._contexts, gathered.offers, page, self._whole)
        told = (*dict.fromkeys(gathered.warned), *prerequisites.warned)
        assembled = replace(assembled, warnings=[*told, *assembled.warnings])
        if gathered.is_whole and all(one.detail != TIME_IS_OVER for one in assembled.omitted):
            self._keep(key, prerequisites.versions, gathered, assembled)
        return assembled

    def _gathered(self, prerequisites: ContextPrerequisites) -> GatheredOffers:
        request, viewer, projects = self._request, viewer_of(self._principal), self._ports.store.projects
        policy = prerequisites.policies[self._scope]
        search = CandidateSearch(
            project=self._scope,
            query=without_output(request.intent or ""),
            filters=Filters(standing=request.standing),
            viewer=viewer,
            now=self._now,
            within=request.projects(recalled_scopes(self._scope)),
            synonyms=by_key(policy.synonyms),
            asker=self._principal.author,
        )
        known, standing = prerequisites.policies, request.standing
        visibility = Visibility(projects, viewer, self._now, known=known, standing=standing)
        limits = {layer: request.limit(layer) for layer in self._sources}
        depth = max(READ_AT_LEAST, sum(limits.values()))
        query = SourceQuery(
            ports=self._ports,
            principal=self._principal,
            search=search,
            visibility=visibility,
            relevant=RelevantMemorySearch(
                *(self._ports, search, visibility, policy.blend, request.entities, depth),
                prerequisites.settings[self._scope].authors,
            ),
            session_id=request.session_id if request.asks("workshop") else None,
            pins=pin_patterns(request.kv_policy, policy.tier_policy),
            weighs_accesses=weighs_accesses(request.kv_policy),
        )
        return gather_in_time(self._contexts, self._sources, query, limits, self._gathering, self._whole)

    def _page(
        self, prerequisites: ContextPrerequisites | None, offers: Sequence[Offer], deadline: Deadline | None
    ) -> AssembledContext:
        watch = self._contexts.watch
        with watch.span("rank", offers=len(offers)):
            ruled = (
                prerequisites.ruled(offers, self._scope, self._request.kv_policy, self._now)
                if prerequisites is not None and offers
                else []
            )
        with watch.span("assemble", offers=len(offers), lod=self._request.lod_preference):
            settings = prerequisites.settings[self._scope] if prerequisites else None
            policy = settings.assembly_in_force if settings else AssemblyPolicy()
            asked = assembly_request(self._request, tuple(self._sources), policy, self._price, self._now)
            count = counting_until(self._count or chars4, deadline)
            return assemble_with_decisions(self._ports, self._scope, ruled, asked, count)

    def _keep(
        self, key: str, versions: tuple[str, ...], gathered: GatheredOffers, assembled: AssembledContext
    ) -> None:
        if any(each.strategy != "merge" for each in assembled.conflicts):
            return  # a person's decision on one counts at once
        kept = CachedContext(assembled, versions, kept_until(gathered.offers, self._now))
        evicted = self._contexts.kept.keep(key, kept, self._now)
        if evicted:
            _log.warning("%d kept contexts gave way to newer ones: memory is short", evicted)
            self._contexts.watch.measure({metrics.CACHE_EVICTED: evicted})

    def _measure(self, assembled: AssembledContext, taken_s: float, *, was_kept: bool) -> None:
        values = {metrics.ASSEMBLY_DURATION: taken_s, metrics.CACHE_HIT_RATIO: float(was_kept)}
        if len(assembled.fragments) > 1:
            values[metrics.COHERENCE_SCORE] = assembled.coherence
        self._contexts.watch.measure(values)
