"""Prices of the parts of a page: its frame, its headings and its entries, all counted at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_layer.domain.context.fragments import Lod, Offer, TokenCounter
from memory_layer.domain.context.knapsack import HeadingCosts, KnapsackItem
from memory_layer.domain.context.levels_of_detail import line_worth
from memory_layer.domain.context.rendering import (
    GroupEnds,
    PageEntry,
    PageFormat,
    PageFrame,
    marked_entries,
)


@dataclass(frozen=True, slots=True)
class PagePrices:
    """Prices in tokens. Args: entries: of each offer, by level."""

    frame: int
    headings: HeadingCosts
    entries: Sequence[dict[Lod, int]]


def price_entries(
    entries: Sequence[Mapping[Lod, PageEntry]], style: PageFormat, as_of: date, count: TokenCounter
) -> PagePrices:
    """Prices the parts of a page; each entry with the widest reference that the page can have."""
    layers = sorted({wording["micro"].layer for wording in entries})
    groups = sorted({wording["micro"].group for wording in entries}, key=lambda group: group.place)
    widest = int("9" * len(str(len(entries))))
    marked, standing = marked_entries([entry for wording in entries for entry in wording.values()])
    texts = [style.page("", PageFrame(as_of, standing=standing))]
    texts += [_heading_text(ends, style) for ends in (*map(style.layer, layers), *map(style.group, groups))]
    told = (entry.referring(widest) if entry.correction else entry for entry in marked)
    texts += [style.entry(widest, entry) + style.separator for entry in told]
    frame, *tokens = count(texts)
    counted = iter(tokens)
    by_layer = dict(zip(layers, counted, strict=False))
    headings = HeadingCosts(by_layer, {group: next(counted) for group in groups})
    return PagePrices(frame, headings, [{level: next(counted) for level in wording} for wording in entries])


def _heading_text(ends: GroupEnds, style: PageFormat) -> str:
    return f"{ends.opening}{style.separator}{ends.closing}{style.separator}"


def knapsack_items(
    offers: Sequence[Offer],
    entries: Sequence[Mapping[Lod, PageEntry]],
    prices: PagePrices,
    wanted: Collection[str],
    wishes: Sequence[bool],
) -> list[KnapsackItem]:
    """Items of the knapsack. Args: wanted: terms of the intent; wishes: which offers name an entity asked for."""
    return [
        KnapsackItem(
            costs,
            offer.layer,
            wording["micro"].group,
            standing=offer.standing,
            macro_share=line_worth(offer.memory, wanted),
            is_pinned=offer.is_pinned,
            is_compressed=offer.is_compressed,
            is_wanted=is_wanted,
        )
        for offer, wording, costs, is_wanted in zip(offers, entries, prices.entries, wishes, strict=True)
    ]
