"""A file that was edited is imported again: its memories follow it, and nothing that it still says is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.attribution import edition_of
from memory_layer.domain.memory import Memory
from memory_layer.edge.foreign.csv_table import read_csv
from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.errors import Invalid
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.transfer.followed_file import FollowedFile
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, SCOPE

RULES = """\
# Shop

## Tests
- Run the suite with `make test` before each push.
- Fixtures live in tests/given.

## Never do this
- Use floats for prices
- Call the warehouse from a route
"""


@pytest.fixture
def team(backend: EmbeddedBackend, admin: Principal) -> Team:
    return Team(backend, admin)


class Team:
    """Somebody who imports files, and looks at what is stored."""

    def __init__(self, backend: EmbeddedBackend, who: Principal) -> None:
        self.backend = backend
        self.who = who

    def bring(
        self, text: str, name: str | None = "AGENTS.md", *, prunes: bool = False, is_dry_run: bool = False
    ) -> ForeignTally:
        file = read_markdown(text, name)
        tally = import_foreign(
            self.backend.ports, self.who, PROJECT, file, prunes=prunes, is_dry_run=is_dry_run
        )
        self.backend.drain()
        return tally

    def records(self) -> Sequence[Memory]:
        return list(every_record(self.backend.ports.store.memories, SCOPE))

    def said(self) -> set[str]:
        return {memory.content for memory in self.records() if memory.is_active}

    def saying(self, text: str) -> Memory:
        (found,) = (memory for memory in self.records() if text in memory.content and memory.is_active)
        return found


def told(tally: ForeignTally) -> dict[str, int]:
    names = ("stored", "changed", "moved", "unchanged", "skipped", "pruned")
    return {name: getattr(tally, name) for name in names if getattr(tally, name)} | (
        {"gone": len(tally.gone)} if tally.gone else {}
    )


def test_the_same_file_again_changes_nothing(team: Team) -> None:
    assert told(team.bring(RULES)) == {"stored": 4}
    before = team.records()
    assert told(team.bring(RULES)) == {"unchanged": 4}
    assert team.records() == before


def test_an_edited_line_supersedes_its_earlier_wording_and_no_other_moves(team: Team) -> None:
    """Falls where a line is known by its words alone: both wordings are then believed."""
    team.bring(RULES)
    before = {memory.id: memory for memory in team.records()}
    assert told(team.bring(RULES.replace("make test", "make check"))) == {"changed": 1, "unchanged": 3}
    new = team.saying("make check")
    assert new.supersedes is not None
    old = next(memory for memory in team.records() if memory.id == new.supersedes)
    assert (old.status, old.status_reason) == ("superseded", "changed in AGENTS.md")
    untouched = [memory for memory in team.records() if memory.id in before and memory.id != old.id]
    assert all(memory == before[memory.id] for memory in untouched)


def test_a_line_whose_earlier_wording_a_person_superseded_stays_out(team: Team) -> None:
    """Falls where an edit of the file brings back what somebody has corrected."""
    team.bring(RULES)
    old = team.saying("make test")
    said = {"id": "mine", "content": "Run the suite with `just test` before each push."}
    supersede_memory(team.backend.ports, team.who, PROJECT, old.id, said)
    tally = team.bring(RULES.replace("make test", "make check"))
    assert told(tally) == {"unchanged": 3, "skipped": 1}
    assert [one.reason for one in tally.left_out] == [
        f"{old.id}, an earlier wording of it, was superseded by mine, which stands"
    ]
    assert team.saying("before each push").id == "mine"


def test_a_line_that_is_gone_is_named_and_archived_if_that_is_asked_for(team: Team) -> None:
    team.bring(RULES)
    shorter = RULES.replace("- Call the warehouse from a route\n", "")
    tally = team.bring(shorter)
    assert (told(tally), tally.gone) == ({"unchanged": 3, "gone": 1}, [team.saying("warehouse").id])
    assert told(team.bring(shorter, prunes=True)) == {"unchanged": 3, "gone": 1, "pruned": 1}
    assert not any("warehouse" in content for content in team.said())
    assert told(team.bring(shorter, prunes=True)) == {"unchanged": 3}


def test_words_that_come_back_are_believed_again(team: Team) -> None:
    """Falls where an id that an edit retired is taken for words that a person took out of use."""
    edited = RULES.replace("make test", "make check").replace("- Use floats for prices\n", "")
    for _ in range(3):
        team.bring(RULES, prunes=True)
        assert {"Never do this: Use floats for prices"} < team.said()
        assert any("make test" in content for content in team.said())
        team.bring(edited, prunes=True)
        assert any("make check" in content for content in team.said())
        assert len(team.said()) == 3


def test_what_a_person_took_out_of_use_stays_out(team: Team) -> None:
    team.bring(RULES)
    archive_memory(team.backend.ports, team.who, PROJECT, team.saying("warehouse").id)
    tally = team.bring(RULES)
    assert told(tally) == {"unchanged": 3, "skipped": 1}
    assert [part.where for part in tally.left_out] == ["line 9"]
    assert "archived" in tally.left_out[0].reason


def test_a_line_under_another_heading_moves_with_its_evidence(team: Team) -> None:
    team.bring(RULES)
    before = team.saying("Fixtures")
    assert told(team.bring(RULES.replace("## Tests", "## Testing"))) == {"moved": 2, "unchanged": 2}
    after = team.saying("Fixtures")
    assert (after.id, after.context) == (before.id, "Shop > Testing")
    assert told(team.bring(RULES.replace("## Tests", "## Testing"))) == {"unchanged": 4}


CHANGES = """\
# Changelog

## 2.1.0 (2026-01-14)

