"""Commits as entity events: a file is `urn:file:` and its path from the root of its repository."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from memory_layer.domain.memory import LABEL_MAX_CHARS
from memory_layer.domain.time.entity_events import COMMIT, EntityEventKind
from memory_layer.local.git_log import FileChange, GitCommit
from memory_layer.usecases.world.take_entity_events import ReportedEvent

_KINDS: Final[Mapping[str, EntityEventKind]] = {
    "M": "content_changed",
    "T": "content_changed",
    "D": "removed",
    "R": "renamed",
}
"""Kinds of event by git's letter; a new file or a copy makes no earlier statement doubtful."""

_DIGITS: Final = 32
"""Hexadecimal digits of a digest in an id."""


def file_urn(path: bytes) -> str:
    """URN of a file: its path as it reads, but blanks, controls, percent signs and bytes that are no UTF-8 as %XX."""
    text = path.decode(errors="surrogateescape")
    return "urn:file:" + "".join(map(_escaped_character, text))


def _escaped_character(character: str) -> str:
    if character.isprintable() and not character.isspace() and character != "%":
        return character
    return quote(character.encode(errors="surrogateescape"), safe="")


WITHIN_THE_SECOND: Final = timedelta(microseconds=999_999)
"""Last moment of a commit's second: git knows no less, so a statement within it counts as said before."""


def repository_urn(name: str) -> str:
    return f"urn:git:{quote(name, safe='', errors='surrogateescape')}"[:LABEL_MAX_CHARS]


def events_of(commit: GitCommit, repository: str, now: datetime) -> Iterator[ReportedEvent | None]:
    """Events of a commit, with one for the work on it; None for a file whose name is too long for a URN.

    Args:
        repository: URN of the repository.
        now: a commit that says to be later was made now.
    """
    second = datetime.fromtimestamp(min(max(commit.committed_s, 0), now.timestamp()), UTC)
    at = min(second + WITHIN_THE_SECOND, now)
    for change in commit.changes:
        if change.status in _KINDS:
            yield _event_of_change(commit, change, at)
    id = _id(commit.id, "activity", repository)
    yield ReportedEvent(urn=repository, event="activity", detail={COMMIT: commit.id}, occurred_at=at, id=id)


def _event_of_change(commit: GitCommit, change: FileChange, at: datetime) -> ReportedEvent | None:
    kind, urn = _KINDS[change.status], file_urn(change.path)
    target = None if change.renamed_to is None else file_urn(change.renamed_to)
    if len(urn) > LABEL_MAX_CHARS:
        return None
    if target is not None and len(target) > LABEL_MAX_CHARS:
        target = None
    id = _id(commit.id, kind, change.path, change.renamed_to or b"")
    return ReportedEvent(
        urn=urn, event=kind, target=target, detail={COMMIT: commit.id}, occurred_at=at, id=id
    )


def _id(commit: str, kind: EntityEventKind, *names: str | bytes) -> str:
    """Id of an event: the same whenever the commit is told of. Args: names: of what it happened to."""
    parts = [part if isinstance(part, bytes) else part.encode() for part in (commit, kind, *names)]
    digest = sha256(b"\0".join(parts)).hexdigest()
    return f"git_{digest[:_DIGITS]}"
