"""Plan of a mirror: the steps that bring a folder and a project's files together, and lose no word of either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

Act = Literal["adopt", "forget", "copy", "rename", "update", "delete", "remove", "write", "create"]
"""In the order of a plan. `adopt`: both have the same; `forget`: the project has it no more. Of the folder: `copy`,
`remove` and `write` a file. Of the project: `rename`, `update`, `delete` and `create` one."""

HASH_CHARS: Final = 8
CONFLICT: Final = ".conflict-"
"""Part of the names of copies; a mirror takes none of them for a file of the project."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """File of the project, as it is or as it was when the two last met.

    Args:
        sha256: of its text, hex.
        words_sha256: of its text without the ends of lines at its end; None: not known.
    """

    path: str
    sha256: str
    words_sha256: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Step of a mirror.

    Args:
        path: of the file, in folder and project alike; of a copy, the copy's.
        id: of the file; None: it is new to the project.
        source: path of the file in the folder that is copied or sent, where it is another.
        seen: hash of the text that the project's file has to have still.
        why: what happened, for a person; empty: what they expect.
    """

    act: Act
    path: str
    id: str | None = None
    source: str | None = None
    seen: str | None = None
    why: str = ""


def mirror_plan(
    known: Mapping[str, KnownFile],
    here: Mapping[str, str],
    there: Mapping[str, KnownFile],
    *,
    archives_removed: bool,
) -> list[Step]:
    """Steps in an order in which none stands in another's way.

    Args:
        known: files as they were when the two last met, by id.
        here: hashes of the folder's files, by path; of one that only ends otherwise, its project's.
        there: the project's files, by id.
        archives_removed: a file that was removed from the folder is archived; otherwise it comes back.
    """
    plan = _Plan(known, here, there, archives_removed)
    return sorted(plan.steps(), key=lambda step: (get_args(Act).index(step.act), step.path))


def is_hidden(path: str) -> bool:
    """Tells whether a name in a path begins with a dot: tools run what such files say, so a mirror has none of them."""
    return any(name.startswith(".") for name in path.replace("\\", "/").split("/"))


def copy_path(path: str, sha256: str) -> str:
    """Path of the copy of a file whose words would be written over: beside it, told by their hash."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    mark = f"{CONFLICT}{sha256[:HASH_CHARS]}"
    return f"{folder}{slash}{stem}{mark}{dot}{ending}" if stem else f"{path}{mark}"


@dataclass(frozen=True, slots=True)
class _Plan:
    known: Mapping[str, KnownFile]
    here: Mapping[str, str]
    there: Mapping[str, KnownFile]
    archives_removed: bool

    def steps(self) -> Iterator[Step]:
        moved = self._moved_here()
        for id, now in self.there.items():
            if (was := self.known.get(id)) is None:
                yield from self._new_there(id, now)
            elif id in moved:
                yield from self._moved(id, was, now, moved[id])
            else:
                yield from self._both(id, was, now)
        for id, was in self.known.items():
            if id not in self.there:
                yield from self._gone_there(id, was)
        taken = {one.path for one in (*self.there.values(), *self.known.values())} | set(moved.values())
        yield from (Step(act="create", path=path) for path in self.here if path not in taken)

    def _moved_here(self) -> dict[str, str]:
        """New paths, by id, of files that somebody moved within the folder: the same words, elsewhere, once."""
        named = {one.path for one in (*self.known.values(), *self.there.values())}
        strangers = {path: sha256 for path, sha256 in self.here.items() if path not in named}
        missing = {
            id: was.sha256 for id, was in self.known.items() if was.path not in self.here and id in self.there
        }
        counts = Counter((*strangers.values(), *missing.values()))
        by_hash = {sha256: path for path, sha256 in strangers.items() if counts[sha256] == 2}
        return {id: by_hash[sha256] for id, sha256 in missing.items() if sha256 in by_hash}

    def _moved(self, id: str, was: KnownFile, now: KnownFile, path: str) -> Iterator[Step]:
        if now.path != was.path:
            yield Step(act="remove", path=path)
            yield Step(act="write", path=now.path, id=id, why="moved on both sides")
            return
        yield Step(act="rename", path=path, id=id, seen=now.sha256)
        if now.sha256 != was.sha256:
            yield Step(act="write", path=path, id=id)

    def _new_there(self, id: str, now: KnownFile) -> Iterator[Step]:
        mine = self.here.get(now.path)
        if mine == now.sha256:
            yield Step(act="adopt", path=now.path, id=id)
            return
        if mine is not None and mine not in {
            one.sha256 for one in self.known.values() if one.path == now.path
        }:
            yield _copy(now.path, mine, "another file is there")
        yield Step(act="write", path=now.path, id=id)

    def _both(self, id: str, was: KnownFile, now: KnownFile) -> Iterator[Step]:
        """Steps about a file that both sides knew."""
        mine = self.here.get(was.path)
        if mine is None:
            yield self._removed_here(id, was, now)
        elif mine not in (was.sha256, now.sha256) and now.sha256 == was.sha256:
            yield Step(act="update", path=now.path, id=id, source=was.path, seen=now.sha256)
            yield from self._rewritten(id, was, now) if now.path != was.path else ()
        elif (mine, now.path) == (now.sha256, was.path):
            yield Step(act="adopt", path=now.path, id=id)
        else:
            if mine not in (was.sha256, now.sha256):
                yield _copy(was.path, mine, "changed on both sides")
            yield from self._rewritten(id, was, now)

    def _rewritten(self, id: str, was: KnownFile, now: KnownFile) -> Iterator[Step]:
        if now.path != was.path:
            yield Step(act="remove", path=was.path)
        yield Step(act="write", path=now.path, id=id)

    def _removed_here(self, id: str, was: KnownFile, now: KnownFile) -> Step:
        if self.archives_removed and now == was:
            return Step(act="delete", path=now.path, id=id, seen=now.sha256)
        return Step(act="write", path=now.path, id=id, why="it was removed here")

    def _gone_there(self, id: str, was: KnownFile) -> Iterator[Step]:
        mine = self.here.get(was.path)
        yield Step(act="forget", path=was.path, id=id)
        if mine is None or was.path in {now.path for now in self.there.values()}:
            return
        if mine != was.sha256:
            yield _copy(was.path, mine, "changed here and deleted there")
        yield Step(act="remove", path=was.path)


def _copy(path: str, sha256: str, why: str) -> Step:
    return Step(act="copy", path=copy_path(path, sha256), source=path, why=why)
