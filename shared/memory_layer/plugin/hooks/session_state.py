"""State of an agent's session between its hooks: what it was shown, what that cost, and what still waits to be shown.

One small file a session, in the data folder. Numbers are given under a lock, so that hooks that run side by side give
no number twice.
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, Final

FOLDER: Final = "hook-sessions"
SHOWN_MAX: Final = 500
ASKED_MAX: Final = 400
SAME_EVENT_S: Final = 5.0
"""Seconds in which a second beginning of a session is the same: VS Code reads Claude Code's hooks beside its own."""

KEPT_S: Final = 30 * 86_400
FILES_MAX: Final = 1_000


@dataclass(slots=True)
class HookSession:
    """State of a session.

    Args:
        project: of the first hook, to which the session's run belongs.
        shown: memories by their number in the session, each as its project and its id.
        first_number: of the first one of them; what an older session has shown in the same transcript is before it.
        forgotten: so many of them, the first ones, have left the model's context, by a compaction.
        asked: digests of the questions, files and errors that were looked up already.
        waiting: page that the next event that takes words hands over.
        tokens: that memory has cost in this session, by the kind of event.
        hooks: that have run, by the kind of event.
        objective: first prompt, without its secrets.
        transcript: path of the session's transcript.
        read_bytes: of the transcript, that earlier runs of the session have told.
        told_from_s: seconds since 1970; what the transcript says of an earlier time is an older session's.
        runs: that were reported.
        started_s: when it last began, seconds since 1970.
    """

    project: str = ""
    shown: list[tuple[str, str]] = field(default_factory=list)
    first_number: int = 1
    forgotten: int = 0
    asked: list[str] = field(default_factory=list)
    waiting: str = ""
    tokens: dict[str, int] = field(default_factory=dict)
    hooks: dict[str, int] = field(default_factory=dict)
    objective: str = ""
    errors: list[str] = field(default_factory=list)
    transcript: str | None = None
    read_bytes: int = 0
    told_from_s: float = 0.0
    runs: int = 0
    started_s: float = 0.0

    @property
    def in_sight(self) -> set[tuple[str, str]]:
        """Projects and ids of the memories that the model's context still holds."""
        return set(self.shown[self.forgotten :])

    @property
    def next_number(self) -> int:
        return self.first_number + len(self.shown)

    @property
    def is_new(self) -> bool:
        """No hook of it has run."""
        return not self.hooks

    @property
    def total_tokens(self) -> int:
        return sum(self.tokens.values())

    def has_asked(self, what: str) -> bool:
        """Tells whether this was looked up before, and notes it."""
        digest = sha256(what.encode(errors="surrogatepass")).hexdigest()[:16]
        if digest in self.asked:
            return True
        self.asked = [*self.asked, digest][-ASKED_MAX:]
        return False

    def begin_after(self, size_bytes: int, last_number: int, now_s: float) -> None:
        """Notes what the transcript holds of an older session, which is neither this one's work nor has its numbers.

        Args:
            last_number: highest one under which a memory was shown there; 0: none was.
        """
        self.read_bytes, self.first_number, self.told_from_s = size_bytes, last_number + 1, now_s

    def begin_context(self, now_s: float) -> None:
        """Notes that the model's context begins anew, unless another hook of the same event has just said so."""
        if now_s - self.started_s > SAME_EVENT_S:
            self.forgotten, self.asked, self.waiting = len(self.shown), [], ""
        self.started_s = now_s


class HookSessions:
    """Files of the states. Args: data_dir: the data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER

    def read(self, session: str) -> HookSession:
        """State of a session; a new one where there is none, or where its file is damaged."""
        try:
            said = json.loads(self._file(session).read_text("utf-8"))
            return _state_of(said)
        except (OSError, ValueError, TypeError):
            return HookSession()

    @contextmanager
    def changing(self, session: str) -> Iterator[HookSession]:
        """State to be changed, which no other hook of the session changes meanwhile. Raises: OSError"""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file(session)
        lock = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = self.read(session)
            yield state
            _write(file, json.dumps(asdict(state), ensure_ascii=True).encode())
        finally:
            os.close(lock)

    def prune(self) -> None:
        """Removes the states of sessions that are long over, and the oldest of too many."""
        with suppress(FileNotFoundError):
            files = sorted(self._folder.iterdir(), key=_changed_at, reverse=True)
            oldest = time() - KEPT_S
            for place, file in enumerate(files):
                if place >= FILES_MAX or _changed_at(file) < oldest:
                    file.unlink(missing_ok=True)

    def _file(self, session: str) -> Path:
        """File of a session: one, also where two configurations of one agent run the hook for the same event."""
        return self._folder / f"{sha256(session.encode(errors='surrogatepass')).hexdigest()[:24]}.json"


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _state_of(said: Any) -> HookSession:
    """State of a document. Raises: TypeError: it is another release's, with other fields."""
    state = HookSession(**said)
    is_sound = (
        isinstance(state.shown, list) and isinstance(state.asked, list) and isinstance(state.tokens, dict)
    )
    state.shown = [(project, id) for project, id in state.shown]
    if not is_sound or not isinstance(state.forgotten, int):
        raise TypeError("no state of a session")
    return state


def _write(file: Path, content: bytes) -> None:
    handle, draft = tempfile.mkstemp(prefix=".", dir=file.parent)
    try:
        with open(handle, "wb") as opened:
            opened.write(content)
        os.replace(draft, file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
