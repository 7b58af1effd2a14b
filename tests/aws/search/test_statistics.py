"""Statistics of the index are those that SQL gives of the same records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from memory_layer.adapters.aws.search.documents import document_of, tombstone_of
from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.commit import Change, Commit
from tests.aws.search_domain import Domain, open_domain
from tests.given import BlobsInMemory
from tests.index_examples import DIMENSIONS, MODEL, NOW, SCOPE, memory

pytestmark = pytest.mark.engines

VIEWERS = [Viewer(), Viewer.of("qa"), Viewer.of("dev", "qa"), Viewer(sees_all_personas=True)]


def _records() -> list[Memory]:
    numbers = np.random.default_rng(9)

    def one(*values: Any) -> Any:
        return values[int(numbers.integers(len(values)))]

    return [
        memory(
            f"m{n}",
            one("wal", "caché", "数据库"),
            context=one(None, "around it: é"),
            type=one("pattern", "warning", "learning"),
            category=one("general", "gotcha"),
            task_type=one(None, "feature"),
            source=one("human", "run"),
            status=one("active", "stale", "archived"),
            tier=one("hot", "cold"),
            persona=one(None, "qa", "dev"),
            detail=one({}, {"complexity": "low"}, {"steps": [1, 2]}),
            confidence=one(0.333, 0.5, 1.0),
            success_rate=one(None, 0.1, 0.667),
            outcome_score=one(-1.0, -0.501, -0.5, 0.0, 0.5, 0.501, 1.0),
            use_count=one(0, 0, 1, 2, 3),
            embedding_model=one(None, MODEL),
            updated_at=NOW + timedelta(microseconds=int(numbers.integers(10**9))),
        )
        for n in range(60)
    ]


RECORDS = _records()


@pytest.fixture(scope="module")
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        foreign = [replace(RECORDS[0], tenant="rival"), replace(RECORDS[0], project="other")]
        documents = [document_of(record, None) for record in (*RECORDS, *foreign)]
        assert not opened.write([*documents, tombstone_of(SCOPE, "erased", 2)]).failed
        yield opened


@pytest.fixture(scope="module")
def embedded() -> Iterator[EmbeddedIndex]:
    database = Database(None)
    store = open_record_store(database, Bodies(BlobsInMemory()))
    changes = tuple(Change(record, 0, "created", "ada", NOW) for record in RECORDS)
    store.writer.commit(Commit(scope=SCOPE, changes=changes))
    yield EmbeddedIndex(database.reader, model=MODEL, dimensions=DIMENSIONS)
    store.close()


@pytest.mark.parametrize("viewer", VIEWERS)
def test_numbers_are_those_of_the_embedded_backend(
    domain: Domain, embedded: EmbeddedIndex, viewer: Viewer
) -> None:
    assert domain.index.stats(SCOPE, viewer, now=NOW) == embedded.stats(SCOPE, viewer, now=NOW)


def test_project_without_records_counts_nothing(domain: Domain, embedded: EmbeddedIndex) -> None:
    nowhere = Scope("acme", "nowhere")
    assert domain.index.stats(nowhere, Viewer(), now=NOW) == embedded.stats(nowhere, Viewer(), now=NOW)
