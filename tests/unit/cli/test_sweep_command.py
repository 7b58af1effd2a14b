"""`mem sweep`: by hand what otherwise runs by the clock."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.memory import Scope
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.ports.commit import Change, Commit
from memory_layer.settings import read_settings
from memory_layer.usecases.sweeps import run_sweep as frame
from memory_layer.usecases.sweeps.registry import SWEEPS
from memory_layer.usecases.sweeps.step import StepReport
from tests.unit.cli.conftest import Mem, answer


def add_expired(mem: Mem) -> str:
    """A memory whose time is over; its id."""
    id = str(answer(mem("add", "The blue pool is for billing.", "--json"))["id"])
    backend = open_embedded(read_settings(os.environ))
    store, scope = backend.ports.store, Scope("local", "shop")
    memory = store.memories.get(scope, id)
    assert memory is not None
    over = replace(memory, expires_at=memory.created_at, version=2)
    store.writer.commit(Commit(scope=scope, changes=(Change(over, 1, "updated", "ada", memory.created_at),)))
    backend.close()
    return id


def test_a_sweep_says_what_it_did_and_a_dry_run_what_it_would(mem: Mem) -> None:
    id = add_expired(mem)
    would = answer(mem("sweep", "expiry", "--dry-run", "--json"))
    assert (would["did"], would["dry_run"], would["complete"]) == ({"expired": 1}, True, True)
    assert [version["verb"] for version in answer(mem("history", id, "--json"))["versions"]][-1] != "expired"
    assert mem("sweep", "expiry", "--dry-run").stdout.endswith("looked at 1; 1 would be expired\n")
    done = mem("sweep", "expiry")
    assert (done.exit_code, done.stdout) == (0, "expiry: looked at 1; 1 expired\n")
    assert mem("sweep", "expiry").stdout == "expiry: looked at 0; nothing to do\n"
    assert [version["verb"] for version in answer(mem("history", id, "--json"))["versions"]][-1] == "expired"


def test_one_is_one_and_a_dry_run_has_done_nothing(mem: Mem) -> None:
    add_expired(mem)
    assert mem("sweep", "snapshot", "--dry-run").stdout.endswith("; 1 snapshot would be taken\n")
    assert mem("sweep", "snapshot").stdout.endswith("; 1 snapshot taken\n")


def test_each_says_what_it_is_for(mem: Mem) -> None:
    shown = " ".join(mem("sweep").stdout.split())
    assert all(sweep.purpose.split(" (")[0][:30] in shown for sweep in DECLARED_SWEEPS.values())


def test_alone_it_lists_what_there_is_with_the_last_report(mem: Mem) -> None:
    before = {one["name"]: one for one in answer(mem("sweep", "--json"))["sweeps"]}
    assert set(before) == set(SWEEPS)
    assert before["expiry"] == {
        "name": "expiry",
        "every_minutes": 60,
        "running": False,
        "holder": None,
        "last_report": None,
    }
    answer(mem("sweep", "expiry", "--json"))
    after = {one["name"]: one for one in answer(mem("sweep", "--json"))["sweeps"]}
    assert after["expiry"]["last_report"]["complete"]
    assert after["decay"]["last_report"] is None
    shown = mem("sweep").stdout
    assert "hour" in shown
    assert "never" in shown
    assert "nothing to do" in shown


def test_what_could_not_be_done_is_told_and_the_exit_code_says_so(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = tuple(f"shop: m{number} is \x1b[31mdamaged" for number in range(25))
    monkeypatch.setitem(frame.SWEEPS, "expiry", lambda *_: StepReport("on", failed=sentences))  # type: ignore[arg-type]
    refused = mem("sweep", "expiry", "--seconds", "0")
    assert refused.exit_code == 1
    assert "\x1b" not in refused.stdout
    assert "and 5 more" in refused.stdout
    assert "there is more to do: mem sweep expiry" in refused.stdout


def test_an_unknown_sweep_is_told_what_there_is(mem: Mem) -> None:
    refused = mem("sweep", "tidying")
    assert refused.exit_code == 1
    assert "expiry, decay" in refused.stderr


def test_a_sweep_takes_no_project(mem: Mem) -> None:
    """It goes through all of them: an option that chooses one would change nothing."""
    refused = mem("sweep", "expiry", "-p", "shop")
    assert refused.exit_code == 2
    assert "No such option" in refused.stderr
