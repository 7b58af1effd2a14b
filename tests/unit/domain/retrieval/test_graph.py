"""The walk over entities and memories: against the equation that it solves, and with hubs in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.retrieval.graph import (
    DAMPING,
    Graph,
    Tie,
    most_tied,
    nearest_first,
    personalised_pagerank,
    share_of_best,
)
from tests.fuzzing import examples

edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


def graph_of(pairs: list[tuple[int, int]], **degrees: int) -> Graph[int]:
    return Graph(
        tuple(Tie(a, b, "t") for a, b in pairs), {int(node[1:]): degree for node, degree in degrees.items()}
    )


def solved(
    pairs: list[tuple[int, int]], start: dict[int, float], degrees: dict[int, int]
) -> dict[int, float]:
    """The same by linear algebra: (I - d (T + leak restart)) x = (1 - d) restart, T the transposed steps."""
    nodes = sorted({*start, *(node for pair in pairs for node in pair)})
    size = len(nodes)
    joined = np.zeros((size, size))
    for a, b in pairs:
        if a != b:
            joined[nodes.index(a), nodes.index(b)] = joined[nodes.index(b), nodes.index(a)] = 1.0
    truth = np.maximum(joined.sum(axis=1), [degrees.get(node, 0) for node in nodes])
    steps = np.divide(joined, truth[:, None], out=np.zeros_like(joined), where=truth[:, None] > 0)
    restart = np.array([start.get(node, 0.0) for node in nodes])
    restart /= restart.sum()
    leak = 1.0 - steps.sum(axis=1)
    system = np.eye(size) - DAMPING * (steps.T + np.outer(restart, leak))
    return dict(zip(nodes, np.linalg.solve(system, (1 - DAMPING) * restart), strict=True))


@settings(max_examples=examples(200))
@given(
    edges,
    st.dictionaries(st.integers(0, 9), st.floats(0.1, 5.0), min_size=1, max_size=4),
    st.dictionaries(st.integers(0, 9), st.integers(1, 50), max_size=3),
)
def test_it_solves_the_equation(
    pairs: list[tuple[int, int]], start: dict[int, float], degrees: dict[int, int]
) -> None:
    graph = Graph(tuple(Tie(a, b, "t") for a, b in pairs), degrees)
    found, wanted = personalised_pagerank(graph, start), solved(pairs, start, degrees)
    assert {node for node, score in found.items()} == {*start, *(node for pair in pairs for node in pair)}
    assert found == pytest.approx({node: wanted[node] for node in found}, abs=1e-8)
    assert sum(found.values()) == pytest.approx(1.0)


def test_nowhere_to_start_is_nowhere() -> None:
    assert personalised_pagerank(graph_of([(1, 2)]), {}) == {}
    assert personalised_pagerank(Graph(), {7: 2.0}) == {7: 1.0}


def test_a_hop_farther_counts_less() -> None:
    scores = personalised_pagerank(graph_of([(0, 1), (1, 2), (2, 3), (3, 4)]), {0: 1.0})
    assert scores[1] > 2 * scores[2] > 4 * scores[3] > 8 * scores[4] > 0.0


def test_a_hub_floods_nothing() -> None:
    """Two ways lead from the start: to a hub of a thousand, and to something of three. Falls where a node hands on
    the same to each neighbour however many there are."""
    hub = [(1, 100 + number) for number in range(1_000)]
    rare = [(2, 10), (2, 11), (2, 12)]
    scores = personalised_pagerank(graph_of([(0, 1), (0, 2), *hub, *rare]), {0: 1.0})
    assert scores[10] > 100 * scores[100]
    assert sum(scores[100 + number] for number in range(1_000)) < scores[1]


def test_ties_that_are_not_here_count() -> None:
    """Of a hub only the best are read: they get no more for it. Falls without `degrees`."""
    pairs = [(0, 1), (0, 2), *((1, 100 + number) for number in range(3)), (2, 10), (2, 11), (2, 12)]
    known, unknown = (
        personalised_pagerank(graph_of(pairs, **more), {0: 1.0}) for more in ({"n1": 1_000}, {})
    )
    assert unknown[100] == pytest.approx(unknown[10])
    assert known[10] > 100 * known[100]


def test_a_tie_told_twice_or_from_both_ends_counts_once() -> None:
    once = personalised_pagerank(graph_of([(0, 1), (0, 2)]), {0: 1.0})
    assert personalised_pagerank(graph_of([(0, 1), (1, 0), (0, 1), (0, 2), (0, 0)]), {0: 1.0}) == once


def test_order_and_shares() -> None:
    scores = {"a": 0.2, "b": 0.4, "c": 0.4 + 1e-12}
    assert nearest_first(scores, {"a": "1", "b": "2", "c": "3"}) == ["b", "c", "a"]
    assert share_of_best(scores) == {"a": 0.5, "b": 1.0, "c": 1.0}
    assert share_of_best({}) == {}
    assert most_tied(["x", "y", "y", "a"], 2) == ["y", "a"]
