"""Routes of the graph: the surroundings of an entity, and enrichment of a tool's response."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.domain.memory import LABEL_MAX_CHARS
from memory_layer.domain.retrieval.graph import HOPS_MAX
from memory_layer.edge.http.caller import Calling, Project, described_response, json_response
from memory_layer.edge.shapes import graph_bodies
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.recall.explore_graph import NODES_MAX, explore_graph

router = Router()

Entity = Annotated[
    str, Query(min_length=1, max_length=LABEL_MAX_CHARS, description="A URN, a name, or a memory's id")
]
Hops = Annotated[int, Query(ge=1, le=HOPS_MAX, description="How many steps from the entity")]
Limit = Annotated[int, Query(ge=1, le=NODES_MAX, description="How many nodes at most")]


@router.get(
    "/v1/projects/<project>/graph",
    summary="Entities and memories around one, the nearest first",
    operation_id="explore_graph",
    tags=["recall"],
    responses=described_response(
        200, graph_bodies.GraphAnswer, "Nodes and edges; none around what nobody speaks of"
    ),
)
def graph(
    call: Calling, project: Project, entity: Entity, hops: Hops = 1, limit: Limit = 50
) -> Response[str]:
    explored = explore_graph(call.ports, call.principal, project, entity, hops=hops, limit=limit)
    return json_response(200, graph_bodies.graph_json(explored, project, entity, hops))


@router.post(
    "/v1/projects/<project>/enrich",
    summary="What is known of the URNs in a tool's response",
    operation_id="enrich",
    tags=["recall"],
    responses=described_response(
        200, graph_bodies.EnrichAnswer, "The block to put beside the response, and what it is made of"
    ),
)
def enrich_payload(
    call: Calling, project: Project, body: Annotated[graph_bodies.EnrichQuery, Body()]
) -> Response[str]:
    done = enrich(
        call.ports, call.principal, project, body.payload, limit=body.limit, tokens_max=body.tokens_max
    )
    return json_response(200, graph_bodies.enriched_json(done))
