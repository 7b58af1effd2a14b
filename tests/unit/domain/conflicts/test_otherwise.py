"""What says otherwise of the same thing, so that somebody must choose, and what is of another thing."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import ComparedStatement, Contradiction, contradiction

OTHERWISE = (
    ("The nightly export starts at 02:00.", "The nightly export starts at 03:30."),
    ("Requests to the tax service time out after 29 s.", "Requests to the tax service time out after 60 s."),
    ("Audit logs are kept for 30 days.", "Audit logs are kept for 90 days."),
    ("Use pnpm, never npm, in this repository.", "Use npm, never pnpm, in this repository."),
    ("Run the linter before every commit.", "Do not run the linter before every commit."),
    ("Migrations must run before the deploy.", "Migrations must run after the deploy."),
    ("Retry failed uploads three times.", "Retry failed uploads five times."),
    ("Der Cache ist in Tests aktiviert.", "Der Cache ist in Tests deaktiviert."),
    ("Der Dienst startet beim Booten.", "Der Dienst startet nicht beim Booten."),
    ("Das Backup startet um 02:00 Uhr.", "Das Backup startet um 03:30 Uhr."),
    ("Now a free worker will be taken first.", "Now a free worker will not be taken first."),
    ("All changes go to `next` (NOT `stable`).", "All changes go to `stable`."),
    ("Use `rg`, not `grep`.", "Use `grep`."),
    ("You should prefer `run sync` to `run install`.", "You should prefer `run install` to `run sync`."),
    ("In Version 5 gibt es kein Setup mehr.", "In Version 5 gibt es noch ein Setup."),
    ("Keys are not-null and sorted.", "Keys are null and not-sorted."),
    (
        "Page Team B, not A people. Mail Team C first.",
        "Page Team C, not A people. Mail Team B first.",
    ),
)

BOTH_HOLD = (
    ("Run the tests with the cache.", "Run the tests without the cache."),
    ("Any label that matches is dropped.", "Any label that does not match is dropped."),
    ("Fixed a crash in the parser in 1.2.3.", "Fixed a crash in the parser in 1.2.4."),
    ("The default minimum version is TLS 1.2.", "The default maximum version is TLS 1.3."),
    ("The project supports Python 3.7.", "The project supports Python 3.8."),
    ("When `lfs = true`, objects are fetched.", "When `lfs = false`, objects are never fetched."),
    ("Step 1 of the runbook restarts the worker.", "Step 2 of the runbook restarts the worker."),
    ("Push the release tag last.", "Push the release branch last."),
    ("The parser calls the lexer.", "The lexer calls the parser."),
    ("Returns the marshaler of the client.", "Returns the unmarshaler of the client."),
    ("Die Installation kann dauern.", "Die Deinstallation kann dauern."),
    ("Outputs the steps but will not run them.", "Output the steps but do not run them."),
    ("For example, the pump takes 30 s to start.", "For example, the pump takes 90 s to start."),
)


def otherwise(one: str, other: str) -> Contradiction | None:
    return contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.95)


@pytest.mark.parametrize(("one", "other"), OTHERWISE)
def test_one_point_in_which_both_cannot_hold(one: str, other: str) -> None:
    assert otherwise(one, other)
    assert otherwise(other, one)


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_another_case_another_time_or_another_thing_is_no_disagreement(one: str, other: str) -> None:
    assert otherwise(one, other) is None
    assert otherwise(other, one) is None
