"""Fifth step of a recall: ranked hits in the order of trust; only those that are shown are looked at closely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.facts import is_trusted, stand_back
from memory_layer.domain.retrieval.trust_order import (
    BY_RELEVANCE,
    RISING,
    PlacedHits,
    TrustColumns,
    bearing,
    placed_by_trust,
    pulls_of,
)
from memory_layer.domain.retrieval.trusted_candidates import TRUSTED_KEPT
from memory_layer.usecases.recall.judge_answer import nearness_of
from memory_layer.usecases.recall.judge_candidates import CandidateHits, Hits
from memory_layer.usecases.recall.look_closely import CloseLook
from memory_layer.usecases.recall.place_corrections import corrected_rows
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows
    from memory_layer.domain.retrieval.facts import Facts


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
    facts = hits.facts[ranked.rows]
    if _is_undisputed(facts[:k]):
        return ranked
    semantic = hits.relevances.semantic[ranked.rows]
    draw = Draw(semantic, nearness_of(found, ranked.records), found.chance_cosine)
    placed = place_hits(retrieval, ranked.records, facts, ranked.scores, draw, k)
    taken = ranked.take(placed.rows)
    placed_by = placed.placed_by
    if taken.placed_by is not None:
        placed_by = np.where(placed_by == BY_RELEVANCE, taken.placed_by, placed_by)
    return RankedHits(taken.records, taken.rows, placed.scores, ranked.signals, placed_by)


def hits_by_trust(retrieval: Retrieval, found: CandidateHits, hits: Hits) -> Hits:
    """Places hits that are in the order of their relevance by trust; their relevance follows."""
    if _is_undisputed(hits.facts):
        return hits
    semantic = hits.relevances.semantic
    draw = Draw(semantic, nearness_of(found, hits.records), found.chance_cosine)
    placed = place_hits(retrieval, hits.records, hits.facts, semantic, draw, len(hits))
    hits = hits.take(placed.rows)
    return hits.with_relevances(Relevances(placed.scores, hits.relevances.lexical))


def rows_by_trust(retrieval: Retrieval, records: RecordTable, facts: Facts, draw: Draw, k: int) -> Rows:
    """Rows of records, which are in an order of their own, in the order of trust."""
    if _is_undisputed(facts[:k]):
        return np.arange(len(records))
    own_order = np.arange(len(records), 0.0, -1.0)
    return place_hits(retrieval, records, facts, own_order, draw, k).rows


def _is_undisputed(facts: Facts) -> bool:
    """Tests that people said all of it, and that no two others found any of it wrong."""
    return bool((is_trusted(facts) & ~stand_back(facts)).all())


def place_hits(
    retrieval: Retrieval,
    records: RecordTable,
    facts: Facts,
    scores: Column,
    draw: Draw,
    k: int,
) -> PlacedHits:
    """Places records, and looks closer at unreviewed ones for as long as there are new ones among the first `k`."""
    pulls, bears = draw.pulls, draw.bears
    are_trusted = is_trusted(facts)
    stands_back = are_trusted & stand_back(facts)
    trusted = true_rows(are_trusted)
    strongest = trusted[(-pulls[trusted]).argsort(kind="stable")]
    corrected = corrected_rows(retrieval, records, stands_back)
    close = CloseLook(retrieval, records, are_trusted, draw.chance, pulls, bears, draw.nearness)
    shown = _shown_or_rising(strongest[:RISING], k, len(records))
    read = retrieval.reading.some(
        records.names(shown).refs()
    )  # together: one by one it takes as long as the search
    close.hear_trusted(read)
    new = _shown_or_rising(strongest[:TRUSTED_KEPT], k, len(records))
    while True:
        close.look_at(new)
        placed = placed_by_trust(
            TrustColumns(
                scores=scores,
                pulls=pulls,
                nearness=draw.nearness,
                bears=bears,
                is_trusted=are_trusted,
                stands_back=stands_back,
                corrected=corrected,
                borrows=close.borrows,
                echoes=close.echoes,
                speakers=close.speakers,
                alike=close.alike,
                kept=close.kept,
                behind=close.behind,
            )
        )
        new = close.unseen(placed.rows[:k])
        if not len(new):
            return placed


def _shown_or_rising(rising: Rows, k: int, n: int) -> Rows:
    """Rows of the first `k` of `n`, and those that rise."""
    is_asked = np.zeros(n, np.bool_)
    is_asked[:k] = is_asked[rising] = True
    return true_rows(is_asked)
