"""Order of trust on columns: who rises, who folds, who sinks, and that nothing moves where all are trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from memory_layer.domain.retrieval.trust_order import (
    ALIKE_OF_ONE,
    ALIKE_TRUSTED,
    BY_CORRECTION,
    BY_FOLD,
    BY_RELEVANCE,
    BY_TRUST,
    CLOSELY_ABOVE,
    ECHOES_FROM,
    FIRST_PLACES,
    FLOOD_FROM,
    PLACES,
    RISES_ABOVE,
    SPEAKS_OF_IT,
    Echo,
    PlacedHits,
    TrustColumns,
    outranking,
    placed_by_trust,
    rising,
)

PERSON, AGENT, OTHER_AGENT = 0, 1, 2


def placed(
    speakers: Sequence[int],
    pulls: Sequence[float],
    *,
    echoes: Mapping[int, Echo] | None = None,
    alike: Mapping[tuple[int, int], float] | None = None,
    bears: Sequence[bool] | None = None,
    borrows: Sequence[int] = (),
    scores: Sequence[float] | None = None,
    nearness: float = 0.0,
    stands_back: Sequence[int] = (),
    corrected: Mapping[int, int] | None = None,
    kept: Sequence[float] | None = None,
    behind: int = 5,
) -> PlacedHits:
    """Hits in the order of their pulls, the rows of people trusted.

    Args:
        scores: None: from 1 down to .5.
        nearness: of all.
        corrected: row that a row is to replace.
    """
    count = len(speakers)
    cosines = np.full((count, count), np.nan)
    for (one, other), cosine in (alike or {}).items():
        cosines[one, other] = cosines[other, one] = cosine
    heard = np.array([(echoes or {}).get(row, Echo.NONE) for row in range(count)], np.int8)
    return placed_by_trust(
        TrustColumns(
            scores=np.linspace(1.0, 0.5, count) if scores is None else np.array(scores),
            pulls=np.array(pulls),
            nearness=np.full(count, nearness),
            bears=np.ones(count, bool) if bears is None else np.array(bears),
            is_trusted=np.array(speakers) == PERSON,
            stands_back=np.isin(np.arange(count), stands_back),
            corrected=np.array([(corrected or {}).get(row, -1) for row in range(count)]),
            borrows=np.isin(np.arange(count), borrows),
            echoes=heard,
            speakers=np.array(speakers),
            alike=cosines,
            kept=np.ones(count) if kept is None else np.array(kept),
            behind=np.full(count, behind),
        )
    )


def test_a_trusted_memory_rises_above_an_unreviewed_one_that_is_little_more_relevant() -> None:
    found = placed([AGENT, PERSON], [3.0 + RISES_ABOVE / 2, 3.0])
    assert found.rows.tolist() == [1, 0]
    assert found.placed_by.tolist() == [BY_TRUST, BY_RELEVANCE]


def test_a_trusted_memory_rises_above_what_answers_the_same_though_it_is_more_relevant() -> None:
    """Falls without CLOSELY_ABOVE: a lie in few words is more relevant than what it denies."""
    near, lead = 0.4, CLOSELY_ABOVE - 0.1
    speakers, pulls = [AGENT, PERSON], [3.0 + lead, 3.0]
    same = placed(speakers, pulls, nearness=near, alike={(0, 1): SPEAKS_OF_IT - near + 0.01})
    other = placed(speakers, pulls, nearness=near, alike={(0, 1): SPEAKS_OF_IT - near - 0.01})
    assert (same.rows.tolist(), other.rows.tolist()) == ([1, 0], [0, 1])
    assert same.placed_by.tolist() == [BY_TRUST, BY_RELEVANCE]
    far_ahead = placed(speakers, [3.0 + CLOSELY_ABOVE + 0.1, 3.0], nearness=near, alike={(0, 1): 0.89})
    assert far_ahead.rows.tolist() == [0, 1]


def test_one_that_two_found_wrong_does_not_rise_and_the_next_does() -> None:
    """Falls where what stands back rises."""
    pulls = [3.0 + RISES_ABOVE / 2, 3.0, 2.99]
    assert placed([AGENT, PERSON, PERSON], pulls).rows.tolist() == [1, 2, 0]
    doubted = placed([AGENT, PERSON, PERSON], pulls, stands_back=[1])
    assert doubted.rows.tolist() == [2, 0, 1]


def test_a_correction_stands_directly_under_what_stands_back() -> None:
    """Falls without `_stand_under`; where a copy of what stands back folds, it is the last."""
    speakers, pulls = [PERSON, OTHER_AGENT, PERSON, AGENT], [4.0, 3.5, 3.4, 3.3]
    found = placed(speakers, pulls, stands_back=[0], corrected={3: 0}, alike={(0, 3): ALIKE_TRUSTED})
    assert found.rows.tolist()[:2] == [0, 3]
    assert found.placed_by.tolist()[1] == BY_CORRECTION
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    first = placed([AGENT, PERSON], [4.0, 3.0], stands_back=[1], corrected={0: 1})
    assert first.rows.tolist() == [1, 0]


def test_the_newest_of_many_corrections_by_one_agent_is_no_flood() -> None:
    lines = FLOOD_FROM + 1
    alike = {(one, other): 1.0 for one in range(1, lines + 1) for other in range(1, one)}
    found = placed(
        [PERSON, *[AGENT] * lines], [3.0] * (lines + 1), alike=alike, stands_back=[0], corrected={lines: 0}
    )
    assert found.rows.tolist()[:2] == [0, lines]
    assert sorted(found.rows.tolist()) == list(range(lines + 1))


def test_a_turn_that_only_words_around_it_brought_up_does_not_rise_and_is_outranked() -> None:
    found = placed([PERSON, AGENT, PERSON], [4.0, 3.5, 3.4], borrows=[0])
    assert found.rows.tolist() == [2, 0, 1]
    assert found.placed_by.tolist() == [BY_TRUST, BY_RELEVANCE, BY_RELEVANCE]


def test_lines_that_stand_before_one_that_rises_are_those_that_none_rises_above() -> None:
    """Falls where the second of those that rise is one that borrows: the order does not let it rise."""
    speakers = [AGENT, PERSON, AGENT, PERSON, AGENT, PERSON, AGENT]
    pulls = np.array([3.9, 3.8, 3.7, 3.6, 3.5, 3.0, 2.9])
    is_trusted = np.array(speakers) == PERSON
    risen = rising(pulls, is_trusted & (np.arange(7) != 3))
    assert risen == [1, 5]
    above = np.flatnonzero(outranking(pulls, is_trusted, risen)).tolist()
    assert above == [0, 2, 4]
    found = placed(speakers, pulls.tolist(), borrows=[3], scores=[1.0, 0.9, 0.8, 0.6, 0.7, 0.5, 0.4])
    order = found.rows.tolist()
    assert [row for row in order[: order.index(5)] if not is_trusted[row]] == above


def test_nothing_stands_before_one_that_rises_where_none_does() -> None:
    is_trusted = np.zeros(2, bool)
    assert not outranking(np.array([2.0, 1.0]), is_trusted, rising(np.array([2.0, 1.0]), is_trusted)).any()


def test_a_far_more_relevant_unreviewed_memory_stays_first() -> None:
    found = placed([AGENT, PERSON], [3.0 + 2 * RISES_ABOVE, 3.0])
    assert found.rows.tolist() == [0, 1]
    assert found.placed_by.tolist() == [BY_RELEVANCE, BY_RELEVANCE]


def test_many_lines_of_one_principal_that_hold_the_question_are_mere_echoes() -> None:
    """Falls without `_of_floods`; one line fewer keeps its place."""
    few, many = (
        placed(
            [*[AGENT] * count, OTHER_AGENT],
            [3.0] * (count + 1),
            echoes=dict.fromkeys(range(count), Echo.PART),
        )
        for count in (FLOOD_FROM - 1, FLOOD_FROM)
    )
    assert few.rows[0] == 0
    assert many.rows[0] == FLOOD_FROM


def test_three_are_too_many_where_a_trusted_memory_answers() -> None:
    """Falls without `ECHOES_FROM`; two stand behind the trusted one, and three where none bears on the question."""

    def place(count: int, *, bears: bool) -> int:
        speakers = [*[AGENT] * count, PERSON, *others(30)]
        found = placed(
            speakers,
            [3.0] * len(speakers),
            echoes=dict.fromkeys(range(count), Echo.PART),
            bears=[bears] * len(speakers),
        )
        return found.rows.tolist().index(0)

    assert place(ECHOES_FROM - 1, bears=True) == 1
    assert place(ECHOES_FROM, bears=True) == FIRST_PLACES
    assert place(ECHOES_FROM, bears=False) == 0


def test_two_trusted_memories_rise_and_no_third() -> None:
    found = placed([AGENT, PERSON, PERSON, PERSON], [3.0, 2.99, 2.98, 2.97])
    assert found.rows.tolist() == [1, 2, 0, 3]


def test_the_more_relevant_of_two_that_rise_stands_above() -> None:
    found = placed([AGENT, AGENT, PERSON, PERSON], [3.0, 2.99, 2.97, 2.98])
    assert found.rows.tolist()[:2] == [3, 2]


def test_what_does_not_bear_on_the_question_does_not_rise() -> None:
    found = placed([AGENT, PERSON], [3.0, 2.99], bears=[True, False])
    assert found.rows.tolist() == [0, 1]


def test_a_part_of_the_question_draws_nothing_beside_a_trusted_memory() -> None:
    far = [3.0 + 5 * RISES_ABOVE, 3.0]
    assert placed([AGENT, PERSON], far, echoes={0: Echo.PART}).rows.tolist() == [1, 0]
    assert placed([AGENT, OTHER_AGENT], far, echoes={0: Echo.PART}).rows.tolist() == [0, 1]


def test_a_line_that_says_little_but_the_question_sinks_among_agents_too() -> None:
    assert placed([AGENT, OTHER_AGENT], [9.0, 3.0], echoes={0: Echo.SOLE}).rows.tolist() == [1, 0]


def test_a_person_may_repeat_the_question() -> None:
    assert placed([PERSON, AGENT], [9.0, 3.0], echoes={0: Echo.SOLE}).rows.tolist() == [0, 1]


def test_near_alike_lines_of_one_agent_fold_behind_the_list() -> None:
    found = placed([AGENT, AGENT, OTHER_AGENT], [9.0, 8.0, 7.0], alike={(0, 1): ALIKE_OF_ONE})
    assert found.rows.tolist() == [0, 2, 1]
    assert found.placed_by.tolist() == [BY_RELEVANCE, BY_RELEVANCE, BY_FOLD]


def test_near_alike_lines_of_two_agents_or_of_people_do_not_fold() -> None:
    like = {(0, 1): ALIKE_OF_ONE + 0.1}
    assert placed([AGENT, OTHER_AGENT], [9.0, 8.0], alike=like).placed_by.tolist() == [BY_RELEVANCE] * 2
    assert placed([PERSON, PERSON], [9.0, 8.0], alike=like).placed_by.tolist() == [BY_RELEVANCE] * 2


def test_a_copy_of_a_trusted_memory_folds_behind_it_however_relevant() -> None:
    found = placed([AGENT, OTHER_AGENT, PERSON], [9.0, 8.0, 3.0], alike={(0, 2): ALIKE_TRUSTED})
    assert found.rows.tolist() == [1, 2, 0]
    assert found.placed_by.tolist()[-1] == BY_FOLD


def test_scores_stand_in_the_order_of_the_places() -> None:
    found = placed(
        [AGENT, AGENT, PERSON, OTHER_AGENT],
        [3.0, 2.99, 2.98, 2.97],
        alike={(0, 1): 0.8},
        echoes={3: Echo.SOLE},
    )
    assert found.rows.tolist() == [2, 0, 1, 3]
    assert (np.diff(found.scores) <= 0).all()


def others(count: int) -> list[int]:
    """Principals of so many unreviewed lines, none like another's."""
    return list(range(OTHER_AGENT, OTHER_AGENT + count))


