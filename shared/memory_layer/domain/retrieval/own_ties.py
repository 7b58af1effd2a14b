"""Nearness in the graph where standings differ: an agent's ties among its own memories bring none of them nearer."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final, TypeVar

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.graph import Graph, Tie, personalised_pagerank

N = TypeVar("N")

TRUSTED: Final = ""
"""Voice of all trusted memories."""


def voice_of(memory: Memory) -> str:
    """Voice behind a memory's ties: that of its author's token, or `TRUSTED`."""
    return TRUSTED if memory.is_trusted else agent_voice(memory.created_by)


def nearness(graph: Graph[N], start: Mapping[N, float], voices: Mapping[N, str]) -> dict[N, float]:
    """Personalised PageRank of each node; beside trusted memories without the ties that an agent has with itself.

    Nodes that those ties alone lead to keep their order, behind all others: an agent may relate sixty memories to one.

    Args:
        start: weights of the start nodes, > 0.
        voices: voice of each memory of the graph (`voice_of`); all other nodes are entities.

    Returns:
        Score of every node, 0..1.

    Source: ADR-0012.
    """
    scores = personalised_pagerank(graph, start)
    if TRUSTED not in voices.values():
        return scores
    ties = _of_others(graph, start.keys(), voices)
    if len(ties) == len(graph.ties):
        return scores
    plain = personalised_pagerank(Graph(ties, graph.degrees), start)
    least = min(filter(None, plain.values()), default=0.0)
    behind = {node: score for node, score in scores.items() if not plain.get(node)}
    best = max(behind.values(), default=0.0)
    return plain | {node: least * score / (2 * best) if best else 0.0 for node, score in behind.items()}


def _of_others(graph: Graph[N], start: Collection[N], voices: Mapping[N, str]) -> tuple[Tie[N], ...]:
    """Ties of a graph without those between memories of one agent, direct or by an entity that it alone names."""
    naming: defaultdict[N, list[str]] = defaultdict(list)
    for tie in graph.ties:
        for entity, other in ((tie.source, tie.target), (tie.target, tie.source)):
            if entity not in voices:
                naming[entity].append(voices.get(other, TRUSTED))
    own = {
        entity
        for entity, said in naming.items()
        if entity not in start and len(said) > 1 and TRUSTED not in said and len(set(said)) == 1
        if graph.degrees.get(entity, 0) <= len(said)
    }

    def is_own(tie: Tie[N]) -> bool:
        voice = voices.get(tie.source, TRUSTED)
        is_direct = voice != TRUSTED and voices.get(tie.target) == voice
        return is_direct or tie.source in own or tie.target in own

    return tuple(tie for tie in graph.ties if not is_own(tie))
