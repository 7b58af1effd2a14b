"""Operations of docs/openapi.json and of the manifest: routes, their functions, and the authorization of each."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.errors import BadDeployment
from memory_layer.manifest.functions import FUNCTIONS

AUTHENTICATED_PREFIX: Final = "/v1/"
"""Prefix of paths that need a token; a path beside it tells only the state of the service."""

AUTHENTICATED_PATHS: Final = frozenset({"/mcp"})

_PATH_PART = re.compile(r"\{[\w.:-]+\+?\}|[a-zA-Z0-9.:_-]+")
"""Part of a path that HTTP APIs take between two slashes, so `memories:batch` is one. Source:
ApiGatewayRouteConfigService in AWS's Lambda Test Tool, which repeats the service's own check."""


@dataclass(frozen=True, slots=True)
class DeclaredOperation:
    """Route with its function and authorization."""

    method: str
    path: str
    function: str

    @property
    def route_key(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def needs_token(self) -> bool:
        return self.path.startswith(AUTHENTICATED_PREFIX) or self.path in AUTHENTICATED_PATHS


def read_document(root: Path) -> dict[str, Any]:
    """Reads docs/openapi.json. Args: root: of the repository."""
    document: dict[str, Any] = json.loads((root / "docs" / "openapi.json").read_text("utf-8"))
    return document


def operations_of(document: dict[str, Any]) -> list[DeclaredOperation]:
    """Every operation, in the document's order, then the routes beside it.

    Raises:
        BadDeployment: a path cannot be a route key, or nobody serves it.
    """
    found = [
        DeclaredOperation(method.upper(), path, operation.get("x-function", ""))
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    found += routes_beside()
    for operation in found:
        _check(operation)
    return found


def routes_beside() -> list[DeclaredOperation]:
    """Routes of other protocols, which the document does not describe."""
    return [
        DeclaredOperation(*route.split(" "), function.name)
        for function in FUNCTIONS
        for route in function.routes
    ]


def request_headers_of(document: dict[str, Any]) -> list[str]:
    """Headers that some operation reads."""
    parameters = (
        parameter
        for operations in document["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
    )
    return sorted({parameter["name"] for parameter in parameters if parameter["in"] == "header"})


def _check(operation: DeclaredOperation) -> None:
    if operation.function not in {function.name for function in FUNCTIONS}:
        raise BadDeployment(
            f"{operation.route_key} names function {operation.function!r}, which the manifest lacks"
        )
    for part in operation.path.strip("/").split("/"):
        if not _PATH_PART.fullmatch(part):
            raise BadDeployment(f"{operation.route_key}: {part!r} cannot be part of a route of an HTTP API")
