"""Cells of changes: made for a batch as they are for each change alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from memory_layer.adapters.embedded.store.change_cells import change_cells, search_cells
from memory_layer.ports.commit import Change, Vectors
from tests.unit.domain.plain_memories import plain_memory

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "The whole text names Amy Nutt."


def changes() -> list[Change]:
    vectors = Vectors(np.linspace(0, 1, 8, dtype=np.float32), None)
    first = plain_memory("mem_first", content="Ada owns `load_orders`.", context="who owns what")
    stub = replace(plain_memory("mem_stub", content=WORDS[:9]), tier="cold")
    return [
        Change(first, 0, "created", "ada", NOW, vectors=vectors),
        Change(replace(first, version=2), 1, "revised", "ada", NOW),
        Change(stub, 0, "created", "ada", NOW, words=WORDS),
    ]


def test_cells_of_a_batch_are_those_of_each_change() -> None:
    batch = changes()
    assert change_cells(batch) == [cells for change in batch for cells in change_cells([change])]


def test_new_records_alone_have_search_cells_ahead() -> None:
    batch = changes()
    assert [cells.search is not None for cells in change_cells(batch)] == [True, False, True]


def test_a_stub_is_found_by_all_its_words() -> None:
    stub = changes()[2]
    whole = replace(stub, memory=replace(stub.memory, content=WORDS), words=None)
    assert search_cells([stub]) == search_cells([whole])
    assert search_cells([stub]) != search_cells([replace(stub, words=None)])
