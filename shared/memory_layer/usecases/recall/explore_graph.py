"""Exploration of the graph around one entity or memory: the nearest nodes first, with their ties."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.retrieval.graph import (
    HOPS_MAX,
    Tie,
    nearest_first,
    share_of_best,
)
from memory_layer.domain.retrieval.mentions import entity_label, keys_of_name
from memory_layer.domain.retrieval.own_ties import TRUSTED, nearness
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Invalid, Violation
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, search_for_all
from memory_layer.usecases.recall.graph_edges import edges_before_search
from memory_layer.usecases.recall.hydrate import hydrate_shown
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.recall.redact_answers import redacted_memories
from memory_layer.usecases.recall.walk_graph import RECORDS_MAX, GraphWalk, Node, TieCount, walk_from

NODES_MAX: Final = 2_000
TRUSTED_SHOWN: Final = 2
"""Trusted memories that a limit leaves out last: an agent may tie as many of its own to an entity as it likes."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity or a memory.

    Args:
        node: an entity's key, or a memory's ref.
        nearness: to the entity asked about, a share of the nearest, 0..1.
        count: of an entity, the records tied to it that may be seen; None: it was not walked from, or there was no
            index to count them.
        memory: None of an entity.
    """

    node: Node
    nearness: float
    count: TieCount | None = None
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class GraphNeighbourhood:
    """Nearest nodes of an entity, nearest first, and the ties among them.

    Args:
        is_whole: none was left out for want of room.
        left_out: number of the nodes found that were.
        note: what was not there to be used; None: all was.
    """

    nodes: tuple[GraphNode, ...]
    ties: tuple[Tie[Node], ...]
    is_whole: bool
    note: str | None = None
    left_out: int = 0


def explore_graph(
    ports: Ports, principal: Principal, project: str, entity: str, *, hops: int, limit: int
) -> GraphNeighbourhood:
    """Explores entities and memories around one, as far as the caller may see them; nothing around an unknown one.

    While the index is down, memories are found by records that name them and by the names in the newest records.

    Args:
        entity: a URN or a word as records name it, a name, path, date or identifier as texts do, or a memory's id;
            with `_shared/` before it that of one that the tenant shares, as `node_id` calls it.
        hops: 1 to HOPS_MAX.
        limit: of the nodes, 1 to NODES_MAX.

    Raises:
        Invalid: the entity is no text, or hops or limit are out of range.
    """
    _check(entity, hops, limit)
    search = search_for_all(ports, principal, project)
    return ports.turns.run(partial(_explored, ports, search, entity, hops, limit))


def _explored(
    ports: Ports, search: CandidateSearch, entity: str, hops: int, limit: int
) -> GraphNeighbourhood:
    """Walks from the entity and reads the words of what is shown."""
    visibility = Visibility(ports.store.projects, search.viewer, search.now)
    reading = HitReader(ports.store.memories, ports.store.history, search, visibility, (search.filters,))
    known = edges_before_search(ports, search, reading)
    keys, ref = keys_of_name(entity), _ref_asked(entity, search.project.project)
    walk = walk_from(known, keys=keys, refs=(ref,), hops=hops, records_max=max(limit, RECORDS_MAX))
    graph = walk.graph()
    there = {*graph.nodes, *walk.memories}
    start: dict[Node, float] = dict.fromkeys((node for node in (*keys, ref) if node in there), 1.0)
    near = share_of_best(nearness(graph, start, walk.voices()))
    order = [node for node in nearest_first(near, {node: _name(node) for node in near}) if near[node] > 0.0]
    shown = _with_trusted(order, limit, walk)
    ties = tuple(tie for tie in graph.ties if tie.source in shown and tie.target in shown)
    drawn = [_node(node, near[node], walk, is_counted=known.has_index) for node in shown]
    nodes, no_bodies = _with_words(ports, drawn, search.project, visibility)
    note = "; ".join(dict.fromkeys((*known.notes, *no_bodies))) or None
    left_out = len(order) - len(shown)
    return GraphNeighbourhood(nodes, ties, is_whole=not left_out, note=note, left_out=left_out)


def _check(entity: str, hops: int, limit: int) -> None:
    problem = text_problem(entity)
    if problem or not entity.strip():
        raise Invalid.at("/query/entity", problem or "name an entity: a URN, a name, or a memory's id")
    if not 1 <= hops <= HOPS_MAX:
        raise Invalid.each([Violation("/query/hops", f"{hops} is out of bounds: 1 to {HOPS_MAX}", HOPS_MAX)])
    if not 1 <= limit <= NODES_MAX:
        raise Invalid.each(
            [Violation("/query/limit", f"{limit} is out of bounds: 1 to {NODES_MAX}", NODES_MAX)]
        )


def _with_trusted(order: Sequence[Node], limit: int, walk: GraphWalk) -> dict[Node, None]:
    """Nearest nodes within a limit: the two nearest trusted memories are among them, in the places of the farthest."""
    voices = walk.voices()
    trusted = [node for node in order if voices.get(node) == TRUSTED]
    kept = set(trusted[: min(TRUSTED_SHOWN, limit - 1)])
    room = limit - len(kept)
    kept.update([node for node in order if node not in kept][:room])
    return dict.fromkeys(node for node in order if node in kept)


def _ref_asked(entity: str, project: str) -> Ref:
    """Ref of the memory that the entity would be, by its id or as `node_id` calls one that the tenant shares."""
    id = entity.removeprefix(f"{SHARED_PROJECT}/")
    return Ref(project if id == entity else SHARED_PROJECT, id)


def _node(node: Node, nearness: float, walk: GraphWalk, *, is_counted: bool) -> GraphNode:
    if isinstance(node, Ref):
        return GraphNode(node, round(nearness, 6), memory=walk.memories.get(node))
    count = walk.count(node) if is_counted and node in walk.index_edges else None
    return GraphNode(node, round(nearness, 6), count)


def _name(node: Node) -> str:
    return f"m {node.id} {node.project}" if isinstance(node, Ref) else f"e {node}"


def _with_words(
    ports: Ports, nodes: Sequence[GraphNode], project: Scope, visibility: Visibility
) -> tuple[tuple[GraphNode, ...], tuple[str, ...]]:
    """Nodes whose memories have all their words, redacted again; notes on those left as their beginning."""
    memories = [node.memory for node in nodes if node.memory is not None]
    found, notes = hydrate_shown(ports.store.memories, memories)
    there = {memory.ref: memory for memory in (*memories, *found)}.values()
    words = {memory.ref: memory for memory in redacted_memories(there, project, visibility)}
    shown = (node if node.memory is None else replace(node, memory=words[node.memory.ref]) for node in nodes)
    return tuple(shown), notes


def node_id(node: Node, project: str) -> str:
    """Id of a node: an entity as `entity_label`, a memory by its id, with its project if that is another."""
    if not isinstance(node, Ref):
        return entity_label(node)
    return node.id if node.project == project else f"{node.project}/{node.id}"
