"""Exploration of a recall: ranked hits about as relevant as each other, by a draw from their implicit feedback."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memory_layer.domain.access import Principal, agent_voice, origin_of
from memory_layer.domain.arrays import np
from memory_layer.domain.learning.exploration import explore, relatedness, rows_in_reach, seed_of
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback, name_of
from memory_layer.domain.learning.pooled_feedback import PooledFeedback, Reader, pool, with_ancestors
from memory_layer.domain.memory import Memory, Ref, Scope, TaskType
from memory_layer.domain.retrieval.candidates import best_rows
from memory_layer.domain.retrieval.trust_order import BY_EXPLORATION, BY_RELEVANCE
from memory_layer.ports.process import Ports
from memory_layer.ports.project_settings import RecallSettings
from memory_layer.ports.receipts import Exploration
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import Rows
    from memory_layer.usecases.recall.judge_candidates import CandidateHits, Hits


_REACH: Final = 4
"""Candidates whose feedback is read beside them, as a multiple of those that are shown: as many records are read."""


@dataclass(frozen=True, slots=True)
class Exploring:
    """Way in which a list explores.

    Args:
        voice, task_type: of the caller, for whom feedback is pooled.
        amount: the project's setting, 0..1.
        k: how many are shown.
        seed: of the randomness of this request.
        has_feedback: False: there is nothing to explore by.
    """

    voice: str
    task_type: TaskType | None
    amount: float
    k: int
    seed: int
    has_feedback: bool = True


def exploring(
    principal: Principal, settings: RecallSettings, task_type: TaskType | None, k: int, recall_id: str
) -> Exploring | None:
    """Way in which a recall of this caller explores, by chance of its own; None: the project's lists do not."""
    amount = settings.policy.exploration
    if not amount:
        return None
    voice, seed = agent_voice(principal.name), seed_of(recall_id)
    return Exploring(voice, task_type, amount, k, seed, settings.has_feedback)


@dataclass(frozen=True, slots=True)
class ExploredHits:
    """Ranked hits after exploration. Args: seed: None: nothing was explored; chances: of each, to be shown."""

    hits: RankedHits
    seed: int | None = None
    chances: Mapping[Ref, float] = field(default_factory=dict)

    def told(self, shown: Sequence[Ref], tried: Ref | None) -> Exploration | None:
        """Exploration as a receipt tells it: what was in nobody's reach was certain to be where it is.

        Args:
            tried: what the trial place shows, whatever the draws say of it; it has no chance to tell.
        """
        if self.seed is None:
            return None
        chances = (None if ref == tried else round(self.chances.get(ref, 1.0), 3) for ref in shown)
        return Exploration(self.seed, tuple(chances))


KnownFeedback = Mapping[str, ImplicitFeedback | None]
"""Implicit feedback by name of a memory; None: there is none. A name that is missing was not asked for."""


def beside_feedback(
    retrieval: Retrieval, found: CandidateHits, way: Exploring | None, hits: Callable[[], Hits]
) -> tuple[Hits, KnownFeedback]:
    """Hits of candidates whose records are read, and beside them the feedback on those that are read first.

    Args:
        way: None: no feedback is asked for; nor is it where the index keeps facts, for no hit is read there.
    """
    if way is None or found.records.facts is not None:
        return hits(), {}
    rows = best_rows(found.relevances.semantic, found.records, min(way.k * _REACH, len(found.records)))
    names = [name_of(ref) for ref in found.records.names(rows).refs()]
    read, known = retrieval.ports.together.both(hits, lambda: _feedback(retrieval, names))
    return read, {name: known.get(name) for name in names}


def _feedback(retrieval: Retrieval, names: Sequence[str]) -> dict[str, ImplicitFeedback]:
    return retrieval.ports.store.learnings.feedback(retrieval.search.project, names) if names else {}


