"""Form of a segment: its columns end to end behind a header that names them; the vectors as they are, the rest as zstd.

An object is named by its digest, so that one that was changed or cut off is known when it is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.segment_rows import SegmentRows
from memory_layer.adapters.project_index.coded_column import CodedValues
from memory_layer.adapters.project_index.filter_columns import INSTANTS, LABELS, SCORES, TEXTS, FilterRows
from memory_layer.adapters.project_index.postings import TermRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.domain.retrieval.facts import fact_dtype

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT: Final = 1
"""Raised with every change of the columns: segments of another format are built anew from the records."""

_LEVEL: Final = 1
_MAGIC: Final = b"MLSG"
_HEADER_BYTES: Final = 4
_BEFORE_TOKEN: Final = "-"
_TERMS: Final = ("content_terms", "context_terms", "mentions")
_VECTORS: Final = ("content_vectors", "context_vectors")
_SIZES: Final = ("bytes", "body_bytes")

Arrays = Mapping[str, NDArray[Any]]


class DamagedSegment(ValueError):
    """Error of a segment that is not as it was written, or that another release wrote."""


def encoded(rows: SegmentRows) -> bytes:
    """Bytes of a segment."""
    arrays, texts = _columns(rows)
    vectors = {name: arrays.pop(f"{name}.vectors") for name in _VECTORS}
    packed = zstd.compress(b"".join(_blobs([_json(texts), *map(_bytes, arrays.values())])), level=_LEVEL)
    header = {
        "format": FORMAT,
        "arrays": [
            [name, array.dtype.str, len(array)] for name, array in arrays.items() if array.dtype.names is None
        ]
        + [["facts", "", len(rows)]],
        "dimensions": {name: list(array.shape) for name, array in vectors.items()},
        "packed": len(packed),
    }
    head = _json(header)
    return b"".join(
        [_MAGIC, len(head).to_bytes(_HEADER_BYTES, "little"), head, packed, *map(_bytes, vectors.values())]
    )


def name_of(body: bytes, token: str) -> str:
    """Name of a segment: the SHA-256 of its bytes, in hex, and a token, so that no two writers write one object."""
    return f"{sha256(body).hexdigest()}{_BEFORE_TOKEN}{token}"


def decoded(body: bytes, name: str) -> SegmentRows:
    """Rows of a segment. Args: name: of the object that the bytes were read from.

    Raises:
        DamagedSegment: the bytes are not those that the name stands for, or of another format.
    """
    if sha256(body).hexdigest() != name.partition(_BEFORE_TOKEN)[0]:
        raise DamagedSegment("it does not match its digest")
    start = len(_MAGIC) + _HEADER_BYTES
    end = start + int.from_bytes(body[len(_MAGIC) : start], "little")
    header = json.loads(body[start:end])
    if body[: len(_MAGIC)] != _MAGIC or header["format"] != FORMAT:
        raise DamagedSegment("it is of another format")
    packed = zstd.decompress(body[end : end + header["packed"]])
    texts, arrays = _unpacked(packed, header["arrays"])
    at = end + header["packed"]
    for vectors, (rows, dimensions) in header["dimensions"].items():
        found = np.frombuffer(body, "<f2", rows * dimensions, at)
        arrays[f"{vectors}.vectors"] = found.reshape(rows, dimensions)
        at += 2 * rows * dimensions
    return _rows(arrays, texts)


def _columns(rows: SegmentRows) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays of a segment by name, the facts last but for the vectors, and what is text."""
    batch, filters = rows.batch, rows.batch.filters
    coded: dict[str, CodedValues[Any]] = {
        **{f"text.{name}": column for name, column in filters.texts.items()},
        **{f"label.{name}": column for name, column in filters.labels.items()},
        "models": rows.models,
    }
    arrays: dict[str, NDArray[Any]] = {
        "keys": batch.keys,
        "positions": batch.positions,
        **{name: column.rows.astype(np.int32) for name, column in coded.items()},
        **{f"score.{name}": scores for name, scores in filters.scores.items()},
        **{f"instant.{name}": instants for name, instants in filters.instants.items()},
        **{f"size.{name}": sizes for name, sizes in rows.sizes.items()},
    }
    for name in _TERMS:
        terms: TermRows = getattr(batch, name)
        arrays |= {
            f"{name}.hashes": terms.hashes,
            f"{name}.counts": terms.counts,
            f"{name}.sizes": terms.sizes,
        }
    found = {name: getattr(batch, name) for name in _VECTORS}
    arrays |= {f"{name}.records": vectors.records.astype(np.int32) for name, vectors in found.items()}
    arrays["facts"] = batch.facts
    arrays |= {f"{name}.vectors": vectors.vectors for name, vectors in found.items()}
    return arrays, {"ids": list(batch.ids), **{name: list(column.values) for name, column in coded.items()}}


def _rows(arrays: Arrays, texts: Mapping[str, Any]) -> SegmentRows:
    def codes(name: str, value: Callable[[Any], Any] = lambda one: one) -> CodedValues[Any]:
        return CodedValues([value(one) for one in texts[name]], arrays[name].astype(np.intp))

    filters = FilterRows(
        texts={name: codes(f"text.{name}") for name in TEXTS},
        scores={name: arrays[f"score.{name}"] for name in SCORES},
        instants={name: arrays[f"instant.{name}"] for name in INSTANTS},
        labels={name: codes(f"label.{name}", tuple) for name in LABELS},
    )

    def terms(name: str) -> TermRows:
        return TermRows(*(arrays[f"{name}.{part}"] for part in ("hashes", "counts", "sizes")))

    def vectors(name: str) -> VectorRows:
        return VectorRows(arrays[f"{name}.records"].astype(np.intp), arrays[f"{name}.vectors"])

    batch = RecordBatch(
        keys=arrays["keys"],
        positions=arrays["positions"],
        ids=texts["ids"],
        filters=filters,
        facts=arrays["facts"],
        content_terms=terms("content_terms"),
        context_terms=terms("context_terms"),
        mentions=terms("mentions"),
        content_vectors=vectors("content_vectors"),
        context_vectors=vectors("context_vectors"),
    )
    return SegmentRows(
        batch=batch, models=codes("models"), sizes={name: arrays[f"size.{name}"] for name in _SIZES}
    )


def _unpacked(
    packed: bytes, names: Iterable[tuple[str, str, int]]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    text, at = _blob(packed, 0)
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind, size in names:
        blob, at = _blob(packed, at)
        arrays[name] = np.frombuffer(blob, fact_dtype() if name == "facts" else kind, size)
    return json.loads(bytes(text)), arrays


def _blob(packed: bytes, at: int) -> tuple[memoryview, int]:
    start = at + 8
    end = start + int.from_bytes(packed[at:start], "little")
    return memoryview(packed)[start:end], end


def _blobs(parts: Iterable[bytes]) -> Iterable[bytes]:
    for part in parts:
        yield len(part).to_bytes(8, "little")
        yield part


def _bytes(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
