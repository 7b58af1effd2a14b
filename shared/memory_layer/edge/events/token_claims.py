"""Claims of Cognito's access tokens: a client's row decides, never anything that a user may set.

Cognito calls this before it issues a token (pre token generation, version 3: client credentials and people alike).
A client without a row gets a token without a tenant, and every call with it answers 401 and says why.
"""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from memory_layer.domain.access import Role

CLIENT_CREDENTIALS: Final = "TokenGeneration_ClientCredentials"

ClientOf = Callable[[str], Mapping[str, Any] | None]
"""Looks up a client's row by its id: `tenant`, `persona`, `personas`, `roles`, `email`, `acts_for`, `tools`."""

_WORD = re.compile(r"[^\s,\[\]]+")

_log = logging.getLogger(__name__)


def with_claims(event: Mapping[str, Any], client_of: ClientOf) -> dict[str, Any]:
    """Event with its response filled in, as Cognito wants it back.

    Args:
        event: of pre token generation, version 3. Source: Amazon Cognito developer guide.
    """
    client_id = event["callerContext"]["clientId"]
    row = client_of(client_id)
    if row is None:
        _log.warning("client %s has no row in the clients table; its token names no tenant", client_id)
    elif not all(_are_words(row.get(name)) for name in ("personas", "tools")):
        _log.warning(
            "client %s has personas or tools that are no list of words; its token names no tenant", client_id
        )
        row = None
    claims = {} if row is None else _claims(event, row)
    overrides = {"accessTokenGeneration": {"claimsToAddOrOverride": claims}}
    return {**event, "response": {"claimsAndScopeOverrideDetails": overrides}}


def _claims(event: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    who = (
        _client_claims(row)
        if event["triggerSource"] == CLIENT_CREDENTIALS
        else _person_claims(event["request"])
    )
    personas = sorted(row.get("personas") or ())
    own = {"tenant": row.get("tenant"), "persona": row.get("persona"), "personas": personas}
    claims = {**own, "tools": sorted(row.get("tools") or ()), **who}
    return {name: value for name, value in claims.items() if value}


def _are_words(names: Any) -> bool:
    """Tells if names stay what they are when an authorizer makes one text of them."""
    is_list = names is None or isinstance(names, list)
    return is_list and all(isinstance(name, str) and _WORD.fullmatch(name) for name in names or ())


def _client_claims(row: Mapping[str, Any]) -> dict[str, Any]:
    """Claims of a machine: the operator's word proves its address, and gives the right to speak for end users."""
    acts_for = "true" if row.get("acts_for") in (True, "true") else None
    return {**_proved(row.get("email")), "roles": _known(row.get("roles")), "acts_for": acts_for}


def _person_claims(request: Mapping[str, Any]) -> dict[str, Any]:
    """Claims of a person: the roles of their groups, and the address that they proved to be theirs."""
    attributes = request.get("userAttributes") or {}
    is_verified = attributes.get("email_verified") == "true"
    groups = (request.get("groupConfiguration") or {}).get("groupsToOverride")
    return {**_proved(attributes.get("email") if is_verified else None), "roles": _known(groups)}


def _proved(email: Any) -> dict[str, Any]:
    return {"email": email, "email_verified": "true"} if email else {}


def _known(names: Any) -> list[str]:
    return [role for role in get_args(Role) if role in (names or ())]
