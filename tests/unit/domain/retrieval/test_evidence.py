from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.retrieval.evidence import (
    EVIDENCE_FLOOR,
    SearchFacts,
    evidence,
    relevances,
    without_missed,
)

SHARES = st.floats(0, 1)
NEARNESS = st.floats(-1, 1)


def chance(nearness: float, coverage: float, searched: int = 1, *, lacks_names: bool = False) -> float:
    return evidence(SearchFacts(nearness, coverage, searched, lacks_names).log_odds)


@pytest.mark.parametrize(
    ("nearness", "coverage", "searched", "stands"),
    [
        (0.0, 0.0, 1, False),
        (0.09, 0.0, 1, False),
        (0.1, 0.0, 1, True),
        (0.15, 0.0, 1, True),
        (0.0, 1.0, 1, True),
        (0.0, 1.0, 2_000, True),
        (0.05, 0.3, 2_000, False),
        (0.2, 0.3, 2_000, True),
    ],
)
def test_an_answer_stands_by_meaning_or_by_words(
    nearness: float, coverage: float, searched: int, stands: bool
) -> None:
    assert (chance(nearness, coverage, searched) >= EVIDENCE_FLOOR) is stands


@given(near=NEARNESS, nearer=NEARNESS, less=SHARES, more=SHARES, n=st.integers(0, 10**7))
def test_better_answers_have_more_evidence(
    near: float, nearer: float, less: float, more: float, n: int
) -> None:
    near, nearer, less, more = *sorted((near, nearer)), *sorted((less, more))
    assert 0.0 <= chance(near, less, n) <= chance(nearer, more, n) <= 1.0


def test_how_many_were_searched_counts_in_chance_alone() -> None:
    """Falls where it counts once more beside nearness, and hides right answers of large projects."""
    assert chance(0.1, 0.5, 1) == chance(0.1, 0.5, 24) == chance(0.1, 0.5, 2_000)


def test_names_that_nobody_mentions_count_the_more_the_larger_the_project() -> None:
    """Falls where an unknown name counts alike in a project of one memory."""
    lost = [chance(0.1, 0.5, n) - chance(0.1, 0.5, n, lacks_names=True) for n in (1, 30, 1_000)]
    assert lost[0] == 0.0 < lost[1] < lost[2]


def test_german_is_near_to_german_whatever_it_says() -> None:
    """Falls where a German question about anything finds an answer in any German text."""
    foreign, answer = ((0.2, 0.0), (0.2, 0.7))
    odds = [
        SearchFacts(nearness, coverage, 200, german=share).log_odds
        for share in (0.0, 0.25, 1.0)
        for nearness, coverage in (foreign, answer)
    ]
    assert [evidence(one) >= EVIDENCE_FLOOR for one in odds] == [True, True, True, True, False, True]


@given(nearness=NEARNESS, coverage=SHARES, less=SHARES, more=SHARES)
def test_the_more_hits_are_german_the_less_nearness_says(
    nearness: float, coverage: float, less: float, more: float
) -> None:
    less, more = sorted((less, more))
    few, many = (SearchFacts(nearness, coverage, 9, german=share).log_odds for share in (less, more))
    assert many <= few
    assert SearchFacts(nearness, 1.0, 9, german=1.0).log_odds == SearchFacts(nearness, 1.0, 9).log_odds


@given(odds=st.floats(-50, 50), less=SHARES, more=SHARES)
def test_the_more_of_a_question_is_missed_the_less_an_answer_is_worth(
    odds: float, less: float, more: float
) -> None:
    less, more = sorted((less, more))
    assert without_missed(odds, more) <= without_missed(odds, less) <= odds
    assert evidence(without_missed(odds, 1.0)) < EVIDENCE_FLOOR
    assert without_missed(odds, 0.3) == odds


def relevance(log_odds: float, share: float, nearness: float) -> float:
    return relevances(log_odds, [share], [nearness])[0]


@given(odds=st.floats(-50, 50), share=SHARES, less=SHARES, near=NEARNESS, far=NEARNESS)
def test_better_hits_are_more_relevant(
    odds: float, share: float, less: float, near: float, far: float
) -> None:
    less, share, far, near = *sorted((less, share)), *sorted((far, near))
    assert 0.0 < relevance(odds, less, far) <= relevance(odds, share, near) < 1.0


def test_a_hit_is_as_relevant_as_its_answer_is_sure() -> None:
    """Falls where what an answer as a whole is worth does not bear on its hits (ANSWER_WEIGHT)."""
    sure, unsure = relevance(4.0, 1.0, 0.1), relevance(-4.0, 1.0, 0.1)
    assert unsure < 0.15 < 0.5 < sure


def test_a_hit_is_the_less_relevant_the_further_it_stands_behind_the_best() -> None:
    """Falls where a hit's share of the best one's relevance does not count (SHARE_WEIGHT)."""
    best, second, last = (relevance(1.0, share, 0.1) for share in (1.0, 0.6, 0.1))
    assert best - 0.1 > second > last + 0.1


def test_a_word_that_a_text_says_is_answered_however_far_from_chance_its_cosine_is() -> None:
    """Falls without `LEAST_NEARNESS`: a single word is far from every line of a changelog, whose lines are alike."""
    one_word = SearchFacts(nearness=-0.25, coverage=1.0, searched=340)
    assert evidence(one_word.log_odds) >= EVIDENCE_FLOOR
    most_of_it = SearchFacts(nearness=-0.25, coverage=0.9, searched=340)
    assert evidence(most_of_it.log_odds) < EVIDENCE_FLOOR
