"""Principals from token claims: the same claims on the laptop and behind a JWT authorizer."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from memory_layer.domain.access import Principal, Role
from memory_layer.errors import Unauthenticated

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LIST_MARKS = str.maketrans("[],", "   ")


def principal_of(claims: Mapping[str, Any]) -> Principal:
    """Caller that verified claims describe.

    Args:
        claims: `tenant`, `sub`, and where there are any `email`, `persona`, `roles`. An authorizer hands
            lists over as text ("[agent reviewer]"); here is the one place that reads them.

    Raises:
        Unauthenticated: tenant or subject is missing or misshapen.
    """
    tenant, subject = claims.get("tenant"), claims.get("sub")
    if not isinstance(tenant, str) or not _SLUG.fullmatch(tenant):
        raise Unauthenticated("the token names no tenant; mint one with: mem token --tenant NAME")
    if not isinstance(subject, str) or not subject:
        raise Unauthenticated("the token names no subject")
    return Principal(
        tenant=tenant,
        subject=subject,
        email=claims.get("email") or None,
        persona=claims.get("persona") or None,
        roles=_roles(claims.get("roles")),
    )


def claims_of(principal: Principal) -> dict[str, Any]:
    """Claims that `principal_of` reads back."""
    return {
        "tenant": principal.tenant,
        "sub": principal.subject,
        "email": principal.email,
        "persona": principal.persona,
        "roles": sorted(principal.roles),
    }


def _roles(claimed: Any) -> frozenset[Role]:
    """Roles in a claim; agent alone where any of them is unknown here.

    API Gateway hands `["billing admin"]` over as `[billing admin]`, which reads like two roles: so a claim
    counts only as a whole, here as there.
    """
    names = claimed.translate(_LIST_MARKS).split() if isinstance(claimed, str) else claimed or []
    known = [role for role in get_args(Role) if role in names]
    is_whole = bool(known) and all(name in get_args(Role) for name in names)
    return frozenset(known) if is_whole else frozenset({"agent"})
