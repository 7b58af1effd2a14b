"""Resolver of the laptop: Powertools' own, answering in the thread that calls it."""

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import Route
from aws_lambda_powertools.event_handler.http_resolver import (
    HttpProxyEvent,
    HttpResolverLocal,
    MockLambdaContext,
    _RequestState,
)

from memory_layer.edge.app import declared_operations
from memory_layer.local.late_routes import Message


class LocalResolver(HttpResolverLocal):
    """Resolver that answers in the calling thread: the one of Powertools starts three for each request."""

    def __init__(self) -> None:
        super().__init__(enable_validation=True)
        self._building = threading.Lock()
        self._answering = threading.local()

    def answer(self, scope: Message, body: bytes, known: Mapping[str, Any]) -> dict[str, Any]:
        """Answer with its `statusCode`, `headers` and `body`. Other threads may be answering at the same time.

        Args:
            known: what is in the context of this request alone.
        """
        state = _RequestState(
            event=HttpProxyEvent.from_asgi(scope, body),
            lambda_context=MockLambdaContext(),
            context={**self._startup_state.context, **known},
        )
        token = self._request_state.set(state)
        self._answering.operation = ""
        try:
            return self._build_response(self._resolve())
        finally:
            self._request_state.reset(token)

    def answered_operation(self) -> str:
        """Id of the operation that this thread answered last; empty: there was no such route."""
        return str(getattr(self._answering, "operation", ""))

    def _declared(self, operation: str | None) -> str:
        return operation if operation is not None and operation in self._operations else ""

    @cached_property
    def _operations(self) -> frozenset[str]:
        return declared_operations(self)

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> Any:
        """Calls a route whose chain of middlewares is whole: two threads that build it would chain each twice."""
        self._answering.operation = self._declared(route.operation_id)
        if not route._middleware_stack_built:
            with self._building:
                if not route._middleware_stack_built:
                    route._build_middleware_stack(self._router_middlewares, self)
        return super()._call_route(route, route_arguments)