- Sessions last 30 days.
- The export has a header line.
"""


def test_a_line_under_another_date_was_said_on_that_day(team: Team) -> None:
    """Falls where a line that moves, or is reworded, is of another day than its heading."""
    team.bring(CHANGES, "CHANGELOG.md")
    moved = CHANGES.replace("2.1.0 (2026-01-14)", "2.1.1 (2026-02-02)")
    assert told(team.bring(moved, "CHANGELOG.md"))["moved"] == 2
    team.bring(moved.replace("30 days", "30 days since yesterday"), "CHANGELOG.md")
    days = {team.saying(text).said_at for text in ("30 days", "header line")}
    assert days == {datetime(2026, 2, 2, tzinfo=UTC)}
    assert edition_of(team.saying("header line")) == "2.1.1"


def test_a_day_that_a_person_named_outlives_a_move_to_an_undated_heading(team: Team) -> None:
    team.bring(CHANGES, "CHANGELOG.md")
    named = datetime(2025, 1, 1, tzinfo=UTC)
    revise(team.backend.ports, team.who, PROJECT, team.saying("header line").id, {"said_at": named})
    team.bring(CHANGES.replace("2.1.0 (2026-01-14)", "Unreleased"), "CHANGELOG.md")
    assert team.saying("header line").said_at == named
    assert team.saying("30 days").said_at is None


def test_a_reworded_line_under_another_heading_is_not_lost(team: Team) -> None:
    """Falls where a line that is left out as known has a twin that is archived as gone."""
    team.bring("## Cart\n- Totals are rounded half up, in cents, at the very end.\n- Carts expire.")
    moved = "## Prices\n- Totals are rounded half up, in cents at the very end\n## Cart\n- Carts expire."
    tally = team.bring(moved, prunes=True)
    assert told(tally) == {"changed": 1, "unchanged": 1}
    assert "Totals are rounded half up, in cents at the very end" in team.said()


def test_what_another_file_says_too_outlives_its_first_file(team: Team) -> None:
    """Falls where a memory belongs to one file alone."""
    line = "- Invoices are numbered without gaps.\n"
    team.bring(line, "AGENTS.md")
    assert told(team.bring(f"# Rules\n{line}", "docs/RULES.md")) == {"moved": 1}
    assert team.saying("Invoices").tags == ("AGENTS.md", "docs/RULES.md")
    assert told(team.bring(f"# Rules\n{line}", "docs/RULES.md")) == {"unchanged": 1}
    tally = team.bring("- Carts expire.\n", "AGENTS.md", prunes=True)
    assert (tally.pruned, tally.kept) == (0, tally.gone)
    assert team.saying("Invoices").tags == ("docs/RULES.md",)
    assert told(team.bring("- Other.\n", "docs/RULES.md", prunes=True)) == {
        "stored": 1,
        "gone": 1,
        "pruned": 1,
    }


def test_what_somebody_vouches_for_is_not_pruned(team: Team) -> None:
    team.bring(RULES)
    id = team.saying("warehouse").id
    revise(team.backend.ports, team.who, PROJECT, id, {"pinned": True})
    tally = team.bring(RULES.replace("- Call the warehouse from a route\n", ""), prunes=True)
    assert (tally.gone, tally.kept, tally.pruned) == ([id], [id], 0)


def test_words_that_a_person_changed_stay_while_the_file_says_the_line(team: Team) -> None:
    team.bring(RULES)
    id = team.saying("warehouse").id
    revise(team.backend.ports, team.who, PROJECT, id, {"content": "Routes never call the stock service."})
    assert told(team.bring(RULES)) == {"unchanged": 4}


def test_a_file_of_another_name_takes_nothing_away(team: Team) -> None:
    team.bring(RULES)
    tally = team.bring("- Carts expire.\n", "docs/AGENTS.md", prunes=True)
    assert (told(tally), len(team.said())) == ({"stored": 1}, 5)


@EMBEDDED_ONLY
def test_an_update_is_there_whole_or_not_at_all(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls without `all_or_nothing` in usecases/transfer/import_foreign.py."""
    team.bring(RULES)
    before = team.records()

    def fails(*_: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(FollowedFile, "prune", fails)
    edited = RULES.replace("make test", "make check").replace(
        "- Use floats for prices", "- Bind a port twice"
    )
    with pytest.raises(RuntimeError):
        team.bring(edited, prunes=True)
    assert team.records() == before


def test_a_dry_run_of_an_edit_tells_the_same_and_changes_nothing(team: Team) -> None:
    team.bring(RULES)
    before = team.records()
    edited = RULES.replace("make test", "make check").replace(
        "- Use floats for prices", "- Bind a port twice"
    )
    foreseen = team.bring(edited, prunes=True, is_dry_run=True)
    assert team.records() == before
    assert asdict(team.bring(edited, prunes=True)) == asdict(foreseen) | {"is_dry_run": False}


def test_should_not_is_never_dropped_for_should(team: Team) -> None:
    tally = team.bring("- Tests should use the network.\n- Tests should not use the network.\n")
    assert tally.read == tally.stored + len(tally.refused)
    assert tally.skipped == 0


def test_every_line_that_is_known_is_named(team: Team) -> None:
    tally = team.bring(
        "- Carts expire after a day.\n- Carts expire after a day.\n- Carts expire after a day!\n"
    )
    assert (tally.stored, tally.skipped) == (1, 2)
    assert [part.where for part in tally.left_out] == ["line 2", "line 3"]
    assert tally.left_out[0].reason == "says the same as line 1"
    assert "says this already" in tally.left_out[1].reason


def test_a_file_without_a_name_is_not_pruned(team: Team) -> None:
    with pytest.raises(Invalid, match="without a name"):
        import_foreign(team.backend.ports, team.who, PROJECT, read_csv("content\nA.\n"), prunes=True)
