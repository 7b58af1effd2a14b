"""Routes of the service itself: health, version, capabilities, its document."""

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.memory import Scope
from memory_layer.edge.http.caller import json_response
from memory_layer.edge.http.openapi import docs_page
from memory_layer.edge.shapes.run_schema import served_schema
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.known_damage import known_damage
from memory_layer.version import VERSION

router = Router()
NOBODYS = Scope("_", SHARED_PROJECT)
"""Scope of no tenant: one small read of it tells if records can be read."""


@router.get("/healthz", summary="Is the process up?", operation_id="healthz", tags=["service"])
def healthz() -> Response[str]:
    return json_response(200, {"status": "ok"})


@router.get("/readyz", summary="Can it serve?", operation_id="readyz", tags=["service"])
def readyz(request: Request) -> Response[str]:
    """Answers ready when records can be read; without the embedder it serves, degraded.

    Raises:
        StoreUnavailable: records cannot be read; 503 takes the process out of a load balancer.
    """
    ports: Ports = request.context["ports"]
    ports.store.policy(NOBODYS)
    try:
        ports.embedder.embed(["ready?"])
        embedder = "ready"
    except MemoryLayerError as error:
        embedder = error.detail
    damage = known_damage(ports).sentence
    degraded = embedder != "ready" or damage is not None
    return json_response(
        200, {"status": "ready", "embedder": embedder, "damage": damage, "degraded": degraded}
    )


@router.get("/version", summary="Which version is this?", operation_id="version", tags=["service"])
def version() -> Response[str]:
    return json_response(200, {"version": VERSION})


@router.get("/openapi.json", summary="This API, described", operation_id="openapi", tags=["service"])
def openapi(request: Request) -> Response[str]:
    return json_response(200, request.context["document"]())


@router.get(
    "/schemas/run-completed.json",
    summary="The JSON Schema of a run's report, in each of its envelopes",
    operation_id="run_schema",
    tags=["service"],
)
def run_schema() -> Response[str]:
    return Response(200, "application/schema+json", served_schema())


@router.get("/docs", summary="This API, for people", operation_id="docs", tags=["service"])
def docs(request: Request) -> Response[str]:
    return Response(200, "text/html; charset=utf-8", docs_page(request.context["document"]()))
