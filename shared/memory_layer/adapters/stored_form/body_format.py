"""Words as the bytes of a body, and back, if they are those that were put there."""

import sys
from hashlib import sha256
from typing import Final

from memory_layer.domain.memory import Scope, content_hash

BODIES_PREFIX: Final = "bodies/"

_SUFFIX: Final = ".zst"
_FOLDER_DIGITS: Final = 32
"""Of the id's SHA-256: an id may hold what is no name of a file."""


def body_key(scope: Scope, id: str, content_hash: str) -> str:
    """Args: content_hash: of all the words, so that what lies there never changes."""
    return f"{record_folder(scope, id)}{content_hash}{_SUFFIX}"


def hash_of_key(key: str) -> str:
    return key.rpartition("/")[2].removesuffix(_SUFFIX)


def record_folder(scope: Scope, id: str) -> str:
    return f"{project_folder(scope)}{sha256(id.encode()).hexdigest()[:_FOLDER_DIGITS]}/"


def folder_of_key(key: str) -> str:
    return f"{key.rpartition('/')[0]}/"


def project_folder(scope: Scope) -> str:
    return f"{BODIES_PREFIX}{scope.tenant}/{scope.project}/"


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_LEVEL: Final = 9
"""Beyond it texts of some kilobytes hardly shrink any more."""

_WORDS_MAX_BYTES: Final = 2**20
"""No record has as many: what a damaged body may swell to."""


class DamagedBody(Exception):
    """A body is not there as it was written; the text says what is wrong with it."""


class MissingBody(DamagedBody): ...


def body_size_bytes(content: str) -> int:
    """How long words are as a body."""
    return len(packed_body(content.encode()))


def packed_body(words: bytes) -> bytes:
    return zstd.compress(words, level=ZSTD_LEVEL)


def words_of_body(body: bytes | None, hash: str) -> str:
    """
    Args:
        body: None: there is none.
        hash: the `content_hash` of the words.

    Raises:
        Damaged: these are not the words.
    """
    if body is None:
        raise MissingBody("is missing")
    try:
        words = zstd.ZstdDecompressor().decompress(body, max_length=_WORDS_MAX_BYTES).decode()
    except (zstd.ZstdError, ValueError, EOFError) as error:
        raise DamagedBody(f"cannot be read: {error}") from error
    if content_hash(words) != hash:
        raise DamagedBody("does not match its content_hash")
    return words
