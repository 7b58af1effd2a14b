"""Tokens of an issuer on a laptop: of the console's client there, checked with the keys that the issuer publishes.

The folder's own tokens are signed with its secret, and those of an issuer with a key pair: which of the two a token is
stands in its algorithm, and neither is ever checked with the other's key.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from memory_layer.console.sessions import Authenticate, bearer_of
from memory_layer.edge.http.principals import principal_of
from memory_layer.errors import Invalid, Unauthenticated
from memory_layer.manifest import env
from memory_layer.settings import SignIn

CONFIGURATION: Final = "/.well-known/openid-configuration"
"""Source: OpenID Connect Discovery 1.0, 4."""

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Those with a key pair: a secret that both sides know would be the issuer's public key."""

TIMEOUT_S: Final = 5.0
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class IssuerTokens:
    """Tokens of one client of an issuer.

    Args:
        issuer: its URL, of https unless it is on this machine.
        client_id: that a token is for: in `aud`, or in `client_id` where there is no `aud`, as API Gateway has it.

    Raises:
        Invalid: the URL is no such one.
    """

    def __init__(self, issuer: str, client_id: str) -> None:
        found = urlsplit(issuer)
        if not found.hostname or (found.scheme != "https" and found.hostname not in LOOPBACK):
            raise Invalid(f"{env.ISSUER} is the https URL of an issuer, and not {issuer!r}")
        self._issuer = issuer
        self._client_id = client_id
        self._keys: Any = None

    def claims_of(self, token: str) -> Mapping[str, Any]:
        """Claims of a token.

        Raises:
            Unauthenticated: it is forged, expired, of another issuer or client, or the issuer is out of reach.
        """
        import jwt

        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                self._published().get_signing_key_from_jwt(token),
                algorithms=ALGORITHMS,
                issuer=self._issuer,
                options={"require": ["exp", "iss", "sub"], "verify_aud": False},
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise Unauthenticated(
                f"the token of {self._issuer} does not hold ({error}); sign in again"
            ) from error
        self._require_own(claims)
        return claims

    def _require_own(self, claims: Mapping[str, Any]) -> None:
        audience = claims.get("aud", claims.get("client_id"))
        if self._client_id not in (audience if isinstance(audience, list) else [audience]):
            raise Unauthenticated(f"the token is for {audience}, and not for the console; sign in again")

    def _published(self) -> Any:
        """Published keys, fetched when the first token comes, and again for one that is not known."""
        from jwt import PyJWKClient

        if self._keys is None:
            address = f"{self._issuer.rstrip('/')}{CONFIGURATION}"
            told = PyJWKClient(address, cache_jwk_set=False, timeout=TIMEOUT_S).fetch_data()
            self._keys = PyJWKClient(str(told.get("jwks_uri")), timeout=TIMEOUT_S)
        return self._keys


def with_issuer(authenticate: Authenticate, sign_in: SignIn) -> Authenticate:
    """Authentication that takes tokens of the console's client at an issuer, where there is one, beside the folder's.

    Args:
        authenticate: takes the folder's own.

    Raises:
        Invalid: a client is named and no issuer, or none by https.
    """
    if sign_in.console_client is None:
        return authenticate
    if sign_in.issuer is None:
        raise Invalid(f"{env.CONSOLE_CLIENT} names a client of no issuer; set {env.ISSUER} as well")
    claims_of = IssuerTokens(sign_in.issuer, sign_in.console_client).claims_of

    def found(event: Any) -> Any:
        token = bearer_of(event.headers)
        return principal_of(claims_of(token)) if _has_key_pair(token) else authenticate(event)

    return found


def _has_key_pair(token: str) -> bool:
    import jwt

    try:
        return jwt.get_unverified_header(token).get("alg") in ALGORITHMS
    except jwt.InvalidTokenError:
        return False
