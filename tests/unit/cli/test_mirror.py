"""A folder that mirrors a project, over a data folder and over a service: edits of both sides, and no lost word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner, Result

from memory_layer.cli.app import app
from memory_layer.cli.terminal.mirror_folder import STATE, MirrorFolder
from memory_layer.errors import Invalid
from memory_layer.usecases.files import read_files
from tests.e2e.test_commands_over_http import serving

Mem = Callable[..., Result]


@pytest.fixture(params=["folder", "service"])
def mem(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mem]:
    """Runs a command about project `shop`, in a data folder or over a server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("MEMORY_LAYER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "shop")
    monkeypatch.delenv("MEMORY_LAYER_URL", raising=False)
    if request.param == "folder":
        yield lambda *words: CliRunner().invoke(app, list(words))
        return
    with serving(tmp_path / "served") as url:
        yield lambda *words: CliRunner().invoke(app, [*words, "--url", url])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mirrored"


def test_a_file_in_the_place_of_the_folder_is_called_one(mem: Mem, folder: Path) -> None:
    mem("add", "The depot opens at seven.", "-c", "convention")
    folder.write_text("mine")
    refused = mem("mirror", str(folder))
    assert refused.exit_code == 1
    assert f"{folder} is a file; name a folder" in refused.stderr + refused.stdout
    assert folder.read_text() == "mine"


def mirror(mem: Mem, folder: Path, *options: str, code: int = 0) -> Any:
    done = mem("mirror", str(folder), "--json", *options)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def acts(document: Any) -> list[tuple[str, str]]:
    return [(step["act"], step["path"]) for step in document["steps"]]


def stored(mem: Mem, id: str) -> Any:
    return json.loads(mem("get", id, "--json").stdout)


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def test_a_memory_is_a_file_and_an_edit_of_it_a_version(mem: Mem, folder: Path) -> None:
    id = json.loads(mem("add", "The ledger is in the second drawer.", "-c", "convention", "--json").stdout)[
        "id"
    ]
    ((act, path),) = acts(mirror(mem, folder))
    assert act == "write"
    assert path.startswith("/convention/the-ledger-is-in-the-second-drawer-")
    (folder / path[1:]).write_text("The ledger is in the safe.")
    (folder / "notes").mkdir()
    (folder / "notes/gate.md").write_text("The gate closes at nine.\n")
    assert acts(mirror(mem, folder)) == [("update", path), ("create", "/notes/gate.md")]
    assert (stored(mem, id)["content"], stored(mem, id)["version"]) == ("The ledger is in the safe.", 2)
    history = json.loads(mem("history", id, "--json").stdout)["versions"]
    assert len({version["by"] for version in history}) == 1
    assert acts(mirror(mem, folder)) == []
    assert "gate closes" in mem("search", "when does the gate close").stdout


def test_a_conflict_keeps_a_copy_of_what_was_here(mem: Mem, folder: Path) -> None:
    """Falls where a word that somebody wrote is neither in the folder nor in the project any more."""
    folder.mkdir()
    (folder / "a.md").write_text("one")
    assert mem("mirror", str(folder)).exit_code == 1
    (step,) = mirror(mem, folder, "--adopt")["steps"]
    (kept,) = json.loads(mem("list", "--json").stdout)["memories"]
    (folder / "a.md").write_text("mine")
    mem("edit", kept["id"], "--content", "theirs")
    found = mirror(mem, folder)
    assert [one["act"] for one in found["steps"]] == ["copy", "write"]
    assert found["steps"][0]["why"] == "changed on both sides"
    copies = {name: text for name, text in texts(folder).items() if "conflict" in name}
    assert texts(folder)["a.md"] == "theirs\n"
    assert list(copies.values()) == ["mine\n"]
    assert acts(mirror(mem, folder)) == []
    assert step["path"] == "/a.md"


def test_what_is_removed_comes_back_unless_it_is_to_be_archived(mem: Mem, folder: Path) -> None:
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.md").write_text(f"Words of {name}.")
    mirror(mem, folder, "--adopt")
    (folder / "a.md").unlink()
    assert acts(mirror(mem, folder)) == [("write", "/a.md")]
    (folder / "a.md").unlink()
    assert acts(mirror(mem, folder, "--archive-removed", "--dry-run")) == [("delete", "/a.md")]
    assert acts(mirror(mem, folder, "--archive-removed")) == [("delete", "/a.md")]
    assert set(texts(folder)) == {"b.md", "c.md"}
    for name in ("b", "c"):
        (folder / f"{name}.md").unlink()
    assert {act for act, _ in acts(mirror(mem, folder, "--archive-removed"))} == {"write"}


def test_moves_of_both_sides_are_followed(mem: Mem, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.md").write_text("The gate closes at nine.")
    mirror(mem, folder, "--adopt")
    (folder / "a.md").rename(folder / "b.md")
    assert acts(mirror(mem, folder)) == [("rename", "/b.md")]
    (kept,) = json.loads(mem("list", "--json").stdout)["memories"]
    assert kept["detail"]["path"] == "/b.md"


def test_the_last_line_has_its_end_which_is_no_word_of_the_memory(mem: Mem, folder: Path) -> None:
    """Falls where `echo word >> file` writes behind the last word, or an editor's last line is a version."""
    id = json.loads(mem("add", "The ledger is in the safe.", "--json").stdout)["id"]
    ((_, path),) = acts(mirror(mem, folder))
    file = folder / path[1:]
    assert file.read_text() == "The ledger is in the safe.\n"
    for text in ("The ledger is in the safe.", "The ledger is in the safe.\n\n\n"):
        file.write_text(text)
        assert acts(mirror(mem, folder)) == []
    assert stored(mem, id)["version"] == 1
    file.write_text("The ledger is in the safe.\nThe key is in the drawer.\n")
    assert acts(mirror(mem, folder)) == [("update", path)]
    assert stored(mem, id)["content"] == "The ledger is in the safe.\nThe key is in the drawer."
    file.write_text("The ledger is in the safe.\nThe key is in the drawer.")
    mem("edit", id, "--content", "The ledger is gone.")
    assert acts(mirror(mem, folder)) == [("write", path)]
    assert file.read_text() == "The ledger is gone.\n"
    file.rename(folder / "ledger.md")
    assert acts(mirror(mem, folder)) == [("rename", "/ledger.md")]
    assert acts(mirror(mem, folder)) == []


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n\n"])
def test_a_content_that_ends_with_lines_comes_back_as_it_was(
    mem: Mem, folder: Path, tmp_path: Path, end: str
) -> None:
    """Falls where ends of lines are taken off or put on what is stored."""
    folder.mkdir()
    (folder / "a.md").write_text(f"The gate closes at nine.{end}")
    mirror(mem, folder, "--adopt")
    (kept,) = json.loads(mem("list", "--json").stdout)["memories"]
    assert kept["content"] == f"The gate closes at nine.{end}"
    (folder / "a.md").write_text("The gate closes at ten.\n")
    assert acts(mirror(mem, folder)) == [("update", "/a.md")]
    assert stored(mem, kept["id"])["content"] == f"The gate closes at ten.{end}"
    (folder / "a.md").write_text("The gate closes at ten.\n\n")
    assert acts(mirror(mem, folder)) == []
    assert acts(mirror(mem, tmp_path / "other")) == [("write", "/a.md")]
    assert texts(tmp_path / "other") == {"a.md": f"The gate closes at ten.{end or chr(10)}"}
    assert stored(mem, kept["id"])["version"] == 2


@pytest.mark.parametrize("adopts", [False, True])
def test_a_folder_of_an_older_mirror_is_followed_and_no_memory_has_a_version_of_it(
    mem: Mem, folder: Path, adopts: bool
) -> None:
    """Such a folder has no ends of last lines, and no hashes of words. Falls where each file is an edit."""
    for words in ("The gate closes at nine.", "The shop opens at ten.\n"):
        mem("add", words, "-c", "convention")
    mirror(mem, folder)
    for path in (folder / "convention").iterdir():
        path.write_text("".join(path.read_text().split("\n")) + "\n" * ("shop" in path.name))
    state = folder / STATE
    said = json.loads(state.read_text())
    assert all(len(noted) == 3 for noted in said["files"].values())
    state.write_text(json.dumps({**said, "files": {id: noted[:2] for id, noted in said["files"].items()}}))
    if adopts:
        state.unlink()
    assert acts(mirror(mem, folder, "--adopt")) == []
    assert [one["version"] for one in json.loads(mem("list", "--json").stdout)["memories"]] == [1, 1]
    assert all(len(noted) == 3 and noted[2] for noted in json.loads(state.read_text())["files"].values())


def test_a_secret_is_kept_here_and_told(mem: Mem, folder: Path) -> None:
    """Falls where a secret is stored, or written over without a copy."""
    folder.mkdir()
    (folder / "keys.md").write_text("the key is AKIAIOSFODNN7EXAMPLE")
    found = mirror(mem, folder, "--adopt", code=1)
    assert "secrets were removed" in found["problems"][0]
    assert texts(folder)["keys.md"] == "the key is [REDACTED:aws_access_key]\n"
    assert "the key is AKIAIOSFODNN7EXAMPLE\n" in texts(folder).values()
    assert acts(mirror(mem, folder)) == []


def test_nothing_is_written_out_of_the_folder_and_what_is_no_text_stays_out(
    mem: Mem, folder: Path, tmp_path: Path
) -> None:
    """Falls where a link leads a write elsewhere."""
    (folder / "linked").mkdir(parents=True)
    (folder / "linked/x.md").write_text("The gate closes at nine.")
    mirror(mem, folder, "--adopt")
    (folder / "linked/x.md").unlink()
    (folder / "linked").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "picture.png").write_bytes(b"\xff\xfe")
    problems = mirror(mem, folder, code=1)["problems"]
    assert ["no UTF-8" in one or "leads out" in one for one in problems] == [True, True]
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert "mirrors shop" in mem("mirror", str(folder), "-p", "other").output


@pytest.mark.parametrize("count", [1, 3])
def test_a_store_that_has_none_of_it_removes_nothing(
    mem: Mem, folder: Path, tmp_path: Path, count: int
) -> None:
    """Falls where a folder is emptied because another store, or one without the project, was named."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.md").write_text(f"Gate {number} closes at nine.")
    mirror(mem, folder, "--adopt")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    elsewhere = ("mirror", str(folder), "--archive-removed", "--data", str(tmp_path / "other"))
    refused = CliRunner().invoke(app, list(elsewhere))
    assert refused.exit_code == 1
    assert "none of what" in refused.output
    assert str(tmp_path / "other") in refused.output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert acts(mirror(mem, folder)) == []


def test_what_some_of_is_gone_there_is_removed_here(mem: Mem, folder: Path) -> None:
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"Words of {name}.")
    mirror(mem, folder, "--adopt")
    kept = {one["detail"]["path"]: one["id"] for one in json.loads(mem("list", "--json").stdout)["memories"]}
    assert mem("forget", kept["/a.md"]).exit_code == 0
    assert acts(mirror(mem, folder)) == [("remove", "/a.md")]
    assert mem("forget", kept["/b.md"]).exit_code == 0
    assert "mirror into a new folder" in mem("mirror", str(folder)).output
    assert set(texts(folder)) == {"b.md"}


def test_what_a_crowded_project_does_not_list_is_told_and_stays(
    mem: Mem, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a file that is not listed counts as gone: it was removed here, and nobody was told."""
    for number in (1, 2):
        mem("add", f"Shelf {number} holds box {7 * number}.", "-c", "convention")
    assert mirror(mem, folder)["note"] is None
    before = texts(folder)
    monkeypatch.setattr(read_files, "FILES_MAX", 1)
    crowded = mirror(mem, folder)
    assert crowded["note"].startswith("1 are shown, not shown are 1 that people vouch for")
    assert (acts(crowded), texts(folder)) == ([], before)
    assert f"not all of it: {crowded['note']}" in mem("mirror", str(folder)).stdout
    for path in before:
        (folder / path).write_text(f"{path} was edited.")
    assert {act for act, _ in acts(mirror(mem, folder))} == {"update"}


def test_no_hidden_file_is_written_or_stored(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Falls where a file that tools run (`.git/config`) passes between project and folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "shop")
    paths = ("/.git/config", "/.GIT/hooks/pre-commit", "/notes/.vscode/tasks.json", f"/{STATE}", "/plain.md")
    with serving(tmp_path / "served") as url:
        for path in paths:
            body = {"content": f"Words of {path}.", "detail": {"path": path}}
            httpx2.post(f"{url}/v1/projects/shop/memories", json=body).raise_for_status()
        _mirrors_plain_files_alone(
            lambda *words: CliRunner().invoke(app, [*words, "--url", url]), folder, paths
        )


def _mirrors_plain_files_alone(mem: Mem, folder: Path, paths: tuple[str, ...]) -> None:
    folder.mkdir()
    (folder / ".env").write_text("mine")
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text("{}")
    for _ in range(2):
        problems = mirror(mem, folder, "--adopt", "--archive-removed", code=1)["problems"]
        assert sorted(one.partition(":")[0] for one in problems) == sorted(paths[:-1])
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {"plain.md", STATE, ".env", ".claude/settings.json"}
    assert len(json.loads(mem("list", "--json").stdout)["memories"]) == len(paths)


def test_what_agents_take_for_a_persons_word_is_mirrored_once_a_person_vouches_for_it(
    folder: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """Falls where an agent writes the CLAUDE.md of a person's folder, under that name or another spelling of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "shop")
    with serving(tmp_path / "served") as url:

        def mem(*words: str) -> Result:
            return CliRunner().invoke(app, [*words, "--url", url])

        def said(path: str, source: str, **fields: str) -> str:
            body = {"content": f"Words of {path} {fields}.", "source": source, "detail": {"path": path}}
            answer = httpx2.post(f"{url}/v1/projects/shop/memories", json=body).raise_for_status().json()
            return str(answer["id"])

        mine, theirs = said("/AGENTS.md", "human"), said("/docs/claude.md", "run")
        first, second = said("/notes.md", "run"), said("/notes.md", "human", by="a person")
        assert mirror(mem, folder, code=1)["problems"] == [
            "/docs/claude.md: not written here, as agents take such a file for a person's word, and nobody has "
            f"approved it; approve {theirs} to mirror it"
        ]
        found = texts(folder)
        assert found.keys() - {"AGENTS.md", "notes.md"} == {
            one for one in found if one.startswith("notes~")
        }, (mine, first, second)
        assert "a person" in found["notes.md"]
        assert mem("approve", theirs).exit_code == 0
        assert mirror(mem, folder)["problems"] == []
        assert "docs/claude.md" in texts(folder)


@pytest.mark.parametrize("path", ["/.git/config", "/a/.B", f"/{STATE}", "/a\\.git/config"])
def test_a_folder_itself_refuses_a_hidden_place(folder: Path, path: str) -> None:
    with pytest.raises(Invalid, match="begins with a dot"):
        MirrorFolder(folder, "shop").write(path, "words")
    assert not folder.exists()
