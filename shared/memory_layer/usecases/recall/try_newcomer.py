"""Trial of a recall: a new memory about as relevant as what is shown takes the last place, for some recalls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.learning.trial_place import (
    NEW_DAYS,
    TRIES,
    WORKED_FROM,
    TrialHits,
    rows_to_try,
)
from memory_layer.domain.retrieval.facts import DAY_US, is_trusted, microseconds
from memory_layer.domain.retrieval.trust_order import BY_EXPLORATION, BY_RELEVANCE
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.memory import Ref
    from memory_layer.domain.retrieval.candidates import Rows
    from memory_layer.domain.retrieval.facts import Facts
    from memory_layer.usecases.recall.judge_candidates import Hits

_COUNTED_TOGETHER: Final = 5
_COUNTED: Final = 20
"""New memories whose showings are counted, to find one that was not shown often."""


def try_newcomer(
    retrieval: Retrieval, hits: Hits, by_merit: RankedHits, placed: RankedHits, k: int
) -> RankedHits:
    """Puts one new memory into the last of the first `k` places; the same hits where there is none to try.

    What the order of trust has moved out of the first `k` is not brought back.

    Args:
        hits: whose rows both lists name.
        placed: the hits in the order of trust.
    """
    shown = placed.rows[:k]
    is_proven = (placed.signals["frequency"][shown] > 0.0) & (placed.signals["outcome"][shown] > WORKED_FROM)
    if not is_proven.any() or _are_new(retrieval, hits.facts.take(shown)).any():
        return placed  # as most lists: nothing in them has proven itself, or something new is shown already
    rows = rows_to_try(_trial_hits(retrieval, hits, placed), k)
    if not len(rows):  # as in most lists
        return placed
    rows = rows[~np.isin(placed.rows[rows], by_merit.rows[:k])]
    row = _first_seldom_shown(retrieval, placed, rows[:_COUNTED])
    return placed if row is None else _with_last(placed, row, k)


def tried_in(ranked: RankedHits, placed: RankedHits, k: int) -> Ref | None:
    """The memory that `try_newcomer` put into the last of the first `k` places; None: it left them as they were."""
    return None if ranked is placed else ranked.records.names(np.array([k - 1])).refs()[0]


def _trial_hits(retrieval: Retrieval, hits: Hits, ranked: RankedHits) -> TrialHits:
    facts, signals = hits.facts.take(ranked.rows), ranked.signals
    return TrialHits(
        semantic=signals["semantic"][ranked.rows],
        is_proven=((signals["frequency"] > 0.0) & (signals["outcome"] > WORKED_FROM))[ranked.rows],
        is_new=_are_new(retrieval, facts),
        is_trusted=is_trusted(facts),
    )


def _are_new(retrieval: Retrieval, facts: Facts) -> NDArray[np.bool_]:
    """Tests which memories no verdict has met since they came, lately."""
    youngest = microseconds(retrieval.search.now) - NEW_DAYS * DAY_US
    return np.asarray((facts["use_count"] == 0) & (facts["updated_at"] >= youngest))


def _first_seldom_shown(retrieval: Retrieval, ranked: RankedHits, rows: Rows) -> int | None:
    """First of these rows whose memory was shown less than `TRIES` times, as far as showings are counted yet."""
    for start in range(0, len(rows), _COUNTED_TOGETHER):
        some = rows[start : start + _COUNTED_TOGETHER]
        named: dict[Ref, int] = dict(zip(ranked.records.names(some).refs(), some.tolist(), strict=True))
        for memory in retrieval.ports.store.memories.counted(retrieval.reading.some(list(named))):
            if memory.access_count < TRIES:
                return named[memory.ref]
    return None


def _with_last(ranked: RankedHits, row: int, k: int) -> RankedHits:
    """Hits of which one took the last of the first `k` places, with the score of what stood there."""
    order = np.insert(np.delete(np.arange(len(ranked.scores)), row), k - 1, row)
    scores = np.insert(np.delete(ranked.scores, row), k - 1, ranked.scores[k - 1])
    taken = ranked.take(order)
    placed_by = np.full(len(order), BY_RELEVANCE, np.int8) if taken.placed_by is None else taken.placed_by
    placed_by[k - 1] = BY_EXPLORATION
    return replace(taken, scores=scores, placed_by=placed_by)
