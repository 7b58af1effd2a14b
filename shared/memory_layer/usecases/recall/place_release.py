"""Step of a recall: where a question asks what a release brought, the lines of that release stand first.

Lines of other releases have numbers in common with it, and words that are near to a version mean nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memory_layer.domain.arrays import np
from memory_layer.domain.memory import Memory, searchable_text
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.release_questions import asked_release, is_of_kind, kinds_asked
from memory_layer.domain.retrieval.specific_tokens import compared_text
from memory_layer.usecases.recall.judge_candidates import HitReader, Hits

OTHER_RELEASE: Final = 0.5
"""Share of its relevance that a hit keeps which says nothing of the release."""

OTHER_KIND: Final = 0.75
"""Share that a line of the release keeps which is other news than what is asked for (`Which bugs were fixed …`)."""


def release_first(reading: HitReader, hits: Hits) -> Hits:
    """Hits whose relevance is less where they say nothing of the release asked for; no other question changes them."""
    versions = asked_release(reading.search.query)
    if not versions or len(hits) < 2:
        return hits

    kinds = kinds_asked(reading.search.query)

    def share_kept(memory: Memory) -> float:
        text = compared_text(searchable_text(memory.content, memory.context) or memory.content)
        if not any(version.is_said_in(text) for version in versions):
            return OTHER_RELEASE
        return 1.0 if is_of_kind(kinds, memory.content, memory.context) else OTHER_KIND

    refs = hits.records.refs()
    shares = {memory.ref: share_kept(memory) for memory in reading.some(refs)}
    kept = np.array([shares.get(ref, OTHER_RELEASE) for ref in refs])
    return replace(hits, relevances=Relevances(hits.relevances.semantic * kept, hits.relevances.lexical))
