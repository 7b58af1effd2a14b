"""Multiple-choice knapsack with diversity: the memories that fit a budget, each at one level of detail."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from memory_layer.domain.context.fragments import Layer, Lod, LodPreference
from memory_layer.domain.context.rendering import PageGroup

RANK_EXPONENT: Final = 1.4
"""Exponent by which the worth of a memory falls with its rank, as LoCoMo's evidence shows (ADR-0013)."""

FACTS_SHARE: Final = 0.1
"""Share of its worth that its structured facts add; assumed."""

Levels = frozenset[Lod]


class KnapsackItem(NamedTuple):
    """Item that competes for the budget.

    Args:
        costs: tokens of its lines at each level that it has; `micro` always.
        standing: 0..1, factor on its worth.
        macro_share: share of its worth that its one line holds, 0..1.
    """

    costs: Mapping[Lod, int]
    layer: Layer
    group: PageGroup
    standing: float = 1.0
    macro_share: float = 0.5
    is_pinned: bool = False
    is_compressed: bool = False
    is_wanted: bool = False

    def worth(self, rank: int) -> float:
        """Worth of the item: its chance of being of use, up to a factor. Args: rank: from 0."""
        return float(self.standing * (rank + 1) ** -RANK_EXPONENT)

    @property
    def shortest(self) -> Lod:
        """Its least detailed level that it may have; a pinned one is whole."""
        return "macro" if "macro" in self.costs and not self.is_pinned else "micro"

    def share(self, level: Lod) -> float:
        """Share of its worth that it has at a level."""
        return self.macro_share if level == "macro" else _WORTH_SHARES[level]


@dataclass(frozen=True, slots=True)
class HeadingCosts:
    """Costs of opening a source, and a group in it, in tokens."""

    layers: Mapping[Layer, int]
    groups: Mapping[PageGroup, int]


_Step = tuple[float, int, Lod, int]
"""Step that includes an item at a level, or raises it to one: its efficiency, negated for the queue, the item, the
level, and the tokens by which that is cheaper: of its level before, or, negative, of the headings that it opens."""


@dataclass(slots=True)
class KnapsackFill:
    """Contents of the knapsack: the items included, their levels, and the order of the steps.

    Args:
        items: best first.
        twins: near-duplicates of each item; in order.
        banned: items that may not be included.
        steps: index of the item and its level before, so that the last step can be undone first.
        repeats: items left out, each with the included item that says the same.
    """

    items: Sequence[KnapsackItem]
    headings: HeadingCosts
    twins: Mapping[int, Sequence[int]] = field(default_factory=dict)
    banned: Collection[int] = ()
    levels: dict[int, Lod] = field(default_factory=dict)
    steps: list[tuple[int, Lod | None]] = field(default_factory=list)
    repeats: dict[int, int] = field(default_factory=dict)
    spent: int = 0
    _worths: Sequence[float] = ()
    _bases: list[int] = field(
        default_factory=list
    )  # tokens of its level; negative: of headings that it opens
    _under_heading: Sequence[Sequence[int]] = ()
    _open_layers: set[Layer] = field(default_factory=set)
    _open_headings: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._worths = [item.worth(at) for at, item in enumerate(self.items)]
        under = defaultdict[tuple[Layer, PageGroup], list[int]](list)
        for at, item in enumerate(self.items):
            under[item.layer, item.group].append(at)
        self._under_heading = [under[item.layer, item.group] for item in self.items]
        self._bases = [-self._opening(at) for at in range(len(self.items))]

    def fill(self, members: Iterable[int], allowed: Callable[[KnapsackItem], Levels], budget: int) -> None:
        """Takes steps in the order of their worth per token, as long as one fits.

        A step includes an item at a level, or raises it to a fuller one. Items that open a source or a day pay
        for its heading, and make the others of that day cheaper.

        Args:
            allowed: levels that an item may have.
            budget: tokens that may be spent in all, headings included.

        Source: greedy by incremental efficiency (Kellerer, Pferschy, Pisinger: Knapsack Problems, 11.2).
        """
        open_to = {at: allowed(self.items[at]) for at in members if at not in self.banned}
        queue = [step for at, levels in open_to.items() for step in self._steps(at, levels, budget)]
        heapify(queue)
        while queue:
            _, at, level, base = heappop(queue)
            if base != self._bases[at]:
                for step in self._steps(at, (level,), budget):
                    heappush(queue, step)
                continue
            if not self._fits(at, level, budget) or at in self.repeats or self._is_repeat(at):
                continue
            others = (at,) if self._is_open(at) else self._under_heading[at]
            self.show(at, level)
            for other in others:
                for step in self._steps(other, open_to.get(other, ()), budget):
                    heappush(queue, step)

    def put_in(self, at: int, levels: Sequence[Lod], budget: int) -> None:
        """Includes an item at the first of these levels that fits, whatever its worth."""
        level = next(
            (each for each in levels if each in self.items[at].costs and self._fits(at, each, budget)), None
        )
        if at not in self.levels and level is not None and not self._is_repeat(at):
            self.show(at, level)

    def show(self, at: int, level: Lod) -> None:
        """Includes an item at a level, whatever it costs."""
        cost, layer = self.items[at].costs[level], self.items[at].layer
        self.spent += cost - self._bases[at]
        self.steps.append((at, self.levels.get(at)))
        self.levels[at] = level
        if not self._is_open(at):
            cheaper = self._under_heading[at] if layer in self._open_layers else range(len(self.items))
            self._open_headings.add(self._under_heading[at][0])
            self._open_layers.add(layer)
            for other in cheaper:
                if other not in self.levels:
                    self._bases[other] = -self._opening(other)
        self._bases[at] = cost

    def drop(self, at: int) -> None:
        """Removes an item at whatever level it is."""
        self.spent -= self._bases[at]
        self._bases[at] = 0
        del self.levels[at]
        self.steps = [step for step in self.steps if step[0] != at]

    def take_back(self) -> None:
        """Undoes the last step."""
        at, before = self.steps.pop()
        self.spent -= self._bases[at]
        if before:
            self.levels[at] = before
        else:
            del self.levels[at]
        self._bases[at] = self.items[at].costs[before] if before else 0
        self.spent += self._bases[at]

    def _steps(self, at: int, allowed: Collection[Lod], budget: int) -> list[_Step]:
        """Steps that an item can take from its current level."""
        if at in self.repeats:
            return []
        item, before, base = self.items[at], self.levels.get(at), self._bases[at]
        gained, fullness = (item.share(before), _FULLNESS[before]) if before else (0.0, -1)
        most, worth = budget - self.spent + base, self._worths[at]
        return [
            (-worth * (item.share(level) - gained) / max(1, cost - base), at, level, base)
            for level, cost in item.costs.items()
            if cost <= most and level in allowed and _FULLNESS[level] > fullness
        ]

    def _fits(self, at: int, level: Lod, budget: int) -> bool:
        before = self.levels.get(at)
        is_fuller = before is None or _FULLNESS[level] > _FULLNESS[before]
        return is_fuller and self.spent + self.items[at].costs[level] - self._bases[at] <= budget

    def _is_open(self, at: int) -> bool:
        return self._under_heading[at][0] in self._open_headings

    def _opening(self, at: int) -> int:
        """Tokens for the headings that an item would open."""
        if self._is_open(at):
            return 0
        item = self.items[at]
        layer = 0 if item.layer in self._open_layers else self.headings.layers[item.layer]
        return self.headings.groups[item.group] + layer

    def _is_repeat(self, at: int) -> bool:
        same = next((other for other in self.twins.get(at, ()) if other in self.levels), None)
        if at in self.levels or same is None:
            return False
        self.repeats[at] = same
        return True


