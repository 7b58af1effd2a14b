"""`mem`: whole projects, runs and learnings on a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memory_layer
from memory_layer.cli.terminal import files, progress_bar
from memory_layer.edge.shapes import data_bodies, learning_bodies
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_project import ImportReport
from tests.given import FOREIGN_FILES
from tests.run_examples import loop
from tests.unit.cli.conftest import Mem, added, answer, problem

ONE_WRITER = "SQLite takes one writer at a time; readers go on beside it in WAL mode."
HUNDRED = "A DynamoDB transaction holds at most one hundred actions."


def contents(mem: Mem, *options: str) -> set[str]:
    return {memory["content"] for memory in answer(mem("list", "--json", *options))["memories"]}


def report(run_id: str = "ralph-001", **changed: Any) -> str:
    return json.dumps(loop(run_id, **changed))


def fields(model: Any) -> set[str]:
    return set(answer_model(model).model_fields)


@pytest.mark.parametrize("name", ["all.ndjson", "all.csv"])
def test_what_was_exported_is_imported_elsewhere(mem: Mem, name: str) -> None:
    for text in (ONE_WRITER, "=SUM(A1)", "'quoted"):
        added(mem, text, "--tag", "a,b")
    told = mem("export", name)
    assert told.stdout == f"3 records are in {name}\n"
    imported = answer(mem("import", name, "-p", "copy", "--json"))
    assert set(imported) == fields(ImportReport)
    assert (imported["records"], imported["imported"], imported["dry_run"]) == (3, 3, False)
    assert contents(mem, "-p", "copy") == {ONE_WRITER, "=SUM(A1)", "'quoted"}
    assert answer(mem("import", name, "-p", "copy", "--json"))["skipped"] == 3


def test_an_export_streams_to_standard_output_and_comes_back_from_standard_input(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    lines = mem("export", "-").stdout
    assert [set(json.loads(line)) >= {"content"} for line in lines.splitlines()] == [True, False]
    assert "imported 1" in mem("import", "-", "-p", "copy", given=lines).stdout
    assert mem("export", "-", "--format", "csv").stdout.startswith("id,project,type")


def test_an_export_is_readable_by_its_owner_alone_and_replaces_the_last_one(mem: Mem) -> None:
    Path("all.ndjson").write_text("old")
    added(mem, ONE_WRITER)
    assert answer(mem("export", "all.ndjson", "--json")) == {
        "file": "all.ndjson",
        "format": "ndjson",
        "records": 1,
    }
    assert Path("all.ndjson").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir()) == [".git", "all.ndjson"]


def test_an_interruption_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """Falls where lines are written into the file itself."""
    target = tmp_path / "all.ndjson"
    target.write_text("whole")

    def lines() -> Iterator[str]:
        yield "half\n"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_lines(str(target), lines())
    assert target.read_text() == "whole"
    assert os.listdir(tmp_path) == ["all.ndjson"]


@pytest.mark.fault
def test_a_killed_export_leaves_no_half_of_a_file(mem: Mem, tmp_path: Path) -> None:
    """Ctrl-C in a real process, while the lines are on their way through a pipe that nobody empties."""
    added(mem, "x" * 30_000)
    for number in range(5):
        added(mem, f"{number} {'y' * 30_000}", "--on-duplicate", "create")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    environment = {**os.environ, "PYTHONPATH": str(Path(memory_layer.__path__[0]).parent)}
    command = [sys.executable, "-m", "memory_layer.cli.main", "export", str(pipe)]
    exporting = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    with pipe.open("rb") as reader:
        reader.read(10)
        time.sleep(0.2)
        exporting.send_signal(signal.SIGINT)
        reader.read()
    _, said = exporting.communicate(timeout=60)
    assert exporting.returncode != 0
    assert "Traceback" not in said


@pytest.mark.parametrize(("name", "like"), [("b.markdown", "markdown"), ("b.TSV", "csv")])
def test_an_export_is_not_called_like_what_another_tool_writes(mem: Mem, name: str, like: str) -> None:
    """Falls where a suffix says one thing to an export and another to an import."""
    added(mem, ONE_WRITER)
    refused = mem("export", name)
    assert (refused.exit_code, os.listdir()) == (1, [".git"])
    assert (
        f"{name} would not be read back as an export: it is called like {like}; name it b.ndjson"
        in refused.stderr
    )
    assert answer(mem("export", name, "--format", "ndjson", "--json"))["format"] == "ndjson"
    assert "imported 1" in mem("import", name, "--from", "ndjson", "-p", "copy").stdout


def test_an_ending_of_no_format_is_refused_in_words(mem: Mem) -> None:
    """Falls where every other ending is taken for lines of JSON."""
    added(mem, ONE_WRITER)
    refused = mem("export", "all.xyz")
    assert (refused.exit_code, os.listdir()) == (1, [".git"])
    assert ".xyz is the ending of no format: name all.xyz with one of .csv, .json, .jsonl" in refused.stderr
    assert "--format ndjson, csv, mif or markdown" in refused.stderr
    assert answer(mem("export", "all.xyz", "--format", "csv", "--json"))["format"] == "csv"


@pytest.mark.parametrize("name", ["hello.json", "hello.txt", "hello"])
def test_text_of_no_form_is_called_so_and_not_a_damaged_export(mem: Mem, name: str) -> None:
    Path(name).write_text("Close each file after use.\n", "utf-8")
    refused = mem("import", name)
    assert (refused.exit_code, "cut off" in refused.stderr) == (1, False)
    assert "neither JSON, nor a table, nor Markdown" in refused.stderr
    assert "--from markdown" in refused.stderr
    assert mem("import", name, "--from", "markdown").exit_code == 0
    assert contents(mem) == {"Close each file after use."}


@pytest.mark.parametrize(
    ("name", "format"),
    [("b.CSV", "csv"), ("b", "ndjson"), ("b.jsonl", "ndjson"), ("b.mif.json", "mif"), ("b.md", "markdown")],
)
def test_a_file_is_read_back_as_it_was_named(mem: Mem, name: str, format: str) -> None:
    added(mem, ONE_WRITER)
    assert answer(mem("export", name, "--json"))["format"] == format
    assert "imported 1" in mem("import", name, "-p", "copy").stdout


def test_a_project_that_has_nothing_is_told_beside_the_answer(mem: Mem) -> None:
    """Falls without `tell_if_empty`: a name that is mistyped looks like an empty project."""
    id = added(mem, ONE_WRITER)
    asking = (["search", "One writer"], ["prompt", "Add a writer"])
    for command in (
        *asking,
        ["list", "--json"],
        ["stats", "--json"],
        ["export", "-"],
        ["export", "x.ndjson"],
        ["review"],
        ["authors"],
        ["playbook"],
        *([name] for name in ("conflicts", "duplicates", "stale", "audit", "events", "runs", "trajectories")),
        *(["staging"], ["sessions"], ["promote"], ["erase", "--created-by", "nobody", "--dry-run"]),
    ):
        mistyped = mem(*command, "-p", "shopp")
        assert (mistyped.exit_code, "project shopp has nothing yet" in mistyped.stderr) == (0, True)
        assert "nothing yet" not in mem(*command).stderr
    assert "elsewhere is a new data folder" in mem("list", "--data", "elsewhere").stderr
    assert "nothing yet" in mem("list", "--data", "elsewhere").stderr
    mem("forget", id)
    assert "nothing yet" not in mem("list").stderr


def test_paths_are_told_whole(mem: Mem, tmp_path: Path) -> None:
    """Falls where every first slash is taken for that of a pointer."""
    missing = tmp_path / "missing.ndjson"
    assert mem("import", str(missing)).stderr.endswith(
        f"mem: {missing} cannot be read: No such file or directory\n"
    )
    assert mem("prune", "--min-confidence", "2").stderr.startswith("mem: --min-confidence: ")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["export", "no/such/folder/all.ndjson"], "no/such/folder/all.ndjson cannot be written"),
        (
            ["export", "all", "--format", "xml"],
            "there is no --format 'xml'; there are: ndjson, csv, mif, markdown",
        ),
        (["import", "missing.ndjson"], "missing.ndjson cannot be read: No such file"),
        (["import", "."], ". has no CLAUDE.md, AGENTS.md or the like"),
        (["import", "x", "--from", "word"], "there is no --from 'word'"),
    ],
)
def test_files_that_cannot_be_had_are_told(mem: Mem, command: list[str], words: str) -> None:
    assert words in problem(mem(*command, "--json"))["detail"]


@pytest.mark.parametrize("source", ["ndjson", "csv", "markdown", "ralph"])
def test_what_is_no_text_is_refused(mem: Mem, source: str) -> None:
    refused = problem(mem("import", "-", "--from", source, "--json", given=b"a\xff\xfe\n"))
    assert "standard input is no UTF-8" in refused["detail"]


def test_a_truncated_export_is_not_imported_in_part(mem: Mem) -> None:
    for text in (ONE_WRITER, HUNDRED):
        added(mem, text)
    lines = mem("export", "-").stdout
    cut = lines[: lines.index("\n") + 40]
    assert mem("import", "-", "-p", "copy", given=cut).exit_code == 1
    unsealed = lines[: lines.index("\n") + 1]
    assert mem("import", "-", "-p", "copy", given=unsealed).exit_code == 1
    assert contents(mem, "-p", "copy") == set()
    assert "imported 1" in mem("import", "-", "-p", "copy", "--unsealed", given=unsealed).stdout


def test_a_dry_run_writes_nothing(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    lines = mem("export", "-").stdout
    told = mem("import", "-", "-p", "copy", "--dry-run", given=lines).stdout
    assert told.startswith("nothing is written; this is what would happen\n1 records: imported 1")
    assert contents(mem, "-p", "copy") == set()


def test_replace_puts_the_lines_in_the_place_of_what_is_there(mem: Mem) -> None:
    id = added(mem, ONE_WRITER)
    lines = mem("export", "-").stdout
    mem("edit", id, "--content", HUNDRED)
    assert "skipped 1" in mem("import", "-", given=lines).stdout
    assert "replaced 1" in mem("import", "-", "--replace", given=lines).stdout
    assert contents(mem) == {ONE_WRITER}


def test_notes_are_imported_once(mem: Mem) -> None:
    Path("CLAUDE.md").write_text(f"# Stores\n\n- {ONE_WRITER}\n- {HUNDRED}\n")
    first = answer(mem("import", "CLAUDE.md", "--json"))
    assert {name: value for name, value in first.items() if value} == {"read": 2, "stored": 2}
    assert set(first) == fields(ForeignTally)
    assert mem("import", "CLAUDE.md").stdout == "2 read: stored 0, unchanged 2, skipped 0, refused 0\n"
    assert {tuple(m["tags"]) for m in answer(mem("list", "--json"))["memories"]} == {("CLAUDE.md",)}


def test_an_edited_file_tells_what_became_of_each_line(mem: Mem) -> None:
    Path("CLAUDE.md").write_text(
        f"# Stores\n\n- {ONE_WRITER}\n- {HUNDRED}\n- {HUNDRED}\n\n[a](b)\n## Empty\n"
    )
    told = mem("import", "CLAUDE.md").stdout.splitlines()
    assert told == [
        "3 read: stored 2, skipped 1, refused 0",
        "not stored:",
        "  line 7: links, badges or tags alone",
        "  line 8: a heading with nothing under it",
        "  line 5: says the same as line 4",
    ]
    Path("CLAUDE.md").write_text(f"# Stores\n\n- {ONE_WRITER}\n")
    told = mem("import", "CLAUDE.md").stdout.splitlines()
    assert told[:2] == [
        "1 read: stored 0, unchanged 1, skipped 0, refused 0",
        "the file says 1 no more; --prune archives them:",
    ]
    assert told[2].startswith("  imp_")
    assert told[2].endswith(HUNDRED[:60])
    assert contents(mem) == {ONE_WRITER, HUNDRED}
    assert "the file says 1 no more; 1 archived:" in mem("import", "CLAUDE.md", "--prune").stdout
    assert contents(mem) == {ONE_WRITER}


def test_a_changed_line_is_shown_beside_what_it_said(mem: Mem) -> None:
    """Falls where an import counts its changes and names none: nobody can look at them."""
    Path("CLAUDE.md").write_text(f"# Stores\n\n- {ONE_WRITER}\n- {HUNDRED}\n")
    mem("import", "CLAUDE.md")
    Path("CLAUDE.md").write_text(f"# Stores\n\n- {ONE_WRITER}\n- {HUNDRED.replace('one', 'two')}\n")
    foreseen = mem("import", "CLAUDE.md", "--dry-run").stdout.splitlines()[1:]
    told = mem("import", "CLAUDE.md").stdout.splitlines()
    assert told[:2] == ["2 read: stored 0, changed 1, unchanged 1, skipped 0, refused 0", "changed:"]
    assert told == foreseen
    before, now = told[2:]
    assert before.startswith("  line 4: imp_")
    assert before.endswith(f": {HUNDRED}"[:60])
    assert now.startswith("    now imp_")
    assert now.endswith(HUNDRED.replace("one", "two")[:60])


@pytest.mark.parametrize("end", ["port 8080", "port 8080 and " + "no other one " * 9])
def test_of_a_long_line_the_change_is_shown(mem: Mem, end: str) -> None:
    """Falls where both wordings are cut at their beginning: they were equal."""
    line = f"- {HUNDRED} {'It is asked for by all of them. ' * 4}It listens on {{}}\n"
    Path("CLAUDE.md").write_text(line.format(end))
    mem("import", "CLAUDE.md")
    Path("CLAUDE.md").write_text(line.format(end.replace("8080", "9090")))
    before, now = mem("import", "CLAUDE.md").stdout.splitlines()[2:]
    assert [told.split(": … ")[1][:60] for told in (before, now)] == [
        f"for by all of them. It listens on port {port}{end[9:]}".strip()[:60] for port in (8080, 9090)
    ]


def test_what_two_headings_say_is_told_as_in_another_place(mem: Mem) -> None:
    """Falls where the first import of a file says that something moved."""
    Path("CLAUDE.md").write_text(f"## Stores\n- {HUNDRED}\n## Tables\n- {HUNDRED}\n")
    told = mem("import", "CLAUDE.md").stdout
    assert told == "2 read: stored 1, in another place 1, skipped 0, refused 0\n"


def test_a_file_is_known_by_its_path_in_its_repository(mem: Mem) -> None:
    """Falls where two files of one name are taken for one."""
    Path("shop/.git").mkdir(parents=True)
    Path("shop/web").mkdir()
    Path("shop/web/AGENTS.md").write_text(f"- {HUNDRED}\n")
    Path("shop/AGENTS.md").write_text(f"- {ONE_WRITER}\n")
    mem("import", "shop/web/AGENTS.md")
    assert "no more" not in mem("import", "shop/AGENTS.md", "--prune").stdout
    assert contents(mem, "--tag", "web/AGENTS.md") == {HUNDRED}
    assert (
        "stored 1" in mem("import", "-", "--from", "markdown", "--name", "N.md", given="Carts expire.").stdout
    )
    assert contents(mem, "--tag", "N.md") == {"Carts expire."}


@pytest.mark.parametrize("option", ["--prune", "--name=x"])
def test_only_markdown_is_followed(mem: Mem, option: str) -> None:
    refused = mem("import", "-", "--from", "csv", option, given="content\ntext\n")
    assert "only a markdown file is followed" in refused.stderr


def test_a_table_is_imported_and_its_bad_rows_are_named(mem: Mem) -> None:
    told = mem("import", "-", "--from", "csv", given=f"content,confidence\n{HUNDRED},0.5\nx,9\n").stdout
    assert told.splitlines() == [
        "imported in part: 1 of 2 refused",
        "2 read: stored 1, skipped 0, refused 1",
        "  line 3: confidence: must be at most 1",
    ]
    refused = problem(mem("import", "-", "--from", "csv", "--json", given="content,colour\nx,red\n"))
    assert refused["errors"][0]["pointer"] == "/colour"


def test_a_part_that_was_refused_shows_in_the_exit_code(mem: Mem) -> None:
    table = f"content,confidence\n{HUNDRED},0.5\nx,9\n"
    for option in (["--dry-run"], []):
        tried = mem("import", "-", "--from", "csv", "--json", *option, given=table)
        assert (tried.exit_code, json.loads(tried.stdout)["refused"][0]["where"]) == (1, "line 3")
    assert contents(mem) == {HUNDRED}
    nothing = mem("import", "-", "--from", "csv", given="content,confidence\nx,9\n")
    assert nothing.stdout.startswith("nothing imported: all 1 refused\n")


@pytest.mark.parametrize(
    "table",
    [
        f"id,content\nlrn_x,{HUNDRED}\n",
        f"id,content,session_id,position\nm1,{HUNDRED},s,4\nm2,{ONE_WRITER},s,2000000000\n",
    ],
)
def test_a_dry_run_of_a_table_says_what_the_import_says(mem: Mem, table: str) -> None:
    """Falls without `refuse_reserved_id` and `Reach` in usecases/transfer/memory_import.py."""
    foreseen = mem("import", "-", "--from", "csv", "--dry-run", "--json", given=table)
    done = mem("import", "-", "--from", "csv", "--json", given=table)
    assert (foreseen.exit_code, done.exit_code) == (1, 1)
    assert {**json.loads(foreseen.stdout), "dry_run": False} == json.loads(done.stdout)


def test_the_loop_memory_is_imported(mem: Mem) -> None:
    imported = answer(mem("import", str(FOREIGN_FILES / "ralph-learnings.json"), "--json"))
    assert (imported["read"], imported["stored"], imported["merged"]) == (6, 5, 1)
    assert answer(mem("import", str(FOREIGN_FILES / "staging.json"), "--json"))["stored"] == 4
    counts = answer(mem("staging", "--json"))["counts"]
    assert counts == {"pending": 2, "validated": 1, "rejected": 1, "promoted": 0, "total": 4}


def test_a_tampered_loop_memory_is_refused_and_nothing_is_imported(mem: Mem) -> None:
    text = (FOREIGN_FILES / "ralph-learnings.json").read_text().replace("45000", "45001")
    refused = problem(mem("import", "-", "--from", "ralph", "--json", given=text))
    assert refused["errors"][0]["pointer"] == "/checksum"
    assert contents(mem) == set()


def test_replace_is_for_records_that_have_ids(mem: Mem) -> None:
    assert "--replace" in mem("import", "-", "--from", "markdown", "--replace", given="text").stderr


@pytest.mark.parametrize(("source", "given"), [("markdown", "text"), ("csv", "content\ntext\n")])
def test_only_our_own_exports_may_be_unsealed(mem: Mem, source: str, given: str) -> None:
    assert "leave --unsealed out" in mem("import", "-", "--from", source, "--unsealed", given=given).stderr
    assert contents(mem) == set()


def test_projects_are_merged(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    added(mem, ONE_WRITER, "-p", "other")
    added(mem, HUNDRED, "-p", "other")
    assert "copied 1, merged 1" in mem("merge-project", "other", "--dry-run").stdout
    assert contents(mem) == {ONE_WRITER}
    merged = answer(mem("merge-project", "other", "--json"))
    assert set(merged) == fields(data_bodies.MergeAnswer) | {"from"}
    assert (merged["from"], merged["copied"], merged["merged"]) == ("other", 1, 1)
    assert contents(mem) == {ONE_WRITER, HUNDRED}
    assert problem(mem("merge-project", "shop", "--json"))["errors"][0]["pointer"] == "/from"
    assert problem(mem("merge-project", "no slug", "--json"))["status"] == 422


def test_what_has_not_proven_itself_is_pruned(mem: Mem) -> None:
    id = added(mem, ONE_WRITER, "--source", "run")
    added(mem, HUNDRED)
    told = mem("prune", "--min-confidence", "0.6", "--dry-run").stdout
    assert told == f"1 would be archived\n  {id}\n"
    pruned = answer(mem("prune", "--min-confidence", "0.6", "--json"))
    assert pruned == {"dry_run": False, "matched": 1, "archived": 1, "ids": [id]}
    assert contents(mem) == {HUNDRED}
    assert problem(mem("prune", "--json"))["status"] == 422
    assert (
        problem(mem("prune", "--min-confidence", "2", "--json"))["errors"][0]["pointer"] == "/min_confidence"
    )


def test_a_run_is_told_which_of_its_ids_nobody_knows(mem: Mem) -> None:
    told = report(memories_used=["mem_wrong"], recall_ids=["rcl_wrong"])
    assert answer(mem("run", "-", "--json", given=told))["unknown"] == ["mem_wrong", "rcl_wrong"]
    assert "left out: mem_wrong, rcl_wrong" in mem("run", "-", given=told).stdout


def test_a_run_teaches_and_is_told_once(mem: Mem) -> None:
    learned = answer(mem("run", "-", "--json", given=report()))
    assert set(learned) == fields(learning_bodies.RunAnswer) - {"unknown"}
    assert (learned["extracted"], learned["promoted"]) == (5, 5)
    assert mem("run", "-", given=report()).stdout.startswith("run ralph-001 (test-fix, worked): 5 learnings")
    assert len(contents(mem)) == 5
    listed = answer(mem("runs", "--json"))
    assert [run["run_id"] for run in listed["runs"]] == ["ralph-001"]
    assert "5 new, 0 known, 0 rejected" in mem("runs").stdout


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ("{", 400, "no JSON"),
        ('{"run_id": "r"}', 422, "objective"),
        (json.dumps(loop("r", status="lost")), 422, "status"),
        (json.dumps(loop("r", project="other")), 422, "say -p other"),
    ],
)
def test_a_report_that_is_wrong_is_refused(mem: Mem, said: str, status: int, words: str) -> None:
    refused = problem(mem("run", "-", "--json", given=said))
    assert refused["status"] == status
    assert words in refused["detail"]
    assert answer(mem("runs", "--json"))["runs"] == []


def test_people_go_through_the_staging_area(mem: Mem) -> None:
    assert "mem staging, then mem promote" in mem("run", "-", "--staged", given=report()).stdout
    assert contents(mem) == set()
    waiting = answer(mem("staging", "--status", "pending", "--json"))
    assert set(waiting) == fields(learning_bodies.StagingAnswer)
    first, second, *_ = (item["id"] for item in waiting["staged"])
    assert first in mem("staging").stdout
    assert mem("reject", first, "--reason", "a fluke").stdout == f"{first} is rejected: a fluke\n"
    assert second in mem("review").stdout
    assert "has no versions" in mem("approve", second, "--if-version", "1").stderr
    assert mem("approve", second).stdout.startswith(f"{second} is promoted: lrn_")
    tried = mem("promote", second, first, "stg_missing", "--json")
    assert tried.exit_code == 1
    assert [result["status"] for result in json.loads(tried.stdout)["results"]] == [200, 409, 404]
    assert f"{second} is promoted: lrn_" in mem("promote", second).stdout
    assert mem("promote", "--clear").stdout == "promoted 3, merged 0, skipped 0, rejected 0\n"
    assert len(contents(mem)) == 4
    counts = answer(mem("staging", "--json"))["counts"]
    assert (counts["rejected"], counts["total"]) == (1, 1)
    assert "there is no status 'lost'" in mem("staging", "--status", "lost").stderr


def test_a_promotion_says_how_many_were_rejected_on_the_way(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("run", "-", "--staged", given=report())
    monkeypatch.setattr("memory_layer.domain.learning.staging.validate", lambda _: "a fluke")
    shown = mem("promote").stdout
    assert "promoted 0, merged 0, skipped 0, rejected 5\n" in shown
    assert "mem staging --status rejected" in shown
    assert "--status promoted" not in shown


def test_a_report_of_another_shape_is_told_once_what_is_missing_and_where_the_shape_is(mem: Mem) -> None:
    told = mem("run", "-", given="{}").stderr
    assert told.count("run_id: is required") == 1
    assert "objective: is required" in told
    assert "mem run --help" in told
    help_text = mem("run", "--help").stdout
    assert "/schemas/run-completed.json" in help_text
    example = help_text[help_text.index('{"run_id"') : help_text.index("All of it")]
    taught = mem("run", "-", given=example).stdout
    assert "validated 1, rejected 1, promoted 1" in taught
    assert "which, and why: mem staging --status rejected" in taught


def test_one_run_is_shown_whole(mem: Mem) -> None:
    mem("run", "-", "--staged", given=report("r1"))
    mem("run", "-", given=report("r2"))
    one = answer(mem("runs", "r1", "--json"))
    assert one in answer(mem("runs", "--json"))["runs"]
    assert one["run_id"] == "r1"
    assert "staged" in mem("runs", "r1").stdout
    assert f"{one['staged']} for people: mem staging" in mem("runs").stdout
    assert mem("runs", "r3").stderr == "mem: no run r3 in project shop; list the runs to find its id\n"


def test_a_snapshots_id_can_be_copied_off_a_narrow_terminal(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("add", "one thing")
    id = answer(mem("snapshot", "--json"))["id"]
    monkeypatch.setenv("COLUMNS", "80")
    assert id in mem("snapshots").stdout


def test_a_prune_of_nothing_is_told_the_options(mem: Mem) -> None:
    assert "--older-than-days or --unused" in mem("prune").stderr


def test_what_was_promoted_by_name_is_cleared_where_that_is_asked(mem: Mem) -> None:
    """Falls where --clear is for all or nothing."""
    mem("run", "-", "--staged", given=report())
    first, second, *_ = (item["id"] for item in answer(mem("staging", "--json"))["staged"])
    mem("promote", first)
    assert answer(mem("staging", "--json"))["counts"]["promoted"] == 1
    assert answer(mem("promote", second, "--clear", "--json"))["results"][0]["status"] == 200
    counts = answer(mem("staging", "--json"))["counts"]
    assert (counts["promoted"], counts["total"]) == (0, 3)


def test_lists_of_runs_and_learnings_go_on_where_their_cursors_point(mem: Mem) -> None:
    for run_id in ("a", "b"):
        mem("run", "-", "--staged", given=report(run_id))
    page = answer(mem("runs", "-n", "1", "--json"))
    rest = answer(mem("runs", "-n", "1", "--cursor", page["next_cursor"], "--json"))
    assert {page["runs"][0]["run_id"], rest["runs"][0]["run_id"]} == {"a", "b"}
    learnings = answer(mem("staging", "-n", "3", "--json"))
    assert "--cursor" in mem("staging", "-n", "3").stdout
    other = mem("staging", "--status", "pending", "--cursor", learnings["next_cursor"], "--json")
    assert problem(other)["status"] == 400


def test_damage_is_named_and_undone(mem: Mem, tmp_path: Path) -> None:
    import sqlite3

    id = added(mem, ONE_WRITER)
    snapshot = answer(mem("snapshot", "--json"))
    assert snapshot["records"] == 1
    assert snapshot["id"] in mem("snapshots").stdout
    later = added(mem, HUNDRED)
    assert mem("verify").stdout.startswith("2 records: all is as it was written")
    with sqlite3.connect(tmp_path / "data" / "memory.sqlite3") as database:
        database.execute("UPDATE memories SET content = replace(content, 'one', 'two') WHERE id = ?", (id,))
        database.execute(
            "UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE id = ?", (id,)
        )  # nothing heals it
    database.close()
    found = mem("verify", "--json")
    assert found.exit_code == 1
    document = json.loads(found.stdout)
    assert document["is_valid"] is False
    assert {part["id"] for part in document["broken"]} == {id}
    told = mem("verify").stdout
    assert id in told
    assert f"mem restore {snapshot['id']} " in told
    assert mem("export", "-").exit_code == 1  # no new seal for what is damaged
    assert mem("restore", "latest", "--dry-run").stdout.startswith("nothing is written")
    restored = answer(mem("restore", "latest", "--json"))
    assert (restored["snapshot"], restored["after"]["created"]["ids"]) == (snapshot["id"], [later])
    assert contents(mem) == {ONE_WRITER, HUNDRED}


def test_a_snapshot_that_is_not_there_is_told(mem: Mem) -> None:
    assert mem("snapshots").stdout == "no snapshots\n"
    assert problem(mem("restore", "latest", "--json"))["status"] == 404
    assert problem(mem("restore", "snp_x", "--json"))["status"] == 404


class _Terminal:
    """A screen that somebody looks at."""

    def __init__(self) -> None:
        self.seen = ""

    def write(self, text: str) -> int:
        self.seen += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_stderr_once_it_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, now = _Terminal(), [0.0]
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bar, "monotonic", lambda: now[0])
    with progress_bar.progress("Counting sheep") as gauge:
        gauge(1, 100)
        assert terminal.seen == ""
        now[0] = progress_bar.SHOWN_AFTER_S
        gauge(50, 100)
        gauge(100, 100)
    assert "Counting sheep" in terminal.seen
    assert capsys.readouterr().out == ""


def test_nobody_looking_is_shown_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Falls where a bar is drawn into a log."""
    now = [0.0]
    monkeypatch.setattr(progress_bar, "monotonic", lambda: now[0])
    with progress_bar.progress("Counting sheep") as gauge:
        now[0] = 99.0
        gauge(50, 100)
    assert capsys.readouterr() == ("", "")


def test_what_is_erased_is_asked_about_first(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    assert mem("erase", "--everything", given="n\n").exit_code == 1
    assert contents(mem) == {ONE_WRITER}
    told = mem("erase", "--everything", "--dry-run").stdout
    assert "would erase: records 1" in told
    document = answer(mem("erase", "--everything", "--yes", "--json"))
    assert (document["kind"], document["stores"]["records"]) == ("project", 1)
    assert contents(mem) == set()
    assert mem("erase").exit_code != 0
    assert mem("erase", "--everything", "--entity", "urn:x:jane", "--yes").exit_code == 2


def test_a_rollback_is_asked_about_first_and_names_its_undo(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    who = answer(mem("list", "--json"))["memories"][0]["created_by"]
    assert mem("rollback", who, given="n\n").exit_code == 1
    assert "planned" in mem("rollback", who, "--dry-run").stdout
    assert contents(mem) == {ONE_WRITER}
    told = mem("rollback", who, "--yes").stdout
    assert contents(mem) == set()
    assert mem(*told.split("mem ")[-1].split()).exit_code == 0
    assert contents(mem) == {ONE_WRITER}
    assert mem("rollback").exit_code == 2
