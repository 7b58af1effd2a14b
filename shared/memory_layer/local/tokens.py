"""Tokens on a laptop: HS256 with a secret of the data folder, the same claims as in the cloud."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.edge.http.principals import principal_of
from memory_layer.errors import StoreUnavailable, Unauthenticated

ALGORITHM = "HS256"
SECRET_NAME = "token-secret"
SECRET_BYTES = 32

LOCAL_PRINCIPAL = Principal(tenant="local", subject="local", roles=frozenset({"admin"}))
"""The machine's owner, at a terminal."""

UNPROVEN_PRINCIPAL = replace(LOCAL_PRINCIPAL, is_proven=False)
"""Caller on loopback without --auth: the owner, for all that is known."""


def secret_of(data_dir: Path) -> str:
    """Signing secret of the folder, made at its first use, readable by its owner only.

    Raises:
        StoreUnavailable: it cannot be read, or made.
    """
    path = data_dir / SECRET_NAME
    try:
        if not path.exists():
            _make_secret(path)
        return path.read_text().strip()
    except OSError as error:
        raise StoreUnavailable(f"the token secret {path} is out of reach: {error.strerror}") from error


def _make_secret(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_suffix(f".{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_hex(SECRET_BYTES))
    _keep_first(draft, path)


def _keep_first(draft: Path, path: Path) -> None:
    """Moves the secret into place unless it is there: of two processes that make one, the first counts."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def mint(
    secret: str,
    *,
    tenant: str,
    principal: str,
    persona: str | None,
    roles: Sequence[str],
    now: datetime,
    lifetime: timedelta,
    personas: Sequence[str] = (),
    acts_for: bool = False,
    tools: Sequence[str] = (),
) -> str:
    """Signed token. `principal` with an @ is a person's e-mail, proved by the word of who holds the secret."""
    import jwt  # it loads cryptography, which a command without tokens does not wait for

    claims: dict[str, Any] = {
        "tenant": tenant,
        "sub": principal,
        "roles": list(roles),
        "iat": now,
        "exp": now + lifetime,
    }
    if persona is not None:
        claims["persona"] = persona
    if personas:
        claims["personas"] = list(personas)
    if acts_for:
        claims["acts_for"] = True
    if tools:
        claims["tools"] = list(tools)
    if "@" in principal:
        claims |= {"email": principal, "email_verified": True}
    return jwt.encode(claims, secret, algorithm=ALGORITHM)


_HOW: Final = "on the server's machine: mem token --data FOLDER --tenant NAME --principal WHO"
"""Way to a token of a server: it is signed with the key of that server's data folder."""


def token_authentication(secret: str) -> Callable[[Any], Principal]:
    """Reads the caller off the Authorization header."""
    import jwt

    def authenticate(event: Any) -> Principal:
        scheme, _, token = (event.headers.get("authorization") or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated(f"send Authorization: Bearer TOKEN; mint one {_HOW}")
        try:
            claims = jwt.decode(token, secret, algorithms=[ALGORITHM], options={"require": ["exp", "sub"]})
        except jwt.InvalidTokenError as error:
            raise Unauthenticated(f"the token does not hold ({error}); mint another {_HOW}") from error
        return principal_of(claims)

    return authenticate


def no_authentication(event: Any) -> Principal:
    """Takes the caller for the machine's owner, on loopback; the guard has checked that no web page is calling.

    Nothing proves it, and words of a web page or a ticket may come through any client: they are read for orders.
    """
    del event
    return UNPROVEN_PRINCIPAL
