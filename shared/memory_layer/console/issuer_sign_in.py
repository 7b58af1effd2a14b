"""Sign-in of people at an issuer: what the page is told of it, and the origin that its content policy names."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

OPENID: Final = "openid"


def oidc_settings(issuer: str, client_id: str, scopes: Sequence[str]) -> Mapping[str, Any]:
    """Settings of the page for a public client of the issuer: the API takes its access tokens.

    Args:
        issuer: URL; `/.well-known/openid-configuration` below it tells the endpoints.
        scopes: that the page asks for besides `openid`.
    """
    asked = " ".join((OPENID, *scopes))
    return {"issuer": issuer, "client_id": client_id, "scope": asked, "token": "access_token"}


def origin_of_issuer(issuer: str) -> str:
    """Scheme and host of an issuer's URL. Args: issuer: `https://login.acme.test/tenant`."""
    scheme, _, rest = issuer.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"
