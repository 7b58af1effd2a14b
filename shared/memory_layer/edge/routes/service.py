"""Routes of the service itself: health, version, capabilities, its document."""

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.memory import Scope
from memory_layer.edge.http.caller import json_response
from memory_layer.edge.http.openapi import docs_page
from memory_layer.edge.shapes.run_schema import served_schema
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports, StorageState
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

    It tells when the disk is nearly full, when nothing can be written, and of writes that a damaged disk lost.

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
    state, damage = ports.storage(), known_damage(ports).sentence
    document = {
        "status": "ready",
        "embedder": embedder,
        "damage": damage,
        "degraded": embedder != "ready" or damage is not None,
        "disk": _disk_sentence(state),
        "writes": "refused: the data can only be read" if state.is_read_only else "accepted",
        "lost": list(state.lost),
    }
    return json_response(200, document)


def _disk_sentence(state: StorageState) -> str:
    if state.free_bytes is None or not state.is_low:
        return "ready"
    free, least = state.free_bytes / 1e6, state.low_below_bytes / 1e6
    return f"{free:,.0f} MB are free, fewer than {least:,.0f}: make room before writes are refused"


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
