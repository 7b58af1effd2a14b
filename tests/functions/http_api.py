"""API Gateway as a function sees it: HTTP API events (payload 2.0) made of requests, answers made of results."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import httpx2

from tests.answer_schemas import checked

TEXT_TYPES = ("text/", "application/json", "application/javascript", "application/xml")
"""Bodies of other types reach a function as base64. Source: API Gateway developer guide, HTTP APIs, binary data."""

Handler = Callable[[Mapping[str, Any], Any], Mapping[str, Any]]

AGENT: Mapping[str, str] = {
    "sub": "4kq2f0example",
    "client_id": "4kq2f0example",
    "token_use": "access",
    "scope": "memory-layer/call",
    "iss": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
    "exp": "1772370000",
    "tenant": "acme",
    "roles": "[agent]",
}
"""Claims of a client-credentials token, as the JWT authorizer hands them over: every value is text."""

ADMIN: Mapping[str, str] = {
    **AGENT,
    "email": "ada@acme.test",
    "email_verified": "true",
    "roles": "[agent reviewer admin]",
}


@dataclass
class Context:
    """Of one invocation."""

    aws_request_id: str = "9a3c8c1e-0000-4000-8000-000000000001"
    function_name: str = "memory-layer-test"

    def get_remaining_time_in_millis(self) -> int:
        return 28_000


def cold(handler: Any) -> Any:
    """The handler as in a new sandbox: what it tells goes to this test's stdout."""
    vars(handler).pop("_watch", None)
    return handler


def event_of(
    request: httpx2.Request,
    *,
    claims: Mapping[str, str] | None = AGENT,
    request_id: str = "JKJaXmPLvHcESHA=",
    stage: str = "$default",
) -> dict[str, Any]:
    """The event that an HTTP API makes of a request.

    The path arrives decoded, the query string both raw and parsed with repeated values joined by commas, header
    names in lower case, cookies apart, a body of no text type in base64.
    """
    query = request.url.query.decode()
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() != "cookie"}
    cookies = [part.strip() for part in request.headers.get("cookie", "").split(";") if part.strip()]
    path = request.url.path if stage == "$default" else f"/{stage}{request.url.path}"
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": f"{request.method} {route_of(request)}",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "r3pmxmplak",
            "domainName": "r3pmxmplak.execute-api.eu-west-1.amazonaws.com",
            "domainPrefix": "r3pmxmplak",
            "http": {
                "method": request.method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request_id,
            "routeKey": f"{request.method} {route_of(request)}",
            "stage": stage,
            "time": "01/Mar/2026:12:00:00 +0000",
            "timeEpoch": 1772366400000,
        },
        **_body(request),
    }
    if cookies:
        event["cookies"] = cookies
    if query:
        parsed = parse_qs(query, keep_blank_values=True)
        event["queryStringParameters"] = {name: ",".join(values) for name, values in parsed.items()}
    if claims is not None:
        event["requestContext"]["authorizer"] = {"jwt": {"claims": dict(claims), "scopes": None}}
    return event


def route_of(request: httpx2.Request) -> str:
    """The template that API Gateway would have matched; near enough for what reads it."""
    parts = request.url.path.split("/")
    named = {3: "{project}", 5: "{id}"}
    return (
        "/".join(named.get(at, part) for at, part in enumerate(parts)) if len(parts) > 3 else request.url.path
    )


def _body(request: httpx2.Request) -> dict[str, Any]:
    raw = request.read()
    if not raw:
        return {"isBase64Encoded": False}
    declared = request.headers.get("content-type", "")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = None
    if text is not None and declared.startswith(TEXT_TYPES):
        return {"body": text, "isBase64Encoded": False}
    return {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}


class HttpApiTransport(httpx2.BaseTransport):
    """Has a function answer what a client sends, with no network between them."""

    def __init__(self, handler: Handler, claims: Mapping[str, str] | None = AGENT) -> None:
        self._handler = handler
        self._claims = claims
        self._served = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self._served += 1
        event = event_of(request, claims=self._claims, request_id=f"req{self._served:012d}=")
        answer = self._handler(event, Context())
        raw = answer.get("body") or ""
        body = base64.b64decode(raw) if answer["isBase64Encoded"] else raw.encode()
        return httpx2.Response(answer["statusCode"], headers=dict(answer["headers"]), content=body)


def client_of(handler: Handler, claims: Mapping[str, str] | None = AGENT) -> httpx2.Client:
    return checked(httpx2.Client(base_url="https://api.example", transport=HttpApiTransport(handler, claims)))
