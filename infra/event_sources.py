"""Orchestrators whose runs are taken, and the principal of each: the context value `event_sources`."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from infra.errors import BadDeployment

EventSources = Mapping[str, Mapping[str, Any]]
"""Claims by the source of an event, as a token has them."""

EXAMPLE: Final = '{"my-orchestrator": {"tenant": "acme", "sub": "my-orchestrator"}}'
CLAIMS: Final = frozenset(
    {"tenant", "sub", "email", "email_verified", "persona", "personas", "roles", "acts_for"}
)
ROLES: Final = frozenset({"agent", "reviewer", "admin"})
"""Roles as edge/http/principals.py reads them; a test holds the two together, for infra does not import the edge."""

MAX_BYTES: Final = 2_000
"""Largest setting as JSON: a function's environment holds 4 KB in all, an event pattern 2,048 characters. Source:
Lambda quotas, EventBridge quotas."""

_SOURCE = re.compile(r"[\w.@/-]{1,256}", re.ASCII)
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def read_event_sources(value: Any) -> EventSources:
    """Reads sources with their claims. Args: value: a mapping, as in cdk.json, or its JSON, as after `-c`.

    Raises:
        BadDeployment: it is no such mapping, or somebody's claims would be refused when an event comes.
    """
    sources = _mapping(value)
    for source, claims in sources.items():
        problem = _problem_of(source) or _problem_in(claims)
        if problem:
            raise BadDeployment(f"event_sources, {source!r}: {problem}; for example {EXAMPLE}")
    if len(as_text(sources)) > MAX_BYTES:
        raise BadDeployment(
            f"event_sources are longer than {MAX_BYTES} characters; name fewer sources, or share one among them"
        )
    return sources


def as_text(sources: EventSources) -> str:
    """Sources as the function reads them from its environment."""
    return json.dumps(sources, sort_keys=True, separators=(",", ":"))


def _mapping(value: Any) -> EventSources:
    try:
        sources = json.loads(value) if isinstance(value, str) else value
    except ValueError as error:
        raise BadDeployment(f"event_sources is no JSON ({error}); for example {EXAMPLE}") from error
    if not isinstance(sources, Mapping):
        raise BadDeployment(f"event_sources is no object; for example {EXAMPLE}")
    return sources


def _problem_of(source: str) -> str | None:
    if not _SOURCE.fullmatch(source):
        return "a source has 1 to 256 letters, digits and . - _ / @"
    return "sources that begin with aws. are AWS's own" if source.startswith("aws.") else None


def _problem_in(claims: Any) -> str | None:
    if not isinstance(claims, Mapping):
        return "its claims are no object"
    if unknown := sorted(claims.keys() - CLAIMS):
        return f"unknown claim {unknown[0]}; there are {', '.join(sorted(CLAIMS))}"
    tenant, roles = claims.get("tenant"), claims.get("roles", [])
    if not isinstance(tenant, str) or not _TENANT.fullmatch(tenant):
        return "tenant is missing, or no name of letters, digits and . - _"
    if not isinstance(claims.get("sub"), str) or not claims["sub"]:
        return "sub is missing"
    if not all(isinstance(claims.get(name, ""), str) for name in ("email", "persona")):
        return "email and persona are texts"
    if claims.get("email") and claims.get("email_verified") is not True:
        return "its email counts with email_verified: true alone; say so, or leave it out"
    if not isinstance(personas := claims.get("personas", []), list) or not all(map(_is_text, personas)):
        return "personas is a list of texts"
    if not isinstance(roles, list) or not ROLES.issuperset(map(str, roles)):
        return f"roles is a list of {', '.join(sorted(ROLES))}"
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
