"""Routes of the service itself: health, version, capabilities, its document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Path

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.memory import Scope
from memory_layer.edge.http.answer_headers import CONTENT_POLICY
from memory_layer.edge.http.caller import JSON, described_response, json_response
from memory_layer.edge.http.docs_page import KEPT, PAGE, POLICY, DocsFile, docs_asset
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.answers import coverage_ratio
from memory_layer.edge.shapes.run_schema import served_schema
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports, StorageState
from memory_layer.usecases.ground.known_damage import known_damage
from memory_layer.usecases.world.manage_webhooks import paused_webhooks
from memory_layer.version import VERSION

router = Router()
NOBODYS = Scope("_", SHARED_PROJECT)
"""Scope of no tenant: one small read of it tells if records can be read."""


@dataclass(frozen=True, slots=True)
class Health:
    """Sign that the process is up.

    Args:
        status: it is up.
    """

    status: Literal["ok"] = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Sign that records can be read.

    Args:
        embedder: `ready`, or why recall goes by words alone.
        index: `ready`, or why recall looks at the newest records alone.
        index_coverage: share of the records that are found by meaning; the others wait for a vector, and are found by
            their words. null: the index does not say.
        degraded: a part is down or damaged, without which it serves less.
        damage: records that are not as they were written and not healed; null: none is known.
        disk: `ready`, or how little room is left.
        writes: `accepted`, or why they are refused.
        lost: acknowledged writes that the disk lost, in sentences.
        status: records can be read.
        webhooks: how many are paused after failures; absent: none is.
    """

    status: Literal["ready"] = "ready"
    embedder: str
    index: str
    index_coverage: float | None
    degraded: bool
    damage: str | None
    disk: str
    writes: str
    lost: Sequence[str]
    webhooks: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceVersion:
    """Version of the service.

    Args:
        version: as `major.minor.patch`.
    """

    version: str


def _object_response(description: str, content_type: str = JSON) -> dict[int, Any]:
    """Description of an answer that is a schema or a document itself."""
    return {200: {"description": description, "content": {content_type: {"schema": {"type": "object"}}}}}


_PAGE: dict[int, Any] = {
    200: {"description": "The page", "content": {"text/html": {"schema": {"type": "string"}}}}
}

_FILE: dict[int, Any] = {
    200: {"description": "The file", "content": {"text/javascript": {"schema": {"type": "string"}}}}
}


@router.get(
    "/healthz",
    summary="Is the process up?",
    operation_id="get_health",
    tags=["service"],
    responses=described_response(200, Health, "It is"),
)
def healthz() -> Response[str]:
    return json_response(200, document(Health()))


@router.get(
    "/readyz",
    summary="Can it serve?",
    operation_id="get_readiness",
    tags=["service"],
    responses=described_response(200, Readiness, "It can, with all its parts or without some"),
)
def readyz(request: Request) -> Response[str]:
    """Answers ready when records can be read; without the embedder or the index it serves, degraded.

    It tells when the disk is nearly full, when nothing can be written, and of writes that a damaged disk lost.

    Raises:
        StoreUnavailable: records cannot be read; 503 takes the process out of a load balancer.
    """
    ports: Ports = request.context["ports"]
    ports.store.projects.policy(NOBODYS)
    try:
        ports.embedder.embed(["ready?"])
        embedder = "ready"
    except MemoryLayerError as error:
        embedder = error.detail
    state, damage = ports.storage(), known_damage(ports).sentence
    index, coverage = _index_state(ports)
    ready = Readiness(
        embedder=embedder,
        index=index,
        index_coverage=coverage,
        degraded=embedder != "ready" or index != "ready" or damage is not None,
        damage=damage,
        disk=_disk_sentence(state),
        writes="refused: the data can only be read" if state.is_read_only else "accepted",
        lost=list(state.lost),
        webhooks=paused_webhooks(ports),
    )
    return json_response(200, document(ready))


def _index_state(ports: Ports) -> tuple[str, float | None]:
    """State of the index, which is asked now, and the share of memories that it finds by meaning."""
    try:
        return "ready", coverage_ratio(ports.index.coverage())
    except MemoryLayerError as error:
        return error.detail, None


def _disk_sentence(state: StorageState) -> str:
    if state.free_bytes is None or not state.is_low:
        return "ready"
    free, least = state.free_bytes / 1e6, state.low_below_bytes / 1e6
    return f"{free:,.0f} MB are free, fewer than {least:,.0f}: make room before writes are refused"


@router.get(
    "/version",
    summary="Which version is this?",
    operation_id="get_version",
    tags=["service"],
    responses=described_response(200, ServiceVersion, "The version"),
)
def version() -> Response[str]:
    return json_response(200, document(ServiceVersion(VERSION)))


@router.get(
    "/openapi.json",
    summary="This API, described",
    operation_id="get_openapi",
    tags=["service"],
    responses=_object_response("The document"),
)
def openapi(request: Request) -> Response[str]:
    return json_response(200, request.context["document"]())


@router.get(
    "/schemas/run-completed.json",
    summary="The JSON Schema of a run's report, in each of its envelopes",
    operation_id="get_run_schema",
    tags=["service"],
    responses=_object_response("The schema", "application/schema+json"),
)
def run_schema() -> Response[str]:
    return Response(200, "application/schema+json", served_schema())


@router.get(
    "/docs",
    summary="This API, for people",
    operation_id="get_docs",
    tags=["service"],
    responses=_PAGE,
)
def docs() -> Response[str]:
    return Response(200, "text/html; charset=utf-8", PAGE, headers={CONTENT_POLICY: POLICY})


@router.get(
    "/docs/<name>",
    summary="A script or a style of that page",
    operation_id="get_docs_asset",
    tags=["service"],
    responses=_FILE,
)
def docs_file(name: Annotated[DocsFile, Path(description="The file's name")]) -> Response[str]:
    asset = docs_asset(name)
    return Response(200, asset.content_type, asset.text, headers={"cache-control": KEPT})
