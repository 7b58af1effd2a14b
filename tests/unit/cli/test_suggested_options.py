"""What a refusal suggests can be typed as it stands: options are named from data, and no English is edited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from typer.main import get_command

from memory_layer.cli.app import app
from memory_layer.cli.terminal.option_names import OptionNames, TypedName
from memory_layer.domain.remedies import give, omit, with_remedies
from tests.unit.cli.conftest import Mem, added

COMMON: Final = {"project", "data", "json", "agent"}
WITHOUT_REQUEST: Final = {"serve", "mcp", "mcp-proxy", "watch", "doctor", "token", "sweep", "erase"}
"""Commands whose options fill no field of a request, or that go on for as long as they are let."""

BAD_VALUES: Final = ("", "no such thing", "-1", "9999999999", "x" * 70_000)
OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FIELDS: Final = re.compile(
    r"\b(occurred_at|expires_at|session_id|run_id|recall_id|lod_preference|time_ms|tokens_max|source_scope|"
    r"on_duplicate|file_patterns|error_patterns|coherence_score|contradiction_rate|user_satisfaction|allow_unsealed)\b"
)
"""Names that requests have for fields, and no command line."""

Command = tuple[tuple[str, ...], Any]


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[Command]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))
    elif path[0] not in WITHOUT_REQUEST:
        yield path, command


def _options(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option" and one.name not in COMMON]


COMMANDS = [one for one in _commands(get_command(app)) if any(not o.is_flag for o in _options(one[1]))]


def _long(option: Any) -> str:
    return str(next(name for name in option.opts if name.startswith("--")))


def _arguments(command: Any, id: str) -> list[str]:
    said = {"id": id, "result": "worked", "version": "1", "kind": "changed", "settings": "{}"}
    return [
        said.get(one.name, "otters")
        for one in command.params
        if one.param_type_name == "argument" and one.required
    ]


def _typable(command: Any) -> set[str]:
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[0]))
def test_every_refusal_of_an_option_names_options_that_there_are(mem: Mem, command: Command) -> None:
    """Falls where a sentence names a field of a request, or an option that the command does not take."""
    path, found = command
    base = [*path, *_arguments(found, added(mem, "SQLite takes one writer at a time."))]
    refused = 0
    for option in (one for one in _options(found) if not one.is_flag):
        for value in BAD_VALUES:
            result = mem(*base, f"{_long(option)}={value}")
            refused += result.exit_code != 0
            if result.exit_code != 1:  # what the parser refuses, it says in its own words
                continue
            told = result.stderr.partition("it says:")[0]
            assert result.exception is None or isinstance(result.exception, SystemExit), (option.name, value)
            assert "mem: " in told
            own = [line for line in told.splitlines() if "mem " not in line]
            assert {name for line in own for name in OPTION.findall(line)} <= _typable(found), told
            assert option.name in ("clear", "sort", "fields") or not FIELDS.search(told), told
            break
    assert refused or path[0] in ("staging", "promote", "tuning"), "no value of any option is refused"


ONE_WRITER: Final = "SQLite takes one writer at a time."
SUGGESTED: Final = [
    (["add", "A thought.", "--position", "3"], ["--session", "talk"]),
    (["add", ONE_WRITER], ["--on-duplicate", "merge"]),
    (["add", ONE_WRITER], ["--on-duplicate", "create"]),
    (["supersede", "ID"], ["--by", "OTHER"]),
    (["prune"], ["--min-confidence", "0.1"]),
    (["prune"], ["--unused"]),
    (["search", "sqlite", "--hops", "2"], ["--strategy", "graph"]),
    (["search", "sqlite", "--strategy", "lexical", "--entity", "urn:x"], ["--strategy", "auto"]),
    (["feedback", "r9"], ["--completeness", "0.5"]),
    (["context", "sqlite", "--source", "workshop"], ["--session", "talk"]),
    (["context", "sqlite", "--source", "workshop"], ["--source", "project"]),
    (["event", "urn:x", "linked"], ["--target", "urn:y"]),
]


@pytest.mark.parametrize(("typed", "way"), SUGGESTED, ids=lambda said: " ".join(said)[:50])
def test_the_way_out_that_is_told_is_taken(mem: Mem, typed: list[str], way: list[str]) -> None:
    ids = {"ID": added(mem, ONE_WRITER), "OTHER": added(mem, "WAL lets readers go on beside a writer.")}
    base = [ids.get(part, part) for part in typed]
    refused = mem(*base)
    assert refused.exit_code == 1
    for part in way[:1] if way[-1] not in ("merge", "create", "graph", "auto") else way:
        assert part in refused.stderr
    taken = mem(*base, *(ids.get(part, part) for part in way))
    assert taken.exit_code != 2, taken.stderr
    same_complaint = refused.stderr.splitlines()[-1]
    assert same_complaint not in taken.stderr


def test_every_field_that_is_offered_to_be_cleared_can_be(mem: Mem) -> None:
    """A value stays as it is typed, though an option fills the field of that name."""
    id = added(mem, ONE_WRITER)
    told = mem("edit", id, "--clear", "nothing").stderr
    (offered,) = re.findall(r"give --clear (.*)$", told)
    values = re.split(r", | or ", offered)
    assert "expires_at" in values
    assert mem("edit", id, *(f"--clear={value}" for value in values)).exit_code == 0


NAMES: Final = OptionNames({"unused": TypedName("--unused", is_flag=True), "tags": TypedName("--tag")})


def test_ways_out_are_worded_by_each_face() -> None:
    ways = (give("/tags"), give("/unused", "true"), omit("/limit"))
    assert with_remedies("why", ways) == "why; give tags, or give unused: true, or leave limit out"
    assert with_remedies("why", ways, NAMES.call) == "why; give --tag, or give --unused, or leave limit out"
    assert with_remedies("why", ()) == "why"
    choice = (give("/query/strategy", "auto", "graph"), give("/filters/tags"))
    assert with_remedies("why", choice) == "why; give filters.tags, or give strategy: auto or graph"
