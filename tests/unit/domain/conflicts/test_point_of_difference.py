"""What makes another fact of two texts that are much alike, and what only says it in other words or says more."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.point import Point
from memory_layer.domain.conflicts.point_of_difference import point_of_difference

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
    ("Before each deploy, run the smoke tests.", "Run the smoke tests before every deploy."),
    ("Lint and format the code in CI.", "Format and lint the code in CI."),
    (
        "If the token is not valid, the gateway answers 401.",
        "The gateway answers 401 if the token isn't valid.",
    ),
    ("Note: **always** pin the _base image_.", "Always pin the base image"),
    ("See [the runbook](https://wiki.example/run) for restarts.", "See the runbook for restarts."),
    ("Serialise the payload in the colour service.", "Serialize the payload in the color service."),
    ("Please make sure to delete the temp directory.", "Ensure to remove the temporary folder."),
    ("Call {func}`load` once.", "Call :func:`load` once."),
    ("The lockfile is read-only.", "The lock file is read only."),
    ("Alle Schlüssel müssen für Tests rotiert werden.", "Alle Schluessel muessen fuer Tests rotiert werden."),
    ("Vor dem Release werden die Tests gestartet.", "Die Tests werden vor dem Release gestartet."),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words_and_more_of_it_is_no_other_fact(one: str, other: str) -> None:
    assert point_of_difference(one, other) is None
    assert point_of_difference(other, one) is None


MORE = (
    ("SQLite takes one writer at a time.", "SQLite takes one writer at a time; in WAL mode readers go on."),
    ("The lock file is managed by uv.", "The lock file is managed by uv. Other tools cannot read it."),
)


@pytest.mark.parametrize(("less", "more"), MORE)
def test_a_text_that_says_more_is_news_and_what_it_says_too_is_not(less: str, more: str) -> None:
    """Falls where whichever is shorter counts as said."""
    assert point_of_difference(less, more) is None
    point = point_of_difference(more, less)
    assert point is not None
    assert (point.kind, point.known) == ("word", "")


OTHER_FACTS = (
    ("Run the linter before each commit.", "Run the linter before each push.", "word"),
    ("Run the linter before each commit.", "Run the linter after each commit.", "opposite"),
    ("Convert the report to the archive.", "Convert the archive to the report.", "order"),
    ("The parser calls the lexer.", "The lexer calls the parser.", "order"),
    ("Workers read from the cache and the queue.", "Workers read from the cache or the queue.", "word"),
    ("Clients must send the header.", "Clients may send the header.", "word"),
    ("All requests are logged.", "Some requests are logged.", "word"),
    ("Only reviewers merge to main.", "Reviewers merge to main.", "word"),
    ("Keep at least three replicas.", "Keep at most three replicas.", "word"),
    ("Retries are enabled and tracing is disabled.", "Retries are disabled and tracing is enabled.", "order"),
    (
        "Retries are not on by default and tracing is.",
        "Retries are on by default and tracing is not.",
        "order",
    ),
    ("Read `src/app/main.py` first.", "Read `lib/app/main.py` first.", "name"),
    ("Read `src/app/main.py` first.", "Read main.py first.", "name"),
    ("See https://docs.example/v1/setup for it.", "See https://docs.example/v2/setup for it.", "name"),
    ("Pass the `autocomplete` option.", "Pass the `autocompletion` option.", "name"),
    ("Run the tests with the cache.", "Run the tests without the cache.", "negation"),
    ("Upgrade from `0.971` to `0.991`.", "Upgrade from `0.972` to `0.991`.", "word"),
    ("Linux: \u2713, Windows: \u2713", "Linux: \u2713, Windows: \u2717", "word"),
    ("Alle Anfragen werden protokolliert.", "Einige Anfragen werden protokolliert.", "word"),
    ("Der Export läuft mit dem Index.", "Der Export läuft ohne den Index.", "negation"),
    ("Nutzer müssen den Schlüssel erneuern.", "Nutzer können den Schlüssel erneuern.", "word"),
)


@pytest.mark.parametrize(("one", "other", "kind"), OTHER_FACTS)
def test_one_word_or_its_place_makes_another_fact(one: str, other: str, kind: str) -> None:
    point = point_of_difference(one, other)
    assert point is not None
    assert point.kind == kind
    assert point.told
    assert point_of_difference(other, one) is not None


def test_what_the_longer_one_leaves_out_would_be_lost() -> None:
    longer = "The worker writes its results to the queue, and they are taken from there in the order of their coming."
    assert point_of_difference(longer, "The worker writes its results to Kafka.") == Point(
        "name", "", "Kafka"
    )


@pytest.mark.parametrize("space", ["  ", "\t", "\u00a0"])
def test_words_that_are_read_together_may_stand_further_apart(space: str) -> None:
    text = "The worker retries a failed call rather than dropping it."
    assert point_of_difference(text.replace(" ", space), text) is None
    assert point_of_difference(text, text.replace(" ", space)) is None


@pytest.mark.parametrize(
    "text", ["", " ", "\u8a9e" * 50, "- " * 3_000, "not " * 9_000, "a-b " * 9_000, "`" * 999]
)
def test_any_text_is_compared(text: str) -> None:
    assert point_of_difference(text, text) is None
    point_of_difference(text, "Use tabs.")


@pytest.mark.parametrize(
    ("new", "known", "told"),
    [
        (
            "The exporter sorts rows for the archive",
            "The exporter sorts columns for the archive",
            'says "rows" where the known one says "columns"',
        ),
        ("The exporter drops empty rows", "The exporter drops rows", 'says "empty", which the known one'),
    ],
)
def test_plain_words_stand_in_quotes(new: str, known: str, told: str) -> None:
    """Falls where they read as words of the sentence around them: `this says after, which the known one does not`."""
    point = point_of_difference(new, known)
    assert point is not None
    assert told in point.told
