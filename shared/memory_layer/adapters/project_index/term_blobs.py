"""Blobs of terms and of mentions, as stores keep them beside a record, decoded many at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.postings import TermRows, distinct

_HASH_BYTES = 4
_HASH_BITS = np.uint64(8 * _HASH_BYTES)


def terms_of_blobs(blobs: Sequence[bytes | None]) -> TermRows:
    """Decodes many blobs of `analyzer.encode_terms` at once."""
    present = [blob or b"" for blob in blobs]
    return terms_of_bytes(b"".join(present), np.fromiter(map(len, present), np.int64, len(present)))


def terms_of_bytes(joined: bytes, lengths: NDArray[np.int64]) -> TermRows:
    """Decodes blobs that lie end to end. Args: lengths: of each, in bytes."""
    sizes = lengths // (_HASH_BYTES + 1)
    letters = np.frombuffer(joined, np.uint8)
    runs = np.stack((_HASH_BYTES * sizes, sizes), axis=1).ravel()
    is_hash = np.repeat(np.tile([True, False], len(sizes)), runs)
    return TermRows(letters[is_hash].view("<u4"), letters[~is_hash], sizes)


def mentions_of_bytes(joined: bytes, lengths: NDArray[np.int64]) -> TermRows:
    """Decodes blobs of hashes that lie end to end; of each record ascending, and each once.

    Args:
        lengths: of each record's blobs, in bytes.
    """
    sizes = lengths // _HASH_BYTES
    records = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
    ties = distinct((records << _HASH_BITS) | np.frombuffer(joined, "<u4"))
    sizes = np.bincount((ties >> _HASH_BITS).astype(np.intp), minlength=len(sizes))
    return TermRows(ties.astype(np.uint32), np.ones(len(ties), np.uint8), sizes)
