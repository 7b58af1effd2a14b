"""No more is put together than there is time for, and what takes longer all the same gives way to a shorter page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from memory_layer.context_ports import ContextPorts, Deadline, Late
from memory_layer.domain.context_parts import Assembled, Offer, Omitted, Warned
from memory_layer.domain.token_counting import TokenCounter

OFFER_MS, CHARACTERS_A_MS = 0.2, 500
"""What an offer takes to be redacted, compared, counted and rendered: by itself, and for its text, on an idle core."""

PLANNED_SHARE: Final = 0.5
"""Of the time that is left: what is planned to take more is not begun."""

SHORT_PAGE_MS: Final = 2.0
"""What the page is planned to take that stands in for one that is late."""

Page: TypeAlias = Callable[[Sequence[Offer], Deadline | None], Assembled]

ALLOWANCE_MS: Final = 3.0
"""How late that page may be; where it would be later, it is empty."""

COUNTED_TOGETHER: Final = 16_384
"""Characters between two looks at the clock."""

TIME_IS_OVER: Final = "the time budget was over"


def assemble_in_time(
    contexts: ContextPorts, offers: Sequence[Offer], page: Page, deadline: Deadline
) -> Assembled:
    """The page of those that there is time for, the most relevant first; of the others it says so.

    Args:
        page: puts a page together; raises Late where it finds that the deadline it is given is over.
    """
    best = sorted(offers, key=lambda offer: (-offer.relevance, offer.memory.ref))
    left_ms = 1_000 * deadline.seconds_left
    short_ms = SHORT_PAGE_MS * contexts.pace.factor
    if left_ms > 2 * short_ms:
        fitting = _affordable(best, PLANNED_SHARE * left_ms / contexts.pace.factor)
        in_time = Deadline(deadline.at - short_ms / 1_000, contexts.timer)
        try:
            timed = partial(_timed, contexts, fitting, page, in_time)
            assembled = contexts.workers.begin("assembly", timed, in_time).result(in_time)
            return _told(assembled, _others(best, fitting))
        except Late:
            pass
    few = [offer for offer in best if _cost_ms(offer) <= SHORT_PAGE_MS]
    left_ms = 1_000 * deadline.seconds_left + ALLOWANCE_MS
    shown = _affordable(few, min(SHORT_PAGE_MS, left_ms / contexts.pace.factor))
    return _told(page(shown, None), _others(best, shown))


def _affordable(offers: Sequence[Offer], time_ms: float) -> list[Offer]:
    """Those that can be put together in that time: one too long is left out, and keeps out none behind it."""
    chosen = []
    for offer in offers:
        if (cost_ms := _cost_ms(offer)) <= time_ms:
            chosen.append(offer)
            time_ms -= cost_ms
    return chosen


def _others(offers: Sequence[Offer], chosen: Sequence[Offer]) -> list[Offer]:
    there = {id(offer) for offer in chosen}
    return [offer for offer in offers if id(offer) not in there]


def _cost_ms(offer: Offer) -> float:
    return OFFER_MS + len(offer.memory.content) / CHARACTERS_A_MS


def _timed(contexts: ContextPorts, offers: Sequence[Offer], page: Page, deadline: Deadline) -> Assembled:
    started = contexts.timer()
    assembled = page(offers, deadline)
    planned_ms = sum(map(_cost_ms, offers))
    contexts.pace.learn(1_000 * (contexts.timer() - started), planned_ms)
    return assembled


def _told(assembled: Assembled, late: Sequence[Offer]) -> Assembled:
    if not late:
        return assembled
    omitted = [*assembled.omitted, *(Omitted(offer.memory.id, "over_budget", TIME_IS_OVER) for offer in late)]
    warned = Warned("BUDGET_EXCEEDED", f"the time budget left no time for {len(late)} of the memories found")
    return replace(assembled, omitted=omitted, warnings=[*assembled.warnings, warned])


def counting_until(count: TokenCounter, deadline: Deadline | None) -> TokenCounter:
    """The counter, giving up once nobody waits for what it counts: most of an assembly is counting."""
    if deadline is None:
        return count

    def counted(texts: Sequence[str], /) -> list[int]:
        counts: list[int] = []
        for together in _batches(texts):
            deadline.check()
            counts += count(together)
        return counts

    return counted


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= COUNTED_TOGETHER:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
