"""Who calls, in the cloud: API Gateway's JWT authorizer has checked the token, its claims say the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.edge.http.principals import principal_of
from memory_layer.errors import Unauthenticated


def authorized(event: Any) -> Principal:
    """The caller of an HTTP API event.

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
    return principal_of(claims if _has_proved_email(claims) else {**claims, "email": None})


def _client_id(claims: Mapping[str, Any]) -> Any:
    return claims.get("client_id") or claims.get("azp") or claims.get("aud") or "of this token"


def _has_proved_email(claims: Mapping[str, Any]) -> bool:
    """An address counts as its owner's unless the issuer says that nobody proved it. Claims arrive as text."""
    return str(claims.get("email_verified", "true")).lower() == "true"
