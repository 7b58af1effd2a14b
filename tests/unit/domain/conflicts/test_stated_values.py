"""Values that two texts give to one attribute, in whichever words, and texts that give values to two."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.claims import read_claims
from memory_layer.domain.conflicts.contradiction import ComparedStatement, Contradiction, contradiction
from memory_layer.domain.conflicts.stated_values import stated_values


def found(one: str, other: str) -> Contradiction | None:
    mine, theirs = (contradiction(*pair, cosine=0.5) for pair in _orders(one, other))
    assert mine == theirs, "the order of asking does not matter"
    return mine


def _orders(one: str, other: str) -> list[tuple[ComparedStatement, ComparedStatement]]:
    first, second = ComparedStatement(one), ComparedStatement(other)
    return [(first, second), (second, first)]


@pytest.mark.parametrize(
    ("one", "other", "values"),
    [
        ("Our ledger is MariaDB.", "We use Oracle as the ledger.", {"mariadb", "oracle"}),
        ("Redis is our cache.", "The cache is Memcached.", {"redis", "memcached"}),
        ("The timeout is 20 s.", "Requests time out after 45 s.", {"20 s", "45 s"}),
        ("Audits happen on Mondays.", "Audits take place every Friday.", {"mondays", "every friday"}),
        (
            "The index is rebuilt every Monday.",
            "The index is rebuilt once a month.",
            {"every monday", "once a month"},
        ),
        ("Photos are limited to 4 MB.", "Photos may be 9 MB at most.", {"4 mb", "9 mb"}),
        ("Labels need at least 3 letters.", "The minimum label length is 5 letters.", {"at least 3", "5"}),
        ("Wir bauen mit Bazel.", "Gebaut wird mit Maven.", {"bazel", "maven"}),
        ("Das Treffen ist am Montag.", "Das Treffen findet am Freitag statt.", {"montag", "freitag"}),
    ],
)
def test_one_attribute_in_other_words_has_two_values(one: str, other: str, values: set[str]) -> None:
    """Falls where claims are compared by their words alone: a copula and a verb have none in common."""
    told = found(one, other)
    assert told is not None
    assert (told.kind, told.shared) == ("choice", 0.0), "nothing is retired by itself"
    assert all(value in told.reason for value in values)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ines is on call.", "Paul is on call this week."),
        ("Ines is the budget officer.", "The budget officer is Paul."),
        ("Ines is the on-call lead for payments.", "The on-call lead for payments is Paul."),
    ],
)
def test_one_post_is_held_by_one_person(one: str, other: str) -> None:
    told = found(one, other)
    assert told is not None
    assert "Ines" in told.reason
    assert "Paul" in told.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Our ledger is MariaDB.", "We use Oracle as the archive."),
        ("MariaDB is a database.", "Oracle is a database."),
        ("Our ledger is MariaDB.", "Our ledger may be Oracle when we move."),
        ("We use MariaDB and Oracle as the ledger.", "Our ledger is Oracle."),
        ("Our ledger is not MariaDB.", "Our ledger is Oracle."),
        ("We moved the ledger from MariaDB.", "We moved the ledger from Oracle."),
        ("Audits happen on Mondays.", "Reviews happen on Fridays."),
        ("The audit ended on Monday.", "The audit ended on Friday."),
        ("Audits happen every week.", "Audits happen on Mondays."),
        ("Photos are limited to 4 MB.", "Photos need at least 9 MB."),
        ("Photos are limited to 4 MB.", "Archives may be 9 MB at most."),
        ("Photos are limited to 4 MB.", "Photos are limited to 4096 KB."),
        ("Requests time out after 20 s.", "Clients time out after 45 s."),
        ("Ines is the budget officer.", "Paul is the safety officer."),
        ("Ines is on call this week.", "Paul was on call this week."),
        ("Bump the base image to 3.1.", "Bump the base image to 3.2."),
        ("New release candidate 1.", "New release candidate 2."),
        ("Extra tools are required for Python 3.7.", "Extra tools are required for Python 3.8."),
    ],
)
def test_two_attributes_or_values_that_both_hold_are_no_contradiction(one: str, other: str) -> None:
    assert found(one, other) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The job must run nightly.", "nightly"),
        ("The limit of retries is 5.", "5"),
        ("Timeouts must last a minute.", "a minute"),
        ("The report is sent on Fridays.", "fridays"),
        ("Redis is our cache.", "redis"),
        ("The report runs other times an evening.", "other times an evening"),
        ("We run 5x builds an evening.", "an evening"),
        ("We run \u0663 builds an evening.", "an evening"),
    ],
)
def test_each_word_of_a_value_has_its_clause_read(text: str, value: str) -> None:
    """Falls without the line of `_names_value`, or of `may_begin_recurrence`, that knows the word."""
    assert [stated.spelled for stated in stated_values(read_claims(text).claims)] == [value]
