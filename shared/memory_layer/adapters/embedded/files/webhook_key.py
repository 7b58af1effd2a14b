"""Key of a data folder by which the secrets of webhooks are made: beside the database, and in no copy of it."""

import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from memory_layer.errors import StoreUnavailable

KEY_NAME: Final = "webhook-key"
KEY_BYTES: Final = 32


class WebhookKey:
    """Key of a folder, made at its first use, readable by its owner alone. Args: folder: None: it is kept nowhere."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / KEY_NAME
        self._unkept = secrets.token_bytes(KEY_BYTES)

    def secret(self, id: str) -> bytes:
        """Secret of one webhook. Raises: StoreUnavailable: the key cannot be read, or made."""
        return hmac.digest(self._key(), id.encode(), "sha256")

    def _key(self) -> bytes:
        if self._path is None:
            return self._unkept
        try:
            if not self._path.exists():
                _make(self._path)
            return self._path.read_bytes()
        except OSError as error:
            raise StoreUnavailable(f"the key {self._path} is out of reach: {error.strerror}") from error


def _make(path: Path) -> None:
    """Makes a key; of two processes that make one, the first counts."""
    draft = path.with_suffix(f".{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)