_FULLNESS: Final[dict[Lod, int]] = {"macro": 0, "micro": 1, "atomic": 2}
_WORTH_SHARES: Final[dict[Lod, float]] = {"micro": 1.0, "atomic": 1.0 + FACTS_SHARE}


_WHOLE: Final[Levels] = frozenset(("micro", "atomic"))
_BRIEF: Final[Levels] = frozenset(("macro", "micro"))
_ALL: Final[Levels] = frozenset(("macro", "micro", "atomic"))
_ONE_LINE: Final[Levels] = frozenset(("macro",))
_AS_SAID: Final[Levels] = frozenset(("micro",))

_BRIEF_FIRST: Final[Sequence[Lod]] = ("macro", "micro")
_FULL_FIRST: Final[Sequence[Lod]] = ("micro", "macro")

_PASSES: Final[Mapping[LodPreference, Sequence[Levels]]] = {
    "macro": (_ONE_LINE,),
    "micro": (_AS_SAID, _BRIEF),
    "atomic": (_WHOLE, _ALL),
    "adaptive": (_BRIEF, _ALL),
}
"""Levels allowed at first, and then with the space left over."""

_FIRST_OF_LAYER: Final[Mapping[Layer, Levels]] = {"global": _ONE_LINE}
"""Under `adaptive`: shared memories come as one line, and in full where there is room (SPEC 9.4)."""


def fill(
    fit: KnapsackFill,
    preference: LodPreference,
    *,
    budget: int,
    wanted_budget: int,
    covering: Sequence[int] = (),
) -> None:
    """Fills a budget: pinned items, those of the wanted entities, the best of all, and fuller levels at last.

    Args:
        fit: empty.
        budget: tokens for entries and their headings.
        wanted_budget: part of it that the wanted items may take before all others but the pinned.
        covering: items included before those, in one line if need be, however much of the budget they take.
    """
    everyone = range(len(fit.items))
    first, *later = _PASSES[preference]
    at_first = _FIRST_OF_LAYER if preference == "adaptive" else {}

    def opening(item: KnapsackItem) -> Levels:
        return _limited(item, at_first.get(item.layer, first))

    fit.fill([at for at in everyone if fit.items[at].is_pinned], lambda _: _AS_SAID, budget)
    for at in covering:
        fit.put_in(at, _BRIEF_FIRST, budget)
    wanted = [at for at in everyone if fit.items[at].is_wanted]
    fit.fill(wanted, opening, min(budget, fit.spent + wanted_budget))
    fit.fill(everyone, opening, budget)
    for levels in later:
        fit.fill(everyone, partial(_limited, levels=levels), budget)


def fill_in_order(fit: KnapsackFill, preference: LodPreference, *, budget: int) -> None:
    """Fills a budget with pinned items, then the others in order, each whole (or in one line, if so preferred)."""
    levels: Sequence[Lod] = _BRIEF_FIRST if preference == "macro" else _FULL_FIRST
    for at in sorted(range(len(fit.items)), key=lambda at: not fit.items[at].is_pinned):
        item = fit.items[at]
        wanted = _BRIEF_FIRST if item.is_compressed else levels
        fit.put_in(at, _FULL_FIRST if item.is_pinned else wanted, budget)


def _limited(item: KnapsackItem, levels: Levels) -> Levels:
    """Levels that an item may have; a memory of one line is whole in one line."""
    brief = _ONE_LINE if item.is_compressed else levels
    return brief if "macro" in item.costs or brief != _ONE_LINE else _AS_SAID
