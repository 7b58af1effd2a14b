"""A project of any size is exported and imported in bounded memory; BOUNDED_RECORDS sets another size."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.memory import Memory, content_hash
from memory_layer.usecases.transfer import validate_import
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.import_project import import_lines
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import START

RECORDS = int(os.environ.get("BOUNDED_RECORDS", "5000"))
SPOOL_BYTES = 2**18
"""Less than the product keeps in memory, so that fewer records show what is kept beside it."""

BOUND_BYTES = 4 * 2**20
"""For pages, for the spool's share of memory, and for the ids of all records; their lines alone take more."""

PADDING = "some words of a longer memory " * 10
OTHER = Principal(tenant="other", subject="olga", roles=frozenset({"admin"}))


class OneVector:
    """No model, which would be most of the time: what is measured does not look at vectors."""

    model = "none"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, np.float32)


def lines(count: int) -> Iterator[str]:
    """A file that is never in memory as a whole."""
    seal = sha256()
    for number in range(count):
        document = memory_to_json(_memory(number))
        del document["tenant"]
        text = f"{canonical_json(document)}\n"
        seal.update(text.encode())
        yield text
    said = {"format": "memory-layer/1", "project": "web", "records": count, "sha256": seal.hexdigest()}
    yield json.dumps({"manifest": said})


def _memory(number: int) -> Memory:
    content = f"Memory {number}: {PADDING}"
    return Memory(
        id=f"mem_{number:08}",
        tenant="acme",
        project="web",
        content=content,
        content_hash=content_hash(content),
        created_by="ada",
        created_at=START,
        updated_at=START,
    )


def peak_bytes(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _count(rows: Iterable[str], counted: list[int]) -> None:
    counted.append(sum(1 for _ in rows))


@EMBEDDED_ONLY  # the use cases are the same, and their pages bound by the store's own tests
def test_export_and_import_hold_a_page_at_a_time(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where an import keeps its records, or an export its lines, until the last one."""
    assert sum(map(len, lines(RECORDS))) > 1.5 * BOUND_BYTES
    monkeypatch.setattr(validate_import, "SPOOL_MAX_BYTES", SPOOL_BYTES)
    ports = open_backend(embedder=OneVector()).ports
    import_lines(ports, admin, "warm", lines(1))
    size = peak_bytes(lambda: import_lines(ports, admin, "web", lines(RECORDS)))
    assert size < BOUND_BYTES, f"{size:,} bytes to import"
    for format in ("ndjson", "csv"):
        rows = export_lines(ports, admin, "web", format)  # type: ignore[arg-type]
        counted: list[int] = []
        size = peak_bytes(partial(_count, rows, counted))
        assert size < BOUND_BYTES, f"{size:,} bytes to export {format}"
        assert counted == [RECORDS + 1]
