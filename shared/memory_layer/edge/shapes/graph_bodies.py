"""Graph and enrichment bodies: requests, answers, and their JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.memory import Memory, Standing
from memory_layer.domain.retrieval.mentions import kind_of
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.recall.enrich import DEFAULT_TOKENS, LIMIT_MAX, TOKENS_MAX, Enrichment
from memory_layer.usecases.recall.explore_graph import GraphNeighbourhood, GraphNode, node_id


class EnrichQuery(BaseModel):
    """A tool's response, of which the URNs are looked up; nothing of it is stored.

    `payload` is text or any JSON; of one that is nested more than 64 deep, has more than 200,000 values or more than
    64 URNs (or 4,096 pieces that look like one) the rest is not looked at, and `is_whole` says so. `tokens_max` bounds
    the block, by four characters a token.
    """

    model_config = REFUSE_UNKNOWN
    payload: Annotated[Any, Field(description="Text, or any JSON: the response as the tool gave it")]
    limit: Annotated[int, Strict(), Field(ge=1, le=LIMIT_MAX, description="How many memories at most.")] = 10
    tokens_max: Annotated[
        int, Strict(), Field(ge=1, le=TOKENS_MAX, description="How long the block may be.")
    ] = DEFAULT_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichedUrn:
    """A URN of the payload, and how many of the memories in the block name it.

    Args:
        urn: the URN as the payload has it.
        memories: how many memories in the block name it.
    """

    urn: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichAnswer:
    """Block about the payload's URNs. `unknown`: those that nothing is known of; `memory_context` is empty where
    nothing is known at all.

    `degraded`: a part was down, as `note` says; without the search index only the newest memories are looked at.

    Args:
        memory_context: the block for the model; empty: nothing is known.
        found: URNs of which something is known.
        unknown: URNs of which nothing is known.
        is_whole: the whole payload was looked at.
        total_tokens: length of the block.
    """

    memory_context: str
    recall_id: str
    memory_ids: Sequence[str]
    found: Sequence[EnrichedUrn]
    unknown: Sequence[str]
    is_whole: bool
    total_tokens: int
    degraded: bool
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """Node of a graph; `kind` is memory, entity, urn, name, date, identifier or path.

    `nearness` is a share of the nearest. Of an entity that was walked from `total` is the number of memories tied to
    it that the caller may see; of one with more than were looked at, `total_at_most` is, in its place, an upper bound.
    The rest belongs to memories.

    Args:
        kind: memory, entity, urn, name, date, identifier or path.
        nearness: how near it is to where the walk began, as a share of the nearest.
        total: number of memories tied to it, counted.
        total_at_most: bound on that number, where not all were looked at.
        project: the project of the memory.
        type: the type of the memory.
        summary: what the memory says, in short.
        standing: whose words these are: trusted or unreviewed.
        created_by: who wrote the memory.
    """

    id: str
    kind: str
    nearness: float
    total: int | None = None
    total_at_most: int | None = None
    project: str | None = None
    type: str | None = None
    summary: str | None = None
    standing: Standing | None = None
    created_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeAnswer:
    """Edge of a graph; `type` is mentions, the type of a relation, supersedes, superseded_by, derived_from,
    learned_in or linked.

    Args:
        source, target: ids of the two nodes.
        type: how the one is tied to the other.
    """

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswer:
    """Graph, nearest nodes first; `is_whole` tells whether all that was found fits in `limit`.

    `degraded`: a part was down, as `note` says; without the search index only what names each other and the newest
    memories are looked at, and nothing is counted.

    Args:
        entity: where the walk began.
        hops: how far it went.
        nodes: the nearest first.
        edges: the ties between these nodes.
        is_whole: all that was found fits in `limit`.
        left_out: number of the nodes found that do not.
    """

    entity: str
    hops: int
    nodes: Sequence[NodeAnswer]
    edges: Sequence[EdgeAnswer]
    is_whole: bool
    left_out: int
    degraded: bool
    note: str | None = None


SUMMARY_CHARS = 300


def enriched_json(done: Enrichment) -> dict[str, Any]:
    answer = answer_from(
        EnrichAnswer,
        done,
        memory_ids=[memory.id for memory in done.memories],
        found=[EnrichedUrn(urn=urn, memories=count) for urn, count in done.found.items()],
        total_tokens=done.tokens,
        degraded=done.note is not None,
    )
    return document(answer)


def graph_json(explored: GraphNeighbourhood, project: str, entity: str, hops: int) -> dict[str, Any]:
    answer = answer_from(
        GraphAnswer,
        explored,
        entity=entity,
        hops=hops,
        nodes=[_node(node, project) for node in explored.nodes],
        edges=[
            EdgeAnswer(
                source=node_id(tie.source, project), target=node_id(tie.target, project), type=tie.type
            )
            for tie in explored.ties
        ],
        degraded=explored.note is not None,
    )
    return document(answer)


def _node(node: GraphNode, project: str) -> NodeAnswer:
    found = NodeAnswer(
        id=node_id(node.node, project),
        kind=kind_of(node.node) if isinstance(node.node, str) else "memory",
        nearness=node.nearness,
        total=node.count.records if node.count is not None and node.count.is_exact else None,
        total_at_most=node.count.records if node.count is not None and not node.count.is_exact else None,
    )
    return found if node.memory is None else _with_memory(found, node.memory)


def _with_memory(node: NodeAnswer, memory: Memory) -> NodeAnswer:
    words = memory.summary or memory.content[:SUMMARY_CHARS]
    return replace(
        node,
        project=memory.project,
        type=memory.type,
        summary=words,
        standing=memory.standing,
        created_by=memory.created_by,
    )
