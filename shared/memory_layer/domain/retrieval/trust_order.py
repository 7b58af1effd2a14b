"""Order of trust: memories that people vouch for stand before unreviewed ones that are not far more relevant.

All constants: ADR-0028, with the tables of what they stop and what they cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Final, get_args

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.ranking import PlacedBy
from memory_layer.domain.retrieval.lowered_scores import lowered_scores

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.candidates import Rows

PLACES: Final[tuple[PlacedBy, ...]] = get_args(PlacedBy)
BY_RELEVANCE, BY_TRUST, BY_FOLD, BY_EXPLORATION, BY_CORRECTION, BY_RECORD, BY_FILE, BY_RELEASE = range(8)

RISING: Final = 2
"""Trusted memories that rise: the most relevant ones."""

SHARE_PULL: Final = 3.0
RISES_ABOVE: Final = 0.09
"""A trusted memory rises above unreviewed ones whose pull is greater by up to so much: .09 of cosine with the
question, or .03 of blended relevance, which weighs three times."""

SPEAKS_OF_IT: Final = 1.06
"""Sum of a trusted memory's cosine above chance with the question, and of its cosine with an unreviewed line, from
which on both answer the question: one of them is wrong, or neither says more."""

CLOSELY_ABOVE: Final = 1.0
"""As RISES_ABOVE, above unreviewed lines that answer what the trusted memory answers."""

FALLS_BEHIND: Final = 2
"""Places before a memory that two others found wrong and that would rise: they push it back, and not out of sight."""

BEARS_SHARE: Final = 0.5
"""Blended relevance from which on a trusted memory bears on the question, though no nearer than chance."""

BORROWED_BELOW: Final = 0.6
"""Share of the cosine of chance below which a turn's own words have nothing to do with the question, whatever is said
around it (ADR-0028)."""

ANSWERED_BELOW: Final = 0.8
"""The same share for what a turn says where agents have the question stand around it: the turn is an answer that nobody
but they asked for (ADR-0056)."""

FIRST_PLACES: Final = 5
"""Places that what repeats the question, and what folds, leaves to others: an honest answer may do either, and stands
behind these five then, not behind what has nothing to do with the question (ADR-0052)."""

SUNK_SHARE: Final = 0.3
"""Share of its score that an echo keeps at least: where little is known the first five may be noise (ADR-0052)."""

LEAST_REST: Final = 0.17
"""Cosine of the rest of a line with the question, as a share of the line's: below it the rest says nothing of it."""

ANSWERS_FROM: Final = 0.5
"""Cosine with the question of a trusted memory that rises, as a share of that of a line that lists the question, from
which on it may be the answer: below it nobody but the line has one (ADR-0054)."""


ECHOES_FROM: Final = 3
"""Lines of one principal that hold a good part of the question from which on they are mere echoes, where a trusted
memory bears on it (ADR-0047)."""

FLOOD_FROM: Final = 6
"""The same where none does; and lines of one principal that are alike, from which on those that fold stand behind all
(ADR-0052)."""

ALIKE_OF_ONE: Final = 0.75
"""Cosine from which on two unreviewed lines of one principal take one place."""

ALIKE_TRUSTED: Final = 0.9
"""Cosine from which on an unreviewed line takes no place beside a trusted one."""


class Echo(IntEnum):
    """Echo of the question in a line: none, a good part of it in one place, or little else but the question."""

    NONE = 0
    PART = 1
    SOLE = 2


_NONE: Final = int(Echo.NONE)
_SOLE: Final = int(Echo.SOLE)
"""Numbers of echoes: a member of an enumeration is looked up by a dozen steps."""


def pulls_of(semantic: Column, nearness: Column) -> Column:
    """Pulls of hits: how strongly the question draws each, on one scale.

    Args:
        semantic: blended relevance, 1 the best of this question.
        nearness: cosine above chance.
    """
    return np.asarray(SHARE_PULL * semantic + nearness)


def bearing(semantic: Column, nearness: Column) -> NDArray[np.bool_]:
    """Tests which hits bear on the question: the others do not rise, whoever said them."""
    return np.asarray((nearness >= 0.0) | (semantic >= BEARS_SHARE))


def rising(pulls: Column, may_rise: NDArray[np.bool_]) -> list[int]:
    """Rows of trusted hits that rise: the strongest pulls, the best first, so that the next comes to stand below it.

    Args:
        may_rise: trusted hits that bear on the question by their own words.
    """
    rows = true_rows(may_rise)
    best: list[int] = rows[(-pulls[rows]).argsort(kind="stable")][:RISING].tolist()
    return best


