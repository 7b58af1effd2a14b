"""`mem`: the use cases on a terminal, for people and for programs."""

from __future__ import annotations

import gc
import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import jwt
import pytest

import memory_layer
from memory_layer.cli.commands.service import is_loopback
from memory_layer.cli.terminal.options import time_ago
from memory_layer.edge.shapes import answer_models, recall_answers
from memory_layer.edge.shapes.answer_fields import members
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.edge.shapes.list_answers import PageAnswer
from memory_layer.edge.shapes.review_answers import ReviewsAnswer
from memory_layer.edge.shapes.stats_answers import StatsAnswer
from memory_layer.errors import Invalid
from memory_layer.local.demo import main as tell_demo
from memory_layer.local.tokens import ALGORITHM, secret_of
from memory_layer.version import VERSION
from tests.unit.cli.conftest import Mem, added, answer, problem

ONE_WRITER = "SQLite takes one writer at a time; readers go on beside it in WAL mode."
HUNDRED = "A DynamoDB transaction holds at most one hundred actions."
TURNED = "\u202etxt.exe\u202c"


@pytest.fixture
def with_model(mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Mem:
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    return mem


def fields(model: Any) -> set[str]:
    return set(answer_model(model).model_fields)


def required(model: Any) -> set[str]:
    """Members that are never left out."""
    return {member.name for member in members(model) if not (member.is_left_out or member.is_spread)}


def test_what_was_added_is_found(with_model: Mem) -> None:
    id = added(with_model, ONE_WRITER, "--tag", "sqlite", "-c", "gotcha")
    added(with_model, HUNDRED)
    shown = with_model("search", "how many processes may write to sqlite at once", "--why")
    assert shown.exit_code == 0
    assert shown.stderr == ""
    first = shown.stdout.index("one writer at a time")
    assert first < shown.stdout.index("hundred actions")
    assert first < shown.stdout.index("semantic 1.00") < shown.stdout.index(id)
    assert "gotcha" in shown.stdout
    assert "semantic" not in with_model("search", "sqlite").stdout


@pytest.mark.parametrize(
    ("arguments", "model"),
    [
        (["get", "ID"], answer_models.MemoryAnswer),
        (["list"], PageAnswer),
        (["edit", "ID", "--tag", "db"], answer_models.StoredAnswer),
        (["outcome", "ID", "worked"], answer_models.MemoryAnswer),
        (["supersede", "ID", HUNDRED], answer_models.StoredAnswer),
        (["history", "ID"], answer_models.HistoryAnswer),
        (["confirm", "ID"], answer_models.MemoryAnswer),
        (["restore-version", "ID", "1"], answer_models.StoredAnswer),
        (["stale"], answer_models.StaleAnswer),
        (["approve", "ID"], answer_models.MemoryAnswer),
        (["reject", "ID", "--reason", "no"], answer_models.MemoryAnswer),
        (["forget", "ID"], answer_models.MemoryAnswer),
        (["prompt", "write to the database", "--format", "knowledge"], answer_models.PromptAnswer),
        (["review"], ReviewsAnswer),
        (["review", "--archive", "ID"], answer_models.BatchAnswer),
        (["stats"], StatsAnswer),
        (["settings", "get"], answer_models.SettingsAnswer),
    ],
)
def test_json_is_the_document_that_http_answers(mem: Mem, arguments: list[str], model: Any) -> None:
    id = added(mem, ONE_WRITER)
    document = answer(mem(*[id if part == "ID" else part for part in arguments], "--json"))
    assert required(model) <= set(document) <= fields(model)
    answer_model(model).model_validate(document)


def test_the_json_of_a_recall_has_records_with_score_and_signals(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    document = answer(mem("search", "sqlite writer", "--json"))
    assert set(document) == fields(recall_answers.RecallAnswer)
    assert document["degraded"]
    assert set(document["memories"][0]) == fields(recall_answers.RecalledMemory) - {"matched"}  # on request


def test_the_json_of_a_write_has_its_receipt(mem: Mem) -> None:
    document = answer(mem("add", ONE_WRITER, "--json"))
    assert set(document) == fields(answer_models.StoredAnswer)
    assert document["project"] == "shop"
    assert document["created_by"] == "local"
    assert document["receipt"]["indexed"] is False


def test_every_option_of_add_reaches_the_record(mem: Mem) -> None:
    options = "--type learning -c workaround --tag a --tag b --entity urn:x --context around --summary short"
    more = "--source run --persona ops --session talk --position 3"
    document = answer(mem("add", ONE_WRITER, *options.split(), *more.split(), "--json"))
    expected = {
        **{"type": "learning", "category": "workaround", "tags": ["a", "b"], "entities": ["urn:x"]},
        **{"context": "around", "summary": "short", "source": "run", "persona": "ops"},
        **{"session_id": "talk", "position": 3},
    }
    assert {name: document[name] for name in expected} == expected


def test_content_may_come_from_standard_input(mem: Mem) -> None:
    assert answer(mem("add", "-", "--json", given=f"{HUNDRED}\n"))["content"] == HUNDRED


def test_a_duplicate_is_refused_with_its_twin_and_merged_on_request(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    refused = mem("add", ONE_WRITER)
    assert refused.exit_code == 1
    assert id in refused.stderr
    assert ONE_WRITER in refused.stderr
    assert "--on-duplicate merge" in refused.stderr
    assert problem(mem("add", ONE_WRITER, "--json"))["duplicate_of"]["id"] == id
    assert added(mem, ONE_WRITER, "--on-duplicate", "merge") == id


def test_a_secret_is_redacted_and_told(mem: Mem) -> None:
    shown = mem("add", "the queue is at amqp://worker:hunter2-8c21@queue.internal/jobs").stdout
    assert "redacted 1 ×" in shown
    assert "hunter2" not in mem("list").stdout


def test_a_broken_rule_is_told_with_its_field(mem: Mem) -> None:
    refused = mem("add", ONE_WRITER, "-c", "rumour")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("mem: --category: must be 'architecture'")
    found = problem(mem("add", ONE_WRITER, "-c", "rumour", "--tag", "", "--json"))
    assert found["status"] == 422
    assert {error["pointer"] for error in found["errors"]} == {"/category", "/tags/0"}


@pytest.mark.parametrize("command", ["get", "history", "forget", "approve", "reject"])
def test_what_is_not_there_is_refused_in_words_and_as_a_problem(mem: Mem, command: str) -> None:
    refused = mem(command, "mem_missing")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("mem: no memory mem_missing in project shop")
    assert problem(mem(command, "mem_missing", "--json"))["type"] == "urn:memory-layer:problem:not_found"


@pytest.mark.parametrize("arguments", [["add"], ["nonsense"], ["get", "a", "b"], ["list", "--colour", "red"]])
def test_wrong_usage_exits_with_2(mem: Mem, arguments: list[str]) -> None:
    assert mem(*arguments).exit_code == 2


def test_an_edit_of_an_old_version_is_refused(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    assert mem("edit", id, "--content", HUNDRED, "--if-version", "1").exit_code == 0
    assert problem(mem("edit", id, "--content", ONE_WRITER, "--if-version", "1", "--json"))["status"] == 412
    shown = mem("history", id).stdout
    assert shown.index("created: SQLite") < shown.index("updated: A DynamoDB")


def test_an_edit_takes_a_memory_out_of_recall_and_back(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    mem("edit", id, "--inactive")
    assert answer(mem("list", "--json"))["memories"] == []
    assert [memory["id"] for memory in answer(mem("list", "--inactive", "--json"))["memories"]] == [id]
    mem("edit", id, "--active")
    assert [memory["id"] for memory in answer(mem("list", "--json"))["memories"]] == [id]


def test_a_person_pins_a_memory_and_lists_a_tier(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    for word, is_pinned in (("--pin", True), ("--unpin", False)):
        mem("edit", id, word)
        (listed,) = answer(mem("list", "--tier", "hot", "--json"))["memories"]
        assert (listed["id"], listed["pinned"]) == (id, is_pinned)
    assert answer(mem("list", "--tier", "cold", "--json"))["memories"] == []
    assert problem(mem("list", "--tier", "tepid", "--json"))["status"] == 422


def test_an_edit_takes_away_what_a_field_says(mem: Mem) -> None:
    id = added(mem, ONE_WRITER, "--tag", "sqlite", "--entity", "urn:a", "--context", "Around it.")
    clear = [part for name in ("tags", "context", "summary", "detail") for part in ("--clear", name)]
    edited = answer(mem("edit", id, *clear, "--entity", "urn:b", "--json"))
    assert [edited[name] for name in ("tags", "context", "summary", "detail")] == [[], None, None, {}]
    assert edited["entities"] == ["urn:b"]


@pytest.mark.parametrize("name", ["content", "confidence", "version", "nonsense"])
def test_what_has_to_say_something_is_not_cleared(mem: Mem, name: str) -> None:
    id = added(mem, ONE_WRITER)
    refused = problem(mem("edit", id, "--clear", name, "--json"))
    assert (refused["status"], refused["errors"][0]["pointer"]) == (422, "/clear")
    assert "summary" in refused["detail"]
    assert answer(mem("get", id, "--json"))["version"] == 1


def test_a_prompt_says_beside_its_text_what_was_not_there(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    said = mem("prompt", "write to SQLite")
    assert said.stdout.startswith("## Memories\n")
    assert "note: embedding provider unavailable" in said.stderr
    assert "note" not in said.stdout
    document = answer(mem("prompt", "write to SQLite", "--json"))
    assert (document["degraded"], document["note"].partition(";")[0]) == (
        True,
        "embedding provider unavailable",
    )


def test_a_prompt_names_the_command_that_reports_on_its_numbers(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    said = mem("prompt", "write to SQLite").stderr
    command = next(line.partition(": mem ")[2] for line in said.splitlines() if "what helped" in line)
    assert mem(*command.split()).exit_code == 0, "it names no number that is not on the page"


def test_a_receipt_tells_the_days_that_were_meant(mem: Mem) -> None:
    said = mem("add", "Yesterday the cache moved to another host", "--said-at", "2026-03-10").stdout
    assert "  Yesterday: 9 Mar 2026" in said.splitlines()
    assert "2026" not in mem("add", ONE_WRITER).stdout.partition("\n")[2]


def test_a_receipt_names_what_it_took_the_place_of(mem: Mem) -> None:
    old = added(mem, ONE_WRITER)
    said = mem("add", ONE_WRITER, "--on-duplicate", "supersede").stdout
    assert f"  in the place of {old}, which leaves recall" in said.splitlines()
    new = said.split()[0]
    assert "in the place of" not in mem("edit", new, "--pin").stdout


def test_a_list_goes_on_where_its_cursor_points(mem: Mem) -> None:
    ids = [added(mem, text) for text in (ONE_WRITER, HUNDRED)]
    page = answer(mem("list", "-n", "1", "--json"))
    rest = answer(mem("list", "-n", "1", "--cursor", page["next_cursor"], "--json"))
    assert [page["memories"][0]["id"], rest["memories"][0]["id"]] == ids[::-1]
    assert rest["next_cursor"] is None
    foreign = mem("list", "-n", "1", "--tag", "x", "--cursor", page["next_cursor"], "--json")
    assert problem(foreign)["status"] == 400


def test_a_prompt_of_knowledge_is_for_the_errors_at_hand(mem: Mem) -> None:
    for content in ("Avoid: Port taken - stop the old server", "Avoid: Module not found - install it"):
        added(mem, content, "-t", "antipattern")
    asked = ("prompt", "start it", "--format", "knowledge", "--task-type", "bug-fix")
    assert "what helped" not in mem(*asked).stderr, "its lines have no numbers"
    first, second = answer(mem(*asked, "--error-pattern", "module not found", "--json"))["groups"][
        "antipatterns"
    ]
    assert first["content"].startswith("Avoid: Module")
    assert first["score"] == pytest.approx(second["score"] + 0.3)
    shown = mem(*asked, "--error-pattern", "module not found")
    assert shown.stdout.startswith("## Knowledge Base (from previous loops)\n")
    assert "- Avoid: Module not found - install it\n" in shown.stdout
    for option, wrong, pointer in (
        ("--format", "poem", "/format"),
        ("--task-type", "poem", "/task_type"),
        ("--file-pattern", "", "/file_patterns/0"),
        ("--error-pattern", "", "/error_patterns/0"),
    ):
        assert problem(mem("prompt", "x", option, wrong, "--json"))["errors"][0]["pointer"] == pointer
    assert "groups" not in answer(mem("prompt", "start it", "--json"))


def test_an_edit_that_says_nothing_changes_nothing_and_is_told(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    refused = mem("edit", id, "--if-version", "1")
    assert refused.stderr.startswith(f"mem: say what to change in {id}, such as --content")
    assert answer(mem("get", id, "--json"))["version"] == 1


def test_what_was_pinned_is_listed(mem: Mem) -> None:
    added(mem, HUNDRED)
    id = added(mem, ONE_WRITER)
    assert "pinned" in mem("edit", id, "--pin").stdout
    assert [memory["id"] for memory in answer(mem("list", "--pinned", "--json"))["memories"]] == [id]


@pytest.mark.parametrize("group", [(), ("admin",), ("model",), ("settings",)])
def test_every_line_of_the_help_is_whole(mem: Mem, group: tuple[str, ...]) -> None:
    """In 80 columns: what a command is for is its first sentence, and no longer than a line."""
    commands = mem(*group, "--help").stdout.partition("Commands:\n")[2]
    assert commands
    assert "..." not in commands


def test_filters_narrow_a_list(mem: Mem) -> None:
    id = added(mem, ONE_WRITER, "--tag", "sqlite", "-c", "gotcha")
    added(mem, HUNDRED, "-c", "gotcha")
    asked = (
        "list",
        "--json",
        "-c",
        "gotcha",
        "--tag",
        "sqlite",
        "--source",
        "human",
        "--min-confidence",
        "1",
    )
    assert [memory["id"] for memory in answer(mem(*asked))["memories"]] == [id]


def test_forgetting_archives_and_hard_erases(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    assert "is archived: said twice" in mem("forget", id, "--reason", "said twice").stdout
    assert mem("get", id).exit_code == 0
    assert mem("forget", id, "--hard").stdout == f"{id} is erased\n"
    assert mem("get", id).exit_code == 1
    other = added(mem, HUNDRED)
    assert mem("forget", other, "--hard", "--json").stdout == ""


def test_an_outcome_moves_the_memory_and_a_limit_says_when_to_come_back(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    assert (
        "outcome -0.3, confidence 0.9" in mem("outcome", id, "failed", "--note", "locked all the same").stdout
    )
    assert "locked all the same" in mem("history", id).stdout
    others = [added(mem, f"{HUNDRED} Number {number}.", "--on-duplicate", "create") for number in range(12)]
    refused = [mem("outcome", other, "failed", "--json") for other in others][-1]
    assert problem(refused)["status"] == 429
    assert "try again in" in problem(refused)["detail"]
    assert mem("outcome", id, "wonders").exit_code == 1


def test_what_an_agent_says_waits_for_review_where_the_project_asks_for_it(mem: Mem) -> None:
    assert mem("review").stdout == "nothing waits\n"
    assert mem("settings", "set", '{"review_sources": ["run"]}').exit_code == 0
    first, second = (added(mem, text, "--source", "run") for text in (ONE_WRITER, HUNDRED))
    waiting = mem("edit", first, "--tag", "db").stdout
    assert f"mem approve {first}" in waiting
    assert answer(mem("search", "sqlite writer", "--json"))["abstained"]
    shown = mem("review").stdout
    assert shown.index(first) < shown.index(second)
    assert "pending for 0 days" in shown
    decided = mem("review", "--approve", first, "--reject", second, "--reject", "mem_missing").stdout
    assert decided.splitlines()[:2] == [f"{first}: approved", f"{second}: rejected"]
    assert "mem_missing: no memory mem_missing" in decided
    assert answer(mem("search", "sqlite writer", "--json"))["memories"][0]["id"] == first


def test_what_waits_is_shown_with_what_is_in_force_and_near_to_it(mem: Mem) -> None:
    """Falls without the neighbours, which the console shows: whoever approves has two memories of one thing."""
    known = added(mem, ONE_WRITER)
    mem("settings", "set", '{"review_sources": ["run"]}')
    waiting = added(mem, ONE_WRITER, "--source", "run", "--on-duplicate", "create")
    shown = " ".join(mem("review").stdout.split())
    assert waiting in shown
    assert f"{known} says the same: {ONE_WRITER}" in shown
    assert "near" not in answer(mem("review", "--json"))["reviews"][0]


def test_a_doubted_memory_is_shown_with_the_words_that_are_proposed_instead(mem: Mem) -> None:
    """Falls without `linked_by_proposal`, or without `_tie`."""
    known = added(mem, ONE_WRITER)
    mem("settings", "set", '{"review_sources": ["run"]}')
    proposal = answer(mem("supersede", known, "Ask the duty officer.", "--agent", "codex", "--json"))["id"]
    shown = " ".join(mem("review").stdout.split())
    assert f"{proposal} is proposed instead" in shown
    assert f"{known} stays until this is approved" in shown
    assert f"where {known} says" in shown
    assert f"where {proposal} says" in shown
    assert "the known one" not in shown, "both are known to who decides"
    told = mem("review", "--agent", "codex")
    assert (told.exit_code, known in told.stdout, "instead," in told.stdout) == (0, True, False)
    refused = mem("approve", proposal, "--agent", "codex").stderr
    assert f"only a reviewer approves or rejects {proposal}" in refused
    other = answer(mem("supersede", known, "Nobody is asked at night.", "--agent", "claude", "--json"))["id"]
    approved = mem("approve", proposal).stdout
    assert f"in the place of {known}\n  1 more is proposed for that place: mem review" in approved
    mem("approve", proposal)
    assert mem("review").stdout == "nothing waits\n"
    assert answer(mem("get", other, "--json"))["status"] == "rejected"


def test_all_that_one_principal_has_waiting_is_one_decision(mem: Mem) -> None:
    """Falls where the number that was shown is not compared."""
    mem("settings", "set", '{"review_sources": ["run"]}')
    ids = [added(mem, text, "--source", "run", "--agent", "codex") for text in (ONE_WRITER, HUNDRED)]
    kept = added(mem, "Orders close at nine.", "--source", "run", "--agent", "other")
    shown = mem("review", "--by", "agent:codex").stdout
    assert all(id in shown for id in ids)
    assert kept not in shown
    assert "give --by" in mem("review", "--all", "approve", "--count", "2").stderr
    refused = mem("review", "--by", "agent:codex", "--all", "approve", "--count", "1", "--json")
    assert "2 wait by now" in problem(refused)["detail"]
    decided = mem("review", "--by", "agent:codex", "--all", "approve", "--count", "2").stdout
    assert decided.splitlines() == [f"{id}: approved" for id in ids]
    assert kept in mem("review").stdout


def test_what_one_agent_doubts_is_one_decision(mem: Mem) -> None:
    """Falls where the list names no group, or the decision does not say that it is one on doubts."""
    ids = [added(mem, text) for text in (ONE_WRITER, HUNDRED)]
    for id in ids:
        mem("outcome", id, "failed", "--run", "r1", "--agent", "codex")
    shown = mem("review").stdout
    assert "2 doubted by agent:codex alone in r1: mem review --by agent:codex --doubts" in shown
    assert "nothing waits" in mem("review", "--by", "agent:codex").stdout
    assert all(id in mem("review", "--by", "agent:codex", "--doubts").stdout for id in ids)
    settle = partial(mem, "review", "--by", "agent:codex", "--doubts", "--all")
    refused = problem(settle("approve", "--count", "2", "--json"))
    assert "takes no approve" in refused["detail"]
    decided = settle("confirm", "--count", "2", "--reason", "still so").stdout
    assert decided.splitlines() == [f"{id}: confirmed" for id in ids]
    assert "nothing waits" in mem("review").stdout
    assert "give --by" in mem("review", "--doubts").stderr


def test_a_decision_is_on_the_version_that_was_shown(mem: Mem) -> None:
    """Falls where the version shown is not sent along."""
    mem("settings", "set", '{"review_sources": ["run"]}')
    id = added(mem, ONE_WRITER, "--source", "run")
    assert f"{id}@1" in mem("review").stdout
    assert mem("edit", id, "--content", HUNDRED).exit_code == 0
    assert "is at version 2, not 1" in mem("review", "--approve", f"{id}@1").stdout
    assert mem("review", "--approve", f"{id}@x", "--json").exit_code != 0
    assert mem("review", "--approve", f"{id}@2").stdout == f"{id}: approved\n"


def test_settings_are_replaced_as_a_whole(mem: Mem) -> None:
    answer(mem("settings", "set", "-", "--json", given='{"privacy_mode": "personal"}'))
    after = answer(mem("settings", "set", '{"profile": "governed"}', "--json"))
    assert (after["privacy_mode"], after["profile"], after["version"]) == ("secrets", "governed", 2)
    assert answer(mem("settings", "get", "--json")) == after


def test_new_settings_are_told_by_what_is_other_than_by_default(mem: Mem) -> None:
    set_ = mem("settings", "set", '{"review_sources": ["run"], "prompt_limit": 5}').stdout
    assert set_ == 'settings v1; other than by default:\n  review_sources: ["run"]\n  prompt_limit: 5\n'
    patched = mem("settings", "patch", '{"review_sources": null, "prompt_limit": null}').stdout
    assert patched == "settings v2; all as by default\n"


@pytest.mark.parametrize(("said", "status"), [("{", 400), ("[]", 400), ('{"colour": 1}', 422)])
def test_bad_settings_are_refused(mem: Mem, said: str, status: int) -> None:
    assert problem(mem("settings", "set", said, "--json"))["status"] == status


def test_a_setting_that_there_is_not_is_answered_with_those_that_there_are(mem: Mem) -> None:
    assert (
        "mem: colour: there is no such field; there are: default_expiry_days, "
        in mem("settings", "set", '{"colour": 1}').stderr
    )
    assert "review_sources" in mem("settings", "set", "--help").stdout
    assert "mem settings set - < FILE" in mem("settings", "set", "settings.json").stderr


def test_a_correction_stands_in_for_what_was(mem: Mem) -> None:
    old = added(mem, ONE_WRITER)
    new = answer(mem("supersede", old, HUNDRED, "--reason", "it was another table", "--json"))
    assert new["supersedes"] == old
    assert answer(mem("get", old, "--json"))["superseded_by"] == new["id"]
    third = added(mem, "There is a third one.")
    known = mem("supersede", new["id"], "There is a third one.").stderr
    assert f"supersede {new['id']} by it" in known
    assert f" by it: give --by {third}" in known
    assert "on_duplicate" not in known
    assert answer(mem("supersede", new["id"], "--by", third, "--json"))["id"] == third
    assert f"is superseded by {third}; supersede that one" in mem("supersede", new["id"], HUNDRED).stderr


def test_corrections_are_made_and_taken_back(mem: Mem) -> None:
    old, other = added(mem, ONE_WRITER, "--tag", "db"), added(mem, HUNDRED)
    assert problem(mem("undo", old, "--json"))["status"] == 409
    mem("forget", old)
    shown = mem("undo", old, "--reason", "too early")
    assert shown.stdout == f"{old} v3 is active\n"
    united = answer(mem("merge", old, other, "--reason", "the same", "--json"))
    assert united["detail"]["merged_ids"] == [other]
    assert answer(mem("get", other, "--json"))["status_reason"] == "the same"
    assert mem("restore-version", old, "1").stdout.startswith(f"{old} v")
    assert answer(mem("get", old, "--json"))["content"] == ONE_WRITER
    assert problem(mem("restore-version", old, "9", "--json"))["errors"][0]["pointer"] == "/version"
    assert mem("stale").stdout == "nothing is stale\n"


def test_a_merge_says_which_text_stands_and_how_it_is_taken_back(mem: Mem) -> None:
    """Falls where a refused undo does not say that the memory took others in, or in which order to take it back."""
    one, other = added(mem, "Use pnpm."), added(mem, HUNDRED)
    shown = mem("merge", one, other).stdout
    assert f"it says now: {HUNDRED}" in shown
    back = f"to take it back: mem restore-version {one} 1; mem undo {other}"
    assert back in shown
    assert f"mem undo {other}" in mem("undo", one).stderr
    for line in back.partition(": ")[2].split("; "):
        assert mem(*line.split()[1:]).exit_code == 0
    contents = {memory["id"]: memory["content"] for memory in answer(mem("list", "--json"))["memories"]}
    assert contents == {one: "Use pnpm.", other: HUNDRED}


def test_an_undone_supersession_leaves_the_correction_and_says_so(mem: Mem) -> None:
    old = added(mem, ONE_WRITER)
    new = answer(mem("supersede", old, HUNDRED, "--json"))["id"]
    assert f"{new} stays active as well" in mem("undo", old).stdout
    assert mem("undo", old).stdout == f"{old} v4 is superseded: superseded by {new}\n"
    mem("undo", old)
    mem("forget", new)
    assert "stays" not in mem("undo", new).stdout


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("2999-03-01", "2999-03-01T00:00:00.000000Z"),
        ("2999-03-01T12:00:00+02:00", "2999-03-01T10:00:00.000000Z"),
    ],
)
def test_an_expiry_is_a_date_or_a_time(mem: Mem, said: str, until: str) -> None:
    id = added(mem, ONE_WRITER, "--expires", said)
    assert answer(mem("get", id, "--json"))["expires_at"] == until
    assert "until 2999-03-01" in mem("edit", id, "--tag", "db").stdout


def test_an_expiry_is_told_counted_from_now_or_taken_away(mem: Mem) -> None:
    """Falls where the default of the type stands in for `never`."""
    assert re.search(
        r"gotcha, warning\), until \d{4}-\d\d-\d\d\n", mem("add", ONE_WRITER, "-c", "gotcha").stdout
    )
    stored = answer(mem("add", HUNDRED, "-c", "gotcha", "--expires", "never", "--json"))
    assert stored["expires_at"] is None
    soon = answer(mem("edit", stored["id"], "--expires", "3d", "--json"))
    days = datetime.fromisoformat(soon["expires_at"]) - datetime.fromisoformat(stored["created_at"])
    assert days.days == 3
    assert answer(mem("edit", stored["id"], "--expires", "never", "--json"))["expires_at"] is None
    assert "'soon' is no time; say" in mem("edit", stored["id"], "--expires", "soon").stderr


def test_what_is_added_too_late_is_told_to_be_over_and_how_it_comes_back(mem: Mem) -> None:
    told = mem("add", ONE_WRITER, "--expires", "2020-01-01").stdout
    id = told.split()[0]
    assert "is archived (general, pattern), until 2020-01-01\n  expired\n  no recall shows it" in told
    assert f"mem edit {id} --expires 30d\n" in told
    assert mem("edit", id, "--expires", "30d").stdout.startswith(f"{id} v2 is active")


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (None, None),
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("90m", "2026-03-02T10:30:00+00:00"),
        ("1h", "2026-03-02T11:00:00+00:00"),
        ("2d ago", "2026-02-28T12:00:00+00:00"),
        ("3w", "2026-02-09T12:00:00+00:00"),
        ("yesterday", "2026-03-01T00:00:00Z"),
        ("today", "2026-03-02T00:00:00Z"),
    ],
)
def test_a_time_gone_by_is_a_date_or_an_age(said: str | None, meant: str | None) -> None:
    assert time_ago(said, NOON) == meant


@pytest.mark.parametrize("said", ["the day before", "", "2", "-2d", "999999w", "\u0663d"])
def test_what_is_no_time_is_refused_with_what_is_one(said: str) -> None:
    with pytest.raises(Invalid, match="say 2026-03-01T12:00:00Z, 2026-03-01, yesterday or 2d"):
        time_ago(said, NOON)


def test_the_past_is_asked_for_by_its_age_or_date(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    for command in (["get", id], ["history", id], ["list"], ["search", "sqlite writer"]):
        assert "SQLite takes one writer" in mem(*command, "--as-of", "0m").stdout
        assert "SQLite takes one writer" not in mem(*command, "--as-of", "2001-01-01").stdout
        refused = mem(*command, "--as-of", "2026-02-30")
        assert (refused.exit_code, "Value error" in refused.stderr) == (1, False)


def test_the_past_is_asked_for_by_its_time(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    before, ahead = "2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
    assert answer(mem("list", "--as-of", before, "--json"))["memories"] == []
    assert answer(mem("search", "sqlite writer", "--as-of", before, "--json"))["abstained"]
    for command in (["get", id], ["history", id]):
        assert problem(mem(*command, "--as-of", before, "--json"))["status"] == 404
    for command in (["get", id], ["history", id], ["list"], ["search", "sqlite writer"]):
        assert problem(mem(*command, "--as-of", ahead, "--json"))["status"] == 422
    written = answer(mem("get", id, "--json"))["created_at"]
    assert [memory["id"] for memory in answer(mem("list", "--as-of", written, "--json"))["memories"]] == [id]


def test_a_prompt_is_printed_as_it_is(mem: Mem) -> None:
    added(mem, ONE_WRITER, "--tag", "db/**")
    shown = mem("prompt", "change the tables", "--write-scope", "db/schema.sql").stdout
    assert shown.startswith("## Memories")
    assert ONE_WRITER in shown


def test_a_memory_cannot_turn_the_writing_of_the_terminal_round(mem: Mem) -> None:
    id = added(mem, f"The report is called {TURNED} here")
    for command in (["list"], ["get", id], ["search", "report"], ["history", id]):
        shown = mem(*command).stdout
        assert "txt.exe" in shown
        assert "\u202e" not in shown
    assert TURNED in answer(mem("get", id, "--json"))["content"]


def test_brackets_of_a_memory_are_no_markup(mem: Mem) -> None:
    added(mem, "Use [bold]arrays[/bold] and [/nothing] here")
    assert "Use [bold]arrays[/bold] and [/nothing] here" in mem("list").stdout


def test_stats_are_counted(mem: Mem) -> None:
    """In lines with shares, and with the size of what there is."""
    added(mem, ONE_WRITER, "-c", "gotcha")
    for number in range(2):
        added(mem, f"Step {number} of the build takes a minute.", "-c", "pattern")
    shown = mem("stats").stdout
    assert shown.startswith("Total: 3 memories\nActive: 3\n")
    assert "  pattern  2  (67%)\n  gotcha   1  (33%)\n" in shown
    assert "  neutral       3  (100%)\n" in shown
    assert re.search(r"\nDatabase size: \d+\.\d (k|M)B\n", shown)
    assert "hot " in shown
    assert "USD a month" in shown


def test_a_terminal_filters_as_http_does(mem: Mem) -> None:
    """Filters of dimension, task type, persona and time, of lists and of searches."""
    one = added(mem, "The export job fails on Mondays.", "--persona", "ann")
    other = added(mem, "The export job needs a quota.")

    def ids(*options: str) -> set[str]:
        return {memory["id"] for memory in answer(mem(*options, "--json"))["memories"]}

    assert ids("list", "--persona", "ann") == ids("search", "export job", "--persona", "ann") == {one}
    assert ids("list", "--created-after", "1d") == {one, other}
    assert ids("list", "--created-before", "1d") == set()
    assert ids("list", "--min-success-rate", "0.5") == set()
    assert ids("list", "--dimension", "relationship", "--task-type", "feature") == set()
    assert mem("list", "--created-after", "soonish").exit_code == 1


def test_projects_are_apart_and_named_by_option_or_environment(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(mem, ONE_WRITER, "-p", "other")
    assert answer(mem("list", "--json"))["memories"] == []
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "other")
    assert len(answer(mem("list", "--json"))["memories"]) == 1
    assert problem(mem("list", "-p", "no slug", "--json"))["errors"][0]["pointer"] == "/project"


def test_another_data_folder_is_another_world(mem: Mem, tmp_path: Path) -> None:
    added(mem, ONE_WRITER, "--data", str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / "memory.sqlite3").exists()
    assert answer(mem("list", "--json"))["memories"] == []


def test_without_a_model_it_goes_on_by_words_and_says_so_on_stderr(mem: Mem) -> None:
    stored, found = mem("add", ONE_WRITER), mem("search", "sqlite writer")
    for result in (stored, found):
        assert result.exit_code == 0
        assert "Going on by words alone" in result.stderr
        assert "mem model build" in result.stderr
    assert "found by its words only" in stored.stdout
    assert "lexical-only" in found.stdout


def test_at_the_first_start_a_person_is_offered_the_model(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model_dir: Path
) -> None:
    def build(settings: Any, tell: Callable[[str], object]) -> Path:
        tell("building")
        return Path(shutil.copytree(model_dir, settings.model_dir / model_dir.name))

    monkeypatch.setattr("memory_layer.cli.commands.model.is_interactive", lambda: True)
    monkeypatch.setattr("memory_layer.bootstrap.embedded.build_embedding_model", build)
    refused = mem("add", ONE_WRITER, given="n\n")
    assert "Build it now?" in refused.output
    assert "found by its words only" in refused.stdout
    assert "Build it now?" not in mem("add", HUNDRED, given="y\n").output
    wanted = mem("add", ONE_WRITER, "--data", str(tmp_path / "new"), given="y\n")
    assert "building" in wanted.stderr
    assert "found by its words only" not in wanted.stdout


def test_a_build_that_fails_is_told_and_holds_nothing_up(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_layer.errors import EmbedderUnavailable

    def build(*_: Any, **__: Any) -> Path:
        raise EmbedderUnavailable("the weights could not be fetched")

    monkeypatch.setattr("memory_layer.cli.commands.model.is_interactive", lambda: True)
    monkeypatch.setattr("memory_layer.bootstrap.embedded.build_embedding_model", build)
    stored = mem("add", ONE_WRITER, given="y\n")
    assert stored.exit_code == 0
    assert "the weights could not be fetched" in stored.stderr
    assert problem(mem("model", "build", "--json"))["status"] == 503


def test_a_model_that_is_whole_is_not_built_again(with_model: Mem, model_dir: Path) -> None:
    built = with_model("model", "build", "--json")
    assert answer(built) == {"folder": str(model_dir)}
    assert "nothing to build" in built.stderr


def test_a_token_carries_what_was_asked(mem: Mem, tmp_path: Path) -> None:
    asked = "--tenant acme --principal ada@acme.test --persona ops --role reviewer --days 2"
    minted = answer(mem("token", *asked.split(), "--json"))
    claims = jwt.decode(minted["token"], secret_of(tmp_path / "data"), algorithms=[ALGORITHM])
    expected = {"tenant": "acme", "sub": "ada@acme.test", "persona": "ops", "roles": ["reviewer"]}
    assert {name: claims[name] for name in expected} == expected
    assert claims["exp"] - claims["iat"] == 2 * 24 * 3600
    assert mem("token", *asked.split()).stdout.count(".") == 2


@pytest.mark.parametrize(
    "asked",
    ["--tenant acme --principal a --role king", "--tenant a/b --principal a", "--tenant a --principal="],
)
def test_a_token_that_no_server_would_take_is_not_minted(mem: Mem, asked: str) -> None:
    assert problem(mem("token", *asked.split(), "--json"))["status"] == 422


def test_a_token_of_nobody_is_refused_by_its_option(mem: Mem) -> None:
    told = mem("token", "--tenant", "acme", "--principal=").stderr
    assert told == "mem: --principal is blank; say whose token it is\n"


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_only_loopback_is_served_without_tokens(mem: Mem, host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own
    if not is_own:
        refused = mem("serve", "--host", host)
        assert refused.exit_code == 1
        assert "without --auth" in refused.stderr


def test_serve_hands_its_options_on(mem: Mem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    served: list[tuple[Any, ...]] = []

    def serve(settings: Any, *, host: str, port: int, with_auth: bool, beside: Any) -> None:
        assert callable(beside)
        served.append((settings.data_dir, host, port, with_auth))
        gc.enable()  # as a server does once all is loaded

    monkeypatch.setattr("memory_layer.local.server.serve", serve)
    monkeypatch.setattr("memory_layer.cli.commands.service._free_port", lambda _, port: port)
    mem("serve")
    mem("serve", "--host", "0.0.0.0", "--port", "9999", "--auth", "--data", str(tmp_path / "d"))
    assert served == [(tmp_path / "data", "127.0.0.1", 8080, False), (tmp_path / "d", "0.0.0.0", 9999, True)]


def test_a_port_in_use_is_told_before_anything_is_loaded(mem: Mem, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = mem("serve", "--port", str(taken.getsockname()[1]))
    assert refused.exit_code == 1
    assert "choose another: --port" in refused.stderr
    assert not (tmp_path / "data").exists()


def test_doctor_says_what_is_wrong_and_exits_with_1(mem: Mem, tmp_path: Path) -> None:
    added(mem, ONE_WRITER)
    assert mem("doctor").exit_code == 0
    (tmp_path / "data" / "memory.sqlite3").write_bytes(b"garbage" * 100)
    ill = mem("doctor")
    assert ill.exit_code == 1
    assert "is no SQLite database" in " ".join(ill.stdout.split())
    report = mem("doctor", "--json")
    assert report.exit_code == 1
    assert json.loads(report.stdout)["healthy"] is False
    assert problem(mem("list", "--json"))["status"] == 503


def test_doctors_commands_are_printed_whole(mem: Mem, tmp_path: Path) -> None:
    """Falls with advice that is broken into lines of the terminal's width."""
    added(mem, ONE_WRITER)
    file = tmp_path / "data" / "memory.sqlite3"
    raw = file.read_bytes()
    file.write_bytes(raw[: len(raw) // 2])
    (line,) = (line for line in mem("doctor").stdout.splitlines() if ".dump" in line)
    assert line.strip().startswith("→ stop what uses it")
    assert line.endswith("-shm files")


def test_version_is_told(mem: Mem) -> None:
    assert mem("version").stdout == f"memory-layer {VERSION}\n"
    assert answer(mem("version", "--json")) == {"version": VERSION}


@pytest.mark.usefixtures("with_model")
def test_the_demo_tells_the_main_job(capsys: pytest.CaptureFixture[str]) -> None:
    tell_demo()
    told = capsys.readouterr().out
    loaded = re.search(r"(\d+) of \1 memories stored", told)
    assert loaded is not None
    assert int(loaded[1]) >= 60
    assert re.search(r"The right one's place: 2 → .*1\n", told)
    assert told.index("status pending: not recalled") < told.index("recalled in place 1")
    assert "Refused: mem_" in told
    assert "[REDACTED:" in told
    assert "horse" not in told
    assert "</memories-" in told


@pytest.mark.usefixtures("mem")
def test_the_demo_survives_a_missing_model(capsys: pytest.CaptureFixture[str]) -> None:
    tell_demo()
    told = capsys.readouterr().out
    assert "recall goes by words alone" in told
    assert "</memories-" in told


def piped(tmp_path: Path, *commands: str) -> subprocess.CompletedProcess[str]:
    """A pipeline in a shell, over a data folder without a model."""
    executable = f"{sys.executable} -m memory_layer.cli.main"
    script = f"set -o pipefail; {' '.join(commands).replace('mem ', executable + ' ', 1)}"
    environment = {
        "PYTHONPATH": str(Path(memory_layer.__path__[0]).parent),
        "MEMORY_LAYER_DATA": str(tmp_path / "data"),
        "MEMORY_LAYER_MODEL_DIR": str(tmp_path / "models"),
        "MEMORY_LAYER_PROJECT": "shop",
        "PATH": "/usr/bin:/bin",
    }
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60
    )


@pytest.mark.parametrize(
    "command", ["mem list", "mem list --json", "mem --help", "mem version", "mem doctor"]
)
def test_a_reader_that_goes_away_is_no_error_worth_a_traceback(
    mem: Mem, tmp_path: Path, command: str
) -> None:
    added(mem, ONE_WRITER)
    assert piped(tmp_path, command, "| true").stderr == ""


def test_a_real_process_ends_with_the_exit_code(tmp_path: Path) -> None:
    assert piped(tmp_path, "mem get mem_missing --json").returncode == 1
    assert piped(tmp_path, "mem nonsense").returncode == 2
    assert piped(tmp_path, "mem list --json | cat").stdout == '{"memories":[],"next_cursor":null}\n'


def test_an_outcome_of_a_recall_that_nobody_knows_says_so(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    shown = mem("outcome", id, "worked", "--recall", "rcl_mistyped")
    assert "no recall rcl_mistyped is known" in shown.stderr
    assert "outcome +0.2" in shown.stdout
    document = answer(mem("outcome", id, "worked", "--recall", "rcl_mistyped", "--json"))
    assert document["note"].startswith("no recall rcl_mistyped")


def test_outcomes_name_memories_by_their_numbers_on_a_page(mem: Mem) -> None:
    one, other = added(mem, ONE_WRITER), added(mem, HUNDRED)
    prompt = answer(mem("prompt", "write to the database", "--json"))
    assert prompt["memory_ids"] == [one, other]
    shown = mem("outcome", "--recall", prompt["recall_id"], "1", "2", "--worked")
    assert shown.stdout.splitlines() == [
        f"{ref} {id}: active, outcome +0.2, confidence 1" for ref, id in enumerate((one, other), 1)
    ]
    document = answer(mem("outcome", "2", "failed", "--recall", prompt["recall_id"], "--json"))
    answer_model(answer_models.PageOutcomeAnswer).model_validate(document)
    assert [(line["ref"], line["id"], line["outcome_score"]) for line in document["results"]] == [
        (2, other, -0.1)
    ]


def test_numbers_that_name_nothing_are_refused_in_words(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    recall = answer(mem("prompt", "write to the database", "--json"))["recall_id"]
    absent = mem("outcome", "1", "3", "worked", "--recall", recall)
    assert absent.exit_code == 1
    assert f"3: not on the page of {recall}; it has 1 to 1" in absent.stderr
    without = mem("outcome", "1", "3", "worked")
    assert without.exit_code == 1
    assert "give --recall" in without.stderr
    assert "give --recall" in mem("outcome", "1", "worked").stderr
    assert mem("outcome", "1", "--worked", "--failed", "--recall", recall).exit_code == 1
