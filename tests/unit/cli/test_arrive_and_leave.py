"""`mem import` and `mem export` with files and folders of other tools."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_layer.cli.terminal import folder_files
from memory_layer.cli.terminal.files import followed_name
from tests.given import FOREIGN_FILES
from tests.unit.cli.conftest import Mem, added, answer, problem
from tests.unit.cli.test_data_commands import HUNDRED, ONE_WRITER, contents


def written(files: dict[str, str]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def test_an_export_of_another_system_is_told_by_its_content(mem: Mem) -> None:
    planted = str(FOREIGN_FILES / "mem0-planted.json")
    foreseen = mem("import", planted, "--dry-run")
    told = mem("import", planted)
    assert (foreseen.exit_code, told.exit_code) == (1, 1)
    assert foreseen.stdout == f"nothing is written; this is what would happen\n{told.stdout}"
    assert told.stdout.splitlines()[:10] == [
        "imported in part: 1 of 7 refused",
        "7 read: stored 5, skipped 1, refused 1; 1 of them quarantined: mem review",
        "  /results/7: its words are no text",
        "not stored:",
        "  /results/4: a mere status, which teaches nothing",
        "  /results/5: it says nothing",
        "  /results/8: a page of recalled memories, which are known where they come from",
        "  /results/1: says the same as /results/0",
        "redacted before they were stored:",
        "  /results/2: url_password",
    ]


def test_a_folder_is_read_with_what_its_files_include(mem: Mem) -> None:
    written(
        {
            "repo/.git/HEAD": "",
            "repo/CLAUDE.md": f"# Rules\n\n- {ONE_WRITER}\n\nSee @docs/db.md and @missing.md, `@code.md`, @../out.md\n",
            "repo/docs/db.md": f"- {HUNDRED}\n\n@../CLAUDE.md\n",
            "repo/docs/other.md": "- Nobody includes this one.\n",
            "repo/web/AGENTS.md": "- Buttons are blue in the web shop.\n",
            "repo/node_modules/x/CLAUDE.md": "- Somebody else's rule.\n",
            "out.md": "- A secret of the folder above.\n",
        }
    )
    told = answer(mem("import", "repo", "--json"))
    assert contents(mem) == {
        ONE_WRITER,
        HUNDRED,
        "See @docs/db.md and @missing.md, `@code.md`, @../out.md",
        "Buttons are blue in the web shop.",
    }
    assert [(part["where"], part["reason"]) for part in told["left_out"][:2]] == [
        ("CLAUDE.md: line 5", "there is no file @missing.md"),
        ("CLAUDE.md: line 5", "@../out.md lies outside of the folder"),
    ]
    again = answer(mem("import", "repo", "--json"))
    assert (again["stored"], again["unchanged"]) == (0, 4)


def test_files_of_one_name_outside_of_git_are_followed_apart(
    mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a file outside of a repository is followed by its bare name: each overwrote the one before."""
    rules = {"": "Use the blue lamp.", "pay": "Keep prices in cents.", "web": "Serve pages over HTTP/3."}
    for folder, rule in rules.items():
        (tmp_path / "far" / "mono" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "far" / "mono" / folder / "CLAUDE.md").write_text(f"- {rule}\n", "utf-8")
    (tmp_path / "far" / "mono" / "pay" / ".git").mkdir()
    (tmp_path / "near").mkdir()
    here = tmp_path / "far"
    for start in (here, tmp_path / "near"):
        monkeypatch.chdir(start)
        given = ("import", str(here / "mono"), "-p", start.name)
        assert "3 read: stored 3, skipped 0" in mem(*given, "--dry-run").stdout
        assert "3 read: stored 3, skipped 0" in mem(*given, "--prune").stdout
        assert "3 read: stored 0, unchanged 3, skipped 0" in mem(*given, "--prune").stdout
        tags = {
            tag for one in answer(mem("list", "--json", "-p", start.name))["memories"] for tag in one["tags"]
        }
        assert tags == {"mono/CLAUDE.md", "mono/pay/CLAUDE.md", "mono/web/CLAUDE.md"}
    monkeypatch.chdir(here)
    assert "unchanged 1" in mem("import", "mono/web/CLAUDE.md", "-p", "far", "--prune").stdout
    assert followed_name(str(here / "mono" / "web" / "CLAUDE.md")) == "mono/web/CLAUDE.md"
    monkeypatch.chdir(tmp_path / "near")
    assert followed_name(str(here / "mono" / "web" / "CLAUDE.md")) == "CLAUDE.md"


