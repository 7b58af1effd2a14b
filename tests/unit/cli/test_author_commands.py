"""`mem authors`: whose lines were found wrong, and the reset of a record, as people see them on a terminal."""

from __future__ import annotations

from tests.unit.cli.conftest import Mem, added, answer, problem


def judged(mem: Mem) -> list[str]:
    """Two lines of an agent that the owner of the machine rejected."""
    ids = [added(mem, f"Shelf {at} of ledger {at} is empty.", "--agent", "codex") for at in range(2)]
    for id in ids:
        assert mem("reject", id).exit_code == 0
    return ids


def test_who_was_found_wrong_is_shown_and_begins_anew_by_name_or_id(mem: Mem) -> None:
    assert mem("authors").stdout.startswith("nobody's lines were judged")
    ids = judged(mem)
    (found,) = answer(mem("authors", "--json"))["authors"]
    shown = mem("authors").stdout
    for text in ("agent:codex", "50%", *ids):
        assert text in shown
    done = answer(mem("authors", "--reset", "agent:codex", "--reason", "It was a draft.", "--json"))
    assert (done["lowered_by"], done["reset_reason"]) == (0.0, "It was a draft.")
    assert "reset at 20" in mem("authors", "--reset", found["id"]).stdout


def test_who_is_not_there_is_told_so_and_a_reason_alone_is_refused(mem: Mem) -> None:
    judged(mem)
    assert "see of whom: mem authors" in problem(mem("authors", "--reset", "nobody", "--json"))["detail"]
    assert mem("authors", "--reason", "It was a draft.").exit_code == 2


def test_an_agent_reads_no_record(mem: Mem) -> None:
    judged(mem)
    refused = mem("authors", "--agent", "codex", "--json")
    assert problem(refused)["status"] == 403
