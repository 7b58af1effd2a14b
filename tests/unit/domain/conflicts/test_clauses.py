"""What is looked for first, because it is found faster, passes over no text that the pattern itself finds."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts import clauses, ownership
from memory_layer.domain.conflicts.claims import read_claims

PAST = [
    *("we used to cache", "formerly in redis", "previously it ran", "in the past it ran", "back then it ran"),
    *("historically it ran", "once upon a time", "it ran until 2019", "it ran until 1998"),
    *("it is used to cache", "the until 3 rule", "the pastry"),
]
EXAMPLES = [
    *("for example it runs", "for instance it runs", "e.g. it runs", "let's say it runs", "lets say it runs"),
    *("suppose it runs", "zum beispiel redis", "z. b. redis", "z.b. redis", "assume it runs"),
    *("in this example it runs", "in the following example it runs", "the examples run", "it assumes a run"),
]
RELEASES = [
    *("this release runs", "dieser version fehlt", "diese version", "it runs (no notable changes)"),
    *("it runs (1a2b3c4d)", "it runs (1a2b3c4)!", "(no changes", "the release runs", "it runs (twice)"),
]
NAMED = [
    *("The importer is looked after by Clara", "CLARA OWNS IT", "Clara manages the on-call rota"),
    *(
        "Das gehört Clara",
        "Das gehort Clara",
        "Zuständig ist Clara",
        "The cache is Redis",
        "It maint\u00e4ins",
    ),
]


@pytest.mark.parametrize("text", [*PAST, *EXAMPLES])
def test_hints_pass_over_nothing(text: str) -> None:
    assert clauses._is_past(text) == (clauses._PAST.search(text) is not None)
    assert clauses.is_example(text) == (clauses._EXAMPLE.search(text) is not None)


@pytest.mark.parametrize("text", RELEASES)
def test_releases_and_commits_are_leads(text: str) -> None:
    assert clauses.is_lead(text) == (clauses._OF_ONE_RELEASE.search(text) is not None)


@pytest.mark.parametrize("text", NAMED)
def test_who_answers_is_looked_for_in_any_case(text: str) -> None:
    assert ownership._may_name_responsible(text) == (ownership._HINT.search(text) is not None)


@pytest.mark.parametrize("blank", ["  ", "\t ", "   \t"])
def test_nobody_answers_where_the_name_is_blank(blank: str) -> None:
    assert list(ownership.responsibilities(f"The importer belongs to {blank}.")) == []


def test_sentences_end_at_stops_at_lines_and_at_dashes() -> None:
    text = "Redis is fast.  Postgres is slow!\n\nMySQL is old \u2013 SQLite is small; uv is new."
    words = [" ".join(clause.words) for clause in clauses.clauses_of(text)]
    expected = [
        *("redis is fast", "postgres is slow", "mysql is old", "sqlite is small"),
        "uv is new",
    ]
    assert words == expected


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The pool must not retry on port 80", ("pool", "retri", "port")),
        ("Turn on the audit log", ("~enable", "audit", "log")),
        ("The log is on", ("log", "~enable")),
        ("Use uv instead of pip in CI", ("uv", "ci")),
        ("Close issue 12 in the queue", ("close", "issu", "issue 12", "queue")),
    ],
)
def test_words_keep_their_part_in_a_claim(text: str, terms: tuple[str, ...]) -> None:
    assert read_claims(text).claims[-1].terms == terms
