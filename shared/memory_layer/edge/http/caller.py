"""Start and end of every route: the caller, the ports, the idempotency key, and the answer in JSON."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Request, Response, depends
from aws_lambda_powertools.event_handler.depends import Depends
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.digests import request_fingerprint
from memory_layer.edge.http.memory_spans import request_traceparent
from memory_layer.edge.http.principals import USER_HEADER, speaking_for
from memory_layer.edge.http.request_context import REQUEST_ID_HEADER, Authenticate
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.edge.shapes.requests import MEMORY_ID, PROJECT
from memory_layer.errors import Forbidden, Invalid, Malformed
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_project
from memory_layer.usecases.ground.idempotency import IdempotentRequest, Render, storage_key
from memory_layer.usecases.ground.signed_ports import signed_ports

JSON = "application/json"
MADE_OF = "x-made-of"
"""Member of a description with the dataclasses that an answer is made of."""


@dataclass(frozen=True, slots=True)
class Caller:
    """One request: its caller, and the ports that its use case may reach."""

    ports: Ports
    principal: Principal
    request: Request

    @property
    def headers(self) -> Mapping[str, str]:
        headers: Mapping[str, str] = self.request.resolved_event.headers
        return headers

    @property
    def body(self) -> str:
        return self.request.resolved_event.decoded_body or ""

    @property
    def path(self) -> str:
        return str(self.request.resolved_event.path)

    @property
    def request_id(self) -> str:
        return request_id(self.request.resolved_event)

    def once(self, key: str | None, render: Render, *, kind: str = "request") -> IdempotentRequest | None:
        """Idempotency of this request, where the caller gave a key. Args: kind: as `storage_key`."""
        if key is None:
            return None
        stored = storage_key(self.principal.holder, kind, key)
        return IdempotentRequest(stored, key, self.fingerprint(self.body), render)

    def fingerprint(self, body: str) -> str:
        return request_fingerprint(self.request.method, self.path, body.encode())

    def require_reviewer(self) -> None:
        if not self.principal.is_reviewer:
            raise Forbidden("this is for reviewers; ask one, or use a token with the role reviewer")


def request_id(event: Any) -> str:
    """API Gateway's id of the request; on a laptop the one that the guard gave it in a header."""
    given = event.headers.get(REQUEST_ID_HEADER)
    return str(given or (event.get("requestContext") or {}).get("requestId", "unknown"))


def caller_of(request: Request) -> Caller:
    """Bundles the authenticated caller, the ports and the request. Raises: Unauthenticated; Invalid, whoever calls."""
    route = request.context["_route"]
    _refuse_unknown_parameters(route, request.resolved_event.resolved_query_string_parameters or {})
    if request.method != "GET":
        refuse_secret_project(request.path_parameters.get("project", ""))
    authenticate: Authenticate = request.context["authenticate"]
    if (request.resolved_event.body or "").lstrip()[:1] == "[" and route.dependant.body_params:
        raise Invalid.at("", "the body is a list; this route takes one JSON object")
    principal = speaking_for(
        authenticate(request.resolved_event), request.resolved_event.headers.get(USER_HEADER)
    )
    event = request.resolved_event
    ports = signed_ports(
        request.context["ports"], principal, request_id(event), request_traceparent(event.headers)
    )
    return Caller(ports, principal, request)


def _refuse_unknown_parameters(route: Any, given: Mapping[str, Any]) -> None:
    """Refuses unknown query parameters: a misspelt filter must not silently ask for everything."""
    known: set[str] = set()
    for parameter in route.dependant.query_params:
        known |= set(getattr(parameter.type_, "model_fields", ())) or {parameter.alias}
    gathered = {parameter.alias for parameter in route.dependant.query_params}  # Powertools adds these itself
    unknown = sorted(set(given) - known - gathered)
    if unknown:
        raise Invalid.at(f"/query/{unknown[0]}", f"no such parameter; there are: {', '.join(sorted(known))}")


depends.build_dependency_tree = cache(depends.build_dependency_tree)
"""Powertools reads a route's annotations anew at each request; they are the same each time."""

Calling = Annotated[Caller, Depends(caller_of)]
Project = Annotated[str, Path(pattern=PROJECT, description="The project's slug")]
MemoryId = Annotated[str, Path(pattern=MEMORY_ID, description="The memory's id")]
OperationId = Annotated[str, Path(description="As `Location` named it")]
Limit = Annotated[int, Query(ge=1, le=200, description="How many a page holds at most")]
Cursor = Annotated[str | None, Query(max_length=2048, description="`next_cursor` of the page before")]
SessionId = Annotated[
    str, Path(min_length=1, max_length=256, description="The conversation's own id; it has no slash")
]
AsOf = Annotated[Instant | None, Query(description="As it was at that time; RFC 3339, with its zone")]
IfMatch = Annotated[str | None, Header(alias="If-Match", description="The ETag last seen")]
IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=255, description="One effect per key, 24 h"),
]

ANY_VERSION = "*"
"""If-Match of this kind (RFC 9110): any version, but there must be one."""

_ETAG = re.compile(r'(?:W/)?"(\d{1,18})"')


def expected_version(if_match: str | None) -> int | None:
    """Version that an If-Match header names; None for none or `*`.

    Raises:
        Malformed: it is no ETag of ours.
    """
    if if_match is None or if_match.strip() == ANY_VERSION:
        return None
    match = _ETAG.fullmatch(if_match.strip())
    if match is None:
        raise Malformed(f'If-Match takes the ETag of a record, such as "3", not {if_match!r}')
    return int(match[1])


def json_response(status: int, document: Any, headers: Mapping[str, str] | None = None) -> Response[str]:
    """JSON answer."""
    text = document if isinstance(document, str) else to_text(document)
    return Response(status, JSON, text, headers=dict(headers or {}))


def replayed_response(answer: IdempotencyRecord) -> Response[str]:
    """Answer given before, under the same idempotency key."""
    return json_response(answer.status, answer.body, {"Idempotent-Replayed": "true"})


def described_choice(status: int, answers: Sequence[type], description: str) -> dict[int, Any]:
    """Description of a route whose answer is made of one of several dataclasses.

    Their models are made with the document (`openapi.openapi_document`): who answers needs none.
    """
    return {status: {"description": description, MADE_OF: tuple(answers)}}


def described_response(status: int, answer: type, description: str) -> dict[int, Any]:
    """Description of a route's answer in openapi.json. Args: answer: the dataclass that it is made of."""
    return described_choice(status, [answer], description)
