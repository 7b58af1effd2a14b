"""Cycles among corrections."""

from collections import defaultdict, deque
from collections.abc import Iterable


def records_in_cycles(corrections: Iterable[tuple[str, str]]) -> set[str]:
    """Records on a cycle of corrections, or on a path between two cycles; empty where every chain has an end.

    Args:
        corrections: pairs of a superseded id and its successor's id; the same pair may come twice.

    Source: Kahn, Topological sorting of large networks (1962): the remainder after removing all sources and all sinks.
    """
    successors: dict[str, set[str]] = defaultdict(set)
    predecessors: dict[str, set[str]] = defaultdict(set)
    for old, new in corrections:
        successors[old].add(new)
        predecessors[new].add(old)
    return _without_sources(
        _without_sources(successors.keys() | predecessors.keys(), successors, predecessors),
        predecessors,
        successors,
    )


def _without_sources(
    nodes: set[str], forward: dict[str, set[str]], backward: dict[str, set[str]]
) -> set[str]:
    """Nodes that remain when those without predecessors are removed one by one."""
    waiting = {node: len(backward.get(node, set()) & nodes) for node in nodes}
    free = deque(node for node, count in waiting.items() if not count)
    while free:
        node = free.popleft()
        del waiting[node]
        for following in forward.get(node, set()) & waiting.keys():
            waiting[following] -= 1
            if not waiting[following]:
                free.append(following)
    return set(waiting)
