"""Scores of records that are read one by one, because the index has not seen them or does not answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_layer.domain.memory import Memory, Ref, Scope, searchable_text
from memory_layer.domain.retrieval.blending import DEPTH
from memory_layer.domain.retrieval.candidates import CandidateTable, candidates_of_lists
from memory_layer.domain.retrieval.exact_scores import bm25, cosines
from memory_layer.domain.retrieval.facts import facts_of, told_scores
from memory_layer.domain.retrieval.merged_candidates import cut_to
from memory_layer.domain.retrieval.told_days import DaySpans
from memory_layer.ports.process import layout_of

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vector, Vectors
    from memory_layer.ports.process import Ports


@dataclass(frozen=True, slots=True)
class ScoredBy:
    """Text of a search with its vector, the scopes searched, and the days of the period that it names."""

    scopes: Sequence[Scope]
    text: str
    vector: Vector | None
    days: DaySpans


def scored_records(
    ports: Ports,
    search: ScoredBy,
    records: Mapping[Ref, Memory],
    vectors: Mapping[Ref, Vectors] | None = None,
) -> CandidateTable:
    """Scores records one by one, with the statistics of their own texts. Args: vectors: theirs; None: to be read."""
    query, vector = search.text, search.vector
    contents = {ref: memory.content for ref, memory in records.items()}
    windows = {
        ref: text
        for ref, memory in records.items()
        if (text := searchable_text(memory.content, memory.context)) is not None
    }
    content_vectors: dict[Ref, Vector] = {}
    context_vectors: dict[Ref, Vector] = {}
    if vector is not None:
        layout = layout_of(ports.embedder)
        for ref, stored in _vectors(ports, search.scopes, list(records), vectors):
            model = records[ref].embedding_model
            if (row := layout.row(model, stored.content)) is not None:
                content_vectors[ref] = row
            if stored.context is not None and (row := layout.row(model, stored.context)) is not None:
                context_vectors[ref] = row
    unembedded = {ref for ref in records if ref not in content_vectors} if vector is not None else ()
    lists = {
        "content_lexical": bm25(query, contents),
        "content_semantic": cosines(vector, content_vectors) if vector is not None else {},
        "context_lexical": bm25(query, windows),
        "context_semantic": cosines(vector, context_vectors) if vector is not None else {},
        "told_days": _told(records, search.days),
    }
    return cut_to(candidates_of_lists(search.scopes[0].tenant, lists, unembedded), DEPTH)


def _vectors(
    ports: Ports, scopes: Sequence[Scope], refs: Sequence[Ref], known: Mapping[Ref, Vectors] | None
) -> Iterator[tuple[Ref, Vectors]]:
    if known is not None:
        yield from ((ref, known[ref]) for ref in refs if ref in known)
        return
    for scope in scopes:
        ids = [ref.id for ref in refs if ref.project == scope.project]
        for id, stored in ports.store.memories.vectors(scope, ids).items():
            yield Ref(scope.project, id), stored


def _told(records: Mapping[Ref, Memory], asked: DaySpans) -> dict[Ref, float]:
    """Share of the days that records tell of in those asked for, of those that tell of any."""
    if not asked:
        return {}
    shares = told_scores(facts_of(list(records.values())), asked).tolist()
    return {ref: share for ref, share in zip(records, shares, strict=True) if share == share}