def test_what_repeats_the_question_stands_behind_the_first_of_the_others_and_no_further() -> None:
    """Falls without `FIRST_PLACES`: an honest answer that repeats the question stood behind what has nothing to do
    with it, and out of what is shown."""
    speakers = [AGENT, *others(30)]
    found = placed(speakers, [3.0] * len(speakers), echoes={0: Echo.SOLE})
    assert found.rows.tolist().index(0) == FIRST_PLACES
    assert (np.diff(found.scores) <= 0).all()


def test_an_echo_stays_before_what_is_far_less_relevant_where_little_is_known() -> None:
    """Falls without `SUNK_SHARE`: among four others that say nothing of the question the answer stood last."""
    speakers = [AGENT, *others(4)]
    far = placed(speakers, [3.0] * 5, echoes={0: Echo.SOLE}, scores=[0.9, 0.26, 0.26, 0.25, 0.25])
    assert far.rows.tolist() == [0, 1, 2, 3, 4]
    nearer = placed(speakers, [3.0] * 5, echoes={0: Echo.SOLE}, scores=[0.9, 0.28, 0.26, 0.25, 0.25])
    assert nearer.rows.tolist() == [1, 0, 2, 3, 4]


def test_a_few_alike_lines_fold_behind_the_first_of_the_others_and_a_flood_behind_all() -> None:
    """Falls without the flood: sixty alike lines would fill all that is shown behind the first five."""
    for count in (FLOOD_FROM - 1, FLOOD_FROM):
        speakers = [*[AGENT] * count, *others(30)]
        pairs = ((one, other) for one in range(count) for other in range(one))
        found = placed(speakers, [3.0] * len(speakers), alike=dict.fromkeys(pairs, ALIKE_OF_ONE))
        folded = [place for place, row in enumerate(found.rows.tolist()) if 0 < row < count]
        first = FIRST_PLACES if count < FLOOD_FROM else len(speakers) - count + 1
        assert folded == list(range(first, first + count - 1))
        assert (np.diff(found.scores) <= 0).all()


