"""The first look spares the reading of claims: it passes over most pairs, and over none that is flagged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction, may_contradict
from tests.unit.domain.conflicts import conflict_examples, conflict_examples_held_out, conflict_examples_loose
from tests.unit.domain.conflicts.test_contradiction import CONTRADICTING, OTHERS, pairs

PARTS = (conflict_examples, conflict_examples_held_out, conflict_examples_loose)
LABELLED = [
    pair[:2] for part in PARTS for section in (*CONTRADICTING, *OTHERS) for pair in pairs(part, section)
]
IN_OTHER_WORDS = [
    ("Our cache is Redis.", "We use Memcached as the cache."),
    ("Backups happen on Mondays.", "Backups take place every Friday."),
    ("Uploads are limited to 10 MB.", "Uploads may be 25 MB at most."),
    ("The lock lives for half an hour.", "The lock lives for 20 minutes."),
    ("Sessions time out after 20 minutes.", "Sessions have a timeout of 45 minutes."),
    ("Clara owns the importer.", "The owner of the importer is Milan."),
    ("Turn on the audit log in staging.", "The audit log in staging is disabled."),
    ("Prefer tabs over spaces in Makefiles.", "Prefer spaces over tabs in Makefiles."),
    ("Workers don\u2019t retry failed uploads.", "Workers retry failed uploads."),
    ("Set `pool_size` to `20`.", "Set `pool_size` to `5`."),
    ("Die Sitzung läuft nach 30 Minuten ab.", "Die Sitzung läuft nach 60 Minuten ab."),
    ("The quota is 5 requests/second.", "The quota is 50 requests per second."),
    ("Sicherungen werden t\u00e4glich erstellt.", "Sicherungen werden w\u00f6chentlich erstellt."),
    ("All names begin with a prefix (standard `at`).", "All names begin with a prefix (standard `to`)."),
    ("You should always prefer `rg` over `grep`.", "Use `grep`."),
    ("The audit log is enabled in the old staging cluster.", "The audit log is disabled."),
]
BESIDE = [text for pair in (*IN_OTHER_WORDS, *LABELLED[::9]) for text in pair]


def is_flagged(one: str, other: str) -> bool:
    return contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.9) is not None


@pytest.mark.parametrize(("one", "other"), [*LABELLED, *IN_OTHER_WORDS])
def test_what_is_flagged_is_never_passed_over(one: str, other: str) -> None:
    if is_flagged(one, other):
        assert may_contradict(one, other), (one, other)
        assert may_contradict(other, one), (other, one)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([*LABELLED, *IN_OTHER_WORDS]), *(st.lists(st.sampled_from(BESIDE), max_size=2),) * 2)
def test_what_is_flagged_among_other_sentences_is_never_passed_over(
    pair: tuple[str, str], before: list[str], after: list[str]
) -> None:
    """Falls where a claim is left out that may be compared: a text of one sentence is held to less than others."""
    one, other = " ".join([*before, pair[0]]), " ".join([pair[1], *after])
    if is_flagged(one, other):
        assert may_contradict(one, other), (one, other)
        assert may_contradict(other, one), (other, one)


def test_most_neighbours_are_passed_over() -> None:
    texts = [text for pair in LABELLED for text in pair]
    strangers = [(one, other) for one, other in zip(texts[::2], texts[9::2], strict=False) if one != other]
    assert sum(may_contradict(*pair) for pair in strangers) < 0.05 * len(strangers)


def test_the_end_of_a_long_text_is_not_looked_at() -> None:
    known = "Snapshots are kept for 30 days. " + "Other words follow here. " * 60
    assert may_contradict("Snapshots are kept for 90 days.", known)
    assert not may_contradict("Snapshots are kept for 90 days.", "Other words follow here. " * 60 + known)
