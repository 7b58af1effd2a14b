"""Graph and enrichment bodies: requests, answers, and their JSON."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.mentions import kind_of
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.recall.enrich import DEFAULT_TOKENS, LIMIT_MAX, TOKENS_MAX, Enrichment
from memory_layer.usecases.recall.explore_graph import GraphNeighbourhood, GraphNode, node_id
from memory_layer.usecases.recall.walk_graph import TieCount


class EnrichQuery(BaseModel):
    """A tool's response, of which the URNs are looked up; nothing of it is stored.

    `payload` is text or any JSON; of one that is nested more than 64 deep, has more than 200,000 values or more than
    64 URNs (or 4,096 pieces that look like one) the rest is not looked at, and `is_whole` says so. `tokens_max` bounds
    the block, by four characters a token.
    """

    model_config = REFUSE_UNKNOWN
    payload: Annotated[Any, Field(description="Text, or any JSON: the response as the tool gave it")]
    limit: Annotated[int, Strict(), Field(ge=1, le=LIMIT_MAX)] = 10
    tokens_max: Annotated[int, Strict(), Field(ge=1, le=TOKENS_MAX)] = DEFAULT_TOKENS


class EnrichedUrn(BaseModel):
    """A URN of the payload, and how many of the memories in the block name it."""

    urn: str
    memories: int


class EnrichAnswer(BaseModel):
    """Block about the payload's URNs. `unknown`: those that nothing is known of; `memory_context` is empty where
    nothing is known at all.

    `degraded`: a part was down, as `note` says; without the search index only the newest memories are looked at.
    """

    memory_context: str
    recall_id: str
    memory_ids: list[str]
    found: list[EnrichedUrn]
    unknown: list[str]
    is_whole: bool
    total_tokens: int
    degraded: bool
    note: str | None = None


class NodeAnswer(BaseModel):
    """Node of a graph; `kind` is memory, entity, urn, name, date, identifier or path.

    `nearness` is a share of the nearest. Of an entity that was walked from `total` is the number of memories tied to
    it that the caller may see; of one with more than were looked at, `total_at_most` is, in its place, an upper bound.
    The rest belongs to memories.
    """

    id: str
    kind: str
    nearness: float
    total: int | None = None
    total_at_most: int | None = None
    project: str | None = None
    type: str | None = None
    summary: str | None = None


class EdgeAnswer(BaseModel):
    """Edge of a graph; `type` is mentions, the type of a relation, supersedes, superseded_by, derived_from,
    learned_in or linked."""

    source: str
    target: str
    type: str


class GraphAnswer(BaseModel):
    """Graph, nearest nodes first; `is_whole` tells whether all that was found fits in `limit`.

    `degraded`: a part was down, as `note` says; without the search index only what names each other and the newest
    memories are looked at, and nothing is counted.
    """

    entity: str
    hops: int
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    is_whole: bool
    degraded: bool
    note: str | None = None


SUMMARY_CHARS = 300


def enriched_json(done: Enrichment) -> dict[str, Any]:
    """Enrichment; `note` only when something is to be said."""
    document = {
        "memory_context": done.memory_context,
        "recall_id": done.recall_id,
        "memory_ids": [memory.id for memory in done.memories],
        "found": [{"urn": urn, "memories": count} for urn, count in done.found.items()],
        "unknown": list(done.unknown),
        "is_whole": done.is_whole,
        "total_tokens": done.tokens,
    }
    return {**document, **_note_member(done.note)}


def graph_json(explored: GraphNeighbourhood, project: str, entity: str, hops: int) -> dict[str, Any]:
    """Explored graph; `note` only when something is to be said."""
    return {
        "entity": entity,
        "hops": hops,
        "nodes": [_node_json(node, project) for node in explored.nodes],
        "edges": [
            {
                "source": node_id(tie.source, project),
                "target": node_id(tie.target, project),
                "type": tie.type,
            }
            for tie in explored.ties
        ],
        "is_whole": explored.is_whole,
        **_note_member(explored.note),
    }


def _note_member(note: str | None) -> dict[str, Any]:
    return {"degraded": False} if note is None else {"degraded": True, "note": note}


def _node_json(node: GraphNode, project: str) -> dict[str, Any]:
    told = {"id": node_id(node.node, project), "kind": "memory", "nearness": node.nearness}
    if isinstance(node.node, str):
        return {**told, "kind": kind_of(node.node), **_count_json(node.count)}
    return told if node.memory is None else {**told, **_memory_json(node.memory)}


def _count_json(count: TieCount | None) -> dict[str, int]:
    if count is None:
        return {}
    return {"total" if count.is_exact else "total_at_most": count.records}


def _memory_json(memory: Memory) -> dict[str, Any]:
    words = memory.summary or memory.content[:SUMMARY_CHARS]
    return {"project": memory.project, "type": memory.type, "summary": words}
