"""How a project gets into RAM, and what of it is read anew at every search."""

import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from memory_layer.adapters.embedded.ram_index.change_feed import Chunk, batch_of_chunk
from memory_layer.adapters.embedded.ram_index.project_index import ProjectIndex
from memory_layer.adapters.embedded.ram_index.project_view import TextField
from memory_layer.adapters.embedded.sqlite.record_rows import placeholders


def load_project(index: ProjectIndex, chunks: Iterable[Chunk], model: str, dimensions: int) -> None:
    """While this thread reads a chunk, another puts the one before it, which is mostly numpy's work."""
    with ThreadPoolExecutor(1, thread_name_prefix="load") as pool:
        putting: Future[None] | None = None
        for chunk in chunks:
            if putting is not None:
                putting.result()
            putting = pool.submit(lambda rows: index.put(batch_of_chunk(rows, model, dimensions)), chunk)
        if putting is not None:
            putting.result()


def stored_vectors(connection: sqlite3.Connection, field: TextField, keys: Sequence[int]) -> dict[int, bytes]:
    """The float16 vectors of some record keys; those that are gone are left out."""
    sql = (
        f"SELECT memory_key, {field}_vector FROM search_rows"
        f" WHERE memory_key IN ({placeholders(keys)}) AND {field}_vector IS NOT NULL"
    )
    return dict(connection.execute(sql, keys).fetchall())