def outranking(pulls: Column, is_trusted: NDArray[np.bool_], risen: Sequence[int]) -> NDArray[np.bool_]:
    """Tests which unreviewed hits stand before one that rises, as far as their pulls go; none where nothing rises.

    Args:
        risen: as `rising`.
    """
    if not risen:
        return np.zeros(len(pulls), np.bool_)
    return np.asarray(~is_trusted & (pulls > pulls[risen[-1]] + RISES_ABOVE))


@dataclass(slots=True, eq=False)
class TrustColumns:
    """Ranked hits, best first, as the order of trust sees them, never changed; shapes (n,) and (n, n).

    Args:
        scores: by the profile, descending.
        pulls: as `pulls_of`.
        nearness: cosine above chance with the question.
        bears: as `bearing`.
        is_trusted: a person said it, or a reviewer approved it.
        stands_back: trusted ones that two independent principals found wrong (SPEC 4.17): they rise to the place
            behind FALLS_BEHIND others at most.
        corrected: row of the one that each is proposed to replace, if that one stands back; negative: none.
        borrows: turns whose own words do not bear on the question: only those around them do, which may be anybody's.
        echoes: as `Echo`; NONE of those that were not looked at.
        speakers: equal for two hits of one principal, as far as was looked; negative: unknown.
        alike: cosines of the contents of unreviewed ones with all; NaN: unknown.
        kept: share of its score that each keeps: less than 1 of authors whom others found wrong (SPEC 4.41).
        behind: places of others behind which it comes to stand by that at most.
    """

    scores: Column
    pulls: Column
    nearness: Column
    bears: NDArray[np.bool_]
    is_trusted: NDArray[np.bool_]
    stands_back: NDArray[np.bool_]
    corrected: Rows
    borrows: NDArray[np.bool_]
    echoes: NDArray[np.int8]
    speakers: NDArray[np.int64]
    alike: Column
    kept: Column
    behind: Rows


@dataclass(frozen=True, slots=True)
class PlacedHits:
    """Hits in the order of trust: rows, best first, with their scores, descending, and why each stands there."""

    rows: Rows
    scores: Column
    placed_by: NDArray[np.int8]


def placed_by_trust(hits: TrustColumns) -> PlacedHits:
    """Places hits: echoes and near-alike lines behind the first of the others, floods last, trusted ones further up.

    An echo is near to the question because it holds it, so its pull counts for nothing beside a trusted memory.
    """
    if (hits.kept < 1.0).any():
        scores = lowered_scores(hits.scores, hits.kept, hits.behind, is_sunk=hits.echoes == _SOLE)
        hits = replace(hits, scores=scores)
    echoes = _of_floods(hits, np.where(hits.is_trusted, _NONE, hits.echoes))
    is_sole = echoes == _SOLE
    order = np.lexsort((-hits.scores, is_sole))
    is_folded, is_flood = _folded(hits, order)
    is_held_back = is_sole | is_folded
    least = np.where(is_sole, SUNK_SHARE * hits.scores, -np.inf)
    listed, capped = _listed(hits.scores, least, is_held_back & ~is_flood, is_flood)
    placed_by = np.where(hits.kept < 1.0, BY_RECORD, BY_RELEVANCE).astype(np.int8)
    placed_by[is_folded] = BY_FOLD
    pulls = np.where(echoes == _NONE, hits.pulls, -np.inf)
    may_rise = hits.is_trusted & hits.bears & ~hits.borrows
    risen = rising(pulls, may_rise & ~hits.stands_back)
    pushed_back = [row for row in rising(pulls, may_rise) if hits.stands_back[row]]
    for row in (*risen, *pushed_back):
        highest = FALLS_BEHIND if hits.stands_back[row] else 0
        if _rise(listed, row, _outranked(hits, pulls, row), highest):
            placed_by[row] = BY_TRUST
    for row in true_rows(hits.corrected >= 0).tolist():
        _stand_under(listed, row, int(hits.corrected[row]))
        placed_by[row] = BY_CORRECTION
    last = [row for row in order.tolist() if is_flood[row] and hits.corrected[row] < 0]
    rows = np.array([*listed, *last], np.intp)
    return PlacedHits(rows, _descending(capped[rows], len(listed)), placed_by[rows])


