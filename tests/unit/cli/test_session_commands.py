"""Conversations on a terminal."""

from __future__ import annotations

from tests.unit.cli.conftest import Mem, added, answer, problem


def test_a_conversation_is_listed_read_taken_back_and_cleared(mem: Mem) -> None:
    ids = [
        added(mem, said, "--session", "talk", "--position", str(at))
        for at, said in enumerate(["The build is red.", "Which step?", "The linter."])
    ]
    assert "talk" in mem("sessions").stdout
    assert [one["last_position"] for one in answer(mem("sessions", "--json"))["sessions"]] == [2]
    shown = answer(mem("turns", "talk", "--newest-first", "--limit", "2", "--json"))
    assert [turn["id"] for turn in shown["turns"]] == [ids[2], ids[1]]
    rest = mem("turns", "talk", "--newest-first", "--limit", "2", "--cursor", shown["next_cursor"]).stdout
    assert "The build is red." in rest
    assert "Which step?" not in rest
    assert ids[2] in mem("pop-turn", "talk").stdout
    assert mem("clear-session", "talk").stdout == "2 turns are gone\n"
    assert mem("turns", "talk").stdout == "no turns\n"
    assert "no turn" in mem("pop-turn", "talk").stdout
    assert mem("sessions").stdout == "no conversations\n"


def test_a_cursor_of_another_list_is_refused(mem: Mem) -> None:
    for at in range(2):
        added(mem, f"Step {at} is done.", "--session", "talk", "--position", str(at))
    cursor = answer(mem("turns", "talk", "--limit", "1", "--json"))["next_cursor"]
    found = problem(mem("turns", "talk", "--newest-first", "--cursor", cursor, "--json"))
    assert "another query" in found["detail"]
