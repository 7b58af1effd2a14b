"""API Gateway's side: caller and answer of an HTTP API event (payload 2.0), as the laptop would give it."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any, Protocol
from urllib.parse import parse_qs

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from memory_layer.domain.access import Principal
from memory_layer.edge.app import ROUTERS, bind, declared_operations, request_context
from memory_layer.edge.events.function_frame import rehearse
from memory_layer.edge.events.observability import Observability, with_telemetry
from memory_layer.edge.events.stage_times import StageTimes
from memory_layer.edge.http import request_bounds
from memory_layer.edge.http.answer_headers import with_answer_headers
from memory_layer.edge.http.large_answers import Offload, offloaded_if_large
from memory_layer.edge.http.origin_lock import let_through
from memory_layer.edge.http.principals import principal_of
from memory_layer.edge.http.request_context import REQUEST_ID_HEADER
from memory_layer.edge.http.sign_in import challenged
from memory_layer.edge.shapes import problems
from memory_layer.edge.shapes.answers import receipts_before_the_index
from memory_layer.errors import MemoryLayerError, Unauthenticated
from memory_layer.manifest import metrics
from memory_layer.ports.process import Ports
from memory_layer.ports.request_deadline import request_ends_in
from memory_layer.settings import read_origin_secret


def authorized_principal(event: Any) -> Principal:
    """Caller of an HTTP API event.

    Raises:
        Unauthenticated: no authorizer looked at this request, or the token's client belongs to no tenant.
    """
    claims = event.request_context.authorizer.jwt_claim
    if not claims:
        raise Unauthenticated("no token; ask your identity provider for one and send it as a bearer token")
    if not claims.get("tenant"):
        raise Unauthenticated(
            f"client {_client_id(claims)} belongs to no tenant; "
            "give it one in the clients table, then ask for a new token"
        )
    return principal_of(claims)


def _client_id(claims: Mapping[str, Any]) -> Any:
    return claims.get("client_id") or claims.get("azp") or claims.get("aud") or "of this token"


NO_ROUTE = "$default"
"""API Gateway's key for what matches no route, on which no authorizer looks."""

RECALL = "recall"
"""The operation whose answers are counted."""

HANDOVER_S = 0.5
"""Seconds before its time-out in which a function still answers: killed, it would answer nothing, and start cold."""

Event = Mapping[str, Any]


class FunctionBackend(Protocol):
    """Backend as an API function needs it, wired by `bootstrap`."""

    @property
    def ports(self) -> Ports: ...

    @property
    def offload(self) -> Offload: ...


class HttpApiEvent(APIGatewayProxyEventV2):
    """Event with its parameters as sent: Powertools would split every one at its commas."""

    @cached_property
    def resolved_query_string_parameters(self) -> dict[str, list[str]]:
        return parse_qs(self.raw_query_string, keep_blank_values=True)


class HttpApiResolver(APIGatewayHttpResolver):
    def _to_proxy_event(self, event: dict[str, Any]) -> HttpApiEvent:
        return HttpApiEvent(event, self._json_body_deserializer)


