"""Under which names bodies lie: those of a record in a folder of its own, so that they go together."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from memory_layer.domain.memory import Scope

PREFIX: Final = "bodies/"

_SUFFIX: Final = ".zst"
_FOLDER_DIGITS: Final = 32
"""Of the id's SHA-256: an id may hold what is no name of a file."""


def body_key(scope: Scope, id: str, content_hash: str) -> str:
    """Args: content_hash: of all the words, so that what lies there never changes."""
    return f"{folder(scope, id)}{content_hash}{_SUFFIX}"


def hash_in(key: str) -> str:
    return key.rpartition("/")[2].removesuffix(_SUFFIX)


def folder(scope: Scope, id: str) -> str:
    return f"{project_folder(scope)}{sha256(id.encode()).hexdigest()[:_FOLDER_DIGITS]}/"


def folder_in(key: str) -> str:
    return f"{key.rpartition('/')[0]}/"


def project_folder(scope: Scope) -> str:
    return f"{PREFIX}{scope.tenant}/{scope.project}/"