def test_links_of_a_folder_are_told_and_not_followed(mem: Mem) -> None:
    """Falls where a link leads an import out of the folder that it was asked for."""
    written({"repo/CLAUDE.md": f"- {ONE_WRITER}\n", "above/AGENTS.md": f"- {HUNDRED}\n"})
    os.symlink("CLAUDE.md", "repo/AGENTS.md")
    os.symlink("../above", "repo/linked")
    Path("repo/sub").mkdir()
    os.symlink("../../above/AGENTS.md", "repo/sub/AGENTS.md")
    told = answer(mem("import", "repo", "--json"))
    assert contents(mem) == {ONE_WRITER}
    assert {part["where"]: part["reason"] for part in told["left_out"]} == {
        "linked": "a link out of the folder",
        "AGENTS.md": "a link to CLAUDE.md",
        "sub/AGENTS.md": "a link out of the folder",
    }


def test_an_agents_memory_is_words_of_the_agent(mem: Mem) -> None:
    written(
        {
            "memory/MEMORY.md": "- [Database](db.md) - one writer\n- [Gone](gone.md) - still worth knowing\n",
            "memory/db.md": f"---\nname: db\ndescription: how the database is used\n---\n\n{ONE_WRITER}\n",
        }
    )
    told = answer(mem("import", "memory", "--json"))
    other, memory = sorted(answer(mem("list", "--json"))["memories"], key=lambda one: -len(one["tags"][0]))
    assert (memory["content"], memory["context"], memory["source"], memory["standing"]) == (
        *(ONE_WRITER, "how the database is used", "run", "unreviewed"),
    )
    assert other["content"].startswith("[Gone]")
    assert ("MEMORY.md: line 1", "an entry of the index, for db.md") in [
        (part["where"], part["reason"]) for part in told["left_out"]
    ]


def test_a_folder_without_instructions_says_what_to_do(mem: Mem) -> None:
    written({"docs/guide.md": f"- {ONE_WRITER}\n"})
    assert "say --from markdown for every Markdown file" in problem(mem("import", "docs", "--json"))["detail"]
    assert answer(mem("import", "docs", "--from", "markdown", "--json"))["stored"] == 1
    refused = problem(mem("import", "docs", "--from", "mem0", "--json"))
    assert "docs is a folder; mem0 is read from a file" in refused["detail"]


def test_one_file_that_is_no_text_keeps_the_whole_folder_out(mem: Mem) -> None:
    written({"repo/AGENTS.md": f"- {ONE_WRITER}\n"})
    Path("repo/CLAUDE.md").write_bytes("- Café.\n".encode("utf-16"))
    assert "CLAUDE.md is no UTF-8" in problem(mem("import", "repo", "--json"))["detail"]
    assert contents(mem) == set()


def test_what_is_too_large_is_told_before_it_is_read_on(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_files, "TEXT_MAX_BYTES", 2**20)
    written({"big.json": '[{"memory": "' + "x" * 2**20 + '"}]', "repo/CLAUDE.md": "- x y\n" * 2**18})
    for name in ("big.json", "repo"):
        assert "1 MB" in problem(mem("import", name, "--json"))["detail"]


def test_columns_of_a_table_are_mapped(mem: Mem) -> None:
    written({"notes.csv": f"id,memory,topic,owner\n7,{ONE_WRITER},database,ada\n8,,x,y\n"})
    refused = problem(mem("import", "notes.csv", "--json"))["detail"]
    assert "map it: memory=content" in refused
    refused = problem(mem("import", "notes.csv", "--map", "memory=content", "--json"))["detail"]
    assert "'topic'" in refused
    assert "'owner'" in refused
    options = ("--map", "memory=content", "--map", "id=-", "--map", "topic=tags", "--map", "owner=-")
    told = json.loads(mem("import", "notes.csv", "--json", *options).stdout)
    assert (told["stored"], [part["where"] for part in told["refused"]]) == (1, ["line 3"])
    assert [memory["tags"] for memory in answer(mem("list", "--json"))["memories"]] == [["database"]]