class HttpApi:
    """Lambda handler with all routes; API Gateway sends it only its own.

    Args:
        function: its name in the manifest.
        wire: the running backend; asked at each event, so it has to remember it.
        routers: those of the API, unless it has others.
        timer: seconds from anywhere, only differences count.
        origin_secret: that a request has to bring; empty: none.
    """

    def __init__(
        self,
        function: str,
        wire: Callable[[], FunctionBackend],
        *,
        routers: Sequence[Router] = ROUTERS,
        timer: Callable[[], float] = perf_counter,
        origin_secret: Callable[[], str] = read_origin_secret,
    ) -> None:
        self._function = function
        self._wire = wire
        self._timer = timer
        self._origin_secret = origin_secret
        self._is_cold = True
        self._stages, self._operation = StageTimes(), None
        self._resolver = bind(HttpApiResolver(enable_validation=True), None, None, routers)
        self._operations = declared_operations(self._resolver)
        self._resolver.use([self._use_case])

    @cached_property
    def _watch(self) -> Observability:
        return Observability(self._function)

    def warm_up(self, rehearsed: Callable[[], object]) -> None:
        """Prepares what a first request would wait for, as EventFunction.warm_up."""
        rehearse(self._watch, rehearsed)

    def __call__(self, event: Event, context: Any) -> Mapping[str, Any]:
        started, is_cold, self._is_cold = self._timer(), self._is_cold, False
        self._stages, self._operation = StageTimes(), None
        request_id = str(event["requestContext"]["requestId"])
        with self._watch.invocation(request_id=request_id, lambda_request_id=context.aws_request_id):
            with self._watch.span("handler"), request_ends_in(_seconds_to_answer(context)):
                answer = self._safely_answered(event, context, request_id)
            self._record_call(event, answer, 1_000 * (self._timer() - started), is_cold)
        named = {**answer["headers"], REQUEST_ID_HEADER: request_id}
        return {**answer, "headers": with_answer_headers(named)}

    def _safely_answered(self, event: Event, context: Any, request_id: str) -> Mapping[str, Any]:
        path = HttpApiEvent(dict(event)).path
        try:
            event = let_through(event, self._origin_secret())
            backend = self._wire()
            return offloaded_if_large(
                self._response_to(event, context, backend, request_id), request_id, backend.offload
            )
        except MemoryLayerError as error:
            found = problems.problem(error, instance=path, request_id=request_id)
            return _problem(found, challenged(problems.headers_of(error), HttpApiEvent(dict(event))))
        except Exception as error:
            self._watch.failed(error)
            advice = f"look for request {request_id} in the server's log"
            return _problem(
                problems.problem_document(
                    500, "internal", "Our mistake", advice, instance=path, request_id=request_id
                ),
                {},
            )

    def _response_to(
        self, event: Event, context: Any, backend: FunctionBackend, request_id: str
    ) -> Mapping[str, Any]:
        method = event["requestContext"]["http"]["method"]
        if event.get("routeKey") != NO_ROUTE and method not in request_bounds.READING_METHODS:
            authorized_principal(HttpApiEvent(dict(event)))  # before the body is read
        sent = _as_text(event, request_id)
        if isinstance(sent, request_bounds.RequestRefusal):
            path = HttpApiEvent(dict(event)).path
            return _problem(sent.document(path, request_id), sent.headers)
        self._resolver.context.update(
            request_context(
                self._stages.around(with_telemetry(backend.ports, self._watch)), authorized_principal
            )
        )
        with receipts_before_the_index(backend.ports.indexes_later):
            return self._resolver.resolve(sent, context)

    def _use_case(self, resolver: Any, following: Callable[[Any], Response[str]]) -> Response[str]:
        """Powertools' middleware around a route whose input is valid."""
        operation, started = resolver.context["_route"].operation_id, self._timer()
        self._operation = operation if operation in self._operations else None
        with self._watch.span(operation or "no route"):
            answer = following(resolver)
        if operation == RECALL:
            self._count_recall(answer.body or "", 1_000 * (self._timer() - started))
        return answer

    def _count_recall(self, body: str, duration_ms: float) -> None:
        summary = json.loads(body.partition(',"memories":[')[0] + "}")  # the records come last
        self._watch.measure(
            **{
                metrics.RECALL_LATENCY: (MetricUnit.Milliseconds, duration_ms),
                metrics.RECALL_DEGRADED: (MetricUnit.Count, summary["degraded"]),
                metrics.RECALL_ABSTAINED: (MetricUnit.Count, summary["abstained"]),
            }
        )

    def _record_call(
        self, event: Event, answer: Mapping[str, Any], duration_ms: float, is_cold: bool
    ) -> None:
        """Logs and measures the route as API Gateway names it: a path holds the callers' words."""
        refused = _problem_code(answer)
        self._watch.tell(
            "answered",
            route=event.get("routeKey", "none"),
            operation=self._operation,
            status=answer["statusCode"],
            duration_ms=round(duration_ms, 1),
            cold_start=is_cold,
            stages=self._stages.milliseconds(),
            **({"refused": refused} if refused else {}),
        )
        if answer["statusCode"] >= 500:
            self._watch.measure(**{metrics.SERVER_ERRORS: (MetricUnit.Count, 1)})


def _seconds_to_answer(context: Any) -> float:
    """Seconds until an answer has to be there, with a moment to hand it over. Args: context: Lambda's."""
    return float(context.get_remaining_time_in_millis()) / 1_000 - HANDOVER_S


def _problem_code(answer: Mapping[str, Any]) -> str | None:
    """Code of a refusal, such as `duplicate`: the end of its type, in which are no words of a caller."""
    if answer["statusCode"] < 400 or not str(answer["body"]).startswith("{"):
        return None
    return str(json.loads(answer["body"]).get("type", "")).rpartition(":")[2] or None


def _as_text(event: Event, request_id: str) -> dict[str, Any] | request_bounds.RequestRefusal:
    """Event with its body as text and our request id, or the reason why it is not served."""
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    try:
        body = _body(event)
        texts = [*(value.encode() for value in headers.values()), event["rawQueryString"].encode(), body]
    except (UnicodeEncodeError, binascii.Error):
        return request_bounds.NOT_UTF8
    refusal = request_bounds.refuse_unreadable(event["rawPath"], texts) or request_bounds.refuse_unsupported(
        event["requestContext"]["http"]["method"], headers.get("content-type", ""), body
    )
    if refusal is not None:
        return refusal
    if len(body) > request_bounds.MAX_BODY_BYTES:
        return request_bounds.TOO_LARGE
    headers[REQUEST_ID_HEADER] = request_id  # a caller's own would be mistaken for ours
    return {**event, "headers": headers, "body": body.decode(), "isBase64Encoded": False}


def _body(event: Event) -> bytes:
    body = event.get("body") or ""
    return base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode()


def _problem(found: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    return {
        "statusCode": found["status"],
        "headers": {"content-type": problems.PROBLEM_JSON, **headers},
        "body": problems.problem_text(found),
        "isBase64Encoded": False,
    }
