"""Vectors for records about to be stored; a write lands without them while the embedder is down."""

from collections.abc import Sequence
from dataclasses import replace

from memory_layer.domain.memory import Memory, embedding_text_hash, searchable_text
from memory_layer.domain.record_copy import copied_with
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.commit import Vectors
from memory_layer.ports.process import Embedder


def embed_memories(embedder: Embedder, memories: Sequence[Memory]) -> list[tuple[Memory, Vectors | None]]:
    """Embeds all records in one call; pairs each with its vectors.

    Returns:
        The records stamped with model and text hash; stamped with neither, beside None, if the embedder is down.
    """
    try:
        return [*embed_or_fail(embedder, memories)]
    except EmbedderUnavailable:
        return [
            (replace(memory, embedding_model=None, embedding_text_hash=None), None) for memory in memories
        ]


def embed_or_fail(embedder: Embedder, memories: Sequence[Memory]) -> list[tuple[Memory, Vectors]]:
    """Embeds all records in one call; pairs each, stamped, with its vectors, or fails.

    Raises:
        EmbedderUnavailable
    """
    contents = [memory.content for memory in memories]
    windows = [searchable_text(memory.content, memory.context) for memory in memories]
    vectors = embedder.embed([*contents, *(window for window in windows if window is not None)])
    remaining = iter(vectors[len(contents) :])
    return [
        (
            stamped(memory, embedder.model),
            Vectors(vectors[position], None if windows[position] is None else next(remaining)),
        )
        for position, memory in enumerate(memories)
    ]


def stamped(memory: Memory, model: str) -> Memory:
    """Record with model and text hash, by which a backfill knows that its vectors are current."""
    return copied_with(
        memory,
        embedding_model=model,
        embedding_text_hash=embedding_text_hash(memory.content, memory.context),
    )
