"""Steps that two procedures of a file share: each is a line of its own, in the order of its procedure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_layer.domain.conflicts.pair_verdict import judge_pair
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.line_order import line_order
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.revise import revise
from tests.contract.transfer.test_import_edited import Team, team, told
from tests.given import PROJECT

__all__ = ["team"]

DEPLOY = """\
## Deploy the shop
1. Close the gate
2. Build the image
3. Open the gate
"""
RESTORE = """\
## Restore the backup
1. Stop all writers
2. Close the gate
3. Load the dump
4. Open the gate.
"""
RUNBOOK = f"# Runbook\n\n{DEPLOY}\n{RESTORE}"


def under(team: Team, heading: str) -> Sequence[Memory]:
    """Lines under a heading that are in use, in the order of their numbers."""
    lines = [one for one in team.records() if one.is_active and one.context == f"Runbook > {heading}"]
    return sorted(lines, key=lambda memory: line_order(memory) or 0)


def words(team: Team, heading: str) -> list[str]:
    return [memory.content for memory in under(team, heading)]


def test_each_procedure_has_all_of_its_steps_in_its_own_order(team: Team) -> None:
    """Falls where a shared step is one memory: the gate was opened before the writers were stopped."""
    assert told(team.bring(RUNBOOK, is_dry_run=True)) == {"stored": 7}
    assert told(team.bring(RUNBOOK)) == {"stored": 7}
    before = team.records()
    assert told(team.bring(RUNBOOK)) == {"unchanged": 7}
    assert team.records() == before
    steps = [line[3:] for line in RESTORE.splitlines()[1:]]
    assert words(team, "Restore the backup") == steps
    assert words(team, "Deploy the shop") == [line[3:] for line in DEPLOY.splitlines()[1:]]
    found = recall(team.backend.ports, team.who, PROJECT, RecallRequest(query="How do I restore the backup?"))
    hits = [one.memory for one in found.memories]
    assert [one.content for one in hits if one.context == "Runbook > Restore the backup"] == steps


def test_an_edit_of_one_procedure_leaves_the_other(team: Team) -> None:
    """Falls where the second step is known by its words, is refused as the first one's twin, or loses its place."""
    team.bring(RUNBOOK)
    kept = under(team, "Deploy the shop")
    edited = f"# Runbook\n\n{DEPLOY}\n{RESTORE.replace('Close the gate', 'Close the northern gate')}"
    assert told(team.bring(edited, prunes=True)) == {"changed": 1, "unchanged": 6}
    assert words(team, "Restore the backup")[1] == "Close the northern gate"
    both = edited.replace("1. Close the gate", "1. Close the northern gate")
    assert told(team.bring(both, prunes=True)) == {"changed": 1, "unchanged": 6}
    assert told(team.bring(both)) == {"unchanged": 7}
    assert told(team.bring(RUNBOOK, prunes=True)) == {"changed": 2, "unchanged": 5}
    assert words(team, "Deploy the shop") == [one.content for one in kept]
    assert told(team.bring(f"# Runbook\n\n{RESTORE}", prunes=True)) == {
        "unchanged": 4,
        "gone": 3,
        "pruned": 3,
    }
    assert len(words(team, "Restore the backup")) == 4
    assert told(team.bring(RUNBOOK, prunes=True)) == {"stored": 3, "unchanged": 4}


def test_a_procedure_that_is_inserted_before_has_its_steps_as_well(team: Team) -> None:
    """Falls where only steps behind the first one of a file count as repeated."""
    team.bring(RUNBOOK)
    first = "## Clean the yard\n1. Close the gate\n2. Sweep\n"
    assert told(team.bring(f"# Runbook\n\n{first}\n{DEPLOY}\n{RESTORE}")) == {"stored": 2, "unchanged": 7}
    assert words(team, "Clean the yard") == ["Close the gate", "Sweep"]
    swapped = f"# Runbook\n\n{RESTORE}\n{DEPLOY}\n{first}"
    assert sum(told(team.bring(swapped)).values()) == 9
    assert words(team, "Restore the backup")[1] == "Close the gate"
    assert len([one for one in team.records() if one.is_active]) == 9


def test_a_repeated_step_whose_words_somebody_changed_stays_changed(team: Team) -> None:
    """Falls where a line is not known by the id that it has as a repeated step."""
    team.bring(RUNBOOK)
    second = under(team, "Restore the backup")[1]
    revise(team.backend.ports, team.who, PROJECT, second.id, {"content": "Lock both of the doors"})
    assert told(team.bring(RUNBOOK, prunes=True)) == {"unchanged": 7}


def test_the_sweep_takes_repeated_steps_for_no_duplicates(team: Team) -> None:
    """Falls where two equal lines are put before a person, or merged."""
    team.bring(RUNBOOK)
    one, other = (memory for memory in team.records() if memory.content == "Close the gate")
    assert judge_pair(one, other, cosine=1.0) is None


@pytest.mark.parametrize("mark", ["-", "*"])
def test_bullets_under_two_headings_stay_one_memory(team: Team, mark: str) -> None:
    text = f"# Rules\n\n## Queues\n{mark} Use unique names.\n\n## Tables\n{mark} Use unique names.\n"
    assert told(team.bring(text))["stored"] == 1
