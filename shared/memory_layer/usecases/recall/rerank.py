"""Optional step of a recall: the first hits put in the order in which a user's reranker finds that they answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import Reranker
from memory_layer.usecases.recall.hydrate import hydrate_records
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column

STEP: Final = 0.02
"""Relevance by which a hit is below the one before it, at least: of twenty the last is a margin of ADR-0005 below."""

LOOKED_UP: Final = "entity"
"""Strategy that looks up what is tied to an entity: it answers no question."""

LEAST_STEP: Final = 1e-6
"""Step where there is no room: it decides between hits that are equal in everything."""


def reranked(retrieval: Retrieval, hits: Hits, strategy: str) -> Hits:
    """Hits whose first ones exchange their relevances by what the reranker says; without one as they are.

    Relevances change owners and hardly their values: what rests on them (order of trust, chances, abstention) means
    what it did.
    """
    reranker = retrieval.ports.reranker
    if reranker is None or strategy == LOOKED_UP or len(hits.records) < 2:
        return hits
    rows = np.argsort(-hits.relevances.semantic, kind="stable")[: reranker.first]
    try:
        order = _order(retrieval, reranker, hits, rows)
    except EmbedderUnavailable as error:
        return replace(hits, notes=(*hits.notes, error.detail))
    semantic = hits.relevances.semantic.copy()
    others = np.delete(semantic, rows)
    semantic[order] = stepped_down(semantic[rows], float(others.max()) if len(others) else 0.0)
    return hits.with_relevances(Relevances(semantic, hits.relevances.lexical))


def stepped_down(relevances: Column, least: float) -> Column:
    """Relevances in order, each lower than the one before it, as far as there is room above the hits behind them.

    Without steps the merits of equally relevant hits would decide alone, whatever the reranker says.

    Args:
        relevances: descending; shape (n,), at least one.
        least: relevance of the best hit that was not reranked, 0 where there is none.
    """
    room = max(0.0, float(relevances[0]) - least)
    step = max(LEAST_STEP, min(STEP, room / len(relevances)))
    ladder = relevances[0] - step * np.arange(len(relevances))
    return np.asarray(np.maximum(np.minimum(relevances, ladder), 0.0))


def _order(retrieval: Retrieval, reranker: Reranker, hits: Hits, rows: NDArray[np.intp]) -> list[int]:
    """Rows by the reranker's scores, best first; one that may not be read keeps the last place."""
    refs = hits.records.names(rows).refs()
    memories, _ = hydrate_records(retrieval.ports.store.memories, retrieval.reading.some(refs))
    texts = {memory.ref: memory.content for memory in memories}
    known = [(ref, row) for ref, row in zip(refs, rows.tolist(), strict=True) if ref in texts]
    with retrieval.ports.turns.left():
        scores = reranker.scores(retrieval.search.query, [texts[ref] for ref, _ in known])
    best = sorted(range(len(known)), key=lambda at: -scores[at])
    unknown = [row for ref, row in zip(refs, rows.tolist(), strict=True) if ref not in texts]
    return [known[at][1] for at in best] + unknown
