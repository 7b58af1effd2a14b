"""One record and the requests about it, for programs that tests start; imports nothing that a function would not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_layer.domain.memory import Memory
from memory_layer.manifest import env

MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MEMORY = Memory(
    id="mem_1",
    tenant="acme",
    project="web",
    content="SQLite takes one writer at a time.",
    content_hash="0" * 64,
    created_by="ada@acme.test",
    created_at=MOMENT,
    updated_at=MOMENT,
)
CLAIMS = {
    "tenant": "acme",
    "sub": "ada",
    "email": "ada@acme.test",
    "email_verified": "true",
    "roles": "[admin]",
}


NOBODY = "http://127.0.0.1:9"
"""The discard port: a connection is refused at once."""

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "AWS_REGION": "eu-west-1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "POWERTOOLS_TRACE_DISABLED": "true",
    env.RECORDS_TABLE: "records",
    env.CLIENTS_TABLE: "clients",
    env.SEARCH_ENDPOINT: NOBODY,
    env.SEARCH_ENGINE: "lucene",
    env.BLOBS_BUCKET: "blobs",
    env.EVENT_BUS: "bus",
    env.AWS_ENDPOINT: NOBODY,
}
"""All that any function is told."""


def _event(method: str, path: str, **sent: Any) -> dict[str, Any]:
    http = {
        "method": method,
        "path": path,
        "protocol": "HTTP/1.1",
        "sourceIp": "203.0.113.7",
        "userAgent": "test",
    }
    authorizer = {"jwt": {"claims": CLAIMS, "scopes": None}}
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json"},
        "requestContext": {"http": http, "authorizer": authorizer, "requestId": "r1", "stage": "$default"},
        "isBase64Encoded": False,
        **sent,
    }


READ_EVENT = _event("GET", "/v1/projects/web/memories/mem_1")
CREATE_EVENT = _event(
    "POST", "/v1/projects/web/memories", body='{"content": "Readers go on beside the writer."}'
)
HEALTH_EVENT = _event("GET", "/healthz")
METADATA_EVENT = _event("GET", "/.well-known/oauth-protected-resource")
