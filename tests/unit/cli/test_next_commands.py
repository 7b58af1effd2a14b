"""Commands that an answer prints run as they are printed, in the same shell."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from typer.main import get_command
from typer.testing import Result

from memory_layer.cli.app import app
from memory_layer.cli.terminal.next_command import WITHOUT_DATA, WITHOUT_PROJECT, runnable, typed_options
from tests.run_examples import loop
from tests.unit.cli.conftest import Mem, answer

PRINTED: Final = re.compile(r"(?<![\w/.-])mem [a-z][^;,()\n|]*")
GATE, ENDED, OTHER = (
    "The gate closes at six.",
    "The night train ends in Hull.",
    "Prices are integers of cents.",
)


@pytest.fixture
def typed(mem: Mem, tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Mem:
    """Runs a command for a project and a data folder that only its options name."""
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    options = ("-p", "the-other", "--data", str(tmp_path / "another folder"))

    def run(*arguments: str, given: str | None = None) -> Result:
        own = options[2:] if arguments[0] == "sweep" else options
        return mem(*arguments, *own, given=given)

    return run


def printed(result: Result, **names: str) -> Iterator[list[str]]:
    """Commands in an answer, as a shell splits them. Args: names: for what a usage line leaves to the caller."""
    for found in PRINTED.findall(re.sub(r"\s+", " ", result.output) if names else result.output):
        words = shlex.split(found.split(" brings ")[0].split(" names ")[0])
        yield [names.get(word, word) for word in words[1:]]


def added(typed: Mem, content: str, *options: str) -> Any:
    return answer(typed("add", content, "--json", *options))


def assert_all_run(mem: Mem, commands: Sequence[list[str]], *expected: str) -> None:
    assert [command[0] for command in commands] == list(expected)
    for command in commands:
        result = mem(*command)
        assert result.exit_code == 0, (command, result.output)
        assert "is that its name" not in result.output


def test_a_search_a_prompt_and_a_context_print_commands_that_run(mem: Mem, typed: Mem) -> None:
    """Falls where a command leaves out the project or the folder: another project has no such recall."""
    added(typed, GATE)
    for command, expected in (
        (["search", "when does the gate close"], ["outcome"]),
        (["prompt", "close the gate"], ["outcome"]),
        (["context", "when does the gate close", "--request-id", "r1"], ["outcome", "feedback"]),
    ):
        assert_all_run(mem, list(printed(typed(*command))), *expected)


def test_the_receipt_of_a_memory_prints_commands_that_run(mem: Mem, typed: Mem) -> None:
    ended = typed("add", ENDED, "--expires", "2020-01-01")
    assert_all_run(mem, list(printed(ended)), "edit")
    typed("settings", "set", json.dumps({"review_sources": ["human"]}))
    waiting = list(printed(typed("add", OTHER)))
    assert [command[0] for command in waiting] == ["approve", "reject", "review"]
    assert_all_run(mem, [waiting[0], waiting[2]], "approve", "review")
    rejected = list(printed(typed("add", GATE)))[1]
    assert_all_run(mem, [rejected], "reject")


def test_ways_back_run(mem: Mem, typed: Mem) -> None:
    one, other = added(typed, GATE)["id"], added(typed, OTHER)["id"]
    assert_all_run(mem, list(printed(typed("merge", one, other))), "restore-version", "undo")


def test_pairs_print_commands_that_run(mem: Mem, typed: Mem) -> None:
    assert_all_run(mem, list(printed(typed("conflicts"))), "sweep")
    ids = [
        added(typed, f"The pool holds {count} connections.", "--on-duplicate", "create")["id"]
        for count in (20, 30)
    ]
    typed("sweep", "consolidate")
    (pair,) = answer(typed("conflicts", "--json"))["conflicts"]
    ways = list(printed(typed("conflicts"), PAIR=pair["id"], ID=ids[1]))
    assert_all_run(mem, ways, "resolve")


def test_what_a_run_and_a_snapshot_print_runs(mem: Mem, typed: Mem, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(loop("r1")))
    assert_all_run(mem, list(printed(typed("run", str(file), "--staged"))), "staging", "promote")
    added(typed, GATE)
    assert_all_run(mem, list(printed(typed("verify"))), "snapshot")


def test_commands_take_the_options_that_they_are_printed_with() -> None:
    """Falls where a new command is printed with a project that it does not take, or without one that it needs."""
    for path, names in _parameters(get_command(app)):
        if path == "mcp":
            continue
        assert ("project" in names) == (path not in WITHOUT_PROJECT), path
        assert ("data" in names) == (path not in WITHOUT_DATA), path


def _parameters(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _parameters(inner, (*path, name))
    else:
        yield " ".join(path), {parameter.name for parameter in command.params}


def test_options_stand_behind_the_command() -> None:
    with typed_options("shop", Path("a b")):
        assert runnable("run: mem verify, then mem admin reindex") == (
            "run: mem verify -p shop --data 'a b', then mem admin reindex"
        )
        assert runnable("mem restore latest -p shop; mem --help") == (
            "mem restore --data 'a b' latest -p shop; mem --help"
        )
        assert runnable("in mem/search or remem list") == "in mem/search or remem list"
    assert runnable("mem verify") == "mem verify"
