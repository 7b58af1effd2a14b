"""Watch of a repository: each commit is told once, wherever the watch was interrupted."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from memory_layer.domain.fields import canonical_json
from memory_layer.errors import StoreUnavailable
from memory_layer.local.git_events import events_of, repository_urn
from memory_layer.local.git_log import GitCommit, Repository
from memory_layer.usecases.world.take_entity_events import EVENTS_MAX, ReportedEvent

TellEvents = Callable[[Sequence[ReportedEvent]], Mapping[str, Any]]

TOLD_TOGETHER: Final = 500
"""Number of events after which those of whole commits are told, and the position is kept."""

REWRITTEN = (
    "another branch was checked out, or history was rewritten: what the new one has of its own was told"
)
GONE = "the commit where the last watch ended is gone; the watch goes on from here"
FIRST = (
    "the first look: the watch goes on from this commit (earlier ones: --since COMMIT), and has told only that the "
    "repository is being worked on"
)
NO_COMMIT = "there is no commit yet"


@dataclass(frozen=True, slots=True)
class WatchReport:
    """Counts of one look at a repository.

    Args:
        head: the commit up to which; None: there is none yet.
        events: of them, how many were new.
        marked: memories that went stale.
        skipped: files whose names are too long for a URN.
    """

    repository: str
    head: str | None
    commits: int = 0
    events: int = 0
    marked: int = 0
    skipped: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchPosition:
    """Position of a watch. `last` None: it began before there was a commit."""

    last: str | None


class GitWatch:
    """Watch of one repository for one project.

    Args:
        tell: tells of events, at most 1,000 of them, and answers with what became of each, as HTTP does.
        place: tenant and project, or service and project, for whom the position is kept.
        data_dir: holds the position, in its folder `watch`.

    Raises:
        Invalid: there is no repository at the path.
    """

    def __init__(
        self,
        tell: TellEvents,
        now: Callable[[], datetime],
        place: Sequence[str],
        path: Path,
        data_dir: Path,
    ) -> None:
        self._tell_events = tell
        self._now = now
        self._repository = Repository(path)
        key = canonical_json([os.fsencode(self._repository.git_dir).hex(), *place])
        self._file = data_dir / "watch" / f"{sha256(key.encode()).hexdigest()[:32]}.json"
        self._urn = repository_urn(self._repository.path.name)

    def look(self, since: str | None = None) -> WatchReport:
        """Tells of new commits. The first look begins at the commit that is checked out.

        Args:
            since: the name of a commit: tell of what came after it instead.

        Raises:
            Invalid: `since` names no commit, or the repository cannot be read.
            StoreUnavailable: the position cannot be kept.
        """
        head = self._repository.head()
        seen = WatchReport(os.fsencode(self._repository.path).decode(errors="replace"), head)
        place = WatchPosition(self._repository.commit_named(since)) if since else self._saved_position()
        if head is None:
            self._save_position(place or WatchPosition(None))
            return replace(seen, notes=(NO_COMMIT,))
        if place is None:
            return self._with_note(self._first_look(seen, head), FIRST)
        if place.last == head:
            return seen
        if place.last is not None and not self._repository.has(place.last):
            return self._with_note(self._first_look(seen, head), GONE)
        return self._tell(seen, place.last, head)

    @staticmethod
    def _with_note(seen: WatchReport, note: str) -> WatchReport:
        return replace(seen, notes=(note, *seen.notes))

    def _first_look(self, seen: WatchReport, head: str) -> WatchReport:
        """Begins at the current commit, and tells at once that the project is watched, and of the last work on it."""
        (commit,) = self._repository.commits(None, head, newest_only=True)
        seen = self._take(seen, [one for one in self._events(commit) if one and one.event == "activity"])
        self._save_position(WatchPosition(head))
        return seen

    def _tell(self, seen: WatchReport, last: str | None, head: str) -> WatchReport:
        if last is not None and not self._repository.is_ancestor(last, head):
            seen = replace(seen, notes=(REWRITTEN,))
        waiting: list[ReportedEvent] = []
        for commit in self._repository.commits(last, head):
            told = list(self._events(commit))
            waiting += [one for one in told if one is not None]
            seen = replace(seen, commits=seen.commits + 1, skipped=seen.skipped + told.count(None))
            if len(waiting) >= TOLD_TOGETHER:
                seen, waiting = self._take(seen, waiting), []
                self._save_position(WatchPosition(commit.id))
        seen = self._take(seen, waiting)
        self._save_position(WatchPosition(head))
        return seen

    def _events(self, commit: GitCommit) -> Iterator[ReportedEvent | None]:
        return events_of(commit, self._urn, self._now())

    def _take(self, seen: WatchReport, told: Sequence[ReportedEvent]) -> WatchReport:
        for start in range(0, len(told), EVENTS_MAX):
            taken = self._tell_events(told[start : start + EVENTS_MAX])
            notes = dict.fromkeys((*seen.notes, *([taken["note"]] if taken.get("note") else [])))
            seen = replace(
                seen,
                events=seen.events + sum(one["is_new"] for one in taken["events"]),
                marked=seen.marked + sum(one["marked"] for one in taken["events"]),
                notes=tuple(notes),
            )
        return seen

    def _saved_position(self) -> WatchPosition | None:
        """Position of the last look; None: nobody has watched yet, or it cannot be read."""
        try:
            last = json.loads(self._file.read_text("utf-8"))["last"]
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return WatchPosition(last) if last is None or isinstance(last, str) else None

    def _save_position(self, place: WatchPosition) -> None:
        """Writes the position, whole or not at all; for its owner alone."""
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=self._file.parent, prefix=".place.", suffix=".part")
            with open(handle, "w", encoding="utf-8") as file:
                json.dump({"last": place.last}, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._file)
        except OSError as error:
            raise StoreUnavailable(f"{self._file} cannot be written: {error.strerror}") from error


def watch_forever(
    watching: GitWatch,
    since: str | None,
    every_s: float,
    tell: Callable[[WatchReport], None],
    sleep: Callable[[float], None] = time.sleep,
) -> WatchReport:
    """Looks again and again until interrupted; returns the sum of all looks.

    Raises:
        Invalid, Unavailable: as `GitWatch.look`.
    """
    total = None
    try:
        while True:
            seen = watching.look(since)
            since = None
            if total is None or seen.head != total.head:
                tell(seen)
            total = seen if total is None else _sum(total, seen)
            sleep(every_s)
    except KeyboardInterrupt:
        if total is None:
            raise
        return total


def _sum(total: WatchReport, seen: WatchReport) -> WatchReport:
    return replace(
        seen,
        commits=total.commits + seen.commits,
        events=total.events + seen.events,
        marked=total.marked + seen.marked,
        skipped=total.skipped + seen.skipped,
        notes=tuple(dict.fromkeys((*total.notes, *seen.notes))),
    )