def test_nothing_moves_where_all_are_trusted() -> None:
    alike = {(0, 1): 1.0, (1, 2): 0.95}
    found = placed([PERSON] * 3, [3.0, 5.0, 4.0], alike=alike, echoes={0: Echo.SOLE})
    assert found.rows.tolist() == [0, 1, 2]
    assert found.scores.tolist() == np.linspace(1.0, 0.5, 3).tolist()


def test_a_line_of_an_author_who_was_found_wrong_stands_lower_and_says_why() -> None:
    """Falls without `lowered_scores`."""
    hits = placed(
        [AGENT, OTHER_AGENT, OTHER_AGENT], [1.0, 0.9, 0.8], scores=[1.0, 0.9, 0.5], kept=[0.7, 1.0, 1.0]
    )
    assert hits.rows.tolist() == [1, 0, 2]
    assert [PLACES[why] for why in hits.placed_by] == ["relevance", "record", "relevance"]


@pytest.mark.parametrize("behind", [2, 5])
def test_it_stands_no_lower_than_behind_so_many_others(behind: int) -> None:
    """Falls without `floors`: two agents who agree would take an honest one out of sight."""
    hits = placed([AGENT, *[OTHER_AGENT] * 7], [1.0] * 8, kept=[0.1, *[1.0] * 7], behind=behind)
    assert hits.rows.tolist().index(0) == behind


def test_people_stand_where_they_stood_whoever_was_found_wrong() -> None:
    hits = placed([PERSON, AGENT], [1.0, 0.9], kept=[1.0, 0.5])
    assert hits.rows.tolist() == [0, 1]
