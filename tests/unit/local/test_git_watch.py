"""A repository's commits as entity events, each told once: with real repositories, made for each test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.edge.shapes.entity_event_bodies import entity_events_json
from memory_layer.errors import Invalid
from memory_layer.local.git_events import WITHIN_THE_SECOND, file_urn, repository_urn
from memory_layer.local.git_log import FileChange, Repository
from memory_layer.local.git_watch import (
    GONE,
    NO_COMMIT,
    REWRITTEN,
    TOLD_TOGETHER,
    GitWatch,
    WatchReport,
    watch_forever,
)
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT, START, StandingClock, read_back

LINES = "".join(f"line {n}\n" for n in range(20))


class Repo:
    """A repository of the test, whose commits are an hour before the clock's start, one second apart."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        self.seconds = int(START.timestamp()) - 3600
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str | bytes) -> str:
        self.seconds += 1
        whose = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        when = {"GIT_COMMITTER_DATE": f"@{self.seconds} +0000", "GIT_AUTHOR_DATE": "@1 +0000"}
        environment = {**os.environ, **whose, **when, "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=environment, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.path / name).write_text(text)

    def commit(self, message: str = "more", **files: str) -> str:
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "shop")


Watch = Callable[..., GitWatch]


@pytest.fixture
def watch(backend: EmbeddedBackend, admin: Principal, tmp_path: Path) -> Watch:
    """Another process each time."""

    def begin(path: Path, project: str = PROJECT) -> GitWatch:
        def tell(told: Sequence[ReportedEvent]) -> dict[str, Any]:
            return entity_events_json(take_entity_events(backend.ports, admin, project, told))

        place = admin.tenant, project
        return GitWatch(tell, backend.ports.clock.now, place, path, tmp_path / "data")

    return begin


def told(backend: EmbeddedBackend, admin: Principal, path: str) -> list[EntityEvent]:
    found = backend.ports.store.events.of(admin.scope(PROJECT), path, after=None, limit=99)
    return list(found.events)


def kinds(backend: EmbeddedBackend, admin: Principal, path: str) -> list[str]:
    return [event.event for event in told(backend, admin, f"urn:file:{path}")]


def test_a_watch_begins_where_the_repository_is(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal
) -> None:
    repo.commit(old="1")
    head = repo.commit(old="2")
    first = watch(repo.path).look()
    assert (first.head, first.commits, first.events) == (head, 0, 1)
    assert kinds(backend, admin, "old") == []
    assert [event.event for event in told(backend, admin, "urn:git:shop")] == ["activity"]
    active_at = backend.ports.store.projects.recall_settings(admin.scope(PROJECT)).active_at
    assert active_at == datetime.fromtimestamp(repo.seconds - 1, UTC) + WITHIN_THE_SECOND


def test_commits_become_events(repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal) -> None:
    repo.commit(changed="1", gone="1", before=LINES)
    watch(repo.path).look()
    repo.commit(changed="2", new="1")
    repo.git("mv", "before", "after")
    repo.git("rm", "--quiet", "gone")
    last = repo.commit()
    seen = watch(repo.path).look()
    assert (seen.head, seen.commits, seen.events, seen.notes) == (last, 2, 5, ())
    (changed,) = told(backend, admin, "urn:file:changed")
    (renamed,) = told(backend, admin, "urn:file:before")
    assert (changed.event, renamed.event, renamed.target) == ("content_changed", "renamed", "urn:file:after")
    assert kinds(backend, admin, "gone") == ["removed"]
    assert kinds(backend, admin, "new") == []
    assert told(backend, admin, "urn:file:after") == [renamed]
    assert renamed.detail == {"commit": last}
    assert renamed.occurred_at == datetime.fromtimestamp(repo.seconds - 1, UTC) + WITHIN_THE_SECOND


