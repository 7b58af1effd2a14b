"""Receipts that another process has noted and not yet written: they are waited for, and no others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store import receipts
from memory_layer.adapters.embedded.store.record_store import SqliteRecordStore, open_record_store
from memory_layer.adapters.process.system_clock import new_id
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.ports.receipts import RecallReceipt
from tests.given import BlobsInMemory, a_memory, new_scope, put_records

SCOPE = new_scope()


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SqliteRecordStore, SqliteRecordStore]]:
    """Two processes on a folder."""
    both = [
        open_record_store(Database(tmp_path / "memory.sqlite3"), Bodies(BlobsInMemory())) for _ in range(2)
    ]
    put_records(both[0], a_memory(SCOPE))
    yield both[0], both[1]
    for store in both:
        store.close()


def test_a_receipt_that_another_process_has_just_noted_is_found(
    stores: tuple[SqliteRecordStore, SqliteRecordStore],
) -> None:
    """Safeguard: the second look in `ReceiptLog.get`; an outcome told to another worker would be refused."""
    one, other = stores
    asked = new_id("rcl_")
    noted = RecallReceipt(asked, SCOPE, "ada", (a_memory(SCOPE).ref,), datetime.now(UTC))
    noting = threading.Timer(0.1, one.receipts.note, (noted,))
    noting.start()
    found = other.receipts.get(SCOPE, asked)
    noting.join()
    assert found is not None
    assert found.refs == noted.refs


def test_only_ids_made_a_moment_ago_are_waited_for(
    stores: tuple[SqliteRecordStore, SqliteRecordStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts.time, "sleep", lambda _: pytest.fail("it waited"))
    for id in ("rcl_00000001", "rcl_none", "ctx_0f", f"rcl_{'f' * 32}"):
        assert stores[0].receipts.get(SCOPE, id) is None


@pytest.mark.parametrize(("age_s", "is_lately"), [(-1.0, False), (0.0, True), (1.4, True), (1.6, False)])
def test_an_id_tells_when_it_was_made(age_s: float, is_lately: bool) -> None:
    made_s = 1_790_000_000.0
    id = f"rcl_{round(made_s * 1000):012x}{'0' * 20}"
    assert receipts.was_made_lately(id, made_s + age_s) is is_lately
