"""Fifth step of a recall: ranked hits in the order of trust; only those that are shown are looked at closely."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memory_layer.domain.access import agent_voice
from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.facts import is_trusted as are_trusted
from memory_layer.domain.retrieval.trust_order import (
    BORROWED_BELOW,
    BY_RELEVANCE,
    LEAST_REST,
    RISING,
    Echo,
    PlacedHits,
    TrustColumns,
    bearing,
    placed_by_trust,
    pulls_of,
)
from memory_layer.domain.retrieval.trusted_candidates import TRUSTED_KEPT, contents_of
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.copied_words import CopiedTexts
from memory_layer.domain.text.repeated_question import AskedQuestion, says_more
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import layout_of
from memory_layer.usecases.recall.find_candidates import embedded
from memory_layer.usecases.recall.judge_answer import nearness_of
from memory_layer.usecases.recall.judge_candidates import CandidateHits, Hits
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows
    from memory_layer.ports.commit import Vector
    from memory_layer.ports.process import Embedder

RESTS_KEPT: Final = 512
"""Rests of lines whose vectors are kept: 1 MB."""

LOOKED_AT_CHARS: Final = 8_192
"""Characters of a line in which the question is looked for: what is beyond hardly moves its vector."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw of the question on n records.

    Args:
        semantic: blended relevance.
        nearness: cosine above chance.
        chance: cosine of what has nothing to do with the question.
    """

    semantic: Column
    nearness: Column
    chance: float

    @property
    def pulls(self) -> Column:
        return pulls_of(self.semantic, self.nearness)

    @property
    def bears(self) -> NDArray[np.bool_]:
        return bearing(self.semantic, self.nearness)


def order_by_trust(
    retrieval: Retrieval, found: CandidateHits, hits: Hits, ranked: RankedHits, k: int
) -> RankedHits:
    """Places ranked hits by trust.

    Args:
        hits: whose rows `ranked` names.
        k: how many are shown.
    """
    is_trusted = are_trusted(hits.facts)[ranked.rows]
    if is_trusted[:k].all():
        return ranked
    semantic = hits.relevances.semantic[ranked.rows]
    draw = Draw(semantic, nearness_of(found, ranked.records), found.chance_cosine)
    placed = place_hits(retrieval, ranked.records, ranked.scores, draw, is_trusted, k)
    taken = ranked.take(placed.rows)
    placed_by = placed.placed_by
    if taken.placed_by is not None:
        placed_by = np.where(placed_by == BY_RELEVANCE, taken.placed_by, placed_by)
    return RankedHits(taken.records, taken.rows, placed.scores, ranked.signals, placed_by)


def hits_by_trust(retrieval: Retrieval, found: CandidateHits, hits: Hits) -> Hits:
    """Places hits that are in the order of their relevance by trust; their relevance follows."""
    is_trusted = are_trusted(hits.facts)
    if is_trusted.all():
        return hits
    semantic = hits.relevances.semantic
    draw = Draw(semantic, nearness_of(found, hits.records), found.chance_cosine)
    placed = place_hits(retrieval, hits.records, semantic, draw, is_trusted, len(hits))
    hits = hits.take(placed.rows)
    return hits.with_relevances(Relevances(placed.scores, hits.relevances.lexical))


def rows_by_trust(
    retrieval: Retrieval, records: RecordTable, draw: Draw, is_trusted: NDArray[np.bool_], k: int
) -> Rows:
    """Rows of records, which are in an order of their own, in the order of trust."""
    if is_trusted[:k].all():
        return np.arange(len(records))
    own_order = np.arange(len(records), 0.0, -1.0)
    return place_hits(retrieval, records, own_order, draw, is_trusted, k).rows


def place_hits(
    retrieval: Retrieval,
    records: RecordTable,
    scores: Column,
    draw: Draw,
    is_trusted: NDArray[np.bool_],
    k: int,
) -> PlacedHits:
    """Places records, and looks closer at unreviewed ones for as long as there are new ones among the first `k`."""
    close, pulls, bears = _CloseLook(retrieval, records, is_trusted, draw.chance), draw.pulls, draw.bears
    shown = _shown_or_rising(pulls, is_trusted, k, RISING)
    read = retrieval.reading.some(
        records.take(shown).refs()
    )  # together: one by one it takes as long as the search
    close.hear_trusted(read)
    new = _shown_or_rising(pulls, is_trusted, k, TRUSTED_KEPT)
    while True:
        close.look_at(new)
        placed = placed_by_trust(
            TrustColumns(
                scores, pulls, bears, is_trusted, close.borrows, close.echoes, close.speakers, close.alike
            )
        )
        new = close.unseen(placed.rows[:k])
        if not len(new):
            return placed


def _shown_or_rising(pulls: Column, is_trusted: NDArray[np.bool_], k: int, most: int) -> Rows:
    """Rows of the first `k`, and of the `most` trusted ones with the strongest pull."""
    trusted = true_rows(is_trusted)
    rising = trusted[np.argsort(-pulls[trusted], kind="stable")[:most]]
    is_asked = np.zeros(len(pulls), np.bool_)
    is_asked[:k] = is_asked[rising] = True
    return true_rows(is_asked)


class _CloseLook:
    """Records looked at closely: the words of unreviewed ones, who speaks, and which others they are like."""

    def __init__(
        self, retrieval: Retrieval, records: RecordTable, is_trusted: NDArray[np.bool_], chance: float
    ) -> None:
        self._retrieval, self._records = retrieval, records
        self._is_trusted, self._chance = is_trusted, chance
        self._question = AskedQuestion(retrieval.search.query)
        self._names: dict[str, int] = {}
        self._seen: Rows = np.empty(0, np.intp)
        self._is_seen = np.zeros(len(records), np.bool_)
        self._vectors: Column | None = None
        self._vouched_for = CopiedTexts()
        self._turns: set[Ref] = set()
        self.borrows = np.zeros(len(records), np.bool_)
        self.echoes = np.full(len(records), Echo.NONE, np.int8)
        self.speakers = np.full(len(records), -1, np.int64)

    def unseen(self, rows: Rows) -> Rows:
        """Those of the rows that were not looked at."""
        return rows[~self._is_seen[rows]]

    def hear_trusted(self, memories: Sequence[Memory]) -> None:
        """Keeps in mind what people vouch for, which others may copy."""
        said = [memory for memory in memories if memory.is_trusted]
        self._vouched_for = CopiedTexts([memory.content[:LOOKED_AT_CHARS] for memory in said])
        self._keep_turns(said)

    def _keep_turns(self, memories: Sequence[Memory]) -> None:
        self._turns |= {memory.ref for memory in memories if memory.session_id is not None and memory.context}

    def look_at(self, rows: Rows) -> None:
        refs = (looked_at := self._records.take(rows)).refs()
        vectors = _contents(self._retrieval, looked_at, refs)
        self._vectors = vectors if self._vectors is None else np.concatenate([self._vectors, vectors])
        self._seen = np.concatenate([self._seen, rows])
        self._is_seen[rows] = True
        asked = {ref: row for ref, row in zip(refs, rows.tolist(), strict=True) if not self._is_trusted[row]}
        rests: dict[int, str] = {}
        unreviewed = self._retrieval.reading.some(list(asked))
        self._keep_turns(unreviewed)
        made_up = {memory.ref for memory in unreviewed if memory.context and memory.session_id is None}
        for memory in unreviewed:
            row = asked[memory.ref]
            self.speakers[row] = self._names.setdefault(agent_voice(memory.created_by), len(self._names))
            self.echoes[row], rest = self._heard(memory)
            rests |= {row: rest} if says_more(rest) else {}
        self._judge(rests)
        self.borrows[self._brought_up_by(self._turns, rows, refs, vectors)] = True
        self.echoes[self._brought_up_by(made_up, rows, refs, vectors)] = Echo.SOLE

    def _brought_up_by(
        self, contexts: Collection[Ref], rows: Rows, refs: Sequence[Ref], vectors: Column
    ) -> Rows:
        """Rows of those records with such contexts that these alone brought up: their own words do not bear on it."""
        at = [place for place, ref in enumerate(refs) if ref in contexts]
        asked = self._question_vector if at and self._question.words else None
        return rows[:0] if asked is None else rows[at][vectors[at] @ asked < BORROWED_BELOW * self._chance]

    def _heard(self, memory: Memory) -> tuple[Echo, str | None]:
        """Echo of the question in a line, and what the line says beside the span of it, and beside what it copies."""
        said = memory.content[:LOOKED_AT_CHARS]
        if self._question.is_repeated_in(said) or self._is_asked_around(memory):
            return Echo.SOLE, None
        rest, own = self._question.rest_of(said), self._vouched_for.rest_of(said)
        holds_most = rest is not None and self._question.has_parts
        is_part = own is not None or holds_most or self._question.is_quoted_in(said)
        if own is not None:
            rest = self._question.rest_of(own) or own
        return (Echo.PART if is_part else Echo.NONE), rest

    @property
    def alike(self) -> Column:
        """Cosines of the contents of unreviewed records with all that was looked at; NaN of others."""
        cosines = np.full((len(self._records),) * 2, np.nan)
        if self._vectors is not None:
            is_unreviewed = ~self._is_trusted[self._seen]
            unreviewed = self._seen[is_unreviewed]
            cosines[unreviewed[:, None], self._seen] = self._vectors[is_unreviewed] @ self._vectors.T
        return cosines

    def _is_asked_around(self, memory: Memory) -> bool:
        """Tests if a line repeats the question in the context that its author gave it; a turn's is not made up."""
        made_up = memory.context if memory.session_id is None else None
        return made_up is not None and self._question.is_repeated_in(made_up)

    @property
    def _question_vector(self) -> Vector | None:
        search = self._retrieval.search
        vector, _ = search.embedded or embedded(self._retrieval.ports, search).embedded or (None, ())
        return vector

    def _judge(self, rests: Mapping[int, str]) -> None:
        """Judges lines by what they say beside the question and beside copied words.

        Those whose rest says nothing of the question are mere echoes; those whose rest is no nearer to it than chance
        are drawn by what they repeat.
        """
        asked = self._question_vector if rests else None
        if asked is None or self._vectors is None:
            return
        at = {row: place for place, row in enumerate(self._seen.tolist())}
        embedder = self._retrieval.ports.embedder
        with suppress(EmbedderUnavailable):  # then they stay parts
            for row, rest in rests.items():
                near = float(_vector_of(_Rest(rest, embedder.model, embedder)) @ asked)
                if near < LEAST_REST * float(self._vectors[at[row]] @ asked):
                    self.echoes[row] = Echo.SOLE
                elif near < self._chance:
                    self.echoes[row] = Echo.PART


