"""`mem event` and `mem watch`: what happened, told on a terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, answer


def test_an_event_makes_memories_stale(mem: Mem) -> None:
    made = answer(mem("add", "Orders close at nine.", "--entity", "urn:table:orders", "--json"))
    told = mem("event", "urn:table:orders", "renamed", "--target", "urn:table:sales")
    assert told.exit_code == 0
    assert "kept; 1 memory went stale" in told.stdout
    memory = answer(mem("get", made["id"], "--json"))
    assert "was renamed to urn:table:sales on" in memory["status_reason"]
    assert "--include-stale" in mem("search", "when do orders close").stderr
    for more in (["--include-stale"], ["--json"], ["-p", "other"]):
        assert "--include-stale" not in mem("search", "when do orders close", *more).stderr
    assert "no memory has it among its entities" in mem("event", "urn:nobody", "removed").stdout
    assert "renamed 1" in mem("stats").stdout


def test_an_event_told_again_says_so(mem: Mem) -> None:
    told = ("event", "urn:x", "removed", "--at", "2026-03-01T12:00:00Z", "--detail", '{"by": "a migration"}')
    first = answer(mem(*told, "--json"))
    assert first["events"][0]["is_new"] is True
    assert "told before" in mem(*told).stdout


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (("urn:x", "exploded"), "mem: KIND: "),
        (("urn:x", "linked"), "give --target"),
        (("u" * 257, "removed"), "mem: URN: "),
        (("urn:x", "removed", "--detail", "{"), "JSON object"),
        (("urn:x", "removed", "--detail", "[]"), "JSON object, not []"),
        (("urn:x", "removed", "--at", "tomorrow"), "mem: --at: "),
        (("urn:x", "removed", "--at", "2999-01-01T00:00:00Z"), "future"),
    ],
)
def test_a_broken_event_is_refused_in_words(mem: Mem, said: tuple[str, ...], words: str) -> None:
    refused = mem("event", *said)
    assert refused.exit_code == 1
    assert words in refused.stderr


def git(folder: Path, *arguments: str) -> None:
    whose = ("-c", "user.name=x", "-c", "user.email=x@y")
    subprocess.run(["git", *whose, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_repository_is_watched(mem: Mem, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet")
    empty = mem("watch", "--git", str(repository), "--once")
    assert (empty.exit_code, "no commit yet" in empty.stdout) == (0, True)
    (repository / "a.py").write_text("1")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "first")
    document = answer(mem("watch", "--git", str(repository), "--once", "--json"))
    assert (document["commits"], document["events"], document["marked"]) == (1, 1, 0)
    (repository / "a.py").write_text("2")
    git(repository, "commit", "--quiet", "-am", "second")
    told = mem("watch", "--git", str(repository), "--once", "--since", "HEAD~1")
    assert "1 commit, 2 events, 0 memories went stale" in told.stdout
    first = mem("watch", "-p", "other", "--git", str(repository), "--once").stdout
    assert "0 commits, 1 event, " in first
    assert "the first look: the watch goes on from this commit" in first


def test_what_is_no_repository_is_refused_in_words(mem: Mem, tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none", "is no folder"), (tmp_path, "is no git repository")):
        refused = mem("watch", "--git", str(path), "--once")
        assert (refused.exit_code, words in refused.stderr) == (1, True)