def test_columns_keep_their_names_in_detail(mem: Mem) -> None:
    written({"notes.csv": f"id,memory,topic,owner\n7,{ONE_WRITER},database,ada\n"})
    mem("import", "notes.csv", "--map", "memory=content", "--map", "id=-", "--map", "*=detail")
    (memory,) = answer(mem("list", "--json"))["memories"]
    assert (memory["content"], memory["detail"]) == (ONE_WRITER, {"topic": "database", "owner": "ada"})


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["memory"], "is not COLUMN=FIELD"),
        (["memory=nothing"], "is not COLUMN=FIELD"),
        (["memory=content", "id=content"], "two columns would be content"),
        (["memory=content", "gone=tags"], "there is no column 'gone'"),
        (["*=content"], "goes to detail or -"),
    ],
)
def test_a_mapping_that_cannot_be_is_told(mem: Mem, pairs: list[str], words: str) -> None:
    written({"notes.csv": "id,memory\n7,x\n"})
    options = [word for pair in pairs for word in ("--map", pair)]
    assert words in problem(mem("import", "notes.csv", "--json", *options))["detail"]


def test_a_tree_of_pages_comes_back_and_is_brought_up_to_date(mem: Mem) -> None:
    ids = [added(mem, text, "-c", "gotcha") for text in (ONE_WRITER, HUNDRED)]
    assert answer(mem("export", "--to", "notes", "--json"))["records"] == 2
    assert answer(mem("import", "notes", "-p", "copy", "--json"))["imported"] == 2
    mem("forget", ids[1], "--hard")
    mem("edit", ids[0], "--content", f"{ONE_WRITER} Always.")
    Path("notes/mine.txt").write_text("a note beside the pages")
    assert answer(mem("export", "--to", "notes", "--json"))["records"] == 1
    (page,) = Path("notes/gotcha").iterdir()
    assert page.read_text().endswith(f"\n---\n\n{ONE_WRITER} Always.\n")
    assert Path("notes/mine.txt").exists()


def test_an_edited_page_is_told_and_taken_on_request(mem: Mem) -> None:
    id = added(mem, ONE_WRITER, "-c", "gotcha")
    mem("approve", id)
    mem("export", "--to", "notes")
    (page,) = Path("notes/gotcha").iterdir()
    page.write_text(page.read_text().replace("one writer", "one writing process"))
    refused = problem(mem("import", "notes", "--json"))["detail"]
    assert f"the words of {id} were changed" in refused
    assert "give allow_unsealed: true" in refused
    assert answer(mem("import", "notes", "--unsealed", "--replace", "--json"))["replaced"] == 1
    memory = answer(mem("get", id, "--json"))
    assert ("one writing process" in memory["content"], memory["approved_by"]) == (True, None)


def test_a_tree_whose_export_was_interrupted_is_not_whole(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where the index is written last alone: the next export would find files that it does not know."""
    from memory_layer.cli.terminal import page_tree

    for text in (ONE_WRITER, HUNDRED):
        added(mem, text)
    writing = page_tree._write
    calls = iter(range(9))

    def failing(path: Path, text: str) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        writing(path, text)

    with monkeypatch.context() as patched:
        patched.setattr(page_tree, "_write", failing)
        mem("export", "--to", "notes")
    assert "nothing was imported" in problem(mem("import", "notes", "-p", "copy", "--json"))["detail"]
    assert answer(mem("export", "--to", "notes", "--json"))["records"] == 2
    assert answer(mem("import", "notes", "-p", "copy", "--json"))["imported"] == 2


def test_a_folder_of_something_else_is_not_written_into(mem: Mem) -> None:
    written({"src/main.py": "print()\n"})
    added(mem, ONE_WRITER)
    assert "src holds other files" in problem(mem("export", "--to", "src", "--json"))["detail"]
    assert "say where to" in problem(mem("export", "--json"))["detail"]
    assert (
        "a folder is for markdown"
        in problem(mem("export", "--to", "x", "--format", "mif", "--json"))["detail"]
    )
    assert sorted(os.listdir()) == [".git", "src"]


def test_mif_is_json_that_says_who_wrote_it(mem: Mem) -> None:
    added(mem, ONE_WRITER)
    assert answer(mem("export", "all.mif.json", "--json")) == {
        "file": "all.mif.json",
        "format": "mif",
        "records": 1,
    }
    document = json.loads(Path("all.mif.json").read_text())
    assert (document["mif_version"], document["generator"]["name"]) == ("2.0", "memory-layer")
    assert answer(mem("import", "all.mif.json", "-p", "copy", "--json"))["imported"] == 1
