"""The peers, each as its documentation shows it: one process, files on the local disk, nothing sent anywhere.

Each function opens one product in an empty folder and returns how to fill it and how to search it. Its texts go
through the given embedder, as its API foresees; one scope holds everything, which is the best case for each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.peers.dataset import DIMENSIONS, Dataset, GivenVectors
from tests.bench.peers.timing import TOP, Search

SCOPE = "bench"
FILL_CHUNK = 1_000
REFINE = 10
"""Candidates per result that LanceDB's quantized index ranks again by their exact distance."""

os.environ.update(
    MEM0_TELEMETRY="False",
    ANONYMIZED_TELEMETRY="False",
    LANGSMITH_TRACING="false",
    OPENAI_API_KEY="unused",
)


@dataclass(frozen=True, slots=True)
class Peer:
    """One product, open: what it is, how to fill it, how to ask it. A hybrid looks at the words too."""

    distribution: str
    searches: str
    fill: Callable[[Dataset], None]
    search: Search
    is_hybrid: bool = False


class Switchable:
    """The embedder that a product was given; the benchmark exchanges what is behind it."""

    behind: GivenVectors

    def vectors(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = self.behind.embed(texts).tolist()
        return found


def open_mem0(folder: Path, embedder: Switchable) -> Peer:
    os.environ["MEM0_DIR"] = str(folder)
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase

    class Given(EmbeddingBase):  # type: ignore[misc]
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            del memory_action
            return embedder.vectors([text])[0]

    store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Given()

    def fill(dataset: Dataset) -> None:
        import uuid

        for start, texts, vectors in _chunks(dataset):
            ids = [str(uuid.UUID(int=start + offset)) for offset in range(len(texts))]
            memory.vector_store.insert(
                vectors=vectors,
                payloads=[
                    {"data": text, "user_id": SCOPE, "hash": id} for text, id in zip(texts, ids, strict=True)
                ],
                ids=ids,
            )

    def search(question: str) -> list[str]:
        found = memory.search(question, filters={"user_id": SCOPE}, top_k=TOP)["results"]
        return [item["memory"] for item in found]

    return Peer("mem0ai", "vectors, exact (local Qdrant)", fill, search)


def open_chroma(folder: Path, embedder: Switchable) -> Peer:
    import chromadb
    from chromadb import EmbeddingFunction

    class Given(EmbeddingFunction[Any]):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()

        def __call__(self, input: list[str]) -> Any:
            return embedder.behind.embed(input)

    client = chromadb.PersistentClient(str(folder), settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        SCOPE, embedding_function=Given(), configuration={"hnsw": {"space": "cosine"}}
    )

    def fill(dataset: Dataset) -> None:
        for start, texts, vectors in _chunks(dataset):
            ids = [str(start + offset) for offset in range(len(texts))]
            collection.add(ids=ids, documents=texts, embeddings=vectors)

    def search(question: str) -> list[str]:
        answer = collection.query(query_texts=[question], n_results=TOP)
        return list(answer["documents"][0])

    return Peer("chromadb", "vectors, HNSW", fill, search)


def open_langgraph(folder: Path, embedder: Switchable) -> Peer:
    from langgraph.store.base import PutOp
    from langgraph.store.sqlite import SqliteStore

    connection = _durable_sqlite(folder / "store.db")
    index = {"dims": DIMENSIONS, "embed": embedder.vectors, "text_fields": ["text"]}  # it ignores "fields"
    store = SqliteStore(connection, index=index)
    store.setup()

    def fill(dataset: Dataset) -> None:
        for start, texts, _ in _chunks(dataset):
            store.batch(
                [PutOp((SCOPE,), str(start + offset), {"text": text}) for offset, text in enumerate(texts)]
            )

    def search(question: str) -> list[str]:
        return [item.value["text"] for item in store.search((SCOPE,), query=question, limit=TOP)]

    return Peer("langgraph-checkpoint-sqlite", "vectors, exact (sqlite-vec)", fill, search)


def open_sqlite_vec(folder: Path, embedder: Switchable) -> Peer:
    """Both arms in one file, united by their ranks, as sqlite-vec's author shows it."""
    import sqlite_vec

    connection = _durable_sqlite(folder / "vec.db")
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.executescript(
        f"CREATE VIRTUAL TABLE near USING vec0(embedding float[{DIMENSIONS}] distance_metric=cosine);"
        "CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
        "CREATE VIRTUAL TABLE words USING fts5(text, content='memories', content_rowid='id', tokenize='porter');"
    )

    def fill(dataset: Dataset) -> None:
        for start, texts, _ in _chunks(dataset):
            rows = [(start + offset, text) for offset, text in enumerate(texts)]
            vectors = (vector.tobytes() for vector in dataset.vectors[start : start + len(texts)])
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO memories (id, text) VALUES (?, ?)", rows)
            connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
            pairs = ((id, vector) for (id, _), vector in zip(rows, vectors, strict=True))
            connection.executemany("INSERT INTO near (rowid, embedding) VALUES (?, ?)", pairs)
            connection.execute("COMMIT")

    def search(question: str) -> list[str]:
        vector = embedder.behind.embed([question])[0].tobytes()
        asked = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        return [text for (text,) in connection.execute(_UNITED_BY_RANK, (vector, ARM, asked, ARM, TOP))]

    return Peer("sqlite-vec", "vectors, exact, and FTS5", fill, search, is_hybrid=True)


_WORD = re.compile(r"\w+")
_UNITED_BY_RANK = """
WITH nearest AS (
    SELECT rowid AS id, row_number() OVER (ORDER BY distance) AS place FROM near WHERE embedding MATCH ? AND k = ?
), saying AS (
    SELECT rowid AS id, row_number() OVER (ORDER BY rank) AS place FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?
)
SELECT text FROM (SELECT * FROM nearest UNION ALL SELECT * FROM saying) JOIN memories USING (id)
GROUP BY id ORDER BY sum(1.0 / (60 + place)) DESC LIMIT ?
"""
ARM = 50
"""Candidates of each arm."""


def _durable_sqlite(file: Path) -> Any:
    """A connection whose commits outlast a loss of power, as ours do, in a Python that loads extensions."""
    import sqlite3

    connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
    if not hasattr(connection, "enable_load_extension"):
        raise RuntimeError("this Python's sqlite3 loads no extensions; see PEERS_PYTHON in the Makefile")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def open_lancedb(folder: Path, embedder: Switchable) -> Peer:
    table = _LanceTable(folder, embedder)

    return Peer("lancedb", "vectors, exact", table.fill, table.nearest)


def open_lancedb_ivf(folder: Path, embedder: Switchable) -> Peer:
    table = _LanceTable(folder, embedder)

    def fill(dataset: Dataset) -> None:
        table.fill(dataset)
        table.opened.create_index(metric="cosine", vector_column_name="vector")

    def search(question: str) -> list[str]:
        return table.nearest(question, refine_factor=REFINE)

    return Peer("lancedb", "vectors, IVF-PQ, refined", fill, search)


def open_lancedb_hybrid(folder: Path, embedder: Switchable) -> Peer:
    table = _LanceTable(folder, embedder)

    def fill(dataset: Dataset) -> None:
        table.fill(dataset)
        table.opened.create_fts_index("text")

    def search(question: str) -> list[str]:
        vector = embedder.behind.embed([question])[0]
        query = table.opened.search(query_type="hybrid").vector(vector).text(question)
        return [row["text"] for row in query.limit(TOP).to_list()]

    return Peer("lancedb", "vectors, exact, and BM25", fill, search, is_hybrid=True)


class _LanceTable:
    def __init__(self, folder: Path, embedder: Switchable) -> None:
        import lancedb

        self._embedder = embedder
        self._database = lancedb.connect(str(folder))
        self.opened: Any = None

    def fill(self, dataset: Dataset) -> None:
        import pyarrow as pa

        vectors = pa.FixedSizeListArray.from_arrays(pa.array(dataset.vectors.ravel()), DIMENSIONS)
        numbers = pa.array(range(len(dataset.texts)))
        columns = {"id": numbers, "text": pa.array(dataset.texts), "vector": vectors}
        self.opened = self._database.create_table(SCOPE, pa.table(columns))

    def nearest(self, question: str, refine_factor: int | None = None) -> list[str]:
        vector = self._embedder.behind.embed([question])[0]
        query = self.opened.search(vector).metric("cosine").select(["id", "text", "_distance"])
        if refine_factor is not None:
            query = query.refine_factor(refine_factor)
        return [row["text"] for row in query.limit(TOP).to_list()]


def _chunks(dataset: Dataset) -> Iterator[tuple[int, list[str], list[list[float]]]]:
    for start in range(0, len(dataset.texts), FILL_CHUNK):
        rows = slice(start, start + FILL_CHUNK)
        yield start, dataset.texts[rows], dataset.vectors[rows].tolist()


OPENERS: dict[str, Callable[[Path, Switchable], Peer]] = {
    "mem0": open_mem0,
    "chroma": open_chroma,
    "langgraph SqliteStore": open_langgraph,
    "sqlite-vec and FTS5": open_sqlite_vec,
    "LanceDB": open_lancedb,
    "LanceDB indexed": open_lancedb_ivf,
    "LanceDB hybrid": open_lancedb_hybrid,
}
