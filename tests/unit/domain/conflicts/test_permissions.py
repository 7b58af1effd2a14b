"""Who may do a thing: what one group alone may do is neither denied to it nor given to another."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.sameness import Sameness, sameness
from tests.unit.domain.conflicts.test_recurring_times import contradict


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Only curators may open the vault.", "Members may open the vault."),
        ("Only curators may open the vault.", "Everyone may open the vault."),
        ("Only curators may open the vault.", "Curators may not open the vault."),
        ("Only curators can open the vault.", "The vault can only be opened by owners."),
        ("Only curators may open the vault.", "Curators and guards may open the vault."),
        ("Only the keeper may sign a receipt.", "Anyone on the team may sign a receipt."),
        ("Nur Kuratoren dürfen Kisten öffnen.", "Alle dürfen Kisten öffnen."),
    ],
)
def test_two_groups_that_may_exclude_each_other(one: str, other: str) -> None:
    assert contradict(one, other)
    assert contradict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Only curators may open the vault.", "Curators may open the vault."),
        ("Only curators may open the vault.", "Senior curators may open the vault."),
        ("Only curators may open the vault.", "Guards may open the gate."),
        ("Only curators may open the vault.", "Guards may not open the vault."),
        ("Only curators may open the vault.", "You may open the vault."),
        ("Only curators may open the vault.", "Who may open the vault?"),
        ("Only curators may open the vault.", "Curators may only open the vault."),
        ("Curators may open the vault.", "Guards may open the vault."),
    ],
)
def test_groups_that_may_both_do_not(one: str, other: str) -> None:
    assert not contradict(one, other)
    assert not contradict(other, one)


def test_what_a_group_may_only_do_is_not_what_only_it_may() -> None:
    """Falls where texts of the same words are taken for one, wherever their `only` stands."""
    one, other = "Only curators may open the vault.", "Curators may only open the vault."
    assert sameness(one, other, 0.95) is Sameness.OTHER
    assert sameness(other, one, 0.95) is Sameness.OTHER
