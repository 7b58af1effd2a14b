"""Ports of models that read texts: the embedder, with the layout of its vectors, and the reranker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.ports.commit import Vector

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.question_words import Ranks


class Embedder(Protocol):
    """Embedding model, text to unit vectors. Vectors of two models never mix: `model` names the one in use."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeds texts: shape (len(texts), dimensions), rows of unit length, in order.

        Raises:
            EmbedderUnavailable: the model is missing, or does not load.
        """


def layout_of(embedder: Embedder) -> VectorLayout:
    """Models by whose vectors memories are found: that of the embedder, and others until all are embedded again."""
    layout: VectorLayout | None = getattr(embedder, "layout", None)
    return layout or VectorLayout({embedder.model: embedder.dimensions})


def question_vector(embedder: Embedder, text: str) -> Vector:
    """Row of a question (VectorLayout), by which it is compared with memories of every model.

    Raises:
        EmbedderUnavailable
    """
    embed: Callable[[str], Vector] | None = getattr(embedder, "embed_question", None)
    return embedder.embed([text])[0] if embed is None else embed(text)


def compared_vectors(embedder: Embedder, texts: Sequence[str], vectors: Sequence[Vector]) -> Sequence[Vector]:
    """Rows of texts that are compared with memories of every model. Args: vectors: of the model in use."""
    rows: Callable[[Sequence[str], Sequence[Vector]], Sequence[Vector]] | None = getattr(
        embedder, "compared_rows", None
    )
    return vectors if rows is None else rows(texts, vectors)


class Reranker(Protocol):
    """Model that reads a question and a text together, and tells how well the text answers.

    Args:
        model: id of the model.
        first: how many texts of a list are worth its time.
    """

    model: str
    first: int

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Scores of the texts, in order; higher is better, of no particular scale.

        Raises:
            EmbedderUnavailable: the model is missing, or does not load.
        """


def unranked(word: str) -> int | None:
    """None: nobody knows how common the word is."""


def word_ranks(embedder: Embedder) -> Ranks:
    """Ranks of words by the vocabulary of a model, where it has one."""
    ranks: Ranks = getattr(embedder, "rank", unranked)
    return ranks
