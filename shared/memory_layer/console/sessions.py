"""Sessions of the console: short signed tokens that hold at one origin alone, in the name of who entered."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.edge.http.principals import principal_of
from memory_layer.edge.http.sign_in import base_url
from memory_layer.errors import Unauthenticated

SESSION_PREFIX: Final = "console."
"""Begin of a session's token; a token of an API client begins otherwise."""

SESSION_LIFETIME: Final = timedelta(hours=1)
SIGNED_IN_MAX: Final = timedelta(hours=12)
"""Time for which a session can be renewed since its person entered."""

AUDIENCE: Final = "memory-layer-console"
ALGORITHM: Final = "HS256"
ENDED: Final = "the console's session has ended; print a fresh link with: mem console"

Authenticate = Callable[[Any], Principal]


def begin_session(
    secret: str, origin: str, claims: Mapping[str, Any], now: datetime, *, entered: datetime | None = None
) -> dict[str, Any]:
    """Token of a session, and when it ends, as RFC 3339.

    Args:
        origin: where it holds.
        claims: who entered.
        entered: when; None: now.
    """
    import jwt  # it loads cryptography, which a server without sessions does not wait for

    since = entered or now
    until = min(now + SESSION_LIFETIME, since + SIGNED_IN_MAX)
    signed = {"aud": AUDIENCE, "origin": origin, "who": dict(claims), "entered": since.timestamp()}
    token = jwt.encode({**signed, "iat": now, "exp": until}, secret, algorithm=ALGORITHM)
    return {"token": f"{SESSION_PREFIX}{token}", "expires_at": until.isoformat(timespec="seconds")}


def renew_session(secret: str, origin: str, token: str, now: datetime) -> dict[str, Any]:
    """Session in the place of one that still holds. Raises: Unauthenticated: it does not, or began too long ago."""
    claims = read_session(secret, origin, token)
    entered = datetime.fromtimestamp(claims["entered"], UTC)
    if now >= entered + SIGNED_IN_MAX:
        raise Unauthenticated(ENDED)
    return begin_session(secret, origin, claims["who"], now, entered=entered)


def read_session(secret: str, origin: str, token: str) -> Mapping[str, Any]:
    """Claims of a session's token. Raises: Unauthenticated: it has ended, is forged, or of another origin."""
    import jwt

    try:
        claims: Mapping[str, Any] = jwt.decode(
            token.removeprefix(SESSION_PREFIX), secret, algorithms=[ALGORITHM], audience=AUDIENCE
        )
    except jwt.InvalidTokenError as error:
        raise Unauthenticated(ENDED) from error
    if claims["origin"] != origin:
        raise Unauthenticated(f"this session belongs to {claims['origin']}, and this is {origin}")
    return claims


def with_sessions(authenticate: Authenticate, secret: Callable[[], str]) -> Authenticate:
    """Authentication that takes a session of the console beside what it took before."""

    def found(event: Any) -> Principal:
        token = bearer_of(event.headers)
        if not token.startswith(SESSION_PREFIX):
            return authenticate(event)
        return principal_of(read_session(secret(), base_url(event), token)["who"])

    return found


def bearer_of(headers: Mapping[str, str]) -> str:
    """Token of the Authorization header; empty: there is none."""
    scheme, _, token = (headers.get("authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
