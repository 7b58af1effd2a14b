"""Offers gathered from the sources of a context, asked side by side until the deadline."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from memory_layer.domain.context.fragments import LAYERS, ContextWarning, Layer, Offer
from memory_layer.errors import MemoryLayerError
from memory_layer.manifest import metrics
from memory_layer.ports.process import ContextPorts, Deadline, DeadlinePassed, PendingWork
from memory_layer.usecases.context.sources import ContextSource, SourceOffers, SourceQuery
from memory_layer.usecases.recall.relevant_memories import RelevantMemorySearch

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GatheredOffers:
    """Offers that the sources brought in time, in their precedence, with warnings for those that are missing.

    Args:
        all_late: no source failed or answered; none was in time.
    """

    offers: tuple[Offer, ...]
    warned: tuple[ContextWarning, ...] = ()
    is_whole: bool = True
    all_late: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """Offers of one source, or the warning why there are none. Args: is_whole: nothing was missing on its way."""

    offers: tuple[Offer, ...] = ()
    warned: tuple[ContextWarning, ...] = ()
    is_whole: bool = True
    is_late: bool = False


RETRIED: Final[tuple[Layer, ...]] = ("project", "workshop")
"""Sources that are asked again where all were late."""

RETRY_SHARE: Final = 0.5
"""Share of what is then left of the time budget; the rest is for the page."""


def gather_in_time(
    contexts: ContextPorts,
    sources: Mapping[Layer, ContextSource],
    query: SourceQuery,
    limits: Mapping[Layer, int],
    deadline: Deadline,
    latest: Deadline,
) -> GatheredOffers:
    """Gathers as `gather` does; where all sources were late, fewer of them are asked again, by words alone.

    Args:
        latest: of the whole context.

    Source: Context Assembly, error recovery (SOURCE_TIMEOUT: retry with a reduced source set).
    """
    first = gather(contexts, sources, query, limits, deadline)
    if not first.all_late:
        return first
    fewer = {layer: source for layer, source in sources.items() if layer in RETRIED}
    until = Deadline(contexts.timer() + RETRY_SHARE * latest.seconds_left, contexts.timer)
    again = gather(contexts, fewer, _by_words(query), limits, until)
    return GatheredOffers(again.offers, first.warned, is_whole=False)


def _by_words(query: SourceQuery) -> SourceQuery:
    """Query that waits for no embedding, and for no search that an earlier one holds."""
    old, search = query.relevant, replace(query.search, is_lexical_only=True)
    relevant = RelevantMemorySearch(
        old.ports, search, old.visibility, old.blend, old.entities, old.depth, old.authors
    )
    return replace(query, search=search, relevant=relevant)


def gather(
    contexts: ContextPorts,
    sources: Mapping[Layer, ContextSource],
    query: SourceQuery,
    limits: Mapping[Layer, int],
    deadline: Deadline,
) -> GatheredOffers:
    """Gathers the offers of all sources; one that hangs, fails or is empty costs its own offers and nothing else.

    Args:
        sources: those to ask, by layer.
        limits: how many each may offer.
    """
    begun = {
        layer: _begin(contexts, layer, partial(source.offers, query, limits[layer], deadline), deadline)
        for layer, source in sources.items()
    }
    answers = [_answer(contexts, layer, begun[layer], deadline) for layer in LAYERS if layer in begun]
    return GatheredOffers(
        offers=tuple(offer for answer in answers for offer in answer.offers),
        warned=tuple(warned for answer in answers for warned in answer.warned),
        is_whole=all(answer.is_whole for answer in answers),
        all_late=bool(answers) and all(answer.is_late for answer in answers),
    )


def late_sources(layers: Sequence[Layer], why: str) -> tuple[ContextWarning, ...]:
    """Warnings for sources that could not even be asked."""
    return tuple(ContextWarning("SOURCE_TIMEOUT", f"source {layer} {why}") for layer in layers)


def _begin(
    contexts: ContextPorts, layer: Layer, work: Callable[[], SourceOffers], deadline: Deadline
) -> PendingWork[SourceOffers] | None:
    """Begins the work of one source; None if all its threads hang."""
    try:
        return contexts.workers.begin(layer, partial(_timed, contexts, layer, work), deadline)
    except DeadlinePassed:
        return None


def _timed(contexts: ContextPorts, layer: Layer, work: Callable[[], SourceOffers]) -> SourceOffers:
    started = contexts.timer()
    try:
        return work()
    finally:
        taken_ms = 1_000 * (contexts.timer() - started)
        contexts.watch.measure({metrics.SOURCE_LATENCY: taken_ms}, layer=layer)


def _answer(
    contexts: ContextPorts, layer: Layer, begun: PendingWork[SourceOffers] | None, deadline: Deadline
) -> _Answer:
    try:
        if begun is None:
            return _missing(contexts, layer, "hangs: all its threads wait for earlier requests")
        offered = begun.result(deadline)
    except DeadlinePassed:
        return replace(
            _missing(contexts, layer, "did not answer in its share of the time budget"), is_late=True
        )
    except MemoryLayerError as error:
        return _missing(contexts, layer, f"failed: {error.detail}")
    except Exception:
        _log.exception("source %s failed", layer)
        return _missing(contexts, layer, "failed; the reason is in the server's log")
    warned = tuple(ContextWarning("LOW_QUALITY", note) for note in offered.notes)
    return _Answer(offered.offers, warned, not warned)


def _missing(contexts: ContextPorts, layer: Layer, why: str) -> _Answer:
    contexts.watch.measure({metrics.SOURCE_ERRORS: 1}, layer=layer)
    return _Answer(warned=late_sources([layer], why), is_whole=False)
