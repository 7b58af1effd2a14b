"""Answers held against openapi.json: whatever a route answers is declared, and nothing else is answered."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import httpx2
import jsonschema_rs

from memory_layer.edge.app import api_document
from memory_layer.edge.http.answer_headers import ANSWER_HEADERS

JSON_TYPES = ("application/json", "application/problem+json")


def check_answer(response: httpx2.Response) -> None:
    """Holds one answer against the schema of its route and status.

    Raises:
        AssertionError: no route answers so, or the document is none of its schema.
    """
    declared = response.headers.get("content-type", "").partition(";")[0]
    if declared not in JSON_TYPES or response.request.method == "HEAD" or response.has_redirect_location:
        return  # what is too large for Lambda lies elsewhere, whichever route was asked
    response.read()
    operation = _operation(response.request.method.lower(), response.request.url.path)
    where = f"{response.request.method} {response.request.url.path} {response.status_code}"
    found = [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"
        for error in _validator(operation, response.status_code, declared).iter_errors(response.json())
    ]
    assert not found, f"{where} answers what openapi.json does not declare: {found}"


def check_headers(response: httpx2.Response) -> None:
    """Holds one answer against the headers that every answer has."""
    for name in ANSWER_HEADERS:
        assert name in response.headers, f"{response.request.method} {response.request.url.path}: no {name}"


def checked(client: httpx2.Client) -> httpx2.Client:
    """Client whose every answer is held against openapi.json, and has the headers of every answer."""
    client.event_hooks = {"response": [check_headers, check_answer]}
    return client


@cache
def _routes() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Paths as patterns, those with the fewest parameters first."""
    paths = sorted(api_document()["paths"], key=lambda path: path.count("{"))
    return tuple((re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path) for path in paths)


@cache
def _operation(method: str, asked: str) -> tuple[str, str] | None:
    """Path and method of the operation; None where there is none, which answers problems alone."""
    documented = api_document()["paths"]
    for pattern, path in _routes():
        if pattern.fullmatch(asked) and method in documented[path]:
            return path, method
    return None


@cache
def _validator(operation: tuple[str, str] | None, status: int, content_type: str) -> Any:
    responses: dict[str, Any] = {}
    if operation is not None:
        path, method = operation
        responses = api_document()["paths"][path][method]["responses"]
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    content = responses.get(str(status), responses.get("default", {"content": problem}))["content"]
    assert content_type in content, f"{operation} answers {status} as {content_type}, which is not declared"
    schema = {**closed(content[content_type]["schema"]), "components": {"schemas": closed_schemas()}}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


@cache
def closed_schemas() -> dict[str, Any]:
    """Schemas of the document that take no member besides those that they name."""
    schemas: dict[str, Any] = closed(api_document()["components"]["schemas"])
    return schemas


def closed(part: Any) -> Any:
    """Part of the document whose every object with named members takes no others."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    inside = {key: closed(one) for key, one in part.items()}
    is_model = isinstance(part.get("properties"), dict) and "type" in part and isinstance(part["type"], str)
    return {"additionalProperties": False, **inside} if is_model else inside
