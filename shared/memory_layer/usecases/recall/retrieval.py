"""Retrieval: the one path from a query to the records that may be shown, for recall, context, prompts and enrichment.

Steps: find_candidates.py searches; judge_candidates.py blends, checks and judges; expand_hits.py adds what the graph
ties to the hits; the caller ranks; judge_answer.py judges the answer; `Retrieval.shown` reads and checks what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice

from memory_layer.domain.access import origin_of, without_copies
from memory_layer.domain.arrays import np
from memory_layer.domain.learning.author_records import NO_RECORDS, AuthorRecords, Lowering
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.policy import BlendMode
from memory_layer.ports.process import Ports, layout_of
from memory_layer.usecases.recall import judge_candidates
from memory_layer.usecases.recall.expand_hits import expand_hits
from memory_layer.usecases.recall.find_candidates import (
    CandidateSearch,
    Unseen,
    find_candidates,
    merge_candidates,
)
from memory_layer.usecases.recall.hydrate import hydrate_records
from memory_layer.usecases.recall.judge_answer import HITS_JUDGED, AnswerChances, ShownHits, judge_answer
from memory_layer.usecases.recall.place_release import release_first
from memory_layer.usecases.recall.weigh_evidence import weigh_evidence


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Retrieval for one request.

    Args:
        search: words, filters, viewer and time.
        reading: reader of the records that are needed.
        blend: way of the project's settings.
        authors: whose lines rank lower.
    """

    ports: Ports
    search: CandidateSearch
    reading: judge_candidates.HitReader
    blend: BlendMode = "minmax"
    authors: AuthorRecords = NO_RECORDS

    @property
    def lowered(self) -> Mapping[str, Lowering]:
        """Lowering of authors' unreviewed lines, by `author_digest`."""
        return self.authors.lowered(self.search.now) if self.authors.findings else {}

    def found(
        self, searches: Sequence[CandidateSearch] = (), unseen: Unseen = None
    ) -> judge_candidates.CandidateHits:
        """Candidates with their relevance to the query.

        Args:
            searches: in the place of `search`, with the same words.
            unseen: `find_candidates.unseen_refs`, where they were read just before.
        """
        each = (find_candidates(self.ports, search, unseen) for search in searches or (self.search,))
        return judge_candidates.blend_candidates(reduce(merge_candidates, each), self.blend, self.search)

    def judged(self, found: judge_candidates.CandidateHits, k: int) -> judge_candidates.Hits:
        """The `k` most relevant records that may be shown, with the evidence of their facts weighed in."""
        return release_first(self.reading, weigh_evidence(self.reading.best(found, k), self.search))

    def expanded(
        self,
        found: judge_candidates.CandidateHits,
        k: int,
        entities: Sequence[str],
        search: CandidateSearch | None = None,
    ) -> judge_candidates.Hits:
        """The `k` most relevant records that may be shown, and those that the graph ties to them.

        Args:
            entities: named by the caller.
            search: for records tied to them; None: the same.
        """
        hits = self.reading.best(found, k)
        expanded = expand_hits(self.ports, search or self.search, hits, found, self.reading, entities)
        return release_first(self.reading, expanded)

    def answer(
        self,
        found: judge_candidates.CandidateHits,
        ranked: judge_candidates.Hits,
        k: int = HITS_JUDGED,
        whole: int = HITS_JUDGED,
        entities: Sequence[str] = (),
    ) -> AnswerChances:
        """Judges an answer by its first `k` hits, reading them.

        Args:
            ranked: the hits in the order that they are shown.
            whole: how many are shown, and read with their bodies; the others are judged as they lie.
            entities: named by the caller.
        """
        first, shares = ranked.records.names(slice(k)), ranked.relevances.semantic[:k]
        refs = first.refs()
        lying = self.reading.some(refs)
        shown, _ = hydrate_records(self.ports.store.memories, lying[:whole])
        if shown != lying[:whole]:
            self.reading.known.update((memory.ref, memory) for memory in shown)
        memories = [*shown, *lying[whole:]]
        if len(memories) < len(refs):  # some may not be shown, or not be read
            known = {memory.ref for memory in memories}
            rows = np.array([row for row, ref in enumerate(refs) if ref in known], np.intp)
            first, shares = first.names(rows), shares[rows]
        models = layout_of(self.ports.embedder).dimensions
        hits = ShownHits(memories, first, shares, models, ranked.is_named)
        return judge_answer(self.search, self.ports.word_rank, found, hits, entities)

    def shown(
        self, refs: Sequence[Ref], limit: int, present: Callable[[], Iterable[Ref]] | None = None
    ) -> tuple[list[Memory], tuple[str, ...]]:
        """The first `limit` of these records that may be shown and read, with all their words; and notes.

        One that may not be shown, or that is the tenant's copy of another here, leaves its place to the next.

        Args:
            present: records that are here; None: `refs`.
        """
        shown: list[Memory] = []
        notes: tuple[str, ...] = ()
        left = iter(refs)
        while chunk := list(islice(left, limit - len(shown))):
            found, more_notes = hydrate_records(
                self.ports.store.memories,
                self._originals(self.reading.some(chunk), present or (lambda: refs)),
            )
            shown, notes = [*shown, *found], (*notes, *more_notes)
        return shown, tuple(dict.fromkeys(notes))

    def _originals(self, memories: Sequence[Memory], present: Callable[[], Iterable[Ref]]) -> list[Memory]:
        """Records without the tenant's copies of those that are present."""
        copied = set(map(origin_of, memories)) - {None}
        if not copied:
            return list(memories)
        origins = self.reading.some([ref for ref in present() if f"{ref.project}/{ref.id}" in copied])
        kept = {one.ref for one in without_copies([*memories, *origins])}
        return [memory for memory in memories if memory.ref in kept]