def test_what_was_told_is_not_told_again(repo: Repo, watch: Watch, tmp_path: Path) -> None:
    first = repo.commit(a="1")
    watch(repo.path).look()
    repo.commit(a="2")
    assert watch(repo.path).look().events == 2
    assert watch(repo.path).look().commits == 0
    again = watch(repo.path).look(since=first)
    assert (again.commits, again.events) == (1, 0)
    for place in (tmp_path / "data" / "watch").iterdir():
        assert place.stat().st_mode & 0o777 == 0o600


def test_projects_and_repositories_have_places_of_their_own(repo: Repo, watch: Watch, tmp_path: Path) -> None:
    repo.commit(a="1")
    other = Repo(tmp_path / "elsewhere" / "shop")
    other.commit(a="1")
    for path, project in ((repo.path, PROJECT), (repo.path, "api"), (other.path, PROJECT)):
        watch(path, project).look()
    repo.commit(a="2")
    assert watch(repo.path, "api").look().commits == 1
    assert watch(other.path).look().commits == 0
    assert watch(repo.path).look().commits == 1


@pytest.fixture
def said_of_a(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> Callable[[], Memory]:
    """A memory about a file that is there since a commit."""
    repo.commit(**{"a.py": "1", "b.py": "1"})
    watch(repo.path).look()
    clock.moment = datetime.fromtimestamp(repo.seconds, UTC)
    said = {"content": "Module a retries thrice.", "entities": ("urn:file:a.py",)}
    put_memory(backend.ports, admin, PROJECT, "m1", said)
    clock.moment = START
    return lambda: read_back(backend.ports.store, admin.scope(PROJECT), "m1")


def test_memories_of_edited_files_are_doubted_once_and_stay(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal, said_of_a: Callable[[], Memory]
) -> None:
    """Falls without `is_edit`: an edit of a file took all that was said of it out of recall."""
    repo.commit(**{"a.py": "2"})
    assert watch(repo.path).look().marked == 0
    doubted = said_of_a()
    assert (doubted.status, doubted.doubted and doubted.doubted.reasons) == (
        "active",
        ("urn:file:a.py was changed on 2026-03-01, says ada@acme.test",),
    )
    repo.commit(**{"a.py": "3"})
    watch(repo.path).look()
    assert said_of_a() == doubted
    confirm_memory(backend.ports, admin, PROJECT, "m1")
    assert said_of_a().doubted is None


@pytest.mark.parametrize("done", [("rm", "a.py"), ("mv", "a.py", "c.py")], ids=["removed", "renamed"])
def test_memories_of_files_that_are_gone_go_stale(
    repo: Repo, watch: Watch, said_of_a: Callable[[], Memory], done: tuple[str, ...]
) -> None:
    repo.git(*done)
    repo.commit()
    watch(repo.path).look()
    assert said_of_a().status == "stale"


def test_a_merge_tells_what_it_brought(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal
) -> None:
    """Once, at the time of the merge; also what was only decided in the merge itself."""
    repo.commit(ours="1", theirs="1", both=LINES)
    watch(repo.path).look()
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit(theirs="2")
    repo.git("checkout", "--quiet", "main")
    repo.commit(ours="2")
    repo.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    repo.write(both="decided in the merge")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "merge")
    seen = watch(repo.path).look()
    assert (seen.commits, seen.events) == (2, 5)
    for path in ("ours", "theirs", "both"):
        assert kinds(backend, admin, path) == ["content_changed"]


def test_names_of_any_bytes_become_urns(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal
) -> None:
    names = [b"new\nline", b"\xff\xfe.bin", b"R100", b"with space", "docs-ünï.md".encode(), b"100%", b"-rf"]
    folder = os.fsencode(repo.path)
    for name in names:
        Path(os.fsdecode(os.path.join(folder, name))).write_text("1")
    repo.commit()
    watch(repo.path).look()
    for name in names:
        Path(os.fsdecode(os.path.join(folder, name))).write_text("2")
    repo.commit()
    assert watch(repo.path).look().events == len(names) + 1
    for path in ("new%0Aline", "%FF%FE.bin", "R100", "with%20space", "docs-ünï.md", "100%25", "-rf"):
        assert kinds(backend, admin, path) == ["content_changed"], path


