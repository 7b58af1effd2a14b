"""Format of bodies: their keys, and the packing of words into bytes that are checked when they are read."""

import sys
from hashlib import sha256
from typing import Final

from memory_layer.domain.memory import Scope, content_hash

BODIES_PREFIX: Final = "bodies/"

_SUFFIX: Final = ".zst"
_FOLDER_DIGITS: Final = 32
"""Hex digits of the id's SHA-256: an id may hold characters that no file name has."""


def body_key(scope: Scope, id: str, content_hash: str) -> str:
    """Key of a body. Args: content_hash: of all the words, so that the bytes under a key never change."""
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
"""Level beyond which texts of some kilobytes hardly shrink any more."""

_WORDS_MAX_BYTES: Final = 2**20
"""Most bytes that a body may unpack to, a damaged one too: no record has as many."""


class DamagedBody(Exception):
    """Error of a body that is not there as it was written; the text says the flaw."""


class MissingBody(DamagedBody):
    """Error of a body that is not there."""


def body_size_bytes(content: str) -> int:
    """Size of words as a body."""
    return len(packed_body(content.encode()))


def packed_body(words: bytes) -> bytes:
    return zstd.compress(words, level=ZSTD_LEVEL)


def words_of_body(body: bytes | None, hash: str) -> str:
    """Unpacks and checks the words of a body.

    Args:
        body: None: it is missing.
        hash: the `content_hash` of the words.

    Raises:
        DamagedBody: these are not the words.
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
