"""Assembly within a deadline (a short page stands in for a late one), and token counters that stop at a deadline."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from memory_layer.domain.context.fragments import (
    AssembledContext,
    ContextWarning,
    Offer,
    Omission,
    TokenCounter,
)
from memory_layer.errors import Invalid
from memory_layer.ports.process import ContextPorts, Deadline, DeadlinePassed, TokenCounters

DEFAULT_TOKENIZER, WITHOUT_A_MODEL = "wordpiece", "chars4"

STILL_LOADING: Final = (
    "was not asked: the tokenizer is being loaded and was not ready within the time budget; ask again"
)


def counter_in_time(
    contexts: ContextPorts, asked: str | None, deadline: Deadline
) -> tuple[str, TokenCounter | None]:
    """Tokenizer's name and token counter; None while it is still being loaded when the time is over.

    Args:
        asked: None: the embedding model's, and where that is not there chars4.

    Raises:
        Invalid: there is none of the name that was asked for.
    """
    name = asked or DEFAULT_TOKENIZER
    if contexts.counters.is_at_hand(name):
        return name, contexts.counters(name)
    load = partial(_named, contexts.counters, asked)
    try:
        return contexts.workers.begin("tokenizer", load, deadline).result(deadline)
    except DeadlinePassed:
        return name, None


def _named(counters: TokenCounters, asked: str | None) -> tuple[str, TokenCounter]:
    if asked is not None:
        return asked, counters(asked)
    try:
        return DEFAULT_TOKENIZER, counters(DEFAULT_TOKENIZER)
    except Invalid:
        return WITHOUT_A_MODEL, counters(WITHOUT_A_MODEL)


OFFER_MS, CHARACTERS_A_MS = 0.2, 500
"""Time to redact, compare, count and render one offer, and characters of its text per further ms, on an idle core."""

PLANNED_SHARE: Final = 0.5
"""Share of the time that is left; a page planned to take more is not begun."""

SHORT_PAGE_MS: Final = 2.0
"""Planned time of the short page, which is there where the whole one is late."""

EASY_SHARE: Final = 0.1
"""Share of the time that is left; a page planned to take less is put together without a short page before it."""

Page: TypeAlias = Callable[[Sequence[Offer], Deadline | None], AssembledContext]

ALLOWANCE_MS: Final = 3.0
"""Lateness that a short page may have, in ms; a page that would be later is empty."""

COUNTED_TOGETHER: Final = 4_096
"""Characters between two looks at the clock."""

TIME_IS_OVER: Final = "the time budget was over"


def assemble_in_time(
    contexts: ContextPorts, offers: Sequence[Offer], page: Page, deadline: Deadline
) -> AssembledContext:
    """Assembles the offers that there is time for, the most relevant first, and lists the others as omitted.

    Where time is short, a short page is made before the whole one, so that a page is there at the deadline.

    Args:
        page: puts a page together; raises Late where it finds that the deadline it is given is over.
    """
    best = sorted(offers, key=lambda offer: (-offer.relevance, offer.memory.project, offer.memory.id))
    pages = _Pages(contexts, page, best, deadline)
    latest = Deadline(deadline.at + (ALLOWANCE_MS / 1_000 if pages.is_short_only else 0.0), contexts.timer)
    with suppress(DeadlinePassed):
        contexts.workers.begin("assembly", pages.make, latest).result(latest)
    shown, assembled = pages.best or ([], page([], None))
    return assembled if len(shown) == len(best) else _with_omitted(assembled, _others(best, shown))


class _Pages:
    """Pages of one context, each better than the one before it.

    Args:
        offers: the most relevant first.
    """

    def __init__(
        self, contexts: ContextPorts, page: Page, offers: Sequence[Offer], deadline: Deadline
    ) -> None:
        self._contexts, self._page, self._deadline = contexts, page, deadline
        pace, left_ms = contexts.pace.factor, 1_000 * deadline.seconds_left
        self.is_short_only = left_ms <= 2 * SHORT_PAGE_MS * pace
        costs_ms = [OFFER_MS + len(offer.memory.content) / CHARACTERS_A_MS for offer in offers]
        room_ms = 0.0 if self.is_short_only else PLANNED_SHARE * left_ms / pace
        self._many, self._planned_ms = _affordable(offers, costs_ms, room_ms)
        self._few: list[Offer] | None = None
        if self.is_short_only or pace * self._planned_ms > EASY_SHARE * left_ms:
            room_ms = min(SHORT_PAGE_MS, (left_ms + ALLOWANCE_MS) / pace)
            self._few, _ = _affordable(offers, costs_ms, room_ms)
        self.best: tuple[Sequence[Offer], AssembledContext] | None = None

    def make(self) -> None:
        if self._few is not None:
            self.best = self._few, self._page(self._few, None)
        if not self.is_short_only:
            started = self._contexts.timer()
            self.best = self._many, self._page(self._many, self._deadline)
            self._contexts.pace.learn(1_000 * (self._contexts.timer() - started), self._planned_ms)


def _affordable(
    offers: Sequence[Offer], costs_ms: Sequence[float], time_ms: float
) -> tuple[list[Offer], float]:
    """Offers that can be put together in that time, and the time for them.

    One too long is left out and keeps out none behind it.
    """
    chosen, taken_ms = [], 0.0
    for offer, cost_ms in zip(offers, costs_ms, strict=True):
        if cost_ms <= time_ms - taken_ms:
            chosen.append(offer)
            taken_ms += cost_ms
    return chosen, taken_ms


def _others(offers: Sequence[Offer], chosen: Sequence[Offer]) -> list[Offer]:
    chosen_ids = {id(offer) for offer in chosen}
    return [offer for offer in offers if id(offer) not in chosen_ids]


def _with_omitted(assembled: AssembledContext, late: Sequence[Offer]) -> AssembledContext:
    omitted = [
        *assembled.omitted,
        *(Omission(offer.memory.id, "over_budget", TIME_IS_OVER) for offer in late),
    ]
    warned = ContextWarning(
        "BUDGET_EXCEEDED", f"the time budget left no time for {len(late)} of the memories found"
    )
    return replace(assembled, omitted=omitted, warnings=[*assembled.warnings, warned])


def counting_until(count: TokenCounter, deadline: Deadline | None) -> TokenCounter:
    """Token counter that raises Late once the deadline is over: most of an assembly is counting."""
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
