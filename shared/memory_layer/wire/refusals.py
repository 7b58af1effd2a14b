"""Sentences for what a server does not say itself: an address that is no Memory Layer, another version, a token."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from memory_layer.manifest import env
from memory_layer.version import VERSION
from memory_layer.wire.message import VERSION_HEADER, Reply, Request
from memory_layer.wire.problem import MemoryProblem

MISSING_ENGINE = "the engine is not installed here; run in a checkout: pip install '.[local]'"

_MISMATCHES = frozenset(
    {"not_found", "invalid", "malformed", "unsupported", "method_not_allowed", "internal"}
)
"""Codes that may come of a server that is older or newer."""


def with_version(problem: MemoryProblem, reply: Reply) -> MemoryProblem:
    """Problem with a word about the server's version, where it is another one and may be the cause."""
    version = reply.headers.get(VERSION_HEADER, VERSION)
    if problem.code not in _MISMATCHES or _release(version) == _release(VERSION):
        return problem
    sentence = (
        f"{problem.detail} (the server is memory-layer {version}, this client {VERSION}: "
        f"run in a checkout of {version}: pip install '.[client]')"
    )
    return _reworded(problem, sentence)


def with_place(problem: MemoryProblem, place: str) -> MemoryProblem:
    """Problem with a word about the address, where it has a path and nothing of the service is there."""
    path = urlsplit(place).path
    if problem.code != "not_found" or not path or "/v1/" not in problem.detail.partition(";")[0]:
        return problem
    if not problem.detail.startswith(f"there is nothing at {path}"):
        return problem
    sentence = (
        f"{problem.detail}: is {path} part of the address? It is mostly {place.removesuffix(path)} alone"
    )
    return _reworded(problem, sentence)


def _reworded(problem: MemoryProblem, sentence: str) -> MemoryProblem:
    return MemoryProblem(
        problem.code,
        sentence,
        status=problem.status,
        document=problem.document,
        retry_after_s=problem.retry_after_s,
    )


def foreign_reply(
    reply: Reply, request: Request, place: str, retry_after_s: float | None = None
) -> MemoryProblem:
    """Problem of an answer that is none of the service's."""
    if reply.status in (401, 403):
        return MemoryProblem("unauthenticated", _refused_token(reply, request, place), status=reply.status)
    if reply.status in (429, 502, 503, 504):
        detail = f"{place} answers {reply.status}: its service is busy or away; try again in a moment"
        return MemoryProblem("unavailable", detail, status=reply.status, retry_after_s=retry_after_s)
    if 300 <= reply.status < 400:
        elsewhere = reply.headers.get("location", "another address")
        detail = f"{place} points to {elsewhere}: give the address where the service itself answers"
        return MemoryProblem("not_memory_layer", detail, status=reply.status)
    kind = reply.headers.get("content-type", "no content type").partition(";")[0]
    return MemoryProblem(
        "not_memory_layer",
        f"{place} is no Memory Layer: it answers {request.method} {request.target.partition('?')[0]} with "
        f"{reply.status} and {kind}; give the address that `mem serve` prints, or that was deployed",
        status=reply.status,
    )


def _refused_token(reply: Reply, request: Request, place: str) -> str:
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not token:
        return f"{place} asks for a token ({reply.status}): give one, as token=… or in {env.TOKEN}"
    expired = expiry(token)
    if expired is not None and expired <= datetime.now(UTC):
        return f"the token expired at {expired:%Y-%m-%d %H:%M} UTC: ask for another one"
    return f"{place} does not accept the token ({reply.status}): ask for one of this service"


def expiry(token: str) -> datetime | None:
    """End of a JWT, as it says itself."""
    try:
        claims: Any = json.loads(urlsafe_b64decode(token.split(".")[1] + "=="))
        return datetime.fromtimestamp(claims["exp"], UTC)
    except (ValueError, LookupError, TypeError, OverflowError, OSError):
        return None


def _release(version: str) -> list[str]:
    """Part of a version within which nothing is taken away."""
    major, *rest = version.split(".")
    return [major, *rest[:1]] if major == "0" else [major]
