"""The application: every router in a given resolver, with errors as problem+json, and its OpenAPI document."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import HttpResolverLocal, Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver, Router
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)

from memory_layer.edge.http.caller import json_response, request_id
from memory_layer.edge.http.memory_spans import traced_route
from memory_layer.edge.http.openapi import openapi_document, serialized_document
from memory_layer.edge.http.refused_writes import note_refused_write
from memory_layer.edge.http.request_bounds import refuse_method
from memory_layer.edge.http.request_context import Authenticate
from memory_layer.edge.http.sign_in import challenged
from memory_layer.edge.http.store_errors import is_of_stores, store_error
from memory_layer.edge.routes import (
    audit,
    authors,
    batches,
    changes,
    conflicts,
    context,
    corrections,
    daily_counts,
    data,
    entity_events,
    erasure,
    governance,
    graph,
    imports,
    memories,
    memory_stores,
    playbook,
    projects,
    recall,
    rollback,
    run_histories,
    runs,
    service,
    sessions,
    sharing,
    snapshots,
    store_files,
    store_versions,
    sweeps,
    uses,
    webhooks,
)
from memory_layer.edge.shapes import problems
from memory_layer.errors import Invalid, MemoryLayerError
from memory_layer.ports.process import Ports

ROUTERS = (
    service.router,
    memories.router,
    corrections.router,
    batches.router,
    sessions.router,
    recall.router,
    playbook.router,
    graph.router,
    context.router,
    governance.router,
    daily_counts.router,
    projects.router,
    conflicts.router,
    audit.router,
    authors.router,
    changes.router,
    webhooks.router,
    data.router,
    imports.router,
    snapshots.router,
    sweeps.router,
    erasure.router,
    rollback.router,
    entity_events.router,
    run_histories.router,
    runs.router,
    sharing.router,
    uses.router,
    memory_stores.router,
    store_files.router,
    store_versions.router,
)
UNREADABLE_BODY = "json_invalid"

_log = logging.getLogger(__name__)
Resolver = TypeVar("Resolver", bound=ApiGatewayResolver)


def bind(
    resolver: Resolver,
    ports: Ports | None,
    authenticate: Authenticate | None,
    routers: Sequence[Router] = ROUTERS,
) -> Resolver:
    """Gives a resolver its routes, the ports behind them and the errors' way out.

    Args:
        ports, authenticate: None only to describe the API, not to serve it.
    """
    for router in routers:
        resolver.include_router(router)
    resolver.use([traced_route])
    resolver.append_context(**request_context(ports, authenticate))
    _answer_errors(resolver)
    return resolver


def declared_operations(resolver: ApiGatewayResolver) -> frozenset[str]:
    """Ids of the operations of a resolver: Powertools names a path without a route by the caller's own words."""
    routes = (*resolver._static_routes, *resolver._dynamic_routes)
    return frozenset(route.operation_id for route in routes if route.operation_id)


def request_context(ports: Ports | None, authenticate: Authenticate | None) -> dict[str, Any]:
    """Context that the routes read; Powertools empties it after each event of Lambda."""
    return {"ports": ports, "authenticate": authenticate, "document": document_text}


@cache
def api_document() -> dict[str, Any]:
    """OpenAPI 3.1 document of all routes."""
    return openapi_document(bind(HttpResolverLocal(enable_validation=True), None, None))


@cache
def document_text() -> str:
    """Text of `docs/openapi.json`, which `/openapi.json` answers."""
    return serialized_document(api_document())


def _answer_errors(resolver: ApiGatewayResolver) -> None:
    for kind, handler in _HANDLERS.items():
        resolver.exception_handler(kind)(partial(handler, resolver))


def _expected_error(resolver: ApiGatewayResolver, error: MemoryLayerError) -> Response[str]:
    found = problems.problem(error, instance=_path(resolver), request_id=_request_id(resolver))
    note_refused_write(resolver.context, resolver.current_event, _request_id(resolver), found)
    return _response(found, challenged(problems.headers_of(error), resolver.current_event), error)


def _invalid(resolver: ApiGatewayResolver, error: RequestValidationError) -> Response[str]:
    items = error.errors()
    if any(item["type"] == UNREADABLE_BODY for item in items):
        return _malformed(resolver, "the body is no JSON")
    return _expected_error(resolver, Invalid.each(problems.violations_of(items), len(items)))


def _unsupported(resolver: ApiGatewayResolver, _: RequestUnsupportedContentType) -> Response[str]:
    advice = "send content-type: application/json"
    return _problem_response(resolver, 415, "unsupported", advice)


def _no_route(resolver: ApiGatewayResolver, _: NotFoundError) -> Response[str]:
    if allowed := _methods_at(resolver, _path(resolver)):
        refusal = refuse_method(str(resolver.current_event.http_method), _path(resolver), allowed)
        return _as_problem(refusal.document(_path(resolver), _request_id(resolver)), refusal.headers)
    detail = f"there is nothing at {_path(resolver)}; see /docs"
    return _as_problem(_problem_found(resolver, 404, "not_found", detail), {})


def _methods_at(resolver: ApiGatewayResolver, path: str) -> set[str]:
    routes = (*resolver._static_routes, *resolver._dynamic_routes)
    return {route.method for route in routes if route.rule.match(path)}


def _too_deep(resolver: ApiGatewayResolver, _: RecursionError) -> Response[str]:
    return _malformed(resolver, "the body is nested too deeply")


def _unexpected_error(resolver: ApiGatewayResolver, error: Exception) -> Response[str]:
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return _malformed(resolver, "a number in the body is too long")
    _log.error("request %s failed", _request_id(resolver), exc_info=error)
    advice = f"look for request {_request_id(resolver)} in the server's log"
    return _problem_response(resolver, 500, "internal", advice)


_HANDLERS: dict[type[Exception], Callable[[ApiGatewayResolver, Any], Response[str]]] = {
    MemoryLayerError: _expected_error,
    RequestValidationError: _invalid,
    RequestUnsupportedContentType: _unsupported,
    NotFoundError: _no_route,
    RecursionError: _too_deep,
    Exception: _unexpected_error,
}
"""By kind of error; of several that fit, Powertools takes that of the nearest class."""


def _malformed(resolver: ApiGatewayResolver, detail: str) -> Response[str]:
    return _problem_response(resolver, 400, "malformed", detail)


def _problem_response(
    resolver: ApiGatewayResolver,
    status: int,
    code: str,
    detail: str,
) -> Response[str]:
    return _response(_problem_found(resolver, status, code, detail), {})


def _problem_found(resolver: ApiGatewayResolver, status: int, code: str, detail: str) -> dict[str, Any]:
    return problems.problem_document(
        status,
        code,
        problems.title_of(code),
        detail,
        instance=_path(resolver),
        request_id=_request_id(resolver),
    )


def _response(
    found: dict[str, Any], headers: Mapping[str, str], error: MemoryLayerError | None = None
) -> Response[str]:
    if is_of_stores(found["instance"]):
        status, said, further = store_error(found, error)
        return json_response(status, said, {**headers, **further})
    return _as_problem(found, headers)


def _as_problem(found: dict[str, Any], headers: Mapping[str, str]) -> Response[str]:
    return Response(
        found["status"], problems.PROBLEM_JSON, problems.problem_text(found), headers=dict(headers)
    )


def _path(resolver: ApiGatewayResolver) -> str:
    return str(resolver.current_event.path)


def _request_id(resolver: ApiGatewayResolver) -> str:
    return request_id(resolver.current_event)