def test_the_log_is_read_by_position(repo: Repo) -> None:
    """Falls where a path can be taken for a header, or for a status."""
    header = f"{'a' * 40} 1"
    first = repo.commit(**{header: LINES, "M": "1"})
    repo.git("mv", header, "D")
    last = repo.commit(M="2")
    (found,) = Repository(repo.path).commits(first, last)
    assert found.id == last
    assert set(found.changes) == {FileChange("R", header.encode(), b"D"), FileChange("M", b"M")}


def test_rewritten_history_is_told_from_where_it_parted(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal
) -> None:
    base = repo.commit(a="1", b="1")
    watch(repo.path).look()
    repo.commit(a="2")
    watch(repo.path).look()
    repo.git("reset", "--quiet", "--hard", base)
    head = repo.commit(b="2")
    seen = watch(repo.path).look()
    assert (seen.head, seen.commits, seen.notes) == (head, 1, (REWRITTEN,))
    assert kinds(backend, admin, "b") == ["content_changed"]


def test_a_place_that_is_gone_is_begun_anew(repo: Repo, watch: Watch, tmp_path: Path) -> None:
    repo.commit(a="1")
    watch(repo.path).look()
    (place,) = (tmp_path / "data" / "watch").iterdir()
    place.write_text(f'{{"last": "{"0" * 40}"}}')
    head = repo.commit(a="2")
    seen = watch(repo.path).look()
    assert (seen.head, seen.commits, seen.notes) == (head, 0, (GONE,))
    for damaged in ("", "[]", '{"last": 7}', "\x00"):
        place.write_text(damaged)
        assert watch(repo.path).look().commits == 0
    repo.commit(a="3")
    assert watch(repo.path).look().commits == 1


def test_an_empty_repository_is_watched_from_its_first_commit(repo: Repo, watch: Watch) -> None:
    seen = watch(repo.path).look()
    assert (seen.head, seen.notes) == (None, (NO_COMMIT,))
    repo.commit(a="1")
    head = repo.commit(a="2")
    seen = watch(repo.path).look()
    assert (seen.head, seen.commits, seen.events) == (head, 2, 3)


