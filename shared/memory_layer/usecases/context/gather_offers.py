"""Ask the sources of a context side by side, and take what is there by the deadline."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from memory_layer.domain.context.fragments import LAYERS, ContextWarning, Layer, Offer
from memory_layer.errors import MemoryLayerError
from memory_layer.manifest import metrics
from memory_layer.ports.process import ContextPorts, Deadline, DeadlinePassed, PendingWork
from memory_layer.usecases.context.sources import ContextSource, SourceOffers, SourceQuery

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GatheredOffers:
    """What the sources brought in time, in their precedence; and what is missing."""

    offers: tuple[Offer, ...]
    warned: tuple[ContextWarning, ...] = ()
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class _Answer:
    """Of one source: what it brought, or why not. Args: is_whole: nothing was missing on its way."""

    offers: tuple[Offer, ...] = ()
    warned: tuple[ContextWarning, ...] = ()
    is_whole: bool = True


def gather(
    contexts: ContextPorts,
    sources: Mapping[Layer, ContextSource],
    query: SourceQuery,
    limits: Mapping[Layer, int],
    deadline: Deadline,
) -> GatheredOffers:
    """A source that hangs, fails or is empty costs its own offers and nothing else.

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
    )


def late_sources(layers: Sequence[Layer], why: str) -> tuple[ContextWarning, ...]:
    """What is told where none of these could even be asked."""
    return tuple(ContextWarning("SOURCE_TIMEOUT", f"source {layer} {why}") for layer in layers)


def _begin(
    contexts: ContextPorts, layer: Layer, work: Callable[[], SourceOffers], deadline: Deadline
) -> PendingWork[SourceOffers] | None:
    """None: all threads of this source hang."""
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
        return _missing(contexts, layer, "did not answer in its share of the time budget")
    except MemoryLayerError as error:
        return _missing(contexts, layer, f"failed: {error.detail}")
    except Exception:
        _log.exception("source %s failed", layer)
        return _missing(contexts, layer, "failed; the reason is in the server's log")
    told = tuple(ContextWarning("LOW_QUALITY", note) for note in offered.notes)
    return _Answer(offered.offers, told, not told)


def _missing(contexts: ContextPorts, layer: Layer, why: str) -> _Answer:
    contexts.watch.measure({metrics.SOURCE_ERRORS: 1}, layer=layer)
    return _Answer(warned=late_sources([layer], why), is_whole=False)
