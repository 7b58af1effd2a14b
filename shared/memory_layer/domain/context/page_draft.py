"""Draft of a context page: the chosen offers, their levels and costs, and the page rendered from them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.conflicts.corrections import corrections_among
from memory_layer.domain.context.coherence import near_duplicates, similarities
from memory_layer.domain.context.fragment_conflicts import (
    SettledConflict,
    duplicate_conflict,
    settled_conflicts,
    yielding_offers,
)
from memory_layer.domain.context.fragments import (
    AssemblyRequest,
    Fragment,
    FragmentConflict,
    Lod,
    Offer,
    Omission,
    TokenCounter,
)
from memory_layer.domain.context.knapsack import (
    KnapsackFill,
    fill,
    fill_in_order,
)
from memory_layer.domain.context.levels_of_detail import page_entries
from memory_layer.domain.context.page_prices import knapsack_items, price_entries
from memory_layer.domain.context.priority import EntityMatcher, ScoredOffer, score_offers
from memory_layer.domain.context.rendering import (
    STYLES,
    PageEntry,
    PageFormat,
    page_order,
    render,
)
from memory_layer.domain.text.analyzer import analyze

CONFLICT_ROUNDS: Final = 5
"""Most rounds in which the room of losers is filled again; after that it stays empty."""

SPARE_TOKENS: Final = 8
"""Tokens by which a page is cheaper than its parts from which the budget is filled once more."""

ALONE_MAX: Final = 16
"""Best memories of which one is tried alone where the parts of none fit."""

CONTRADICTIONS_SHARE: Final = 0.25
"""Share of the budget for naming contradictions: a pair is 60 word pieces, most of them in its ids."""


class PageDraft:
    """Draft that `assembly.assemble` works on, made once for a request."""

    fit: KnapsackFill

    def __init__(self, offers: Sequence[Offer], request: AssemblyRequest, count: TokenCounter) -> None:
        """Args: offers: each memory once, good enough, by id."""
        self.request, self._count = request, count
        self._style: PageFormat = STYLES[request.format]
        alike = similarities(offers)
        self.ranking: list[ScoredOffer] = score_offers(offers, request, alike)
        order = np.array([each.at for each in self.ranking], dtype=np.intp)
        self.alike: NDArray[np.float64] | None = None if alike is None else alike[np.ix_(order, order)]
        self.offers = [each.offer for each in self.ranking]
        self.mentions = EntityMatcher(request.entities)
        wanted = frozenset(analyze(request.intent))
        corrections = corrections_among([offer.memory for offer in self.offers], request.intent)
        self._entries = page_entries(self.offers, wanted, corrections)
        wishes = [bool(self.mentions.of(offer.memory)) for offer in self.offers]
        priced = price_entries(self._entries, self._style, request.now.date(), count)
        self._frame_tokens, self._headings = priced.frame, priced.headings
        self._items = knapsack_items(self.offers, self._entries, priced, wanted, wishes)
        self._twins = near_duplicates(self.offers, self.alike)
        self.settled: list[SettledConflict] = []
        self._plain = ("", 0)
        self._spare = 0
        self._named_pairs: list[tuple[int, int]] = []

    def choose(self) -> None:
        """Fills the budget; the room of an offer that loses a conflict is filled again.

        No offer stays out for a winner that is not on the page itself: without that one it may be right.
        """
        lost = self._settled_fill()
        self._plain = self._plain_page()
        spare = self._frame_tokens + self.fit.spent - self._plain[1]
        if spare >= SPARE_TOKENS:
            self._spare = spare
            lost = self._settled_fill()
            self._plain = self._plain_page()
        self._trim()
        if not self.fit.levels:
            self._show_one(lost)
        self._make_room_to_tell()
        both_shown = (each for each in self.settled if each.loser is None and self._shows(each.pair))
        self.settled = [*self._beaten(lost).values(), *both_shown]

    def _settled_fill(self) -> dict[int, SettledConflict]:
        """Fills the budget until no conflict changes who is on the page; returns those that lost one."""
        lost: dict[int, SettledConflict] = {}
        for _ in range(CONFLICT_ROUNDS):
            self.fit = self._filled(lost)
            self.settled = self._conflicts()
            after = {**self._beaten(lost), **yielding_offers(self.settled)}
            if after.keys() == lost.keys():
                break
            lost = after
        for at in self.fit.levels.keys() & lost.keys():
            self.fit.drop(at)
        return lost

    def _show_one(self, lost: Collection[int]) -> None:
        """Shows the best memory whose page alone fits: parts are dearer than their page, by up to a token each."""
        chosen = [at for at in range(len(self._items)) if at not in lost][:ALONE_MAX]
        levels = [self._items[at].shortest for at in chosen]
        pages = [self._render([self._entries[at][level]]) for at, level in zip(chosen, levels, strict=True)]
        for at, level, page, tokens in zip(chosen, levels, pages, self._count(pages), strict=True):
            if tokens <= self.request.tokens_max:
                self.fit.show(at, level)
                self._plain = page, tokens
                return

    def _beaten(self, lost: Mapping[int, SettledConflict]) -> dict[int, SettledConflict]:
        """Losers whose winner, or its duplicate, is on the page."""
        shown, repeats = self.fit.levels, self.fit.repeats
        winners = {at: each.pair[0] if each.pair[1] == at else each.pair[1] for at, each in lost.items()}
        return {
            at: lost[at] for at, winner in winners.items() if winner in shown or repeats.get(winner) in shown
        }

    def _filled(self, lost: Collection[int]) -> KnapsackFill:
        fit = KnapsackFill(self._items, self._headings, self._twins, lost)
        budget = self.request.tokens_max - self._frame_tokens + self._spare
        if self.alike is None:
            fill_in_order(fit, self.request.lod_preference, budget=budget)
        else:
            wanted = round(self.request.entity_share * budget)
            covering = self._first_of_each_entity() if wanted else ()
            fill(fit, self.request.lod_preference, budget=budget, wanted_budget=wanted, covering=covering)
        return fit

    def _first_of_each_entity(self) -> list[int]:
        """Best offer for each entity of the request that names it; in their order."""
        first: dict[str, int] = {}
        for at, offer in enumerate(self.offers):
            for name in self.mentions.of(offer.memory):
                first.setdefault(name, at)
        return list(dict.fromkeys(first.values()))

    def _conflicts(self) -> list[SettledConflict]:
        if self.alike is None:
            return []
        chosen = sorted(self.fit.levels)
        asked = self.request
        return settled_conflicts(
            self.offers, chosen, self.alike, asked.conflict_sensitivity, asked.kept_pairs
        )

    def _shows(self, pair: tuple[int, int]) -> bool:
        return all(at in self.fit.levels for at in pair)

    def _trim(self) -> None:
        """Undoes the last steps while the page is too long: some tokenizers take more for a page than for its parts."""
        while self.fit.steps and (excess := self._plain[1] - self.request.tokens_max) > 0:
            enough = self.fit.spent - excess
            self.fit.take_back()
            while self.fit.steps and self.fit.spent > enough:
                self.fit.take_back()
            self._plain = self._plain_page()

    def _make_room_to_tell(self) -> None:
        """Makes room for naming contradictions, the gravest first, by undoing the last steps; but not those of the two.

        Greedy filling leaves no room by itself, and a reader of the page alone would take both for true.
        """
        flagged = sorted((each for each in self.settled if each.loser is None), key=_gravest)
        pairs = [each.pair for each in flagged if self._shows(each.pair)]
        most = self.request.tokens_max
        while pairs and (tokens := self._tokens(self._page_naming(pairs))) > most:
            cost, room = tokens - self._plain[1], CONTRADICTIONS_SHARE * most
            at, before = self.fit.steps[-1]
            if cost > room:
                pairs = pairs[: min(len(pairs) - 1, int(len(pairs) * room / cost))]
            elif before is None and any(at in pair for pair in pairs):
                pairs = [pair for pair in pairs if at not in pair]
            else:
                self.fit.take_back()
                self._plain = self._plain_page()
        self._named_pairs = pairs

    def page(self) -> tuple[str, int]:
        """Rendered text and its tokens; it names contradictions, where there is room to."""
        if not self._named_pairs:
            return self._plain
        page = self._page_naming(self._named_pairs)
        return page, self._tokens(page)

    def _page_naming(self, pairs: Sequence[tuple[int, int]]) -> str:
        named = [(self._key(one), self._key(other)) for one, other in pairs]
        return render(self._shown(), self._style, self.request.now.date(), named)

    def _plain_page(self) -> tuple[str, int]:
        page = self._render(self._shown())
        return page, self._tokens(page)

    def _render(self, entries: Sequence[PageEntry]) -> str:
        return render(entries, self._style, self.request.now.date())

    def _tokens(self, page: str) -> int:
        return self._count([page])[0] if page else 0

    def _shown(self) -> list[PageEntry]:
        return [self._entries[at][level] for at, level in self.fit.levels.items()]

    def _key(self, at: int) -> tuple[str, str]:
        return self._entries[at]["micro"].key

    def fragments(self) -> list[Fragment]:
        """Fragments on the page, in its order, which is that of their references."""
        placed = sorted(self.fit.levels.items(), key=lambda item: page_order(self._entries[item[0]][item[1]]))
        return [self._fragment(ref, at, level) for ref, (at, level) in enumerate(placed, 1)]

    def _fragment(self, ref: int, at: int, level: Lod) -> Fragment:
        entry, judged, item = self._entries[at][level], self.ranking[at], self._items[at]
        memory = judged.offer.memory
        return Fragment(
            ref=ref,
            id=memory.id,
            project=memory.project,
            content=entry.text,
            source_layer=judged.offer.layer,
            lod=level,
            priority_score=judged.priority,
            token_cost=item.costs[level],
            relevance=judged.relevance,
            recency=judged.recency,
            credibility=judged.credibility,
            coherence=judged.coherence,
            dated=entry.group.dated,
            standing=memory.standing,
            age_days=max(0, (self.request.now.date() - entry.group.dated).days),
            signals=judged.signals,
        )

    @property
    def shortened(self) -> int:
        """Number of fragments that are one line of a longer memory."""
        return sum(level == "macro" for level in self.fit.levels.values())

    def omitted(self) -> list[Omission]:
        """Offers that are not on the page, with the reasons."""
        lost = {each.loser: each for each in self.settled if each.loser is not None}
        return [self._omitted(at, lost) for at in range(len(self.offers)) if at not in self.fit.levels]

    def _omitted(self, at: int, lost: Mapping[int, SettledConflict]) -> Omission:
        id = self.offers[at].memory.id
        if at in lost:
            return Omission(id, "conflict_lost", f"to {self._other(lost[at].pair, at)}")
        if at in self.fit.repeats and self.fit.repeats[at] in self.fit.levels:
            return Omission(id, "near_duplicate", f"of {self.offers[self.fit.repeats[at]].memory.id}")
        return Omission(id, "over_budget")

    def _other(self, pair: tuple[int, int], at: int) -> str:
        return self.offers[pair[0] if pair[1] == at else pair[1]].memory.id

    def conflicts(self) -> list[FragmentConflict]:
        """Contradictions, the gravest first, and then duplicates."""
        found = sorted((each.conflict for each in self.settled), key=lambda each: (-each.severity, each.ids))
        same = [
            duplicate_conflict(self.offers[kept].memory, self.offers[at].memory, self._cosine(at, kept))
            for at, kept in sorted(self.fit.repeats.items())
            if kept in self.fit.levels and at not in self.fit.levels
        ]
        return [*found, *same]

    def _cosine(self, one: int, other: int) -> float:
        return 1.0 if self.alike is None else float(self.alike[one, other])


def _gravest(settled: SettledConflict) -> tuple[float, tuple[str, str]]:
    return -settled.conflict.severity, settled.conflict.ids
