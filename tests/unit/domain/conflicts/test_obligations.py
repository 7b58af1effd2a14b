"""What lifts an obligation contradicts it; what reports that it was not met does not."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction


def contradict(one: str, other: str) -> bool:
    found = contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.8)
    assert found == contradiction(ComparedStatement(other), ComparedStatement(one), cosine=0.8)
    return found is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Commits must be signed.", "Commits need not be signed."),
        ("Commits must be signed.", "Commits do not need to be signed."),
        ("Commits must be signed.", "Signing commits is optional."),
        ("Kommentare werden auf Englisch geschrieben.", "Kommentare werden auf Deutsch geschrieben."),
        ("Alice is the incident commander.", "The incident commander is Bob."),
    ],
)
def test_what_leaves_free_or_chooses_otherwise_contradicts(one: str, other: str) -> None:
    assert contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Backups must be encrypted.", "The backup was not encrypted."),
        ("The tests must pass.", "The tests did not pass."),
        (
            "Marketing campaigns must be coordinated with engineering",
            "**Marketing campaign not coordinated**\n- Engineering not aware of the traffic",
        ),
        ("Commits must be signed.", "Tags need not be signed."),
        ("Commits are signed.", "Commits need not be signed."),
    ],
)
def test_a_rule_and_its_breach_or_another_subject_do_not(one: str, other: str) -> None:
    """Falls where a report of what went wrong is taken for a rule to the contrary."""
    assert not contradict(one, other)


def test_two_rules_contradict_each_other_still() -> None:
    assert contradict("Backups must be encrypted.", "Backups must not be encrypted.")
    assert contradict("Backups are encrypted.", "Backups are not encrypted.")


def test_a_duty_of_somebody_is_lifted_too() -> None:
    """Falls where who is to do it, or by how many, makes it another duty."""
    assert contradict("Refunds have to be approved by finance.", "Refunds need no approval.")
    assert contradict("Parcels must be checked by two clerks.", "Parcels need no check.")
    assert not contradict("Refunds have to be approved before noon.", "Refunds need no approval.")
