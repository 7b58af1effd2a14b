"""A context for an intent: ask the sources, choose what fits the budget, all within the time given."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.context.fragments import (
    AssembledContext,
    AssemblyRequest,
    ContextWarning,
    Layer,
    Offer,
    chars4,
)
from memory_layer.domain.context.kv_policy import pin_patterns, treated
from memory_layer.domain.context.policy import AssemblyPolicy
from memory_layer.domain.context.usage_tuning import cooling_by_use
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.time.decay import recency_share
from memory_layer.errors import MemoryLayerError
from memory_layer.manifest import metrics
from memory_layer.ports.process import RECEIPT_S, ContextPorts, Deadline, DeadlinePassed, KeptContext, Ports
from memory_layer.ports.records import RecallReceipt
from memory_layer.usecases.context.assemble_in_time import (
    STILL_LOADING,
    TIME_IS_OVER,
    assemble_in_time,
    counter_in_time,
    counting_until,
)
from memory_layer.usecases.context.gather_offers import GatheredOffers, gather, late_sources
from memory_layer.usecases.context.read_ground import ContextGround, read_ground
from memory_layer.usecases.context.request import ContextRequest, check, kept_under
from memory_layer.usecases.context.sources import SOURCES, ContextSource, SourceQuery
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, recalled_scopes
from memory_layer.usecases.recall.redact_answers import redacted_again
from memory_layer.usecases.recall.relevant_memories import RelevantMemorySearch

SOURCES_SHARE: Final = 0.8
"""Of the time budget that the sources have; the rest is for the assembly (SPEC 9.3)."""

SPARE_SHARE, SPARE_MAX_S = 0.1, 0.025
"""Of the time budget, and at most: what is left for handing the context over."""

READ_AT_LEAST: Final = 40
"""Records that bear on the intent and are read; as in a recall, those beyond are too far behind to come up."""

KEPT_S: Final = 60
"""How long a context is kept at most: what no write tells of, an index that catches up say, is seen by then."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledPage:
    """What was assembled, and how. Args: was_kept: as it was for an earlier request, nothing having changed."""

    request_id: str
    recall_id: str
    assembled: AssembledContext
    tokenizer: str
    assembly_time_ms: float
    was_kept: bool


def assemble_context(
    ports: Ports,
    principal: Principal,
    project: str,
    request: ContextRequest,
    *,
    sources: Mapping[Layer, ContextSource] = SOURCES,
    since: float | None = None,
) -> AssembledPage:
    """What to put before a model, within a budget of tokens and one of time.

    Partial beats late: a source that hangs, fails or is empty costs its own memories, and a warning. What was
    assembled for the same request is given again as long as nothing was written and no time has run out.

    Args:
        since: on the clock of `ports.contexts.timer`, when the caller began to wait; None: now.

    Raises:
        Invalid: there is no intent, no such tokenizer, or a session is asked for without its name.

    Source: SPEC 9; Context Assembly, context assembly process.
    """
    work = _Assembly(ports, ports.contexts, principal, principal.scope(project), request, sources, since)
    return work.run()


def receipt_named(principal: Principal, request_id: str) -> str:
    """Under which it is noted, beside the receipt, that the caller was answered last under this id, and when.

    Receipts go by ids of their own: who uses a request's id for another one overwrites none.
    """
    named = "\n".join((principal.name, request_id))
    return f"ctx_{sha256(named.encode()).hexdigest()[:32]}"