def test_a_commit_from_the_future_was_made_now(
    repo: Repo, watch: Watch, backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    repo.commit(a="1")
    watch(repo.path).look()
    repo.seconds = int((START + timedelta(days=400)).timestamp())
    repo.commit(a="2")
    watch(repo.path).look()
    assert [event.occurred_at for event in told(backend, admin, "urn:file:a")] == [clock.now()]


def test_what_is_no_repository_is_refused_in_words(watch: Watch, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "file").write_text("")
    for path, words in (
        (plain, "no git repository"),
        (tmp_path / "missing", "no folder"),
        (tmp_path / "file", "no folder"),
    ):
        with pytest.raises(Invalid, match=words):
            watch(path)


def test_only_a_commit_is_a_beginning(repo: Repo, watch: Watch) -> None:
    """Falls where a name is handed to git as it is: `--output=…` would write a file."""
    repo.commit(a="1")
    for name in ("nothing", "--output=planted", "-h", "", "main:a"):
        if name:
            with pytest.raises(Invalid, match="names no commit"):
                watch(repo.path).look(since=name)
    assert not (repo.path / "planted").exists()


def test_a_path_may_begin_with_a_hyphen(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    repo = Repo(tmp_path / "-n")
    repo.commit(a="1")
    assert watch(Path("-n")).look().head is not None


def test_a_folder_inside_and_a_bare_repository_are_watched(
    repo: Repo, watch: Watch, tmp_path: Path, backend: EmbeddedBackend, admin: Principal
) -> None:
    repo.commit(a="1")
    inside = repo.path / "sub"
    inside.mkdir()
    watch(inside).look()
    bare = tmp_path / "bare.git"
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(bare))
    watch(bare).look()
    repo.commit(a="2")
    assert watch(inside).look().commits == 1
    repo.git("push", "--quiet", str(bare), "main")
    assert watch(bare).look().commits == 1
    assert kinds(backend, admin, "a") == ["content_changed"]


def test_a_repository_starts_no_program_of_its_own(repo: Repo, watch: Watch) -> None:
    """Falls without `log.showSignature=false` and `--no-show-signature` in local/git_log.py."""
    repo.commit(a="1")
    watch(repo.path).look()
    planted = repo.path / "planted"
    program = repo.path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {planted}\n")
    program.chmod(0o755)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    parent = repo.git("rev-parse", "HEAD")
    signed = (
        f"tree {tree}\nparent {parent}\nauthor x <x@y> 1 +0000\ncommitter x <x@y> {repo.seconds} +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\nsigned\n"
    )
    raw = repo.path / ".git" / "raw"
    raw.write_text(signed)
    repo.git("update-ref", "HEAD", repo.git("hash-object", "-t", "commit", "-w", str(raw)))
    for name, value in (
        ("log.showSignature", "true"),
        ("gpg.program", str(program)),
        ("core.fsmonitor", str(program)),
        ("diff.external", str(program)),
    ):
        repo.git("config", name, value)
    assert watch(repo.path).look().commits == 1
    assert not planted.exists()


def test_where_git_is_pointed_by_its_surroundings_does_not_count(
    repo: Repo, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where GIT_DIR of a hook that calls us is handed on."""
    repo.commit(a="1")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert watch(repo.path).look().head is not None


def test_a_watch_that_is_killed_goes_on_where_it_stopped(
    repo: Repo, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the place is kept before what was told is."""
    repo.commit(**{f"f{n:03}": "1" for n in range(260)})
    watch(repo.path).look()
    for number in range(4):
        repo.commit(**{f"f{n:03}": f"{number}!" for n in range(260)})
    assert TOLD_TOGETHER < 2 * 260
    killed, taken = watch(repo.path), []

    def take(seen: WatchReport, some: list[Any]) -> WatchReport:
        taken.append(len(some))
        if len(taken) == 2:
            raise KeyboardInterrupt
        return plain(seen, some)

    plain = killed._take
    monkeypatch.setattr(killed, "_take", take)
    with pytest.raises(KeyboardInterrupt):
        killed.look()
    seen = watch(repo.path).look()
    assert (seen.commits, seen.events) == (2, 2 * 261)


def test_a_watch_looks_again_until_it_is_interrupted(repo: Repo, watch: Watch) -> None:
    repo.commit(a="1")
    waits = iter([None, None, KeyboardInterrupt()])
    shown: list[WatchReport] = []

    def sleep(seconds: float) -> None:
        assert seconds == 5.0
        wait = next(waits)
        if wait is not None:
            raise wait
        repo.commit(a=f"look {len(shown)}")

    total = watch_forever(watch(repo.path), None, 5.0, shown.append, sleep)
    assert (total.commits, total.events) == (2, 5)
    assert [seen.commits for seen in shown] == [0, 1, 1]


def test_a_name_too_long_is_skipped_and_counted(repo: Repo, watch: Watch) -> None:
    name = "n" * 200
    (repo.path / name).mkdir()
    (repo.path / name / name).write_text("1")
    repo.commit(a="1")
    watch(repo.path).look()
    (repo.path / name / name).write_text("2")
    repo.commit(a="2")
    seen = watch(repo.path).look()
    assert (seen.commits, seen.events, seen.skipped) == (1, 2, 1)


def urns() -> Iterator[tuple[bytes, str]]:
    yield b"src/a_b-c.py", "urn:file:src/a_b-c.py"
    yield "日本/é.md".encode(), "urn:file:日本/é.md"
    yield b"a b\tc", "urn:file:a%20b%09c"
    yield "a\u202eb\u00a0".encode(), "urn:file:a%E2%80%AEb%C2%A0"
    yield b"\xc3", "urn:file:%C3"


@pytest.mark.parametrize(("path", "urn"), list(urns()))
def test_a_file_has_one_urn(path: bytes, urn: str) -> None:
    assert file_urn(path) == urn
    assert repository_urn("a b#c") == "urn:git:a%20b%23c"
