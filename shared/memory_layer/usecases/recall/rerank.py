"""Optional step of a recall: the first hits put in the order in which a user's reranker finds that they answer."""

from __future__ import annotations

from dataclasses import replace

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import Reranker
from memory_layer.usecases.recall.hydrate import hydrate_records
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.retrieval import Retrieval


def reranked(retrieval: Retrieval, hits: Hits) -> Hits:
    """Hits whose first ones exchange their relevances by what the reranker says; without one as they are.

    Relevances change owners and no value: what rests on them (order of trust, chances, abstention) means what it did.
    """
    reranker = retrieval.ports.reranker
    if reranker is None or len(hits.records) < 2:
        return hits
    rows = np.argsort(-hits.relevances.semantic, kind="stable")[: reranker.first]
    try:
        order = _order(retrieval, reranker, hits, rows)
    except EmbedderUnavailable as error:
        return replace(hits, notes=(*hits.notes, error.detail))
    semantic = hits.relevances.semantic.copy()
    semantic[order] = np.sort(hits.relevances.semantic[rows])[::-1]
    return hits.with_relevances(Relevances(semantic, hits.relevances.lexical))


def _order(retrieval: Retrieval, reranker: Reranker, hits: Hits, rows: NDArray[np.intp]) -> list[int]:
    """Rows by the reranker's scores, best first; one that may not be read keeps the last place."""
    refs = hits.records.take(rows).refs()
    memories, _ = hydrate_records(retrieval.ports.store.memories, retrieval.reading.some(refs))
    texts = {memory.ref: memory.content for memory in memories}
    known = [(ref, row) for ref, row in zip(refs, rows.tolist(), strict=True) if ref in texts]
    with retrieval.ports.turns.left():
        scores = reranker.scores(retrieval.search.query, [texts[ref] for ref, _ in known])
    best = sorted(range(len(known)), key=lambda at: -scores[at])
    unknown = [row for ref, row in zip(refs, rows.tolist(), strict=True) if ref not in texts]
    return [known[at][1] for at in best] + unknown
