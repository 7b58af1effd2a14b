"""Small words that make another fact: tense, stage, owner, bound, reference, and what lies beyond the clauses read."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.point_of_difference import CLAUSES_MAX, point_of_difference

PORTS = [f"- Service s{number} listens on port {8000 + number}." for number in range(CLAUSES_MAX + 30)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cache is in Redis.", "The cache was in Redis."),
        ("Nginx was the default proxy.", "Nginx is now the default proxy."),
        ("Support for Python 3.8 will be dropped.", "Support for Python 3.8 was dropped."),
        ("The service is being migrated to AWS.", "The service has been migrated to AWS."),
        ("The importer was able to read XML files.", "The importer is able to read XML files."),
        ("Der Job wird gelöscht.", "Der Job wurde gelöscht."),
        ("Retry a failed upload a few times (3) first.", "Retry a failed upload a few times (5) first."),
        ("Rule (1) holds for all requests.", "Rule (2) holds for all requests."),
        ("Restart just the worker after a change.", "Restart the worker after a change."),
        ("My API key is in the vault.", "Your API key is in the vault."),
        ("\n".join(PORTS), "\n".join([*PORTS[:-1], PORTS[-1].replace("82", "99")])),
    ],
)
def test_it_is_another_fact_either_way(one: str, other: str) -> None:
    """Falls without the marks of `told_stage`: a merge would keep one and lose the other."""
    assert point_of_difference(one, other) is not None
    assert point_of_difference(other, one) is not None


def test_a_clause_beyond_those_read_is_news() -> None:
    longer = "\n".join([*PORTS, "The nightly backup starts at 02:00."])
    assert point_of_difference(longer, "\n".join(PORTS)) is not None
    assert point_of_difference("\n".join(PORTS), longer) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Restart your server after the update.", "Restart the server after the update."),
        ("Run the tests before you push.", "Run the tests before you push!"),
        ("Just run make to build it.", "Run make to build it."),
    ],
)
def test_manners_of_speaking_are_no_difference(one: str, other: str) -> None:
    assert point_of_difference(one, other) is None
    assert point_of_difference(other, one) is None
