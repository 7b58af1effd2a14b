"""Both backends find the same, side by side, on the memories of the demo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memory_layer.local
from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.blending import DEPTH
from memory_layer.domain.retrieval.candidates import LISTS
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.index import IndexAnswer, IndexQuery, SearchIndex
from memory_layer.ports.process import Embedder
from tests.aws.search_domain import Domain, open_domain
from tests.given import BlobsInMemory
from tests.index_examples import NOW, SCOPE, memory
from tests.single_rows import lists_of

pytestmark = pytest.mark.engines

QUESTIONS = [
    *(
        "Why is the database locked?",
        "how do we write many rows quickly",
        "max_connections",
        "retry with jitter",
    ),
    *(
        "What happens when a Lambda function times out?",
        "SQLITE_BUSY",
        "who reviews a migration",
        "flaky test",
    ),
    *(
        "Which cache do we use, and for how long?",
        "rollback of a deployment",
        "BEGIN IMMEDIATE",
        "secrets in logs",
    ),
    *("naming conventions", "docker image size", "how are errors reported to the caller", "time zones"),
]


@dataclass(frozen=True)
class Pair:
    """The same records behind both adapters."""

    domain: Domain
    embedded: EmbeddedIndex


@pytest.fixture(scope="module")
def pair(opensearch_endpoint: str, embedder: Embedder) -> Iterator[Pair]:
    told = json.loads(
        (Path(next(iter(memory_layer.local.__path__))) / "demo_memories.json").read_text("utf-8")
    )
    records = [_record(n, entry, embedder.model) for n, entry in enumerate(told)]
    vectors = _vectors(records, embedder)
    database = Database(None)
    store = open_record_store(database, Bodies(BlobsInMemory()))
    changes = (Change(r, 0, "created", "ada", NOW, vectors=v) for r, v in zip(records, vectors, strict=True))
    store.writer.commit_each([Commit(scope=SCOPE, changes=(change,)) for change in changes])
    with open_domain(opensearch_endpoint, dimensions=embedder.dimensions, model=embedder.model) as domain:
        documents = [document_of(r, v) for r, v in zip(records, vectors, strict=True)]
        assert not domain.write(documents).failed
        yield Pair(
            domain, EmbeddedIndex(database.reader, model=embedder.model, dimensions=embedder.dimensions)
        )
    store.close()


def _record(n: int, told: dict[str, Any], model: str) -> Memory:
    """Every third one with a context."""
    context = "It came up in the weekly review of the platform team." if n % 3 == 0 else None
    return memory(f"m{n:04d}", told["content"], context=context, embedding_model=model)


def _vectors(records: list[Memory], embedder: Embedder) -> list[Vectors]:
    """As the table keeps them: rounded to float16."""
    contents = _rounded(embedder, [record.content for record in records])
    windows = _rounded(embedder, [f"{record.content}\n{record.context}" for record in records])
    return [Vectors(contents[n], windows[n] if record.context else None) for n, record in enumerate(records)]


def _rounded(embedder: Embedder, texts: list[str]) -> Any:
    return embedder.embed(texts).astype(np.float16).astype(np.float32)


def _ask(index: SearchIndex, embedder: Embedder, question: str) -> IndexAnswer:
    return index.search(
        IndexQuery(
            scopes=(SCOPE,),
            text=question,
            vector=embedder.embed([question])[0],
            filters=Filters(),
            viewer=Viewer(),
            now=NOW,
            k=DEPTH,
        )
    )


def test_every_list_is_the_same_to_the_last_digit(pair: Pair, embedder: Embedder) -> None:
    """Safeguard: `hit_scores.arm_scores`; Lucene rounds the lengths of texts, and its cosines are float32."""
    for question in QUESTIONS:
        here, there = (_ask(index, embedder, question) for index in (pair.embedded, pair.domain.index))
        assert replace(there, candidates=here.candidates) == here
        lists = [lists_of(answer.candidates) for answer in (here, there)]
        assert lists[0] == lists[1]
        for name in LISTS:
            assert list(getattr(lists[0], name)) == list(getattr(lists[1], name))
