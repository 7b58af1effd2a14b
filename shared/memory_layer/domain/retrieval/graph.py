"""Graph of entities and memories, with personalised PageRank, a random walk that hubs cannot flood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

from memory_layer.domain.arrays import NDArray, np

HOPS_MAX: Final = 3
"""Most hops of a walk: beyond three, everything is connected with everything."""

DAMPING: Final = 0.5
"""Share of the weight that a node passes on: a node one hop farther counts about half."""

_ENDS: Final = itemgetter(0, 1)
_TOLERANCE: Final = 1e-9
_ROUNDS_MAX: Final = 64
"""At DAMPING .5 the change halves each round: 30 rounds reach the tolerance."""

N = TypeVar("N", bound=Hashable)


class Tie(NamedTuple, Generic[N]):
    """Edge, walked in both directions; `type` tells its direction."""

    source: N
    target: N
    type: str


@dataclass(frozen=True)
class Graph(Generic[N]):
    """Nodes and the ties between them, each at most once.

    Args:
        degrees: true number of ties, for nodes that have more than are here.
    """

    ties: tuple[Tie[N], ...] = ()
    degrees: Mapping[N, int] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> Mapping[N, int]:
        """Nodes in the order in which ties name them, each with its place."""
        every = dict.fromkeys(chain.from_iterable(map(_ENDS, self.ties)))
        return dict(zip(every, range(len(every)), strict=True))


def personalised_pagerank(
    graph: Graph[N], start: Mapping[N, float], *, damping: float = DAMPING
) -> dict[N, float]:
    """Personalised PageRank: nearness of each node to the start nodes, over all paths.

    A node passes on a share `damping` of its weight, equally over all its ties, those outside the graph included: of
    a hub with a thousand ties each neighbour gets a thousandth, and weight that leaves the graph restarts. So no hub
    passes on more than it received, and a node one hop farther counts less.

    Args:
        start: weights of the start nodes, > 0; they need not be in any tie.
        damping: 0..1, exclusive.

    Returns:
        Score of every node of the graph and of the start, 0..1, summing up to 1; empty without a start.

    Source: Page et al. 1999; Haveliwala 2002, "Topic-Sensitive PageRank"; HippoRAG (Gutiérrez et al. 2024) walks from
        the entities of a question.
    """
    if not start:
        return {}
    places = dict(graph.nodes)
    for node in start:
        places.setdefault(node, len(places))
    restart = np.zeros(len(places))
    restart[[places[node] for node in start]] = list(start.values())
    restart /= restart.sum()
    scores = _walked(restart, _steps(graph, places), damping)
    return dict(zip(places, scores.tolist(), strict=True))


class _Steps(NamedTuple):
    """Steps of the walk: source, target, and share of the source's weight; shape (2 × ties,)."""

    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    shares: NDArray[np.floating[Any]]


def _steps(graph: Graph[N], places: Mapping[N, int]) -> _Steps:
    each = map(places.__getitem__, chain.from_iterable(map(_ENDS, graph.ties)))
    ends = np.fromiter(each, np.intp, 2 * len(graph.ties)).reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    both = np.concatenate([ends, ends[:, ::-1]])
    sources, targets = np.divmod(np.unique(both @ [len(places), 1]), len(places))
    degrees = np.bincount(sources, minlength=len(places))
    for node, degree in graph.degrees.items():
        if node in places:
            degrees[places[node]] = max(degrees[places[node]], degree)
    return _Steps(sources, targets, 1.0 / degrees[sources])


def _walked(restart: NDArray[np.floating[Any]], steps: _Steps, damping: float) -> NDArray[np.floating[Any]]:
    """Power iteration; weight that leads nowhere, or out of the graph, restarts."""
    scores = restart
    for _ in range(_ROUNDS_MAX):
        arriving = np.bincount(steps.targets, scores[steps.sources] * steps.shares, len(restart))
        walked = damping * arriving
        walked += (1.0 - walked.sum()) * restart
        if np.abs(walked - scores).sum() < _TOLERANCE:
            return walked
        scores = walked
    return scores


def nearest_first(scores: Mapping[N, float], names: Mapping[N, str]) -> list[N]:
    """Nodes by score to nine digits, then by name, so that the order of summation does not change theirs."""
    return sorted(scores, key=lambda node: (-round(scores[node], 9), names[node]))


def share_of_best(scores: Mapping[N, float]) -> dict[N, float]:
    """Scores as shares of the best, 0..1."""
    best = max(scores.values(), default=0.0)
    return {node: round(score / best, 9) for node, score in scores.items()} if best > 0.0 else dict(scores)


def most_tied(keys: Iterable[str], limit: int) -> list[str]:
    """Selects the keys to expand next: those most often found, then by name."""
    counts = Counter(keys)
    return sorted(counts, key=lambda key: (-counts[key], key))[:limit]
