"""Blobs of terms and of mentions, as stores keep them beside a record, decoded many at once."""

from collections.abc import Sequence

import numpy as np

from memory_layer.adapters.project_index.postings import TermRows, distinct

_HASH_BYTES = 4
_HASH_BITS = np.uint64(8 * _HASH_BYTES)


def terms_of_blobs(blobs: Sequence[bytes | None]) -> TermRows:
    """Decodes many blobs of `analyzer.encode_terms` at once."""
    present = [blob or b"" for blob in blobs]
    sizes = np.fromiter(map(len, present), np.int64, len(present)) // (_HASH_BYTES + 1)
    joined = np.frombuffer(b"".join(present), np.uint8)
    runs = np.stack((_HASH_BYTES * sizes, sizes), axis=1).ravel()
    is_hash = np.repeat(np.tile([True, False], len(sizes)), runs)
    return TermRows(joined[is_hash].view("<u4"), joined[~is_hash], sizes)


def mentions_of_blobs(said: Sequence[bytes | None], named: Sequence[bytes | None]) -> TermRows:
    """Decodes many blobs of ascending hashes at once; of each record ascending, and each once."""
    present = [(one or b"") + (other or b"") for one, other in zip(said, named, strict=True)]
    sizes = np.fromiter(map(len, present), np.int64, len(present)) // _HASH_BYTES
    records = np.repeat(np.arange(len(present), dtype=np.uint64), sizes)
    ties = distinct((records << _HASH_BITS) | np.frombuffer(b"".join(present), "<u4"))
    sizes = np.bincount((ties >> _HASH_BITS).astype(np.intp), minlength=len(present))
    return TermRows(ties.astype(np.uint32), np.ones(len(ties), np.uint8), sizes)