@dataclass(frozen=True, slots=True)
class _Rest:
    """Rest of a line: what it says beside a question. Args: embedder: any of the model."""

    text: str
    model: str
    embedder: Embedder = field(compare=False)


@kept_by_text(RESTS_KEPT)
def _vector_of(rest: _Rest) -> Vector:
    """Vector of a rest; kept, because what is asked once is asked again."""
    vector: Vector = rest.embedder.embed([rest.text])[0]
    return layout_of(rest.embedder).widened(vector)


def _contents(retrieval: Retrieval, records: RecordTable, refs: list[Ref]) -> Column:
    """Vectors of the contents: the index's, or those of the record store; NaN where there is none."""
    kept = contents_of(records)
    if kept is not None:
        return kept
    layout = layout_of(retrieval.ports.embedder)
    found = np.full((len(refs), layout.width), np.nan)
    model_of = {memory.ref: memory.embedding_model for memory in retrieval.reading.some(refs)}
    for scope in records.scopes:
        rows = {
            ref.id: row for row, ref in enumerate(refs) if ref in model_of and ref.project == scope.project
        }
        for id, vectors in retrieval.ports.store.memories.vectors(scope, list(rows)).items():
            row = layout.row(model_of[refs[rows[id]]], vectors.content)
            found[rows[id]] = np.nan if row is None else row
    return found