def _outranked(hits: TrustColumns, pulls: Column, row: int) -> NDArray[np.bool_]:
    """Tests above which hits a trusted one rises: unreviewed ones, and turns that borrow.

    Args:
        pulls: of the hits; of echoes none.
    """
    speaks_of_it = hits.nearness[row] + hits.alike[:, row] >= SPEAKS_OF_IT  # where it is unknown it does not
    lead = np.where(speaks_of_it, CLOSELY_ABOVE, RISES_ABOVE)
    return np.asarray((~hits.is_trusted & (pulls <= pulls[row] + lead)) | hits.borrows)


def _listed(
    scores: Column, least: Column, is_held_back: NDArray[np.bool_], is_flood: NDArray[np.bool_]
) -> tuple[list[int], Column]:
    """Rows of the list by their scores, those held back behind the first of the others; and the scores for that.

    Args:
        least: scores that they keep if held back.
    """
    order = (-scores).argsort(kind="stable")
    others = order[~(is_held_back | is_flood)[order]]
    fifth = scores[others[min(FIRST_PLACES, len(others)) - 1]] if len(others) else np.inf
    capped = np.where(is_held_back, np.maximum(least, np.minimum(scores, fifth)), scores)
    listed = np.lexsort((-scores, is_held_back, -capped))
    return listed[~is_flood[listed]].tolist(), capped


def _of_floods(hits: TrustColumns, echoes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Echoes, of which those that one principal repeats are mere ones: so many answers to one question are none."""
    is_echo = (echoes != _NONE) & (hits.speakers >= 0)
    if not is_echo.any():
        return echoes
    of_one = ((hits.speakers[:, None] == hits.speakers) & is_echo).sum(axis=1)
    fewest = ECHOES_FROM if (hits.is_trusted & hits.bears).any() else FLOOD_FROM
    return np.where(is_echo & (of_one >= fewest), _SOLE, echoes).astype(np.int8)


def _folded(hits: TrustColumns, order: Rows) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tests which unreviewed hits fold behind one that they are like, and which of them stand last, as in a flood.

    They are like a trusted one, which makes them its copies, or a better one of their own; so many of one principal
    are a flood.
    """
    is_known = (hits.speakers >= 0) | (hits.alike >= ALIKE_TRUSTED).any(axis=1)
    rows = order[is_known[order]]  # of some two hundred a dozen were looked at
    speakers, alike, is_unreviewed = hits.speakers[rows], hits.alike[rows], ~hits.is_trusted[rows]
    is_own = (speakers[:, None] == speakers) & (speakers >= 0) & is_unreviewed
    is_echo = hits.echoes[rows] != _NONE
    is_like_own = is_own & ((alike[:, rows] >= ALIKE_OF_ONE) | (is_echo[:, None] & is_echo))
    is_like_own.flat[:: len(rows) + 1] = False  # itself
    is_copy = is_unreviewed & (hits.is_trusted & (alike >= ALIKE_TRUSTED)).any(axis=1)
    of_one = is_like_own.sum(axis=1)
    folds = is_copy.copy()
    stands: list[int] = []
    for place in true_rows((of_one > 0) & ~is_copy).tolist():
        if is_like_own[place, stands].any():
            folds[place] = True
        else:
            stands.append(place)
    is_folded, is_last = np.zeros((2, len(order)), np.bool_)
    is_folded[rows] = folds
    is_last[rows] = is_copy | (folds & (of_one >= FLOOD_FROM - 1))
    return is_folded, is_last


def _rise(listed: list[int], row: int, is_outranked: NDArray[np.bool_], highest: int) -> bool:
    """Moves a row up before the first of those that it outranks, to the place `highest` at most; tells if it moved."""
    at = listed.index(row)
    outranked = true_rows(is_outranked[listed[:at]])
    above = min(at, max(highest, int(outranked[0]))) if len(outranked) else at
    listed.insert(above, listed.pop(at))
    return above < at


def _stand_under(listed: list[int], row: int, corrected: int) -> None:
    """Moves a row directly under the one that it is to replace."""
    if row in listed:
        listed.remove(row)
    listed.insert(listed.index(corrected) + 1, row)


def _descending(scores: Column, listed: int) -> Column:
    """Scores in the order of the places: what rose has that of the place it took, what is behind at most the last.

    Args:
        listed: how many stand in the list.
    """
    ranked = np.maximum.accumulate(scores[:listed][::-1])[::-1]
    last = ranked[-1] if listed else np.inf
    return np.concatenate([ranked, np.minimum(scores[listed:], last)])
