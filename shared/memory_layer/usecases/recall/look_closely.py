"""Close look at ranked hits: the words of unreviewed ones, who speaks in each, and which others they are like."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_layer.domain.access import agent_voice
from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.learning.line_findings import author_digest
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.trust_order import (
    ANSWERED_BELOW,
    ANSWERS_FROM,
    BORROWED_BELOW,
    LEAST_REST,
    Echo,
    outranking,
    rising,
)
from memory_layer.domain.retrieval.trusted_candidates import contents_of
from memory_layer.domain.text.copied_words import CopiedTexts
from memory_layer.domain.text.question_runs import QuestionRuns, beside_runs, runs_of
from memory_layer.domain.text.repeated_question import AskedQuestion, says_more
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import layout_of
from memory_layer.usecases.recall.find_candidates import embedded
from memory_layer.usecases.recall.hear_exchanges import is_asked_by_agents
from memory_layer.usecases.recall.rest_vectors import vector_of_rest
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows
    from memory_layer.ports.commit import Vector

LOOKED_AT_CHARS: Final = 8_192
"""Characters of a line in which the question is looked for: what is beyond hardly moves its vector."""


@dataclass(frozen=True, slots=True)
class HeardLine:
    """What was heard in a line.

    Args:
        rest: what it says beside the question, and beside what it copies; None: it holds neither.
        lists_most: nearly the whole question stands in it side by side.
    """

    echo: Echo
    rest: str | None = None
    lists_most: bool = False


class CloseLook:
    """Records looked at closely: the words of unreviewed ones, who speaks, and which others they are like.

    Args:
        chance: cosine of what has nothing to do with the question.
        pulls: as `pulls_of`.
        bears: as `bearing`.
        nearness: cosine above chance.
    """

    def __init__(
        self,
        retrieval: Retrieval,
        records: RecordTable,
        is_trusted: NDArray[np.bool_],
        chance: float,
        pulls: Column,
        bears: NDArray[np.bool_],
        nearness: Column,
    ) -> None:
        self._retrieval, self._records, self._above_chance = retrieval, records, nearness
        self._is_trusted, self._chance, self._pulls, self._bears = is_trusted, chance, pulls, bears
        self._question = AskedQuestion(retrieval.search.query)
        self._names: dict[str, int] = {}
        self._seen: Rows = np.empty(0, np.intp)
        self._is_seen = np.zeros(len(records), np.bool_)
        self._vectors: Column | None = None
        self._nearness: Column | None = None
        self._vouched_for = CopiedTexts()
        self._turns: set[Ref] = set()
        self.borrows = np.zeros(len(records), np.bool_)
        self.echoes = np.full(len(records), Echo.NONE, np.int8)
        self.speakers = np.full(len(records), -1, np.int64)
        self.kept = np.ones(len(records))
        self.behind = np.ones(len(records), np.intp)
        self._lowered = retrieval.lowered

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
        refs = (looked_at := self._records.names(rows)).refs()
        vectors = _contents(self._retrieval, looked_at, refs)
        self._vectors = vectors if self._vectors is None else np.concatenate([self._vectors, vectors])
        self._nearness = None
        self._seen = np.concatenate([self._seen, rows])
        self._is_seen[rows] = True
        asked = {ref: row for ref, row in zip(refs, rows.tolist(), strict=True) if not self._is_trusted[row]}
        heard: dict[int, HeardLine] = {}
        unreviewed = self._retrieval.reading.some(list(asked))
        self._keep_turns(unreviewed)
        made_up = {memory.ref for memory in unreviewed if memory.context and memory.session_id is None}
        self.borrows[self._brought_up_by(self._turns, rows, refs)] = True
        risen = rising(self._pulls, self._is_trusted & self._bears & ~self.borrows)
        outranks = outranking(self._pulls, self._is_trusted, risen)
        may_list = self._answered(outranks, risen)
        own = self._vouched_for.rests_of([memory.content[:LOOKED_AT_CHARS] for memory in unreviewed])
        for memory, beside_copy in zip(unreviewed, own, strict=True):
            row = asked[memory.ref]
            self.speakers[row] = self._names.setdefault(agent_voice(memory.created_by), len(self._names))
            if self._lowered:
                self._lower(row, memory)
            heard[row] = self._heard(memory, beside_copy, may_list=bool(may_list[row]))
            self.echoes[row] = heard[row].echo
        self._judge({row: line for row, line in heard.items() if says_more(line.rest)})
        self._hear_answers(unreviewed, outranks, rows, refs)
        self._hear_exchanges({asked[memory.ref]: memory for memory in unreviewed}, risen)
        self.echoes[self._brought_up_by(made_up, rows, refs)] = Echo.SOLE

    def _lower(self, row: int, memory: Memory) -> None:
        found = self._lowered.get(author_digest(memory))
        if found is not None:
            self.kept[row], self.behind[row] = 1.0 - found.share, found.behind

    def _answered(self, outranks: NDArray[np.bool_], risen: Sequence[int]) -> NDArray[np.bool_]:
        """Those of the records beside which one that rises may be the answer; where no vector tells, it may."""
        cosines = self._cosines if outranks.any() else None
        if cosines is None:
            return outranks
        return np.asarray(outranks & ~(np.fmax.reduce(cosines[risen]) < ANSWERS_FROM * cosines))

    def _hear_answers(
        self,
        unreviewed: Sequence[Memory],
        outranks: NDArray[np.bool_],
        rows: Rows,
        refs: Sequence[Ref],
    ) -> None:
        """Has turns borrow from a question in their context where their own words are no nearer to it than chance."""
        if not outranks[rows].any():
            return
        named = dict(zip(rows.tolist(), refs, strict=True))
        above = {named[row] for row in rows[outranks[rows]].tolist()} & self._turns
        contexts = {memory.ref: memory.context or "" for memory in unreviewed if memory.ref in above}
        for row in self._brought_up_by(contexts, rows, refs, share=1.0).tolist():
            self.borrows[row] |= self._question.is_repeated_in(contexts[named[row]])

    def _hear_exchanges(self, unreviewed: Mapping[int, Memory], risen: Sequence[int]) -> None:
        """Makes mere echoes of turns that a question of agents brings up, where one that rises may be the answer."""
        cosines = self._cosines if risen else None
        if cosines is None:
            return
        best = np.fmax.reduce(cosines[risen])
        for row, turn in unreviewed.items():
            said = turn.content[:LOOKED_AT_CHARS]
            if (
                self.echoes[row] != Echo.SOLE
                and best >= ANSWERS_FROM * (self._above_chance[row] + self._chance)
                and is_asked_by_agents(self._retrieval, self._question, turn, said)
                and self._is_far(self._vouched_for.beside(beside_runs(self._question, said)))
            ):
                self.echoes[row] = Echo.SOLE

    def _is_far(self, rest: str) -> bool:
        """Tests if what a turn says beside the question has nothing to do with it; unknown, it may have."""
        asked, embedder = self._question_vector, self._retrieval.ports.embedder
        if asked is None or not says_more(rest):
            return asked is not None
        with suppress(EmbedderUnavailable):
            near = float(vector_of_rest(rest, embedder) @ asked)
            return near < ANSWERED_BELOW * self._chance
        return False

    def _brought_up_by(
        self,
        contexts: Collection[Ref],
        rows: Rows,
        refs: Sequence[Ref],
        share: float = BORROWED_BELOW,
    ) -> Rows:
        """Rows of those records with such contexts that these alone brought up: their own words do not bear on it.

        Args:
            share: of chance that their cosine with the question is below.
        """
        at = [place for place, ref in enumerate(refs) if ref in contexts]
        cosines = self._cosines if at and self._question.words else None
        return rows[:0] if cosines is None else rows[at][cosines[rows[at]] < share * self._chance]

    def _heard(self, memory: Memory, own: str | None, *, may_list: bool) -> HeardLine:
        """Hears what a line has of the question, and what it says beside it, and beside what it copies.

        Args:
            own: its words beside a copy.
            may_list: runs of the question's words are looked for.
        """
        said = memory.content[:LOOKED_AT_CHARS]
        if self._question.is_repeated_in(said) or self._is_asked_around(memory):
            return HeardLine(Echo.SOLE)
        rest = self._question.rest_of(said)
        holds_most = rest is not None and self._question.has_parts
        is_part = own is not None or holds_most or self._question.is_quoted_in(said)
        if own is not None:
            rest = self._question.rest_of(own) or own
        runs = runs_of(self._question, said) if may_list else None
        if runs is not None:
            rest = self._vouched_for.beside(runs.rest)
            is_part |= _is_listed(runs, rest)
        return HeardLine(Echo.PART if is_part else Echo.NONE, rest, runs is not None and runs.hold_most)

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
    def _cosines(self) -> Column | None:
        """Cosines with the question of all that was looked at, NaN of others; None: the question has no vector."""
        if (
            self._nearness is None
            and self._vectors is not None
            and (asked := self._question_vector) is not None
        ):
            self._nearness = np.full(len(self._records), np.nan)
            self._nearness[self._seen] = self._vectors @ asked
        return self._nearness

    @property
    def _question_vector(self) -> Vector | None:
        search = self._retrieval.search
        vector, _ = search.embedded or embedded(self._retrieval.ports, search).embedded or (None, ())
        return vector

    def _judge(self, lines: Mapping[int, HeardLine]) -> None:
        """Judges lines by what they say beside the question and beside copied words.

        Those whose rest says nothing of the question are mere echoes; those whose rest is no nearer to it than chance
        are drawn by what they repeat, or mere echoes as well if they list the question.
        """
        asked, cosines = (self._question_vector, self._cosines) if lines else (None, None)
        if asked is None or cosines is None:
            return
        embedder = self._retrieval.ports.embedder
        with suppress(EmbedderUnavailable):  # then they stay parts
            for row, line in lines.items():
                near = float(vector_of_rest(line.rest or "", embedder) @ asked)
                is_far = near < self._chance
                if near < LEAST_REST * cosines[row] or (is_far and line.lists_most):
                    self.echoes[row] = Echo.SOLE
                elif is_far:
                    self.echoes[row] = Echo.PART


def _is_listed(runs: QuestionRuns, rest: str) -> bool:
    """Tests if a line lists the question, whatever it says beside it: all of it, or with a word or two of its own."""
    return runs.hold_all or not says_more(rest)


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
