"""History of a repository's files, read through git itself.

The content of a repository is somebody else's word: names of files are bytes, its own settings start no program of
theirs, and nothing in it is run or fetched.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from memory_layer.errors import Invalid

GIT_TIMEOUT_S: Final = 60
READ_BYTES: Final = 1 << 16

_SETTINGS: Final = (
    *("-c", "log.showSignature=false"),  # which would start the program that the repository names
    *("-c", "protocol.allow=never"),  # what a partial clone lacks is not fetched
)
_LOG: Final = (
    *("log", "--reverse", "--first-parent", "--diff-merges=first-parent", "--name-status", "-z", "-M"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-relative"),
    "--format=%H %ct",
)
_HEADER: Final = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (-?\d+)")
_STATUS: Final = re.compile(rb"[ACDMRTUXB]\d*")
_WITH_TWO_PATHS: Final = (b"R", b"C")


@dataclass(frozen=True, slots=True)
class FileChange:
    """File in a commit. `status` is git's letter (A C D M R T …), `renamed_to` the new path of R and C."""

    status: str
    path: bytes
    renamed_to: bytes | None = None


@dataclass(frozen=True, slots=True)
class GitCommit:
    """Commit against its first parent. `committed_s`: since 1970, as its committer's clock said."""

    id: str
    committed_s: int
    changes: tuple[FileChange, ...]


class Repository:
    """Repository on this machine.

    Raises:
        Invalid: there is none at this path, or git does not read it.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise Invalid.at(
                "/git", f"{_printable_path(path)} is no folder; name the folder of a git repository"
            )
        self._path = path.resolve()
        self.git_dir = self._line("rev-parse", "--absolute-git-dir")
        top = self._line("rev-parse", "--show-toplevel", may_fail=True)  # a bare one has none
        self._path = Path(top) if top else self._path

    @property
    def path(self) -> Path:
        return self._path

    def head(self) -> str | None:
        """Commit that is checked out; None: there is no commit yet."""
        return self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}", may_fail=True) or None

    def commit_named(self, name: str) -> str:
        """Commit of a name. Raises: Invalid: no commit is called so."""
        found = "" if name.startswith("-") else self._commit(name)
        if not found:
            raise Invalid.at("/since", f"{name!r} names no commit of {_printable_path(self._path)}")
        return found

    def has(self, commit: str) -> bool:
        return bool(self._commit(commit))

    def _commit(self, name: str) -> str:
        return self._line("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", may_fail=True)

    def is_ancestor(self, commit: str, head: str) -> bool:
        return self._run("merge-base", "--is-ancestor", commit, head).returncode == 0

    def commits(self, after: str | None, until: str, *, newest_only: bool = False) -> Iterator[GitCommit]:
        """Commits on the way to `until` that `after` lacks, oldest first; a merge as the changes it brought.

        Args:
            after, until: ids of commits; None: from the first one on.
            newest_only: `until` alone.
        """
        span = until if after is None else f"{after}..{until}"
        arguments = self._arguments(*_LOG, *(["--max-count=1"] if newest_only else []), span, "--")
        with TemporaryFile() as problems:
            with subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=problems, env=_environment()
            ) as process:
                assert process.stdout is not None
                try:
                    yield from _commits(_tokens(process.stdout))
                except BaseException:
                    process.kill()
                    raise
            if process.returncode != 0:
                problems.seek(0)
                raise Invalid.at("/git", _refused(self._path, problems.read()))

    def _line(self, *arguments: str, may_fail: bool = False) -> str:
        done = self._run(*arguments)
        if done.returncode != 0 and not may_fail:
            raise Invalid.at("/git", _refused(self._path, done.stderr))
        return os.fsdecode(done.stdout.rstrip(b"\n")) if done.returncode == 0 else ""

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                self._arguments(*arguments), capture_output=True, env=_environment(), timeout=GIT_TIMEOUT_S
            )
        except FileNotFoundError as error:
            raise Invalid.at("/git", "git is not installed, or not on the PATH; install it") from error
        except subprocess.TimeoutExpired as error:
            raise Invalid.at("/git", f"git took more than {GIT_TIMEOUT_S} s: {arguments[0]}") from error

    def _arguments(self, *arguments: str) -> list[str]:
        return ["git", "--no-pager", "-C", str(self._path), *_SETTINGS, *arguments]


def _environment() -> dict[str, str]:
    """Environment for git, without variables that point it elsewhere: a hook has them set."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**ours, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def _refused(path: Path, problem: bytes) -> str:
    lines = problem.decode(errors="replace").strip().splitlines()
    reason = lines[0] if lines else "git does not say why"
    return f"{_printable_path(path)} is no git repository that can be read: {reason}"


def _printable_path(path: Path) -> str:
    return os.fsencode(path).decode(errors="replace")


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """Texts between NULs."""
    rest = b""
    while block := stream.read(READ_BYTES):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest.strip():
        yield rest


def _commits(tokens: Iterator[bytes]) -> Iterator[GitCommit]:
    """Commits of a log: a header, then a status and one or two paths a file; no path can pass for either."""
    header, changes = None, list[FileChange]()
    for token in tokens:
        plain = token.removeprefix(b"\n")  # stands before the first status of a commit
        if found := _HEADER.fullmatch(plain):
            if header is not None:
                yield _commit_of(header, changes)
            header, changes = found, []
        elif _STATUS.fullmatch(plain):
            two = plain[:1] in _WITH_TWO_PATHS
            path, other = next(tokens, b""), next(tokens, b"") if two else None
            changes.append(FileChange(plain[:1].decode(), path, other))
        elif plain:
            raise Invalid.at("/git", "git answered what no version known here does; update memory-layer")
    if header is not None:
        yield _commit_of(header, changes)


def _commit_of(header: re.Match[bytes], changes: Sequence[FileChange]) -> GitCommit:
    return GitCommit(header[1].decode(), int(header[2]), tuple(changes))