def explore_hits(
    retrieval: Retrieval,
    ranked: RankedHits,
    way: Exploring | None,
    known: KnownFeedback = MappingProxyType({}),
) -> ExploredHits:
    """Explores ranked hits; the same order where no run that cites nothing was shown such a list.

    Args:
        way: None: leaves the order as it is.
        known: feedback that was read before.
    """
    if way is None or not way.has_feedback or len(ranked.records) <= 1:
        return ExploredHits(ranked)
    reach = rows_in_reach(ranked.signals["semantic"][ranked.rows], way.k)
    refs = ranked.records.names(reach).refs()
    reader = Reader(way.voice, way.task_type, retrieval.search.now)
    pooled = _pooled_each(retrieval, refs, reader, known)
    if not pooled:
        return ExploredHits(ranked)
    amount = way.amount * relatedness((one.runs for one in pooled), min(way.k, len(refs)))
    if not amount:
        return ExploredHits(ranked)
    counts = [one.counts for one in pooled]
    explored = explore(
        ranked.scores[reach],
        np.array([one.worked for one in counts]),
        np.array([one.failed for one in counts]),
        k=way.k,
        amount=amount,
        randomness=np.random.default_rng(way.seed),
    )
    others = np.setdiff1d(np.arange(len(ranked.scores)), reach)
    order = np.concatenate([reach[explored.rows], others])
    chances = dict(zip((refs[row] for row in explored.rows.tolist()), explored.chances.tolist(), strict=True))
    hits = _placed(ranked, order, explored.scores, explored.has_risen)
    return ExploredHits(hits, way.seed, chances)


def _placed(ranked: RankedHits, order: Rows, scores: np.ndarray, has_risen: np.ndarray) -> RankedHits:
    """Hits in their new order; those out of reach stand behind, as they did."""
    taken = ranked.take(order)
    left = taken.scores[len(scores) :]
    placed_by = np.full(len(order), BY_RELEVANCE, np.int8)
    placed_by[: len(scores)][has_risen] = BY_EXPLORATION
    all_scores = np.concatenate([scores, np.minimum(left, scores.min(initial=1.0))])
    return RankedHits(taken.records, taken.rows, all_scores, ranked.signals, placed_by)


def _pooled_each(
    retrieval: Retrieval, refs: Sequence[Ref], reader: Reader, known: KnownFeedback
) -> list[PooledFeedback]:
    """Evidence that a reader has on each record; nothing where no run has told of any."""
    names = [name_of(ref) for ref in refs]
    told = {name: row for name in names if (row := known.get(name)) is not None} if known else {}
    told |= _feedback(retrieval, [name for name in names if name not in known] if known else names)
    if not told:
        return []
    memories = {memory.ref: memory for memory in retrieval.reading.some(list(refs))}
    ancestors = {ref: ancestors_of(memories[ref]) for ref in refs if ref in memories}
    missing = {name for names in ancestors.values() for name in names} - told.keys()
    told |= _feedback(retrieval, sorted(missing))
    own = {name: pool(row, reader) for name, row in told.items()}
    return [_pooled(own, name_of(ref), ancestors.get(ref, ())) for ref in refs]


def _pooled(own: Mapping[str, PooledFeedback], name: str, ancestors: Sequence[str]) -> PooledFeedback:
    return with_ancestors(own.get(name, PooledFeedback()), [own[one] for one in ancestors if one in own])


def ancestors_of(memory: Memory) -> tuple[str, ...]:
    """Names of the memories that one stands for: the one that it superseded, and the one that it is a copy of."""
    older = None if memory.supersedes is None else name_of(Ref(memory.project, memory.supersedes))
    return tuple(name for name in (older, origin_of(memory)) if name is not None)


def pooled_for(ports: Ports, scope: Scope, memory: Memory, reader: Reader) -> PooledFeedback:
    """Evidence that a reader has on one memory, as lists of this project take it."""
    names = (name_of(memory.ref), *ancestors_of(memory))
    own = {name: pool(row, reader) for name, row in ports.store.learnings.feedback(scope, names).items()}
    return _pooled(own, names[0], names[1:])
