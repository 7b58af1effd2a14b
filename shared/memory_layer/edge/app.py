"""The application: every router, in whatever resolver the surroundings need, with errors as problem+json."""

from __future__ import annotations

import logging
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)

from memory_layer.edge.call import Authenticate, request_id
from memory_layer.edge.problems import PROBLEM_JSON, as_text, document, headers_of, problem, violations_of
from memory_layer.edge.routes import batches, governance, memories, recall, service
from memory_layer.errors import MemoryLayerError, Violation
from memory_layer.ports import Ports

ROUTERS = (service.router, memories.router, batches.router, recall.router, governance.router)
UNREADABLE_BODY = "json_invalid"

_log = logging.getLogger(__name__)
Resolver = TypeVar("Resolver", bound=ApiGatewayResolver)


def bind(resolver: Resolver, ports: Ports | None, authenticate: Authenticate | None) -> Resolver:
    """Give a resolver all routes, the ports behind them and the errors' way out.

    Args:
        ports, authenticate: None only to describe the API, not to serve it.
    """
    for router in ROUTERS:
        resolver.include_router(router)
    resolver.append_context(ports=ports, authenticate=authenticate)
    _answer_errors(resolver)
    return resolver


def _answer_errors(resolver: ApiGatewayResolver) -> None:
    @resolver.exception_handler(MemoryLayerError)
    def _known(error: MemoryLayerError) -> Response[str]:
        found = problem(error, instance=_path(resolver), request_id=_request_id(resolver))
        return _response(found, headers_of(error))

    @resolver.exception_handler(RequestValidationError)
    def _invalid(error: RequestValidationError) -> Response[str]:
        items = error.errors()
        if any(item["type"] == UNREADABLE_BODY for item in items):
            return _told(400, "malformed", "Request cannot be read", "the body is no JSON")
        violations = violations_of(items)
        return _told(422, "invalid", "Invalid request", _sentence(violations), violations)

    @resolver.exception_handler(RequestUnsupportedContentType)
    def _unsupported(_: RequestUnsupportedContentType) -> Response[str]:
        return _told(415, "unsupported", "Unsupported content type", "send content-type: application/json")

    @resolver.exception_handler(NotFoundError)
    def _no_route(_: NotFoundError) -> Response[str]:
        return _told(404, "not_found", "Not found", f"there is nothing at {_path(resolver)}; see /docs")

    @resolver.exception_handler(RecursionError)
    def _too_deep(_: RecursionError) -> Response[str]:
        return _told(400, "malformed", "Request cannot be read", "the body is nested too deeply")

    @resolver.exception_handler(Exception)
    def _unforeseen(error: Exception) -> Response[str]:
        if isinstance(error, ValueError) and "integer string conversion" in str(error):
            return _told(400, "malformed", "Request cannot be read", "a number in the body is too long")
        _log.error("request %s failed", _request_id(resolver), exc_info=error)
        return _told(
            500, "internal", "Our mistake", f"look for request {_request_id(resolver)} in the server's log"
        )

    def _told(
        status: int, code: str, title: str, detail: str, violations: tuple[Violation, ...] = ()
    ) -> Response[str]:
        found = document(
            status,
            code,
            title,
            detail,
            instance=_path(resolver),
            request_id=_request_id(resolver),
            violations=violations,
        )
        return _response(found, {})


def _response(found: dict[str, Any], headers: dict[str, str]) -> Response[str]:
    return Response(found["status"], PROBLEM_JSON, as_text(found), headers=dict(headers))


def _path(resolver: ApiGatewayResolver) -> str:
    return str(resolver.current_event.path)


def _request_id(resolver: ApiGatewayResolver) -> str:
    return request_id(resolver.current_event)


def _sentence(violations: tuple[Violation, ...]) -> str:
    first = violations[0]
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return f"{first.pointer or 'the body'}: {first.detail}{more}"
