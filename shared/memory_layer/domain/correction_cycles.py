"""Whether corrections lead back to where they began."""

from collections import defaultdict, deque
from collections.abc import Iterable


def cycle_of(corrections: Iterable[tuple[str, str]]) -> set[str]:
    """The records that stand in a ring of corrections, or between two; empty where every chain has an end.

    Args:
        corrections: pairs of what was superseded and by what; the same pair may come twice.

    Source: Kahn, Topological sorting of large networks (1962): what is left when all that nothing leads to is gone.
    """
    successors: dict[str, set[str]] = defaultdict(set)
    predecessors: dict[str, set[str]] = defaultdict(set)
    for old, new in corrections:
        successors[old].add(new)
        predecessors[new].add(old)
    return _left(
        _left(successors.keys() | predecessors.keys(), successors, predecessors), predecessors, successors
    )


def _left(nodes: set[str], forward: dict[str, set[str]], backward: dict[str, set[str]]) -> set[str]:
    """The nodes that cannot be taken away one by one from where nothing comes in."""
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