class _Assembly:
    """One request on its way. Times are those of `contexts.timer`."""

    def __init__(
        self,
        ports: Ports,
        contexts: ContextPorts,
        principal: Principal,
        scope: Scope,
        request: ContextRequest,
        sources: Mapping[Layer, ContextSource],
        since: float | None,
    ) -> None:
        self._started = contexts.timer() if since is None else since
        check(request)
        self._ports, self._contexts = ports, contexts
        self._principal, self._scope, self._request = principal, scope, request
        self._sources = {layer: source for layer, source in sources.items() if request.asks(layer)}
        time_s = request.time_ms / 1_000
        self._whole = self._deadline(time_s - min(SPARE_SHARE * time_s, SPARE_MAX_S))
        self._gathering = self._deadline(SOURCES_SHARE * time_s)
        self._tokenizer, self._count = counter_in_time(contexts, request.tokenizer, self._whole)
        self._now = ports.clock.now()

    def run(self) -> AssembledPage:
        request_id = self._request.request_id or self._ports.new_id("ctx_")
        key = kept_under(self._principal, self._scope, self._request, self._now.date().isoformat())
        ground, warned = self._ground(key)
        kept = ground.kept if ground is not None else None
        assembled = kept or self._assembled(key, ground, warned)
        recall_id = self._ports.new_id("rcl_")
        self._leave_receipt(recall_id, receipt_named(self._principal, request_id), assembled)
        taken_s = self._contexts.timer() - self._started
        self._measure(assembled, taken_s, was_kept=kept is not None)
        return AssembledPage(
            request_id=request_id,
            recall_id=recall_id,
            assembled=assembled,
            tokenizer=self._tokenizer,
            assembly_time_ms=round(1_000 * taken_s, 3),
            was_kept=kept is not None,
        )

    def _deadline(self, seconds: float) -> Deadline:
        return Deadline(self._started + seconds, self._contexts.timer)

    def _ground(self, key: str) -> tuple[ContextGround | None, tuple[ContextWarning, ...]]:
        """What the project has decided, or a context that was kept; None, with what is to be told, in time."""
        if self._count is None:
            return None, late_sources(tuple(self._sources), STILL_LOADING)
        read = partial(
            read_ground,
            self._ports,
            recalled_scopes(self._scope),
            key=key,
            now=self._now,
            deadline=self._gathering,
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
        self, key: str, ground: ContextGround | None, warned: tuple[ContextWarning, ...]
    ) -> AssembledContext:
        if ground is None:
            return replace(self._page(None, [], None), warnings=warned)
        with self._contexts.watch.span("query", **self._budgets()):
            gathered = self._gathered(ground)
        page = partial(self._page, ground)
        assembled = assemble_in_time(self._contexts, gathered.offers, page, self._whole)
        assembled = replace(assembled, warnings=[*dict.fromkeys(gathered.warned), *assembled.warnings])
        if gathered.is_whole and all(one.detail != TIME_IS_OVER for one in assembled.omitted):
            self._keep(key, ground, gathered, assembled)
        return assembled

    def _budgets(self) -> Mapping[str, float]:
        asked = self._request
        return {"tokens_max": asked.tokens_max, "time_ms": asked.time_ms, "quality_min": asked.quality_min}

    def _gathered(self, ground: ContextGround) -> GatheredOffers:
        request, viewer = self._request, viewer_of(self._principal)
        search = CandidateSearch(
            project=self._scope,
            query=request.intent,
            filters=Filters(),
            viewer=viewer,
            now=self._now,
            within=self._projects(),
        )
        policy = ground.settings[self._scope].policy
        visibility = Visibility(self._ports.store, viewer, self._now, known=ground.policies)
        limits = {layer: request.limit(layer) for layer in self._sources}
        depth = max(READ_AT_LEAST, sum(limits.values()))
        query = SourceQuery(
            ports=self._ports,
            principal=self._principal,
            search=search,
            visibility=visibility,
            bearing=RelevantMemorySearch(
                self._ports, search, visibility, policy.blend, request.entities, depth
            ),
            session_id=request.session_id,
            pins=pin_patterns(request.kv_policy, policy.tier_policy),
        )
        return gather(self._contexts, self._sources, query, limits, self._gathering)

    def _projects(self) -> tuple[Scope, ...]:
        """Those whose sources are asked; the caller's experience is in either."""
        scopes = recalled_scopes(self._scope)
        if self._request.asks("experience"):
            return scopes
        wanted = {"project": scopes[0], "global": scopes[-1]}
        return tuple(dict.fromkeys(scope for layer, scope in wanted.items() if self._request.asks(layer)))  # type: ignore[arg-type]

    def _ruled(self, ground: ContextGround, offers: Sequence[Offer]) -> list[Offer]:
        """As the settings have them: redacted again, and treated by the tier policy as use has tuned it."""
        settings = ground.settings[self._scope]
        clean = redacted_again(
            offers, settings.policy.privacy_mode, lambda scope: ground.settings[scope].policy.privacy_mode
        )
        share = recency_share(settings.active_at, self._now)
        if share < 1.0:
            clean = [
                replace(offer, recency_share=share) if offer.memory.scope == self._scope else offer
                for offer in clean
            ]
        rules = cooling_by_use(settings.policy.tier_policy, settings.assembly)
        return treated(clean, self._request.kv_policy, rules, self._now)

    def _page(
        self, ground: ContextGround | None, offers: Sequence[Offer], deadline: Deadline | None
    ) -> AssembledContext:
        from memory_layer.domain.context.assembly import assemble  # late: it loads numpy

        watch = self._contexts.watch
        with watch.span("rank", offers=len(offers)):
            ruled = self._ruled(ground, offers) if ground is not None and offers else []
        with watch.span("assemble", offers=len(offers), lod=self._request.lod_preference):
            asked = self._assembly_request(
                ground.settings[self._scope].assembly if ground else AssemblyPolicy()
            )
            return assemble(ruled, asked, counting_until(self._count or chars4, deadline))

    def _assembly_request(self, policy: AssemblyPolicy) -> AssemblyRequest:
        request = self._request
        return AssemblyRequest(
            intent=request.intent,
            tokens_max=request.tokens_max,
            now=self._now,
            entities=request.entities,
            pins=tuple(request.kv_policy.get("pin", {}).get("patterns", ())),
            quality_min=request.quality_min,
            lod_preference=request.lod_preference,
            format=request.format,
            layers=tuple(self._sources),
            class_weights=policy.weights,
            conflict_sensitivity=policy.conflict_sensitivity,
            entity_share=policy.entity_share,
        )

    def _keep(
        self, key: str, ground: ContextGround, gathered: GatheredOffers, assembled: AssembledContext
    ) -> None:
        until = _until(gathered.offers, self._now)
        evicted = self._contexts.kept.keep(key, KeptContext(assembled, ground.versions, until), self._now)
        if evicted:
            _log.warning("%d kept contexts gave way to newer ones: memory is short", evicted)
            self._contexts.watch.measure({metrics.CACHE_EVICTED: evicted})

    def _leave_receipt(self, recall_id: str, named: str, assembled: AssembledContext) -> None:
        """Within the deadline; where that is over it is on its way, and the caller does not wait for it.

        Whatever happens to it, the context is there.
        """
        refs = tuple(dict.fromkeys(Ref(part.project, part.id) for part in assembled.fragments))
        receipt = RecallReceipt(recall_id, self._scope, self._principal.name, refs, self._ports.clock.now())
        receipts = receipt, replace(receipt, recall_id=named, refs=())
        later = Deadline(self._contexts.timer() + RECEIPT_S, self._contexts.timer)
        try:
            noted = partial(_note_all, self._ports, receipts)
            self._contexts.workers.begin("receipt", noted, later).result(self._whole)
        except DeadlinePassed:
            _log.info("the receipt %s is on its way", recall_id)
        except MemoryLayerError as error:
            _log.warning("no receipt %s: %s", recall_id, error.detail)
        except Exception:
            _log.exception("no receipt %s", recall_id)

    def _measure(self, assembled: AssembledContext, taken_s: float, *, was_kept: bool) -> None:
        values = {metrics.ASSEMBLY_DURATION: taken_s, metrics.CACHE_HIT_RATIO: float(was_kept)}
        if len(assembled.fragments) > 1:
            values[metrics.COHERENCE_SCORE] = assembled.coherence
        self._contexts.watch.measure(values)


def _note_all(ports: Ports, receipts: Iterable[RecallReceipt]) -> None:
    for receipt in receipts:
        ports.store.note_recall(receipt)


def _until(offers: Iterable[Offer], now: datetime) -> datetime:
    """When time alone makes a context say something else."""
    memories = [offer.memory for offer in offers]
    ends = [end for memory in memories for end in (memory.expires_at, memory.valid_to) if end is not None]
    return min([now + timedelta(seconds=KEPT_S), *(end for end in ends if end > now)])
