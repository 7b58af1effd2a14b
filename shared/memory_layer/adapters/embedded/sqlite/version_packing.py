"""Records of versions as they lie in the database: zstd with a dictionary of what all records share.

A version is read seldom and kept for good. Without the dictionary a record of a sentence takes 720 bytes, with it 270,
and as JSON 1,480.
"""

from __future__ import annotations

import sqlite3
import sys
from base64 import b64decode
from functools import cache
from importlib.resources import files
from typing import Any, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DICTIONARY_FILE: Final = "version_records.b64"
"""Base64. Trained by `zstd.train_dict` on 3,000 records of sentences of our own documentation.

Never replaced: rows can be read with no other. A better one takes a file and a mark of its own.
"""
_MARK: Final = b"\x01"
"""First byte of a packed record; tells the dictionary."""
_LEVEL: Final = 3
_RECORD_MAX_BYTES: Final = 2**22
"""Most bytes that a record may unpack to, a damaged one too: no record has as many."""

_UNPACK: Final = "unpacked_record"


def record_sql(table: str = "") -> str:
    """SQL of a version's record as a text, packed or not. Args: table: its alias, with a dot."""
    return f"CASE WHEN {table}packed IS NULL THEN {table}record ELSE {_UNPACK}({table}packed) END"


def add_version_functions(connection: sqlite3.Connection) -> None:
    """Adds what `record_sql` needs to a connection."""
    connection.create_function(_UNPACK, 1, _unpacked_or_damage, deterministic=True)


def packed_record(record: str) -> bytes:
    """Packs the record of a version."""
    compressor = _compressor()
    frame: bytes = compressor.compress(record.encode(), compressor.FLUSH_FRAME)
    return _MARK + frame


def unpacked_record(packed: bytes) -> str:
    """Record that `packed_record` packed.

    Raises:
        ValueError, zstd.ZstdError: it is not as it was written.
    """
    if packed[:1] != _MARK:
        raise ValueError("it is packed in no known way")
    unpacking = zstd.ZstdDecompressor(zstd_dict=_dictionary())
    record = unpacking.decompress(packed[1:], max_length=_RECORD_MAX_BYTES)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("its packed form does not end where it should")
    return record.decode()


def _unpacked_or_damage(packed: Any) -> str:
    """The record, or words that are no JSON: a damaged row must not keep others from being read."""
    try:
        return unpacked_record(packed)
    except (zstd.ZstdError, ValueError, TypeError) as error:
        return f"damaged: {error}"


@cache
def _compressor() -> Any:
    """Compressor of all threads, which locks itself; to make one takes four times as long as to use it."""
    return zstd.ZstdCompressor(level=_LEVEL, zstd_dict=_dictionary().as_digested_dict)


@cache
def _dictionary() -> Any:
    return zstd.ZstdDict(b64decode(files(__package__).joinpath(DICTIONARY_FILE).read_bytes()))
