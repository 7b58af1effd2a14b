"""What makes another fact of two texts that are much alike, and what only says it in other words or says more."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.point_of_difference import Point, point_of_difference

DIFFERENT: tuple[tuple[str, str, str, str], ...] = (
    (
        "The nightly backup starts at 03:30.",
        "The nightly backup starts at 02:00.",
        "number",
        "says 03:30 where the known one says 02:00",
    ),
    (
        "Retry five times.",
        "Retry three times, then give up.",
        "number",
        "says five where the known one says three",
    ),
    (
        "Wait 30 seconds.",
        "Wait 30 minutes.",
        "number",
        "says 30 seconds where the known one says 30 minutes",
    ),
    (
        "Ask Bob for access to staging.",
        "Ask Alice for access to staging.",
        "name",
        "says Bob where the known one says Alice",
    ),
    (
        "Call `get_user` for the profile.",
        "Call `get_users` for the profile.",
        "name",
        "says get_user where the known one says get_users",
    ),
    (
        "Cache in redis for speed.",
        "Cache in memcached for speed.",
        "name",
        "says redis where the known one says memcached",
    ),
    (
        "Install with npm ci --omit=dev",
        "Install with npm ci",
        "name",
        "says --omit=dev, which the known one does not say",
    ),
    (
        "Set `lfs = false` for the source.",
        "Set `lfs = true` for the source.",
        "name",
        "says false where the known one says true",
    ),
    (
        "Do not run the linter before a commit.",
        "Run the linter before a commit.",
        "negation",
        "denies what the known one affirms",
    ),
    (
        "Run the linter before a commit.",
        "Never run the linter before a commit.",
        "negation",
        "affirms what the known one denies",
    ),
    (
        "Der Server startet nicht beim Booten.",
        "Der Server startet beim Booten.",
        "negation",
        "denies what the known one affirms",
    ),
    (
        "The cache is disabled in tests.",
        "The cache is enabled in tests.",
        "opposite",
        "says disabled where the known one says enabled",
    ),
    (
        "Run it if the tests pass.",
        "Run it if the tests do not pass.",
        "negation",
        "affirms what the known one denies",
    ),
)


@pytest.mark.parametrize(("new", "known", "kind", "told"), DIFFERENT)
def test_a_point_makes_another_fact(new: str, known: str, kind: str, told: str) -> None:
    point = point_of_difference(new, known)
    assert point is not None
    assert (point.kind, point.told) == (kind, told)
    assert point_of_difference(known, new) is not None


SAME = (
    ("Run the linter before every commit.", "Run the linter before every commit!!"),
    ("Use the `--system` flag on all uv calls.", "Use the --system flag on all `uv` calls."),
    ("Requests time out after 60 seconds.", "Requests time out after one minute."),
    ("Retry 3 times.", "Retry three times."),
    ("1. Squash before merging.", "2. Squash before merging."),
    ("The API does not need a token.", "The API doesn't need a token."),
    ("Workers are not required in tests.", "Workers are optional in tests."),
    ("The lock is not safe to edit.", "The lock is unsafe to edit."),
    ("Thanks, Nate! I'll keep you updated.", "Thanks Nate! I'll make sure to keep you updated."),
    ("Deploys go through Jenkins.", "All deploys go through jenkins"),
    ("SQLite takes one writer at a time.", "SQLite takes one writer at a time; in WAL mode readers go on."),
    ("The lock file is managed by uv.", "The lock file is managed by uv. Other tools cannot read it."),
    ("Read `src/app/main.py` first.", "Read main.py first."),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words_and_more_of_it_is_no_other_fact(one: str, other: str) -> None:
    assert point_of_difference(one, other) is None
    assert point_of_difference(other, one) is None


def test_what_the_longer_one_leaves_out_would_be_lost() -> None:
    longer = "The worker writes its results to the queue, and they are taken from there in the order of their coming."
    assert point_of_difference(longer, "The worker writes its results to Kafka.") == Point(
        "name", "", "Kafka"
    )


@pytest.mark.parametrize(
    "text", ["", " ", "\u8a9e" * 50, "- " * 3_000, "not " * 9_000, "a-b " * 9_000, "`" * 999]
)
def test_any_text_is_compared(text: str) -> None:
    assert point_of_difference(text, text) is None
    point_of_difference(text, "Use tabs.")
