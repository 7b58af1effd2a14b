"""One-time tokens by which a person enters the console: files of the data folder, so that all its processes see them.

Who can write into the folder owns all memories in it. A token is kept as its digest, holds for minutes, and goes with
its first use: of two that use it at once, the one that removes the file has entered.
"""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from memory_layer.errors import StoreUnavailable, Unauthenticated

ENTRY_LIFETIME: Final = timedelta(minutes=10)
ENTRY_BYTES: Final = 32
FOLDER: Final = "console-entries"
REFUSED: Final = "this link was used, or is older than 10 minutes; print a fresh one with: mem console"


def make_entry(data_dir: Path, origin: str, claims: Mapping[str, Any], now: datetime) -> str:
    """Token that opens the console once.

    Args:
        origin: scheme and host of the server that takes it.
        claims: who enters, as `principal_of` reads them.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    token = secrets.token_urlsafe(ENTRY_BYTES)
    document = {"origin": origin, "claims": dict(claims), "until": (now + ENTRY_LIFETIME).timestamp()}
    try:
        folder = data_dir / FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder, now)
        path = _path(data_dir, token)
        path.touch(mode=0o600)
        path.write_text(json.dumps(document))
    except OSError as error:
        raise StoreUnavailable(f"no sign-in can be noted in {data_dir}: {error.strerror}") from error
    return token


def redeem_entry(data_dir: Path, token: str, origin: str, now: datetime) -> Mapping[str, Any]:
    """Claims of who enters; the token is gone then, also where it was used at another address.

    Raises:
        Unauthenticated: it is unknown, used, too old, or of another address.
    """
    path = _path(data_dir, token)
    try:
        document = json.loads(path.read_text())
        path.unlink()
    except (OSError, ValueError) as error:
        raise Unauthenticated(REFUSED) from error
    if document["until"] <= now.timestamp():
        raise Unauthenticated(REFUSED)
    if document["origin"] != origin:
        raise Unauthenticated(f"this link is for {document['origin']}, and this is {origin}")
    claims: Mapping[str, Any] = document["claims"]
    return claims


def _forget_old(folder: Path, now: datetime) -> None:
    """Removes what nobody used in time."""
    until = (now - ENTRY_LIFETIME).timestamp()
    for path in folder.iterdir():
        if path.stat().st_mtime < until:
            path.unlink(missing_ok=True)


def _path(data_dir: Path, token: str) -> Path:
    return data_dir / FOLDER / sha256(token.encode()).hexdigest()
