"""Audit log: entries of changes and decisions, chained by digests that outlast the readable parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Final

from memory_layer.domain.fields import canonical_json, instant

ERASED: Final = "erased"
RUN_ERASED: Final = "run erased"
PERSON_ERASED: Final = "person erased"
PROJECT_ERASED: Final = "project erased"
ERASES_ITS_OWN: Final = (ERASED, RUN_ERASED)
"""Events that remove the readable parts of what they are about, as told before them."""

ERASES_ANY: Final = (PERSON_ERASED, PROJECT_ERASED)
"""Events that remove readable parts of whatever was told before them, and name nobody."""

REFUSED: Final = "refused"
QUARANTINED: Final = "quarantined"

EVENTS_TAKEN: Final = "entity events"
EXPORTED: Final = "exported"
KEPT_BOTH: Final = "kept both"
SNAPSHOT_TAKEN: Final = "snapshot taken"
SNAPSHOT_RESTORED: Final = "snapshot restored"
RECORD_RESET: Final = "record reset"
WEBHOOK_ADDED: Final = "webhook added"
WEBHOOK_REMOVED: Final = "webhook removed"
CHANGES_NO_RECORD: Final = frozenset(
    (
        EVENTS_TAKEN,
        EXPORTED,
        KEPT_BOTH,
        RECORD_RESET,
        SNAPSHOT_TAKEN,
        SNAPSHOT_RESTORED,
        WEBHOOK_ADDED,
        WEBHOOK_REMOVED,
    )
)
"""Decisions and acts that change no record themselves."""

LATE_MAX: Final = 1_000
"""Entries by which an event may come behind the erasure that it was before: a cloud tells of both side by side."""

SALT_BYTES: Final = 16
"""Random bytes in front of a readable part: once they are gone, nobody can guess it from its digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """Readable part of an entry: names, ids and numbers, and no word of any memory.

    Args:
        what: the verb of the change, or the kind of the decision; `refused` for what was not done.
        principal: who did it, or asked for it.
        user: the end user for whom they spoke.
        before, after: versions of what it is about; 0 before: it is new.
        request_id: the id that the answer had.
        detail: of a refusal, what was asked for, the status and the code; of what changes no record, how much.
        persona: of what is erased: the one that alone could see it; None: everyone could.
        traceparent: trace context of the request, by which its spans are found.
    """

    what: str
    principal: str
    about: str | None = None
    user: str | None = None
    before: int | None = None
    after: int | None = None
    request_id: str | None = None
    detail: str | None = None
    persona: str | None = None
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class AuditHead:
    """End of a chain, kept apart from its links: without it nobody would miss the last ones."""

    position: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class AuditLink:
    """Stored entry.

    Args:
        position: 1 for the first of a project.
        at: when it was entered, RFC 3339.
        about: id of the memory or the run; empty: it is about none. Ids outlast an erasure, as tombstones do.
        sealed: digest of salt and payload.
        digest: of the link before and of all of this one but its payload and salt.
        payload: the event as JSON; None, as is its salt: it is erased.
        is_out_of_chain: its digest does not follow from the link before, as far as a reader has looked.
    """

    position: int
    at: str
    about: str
    sealed: str
    digest: str
    payload: str | None
    salt: bytes | None
    is_out_of_chain: bool = False

    @property
    def is_damaged(self) -> bool:
        """True if it is not what was entered: by the chain, by the digest of its readable part, or by its time."""
        return self.is_out_of_chain or _payload_flaw(self) is not None or not _is_instant(self.at)

    @property
    def event(self) -> AuditEvent | None:
        """Readable part; None: it is erased. Raises: ValueError, TypeError: it cannot be read."""
        return None if self.payload is None else event_of(self.payload, self.about)


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """First link at which a chain does not hold: what was expected there, and what was found.

    Args:
        position: the place in the chain, from 1.
        expected: the digest that had to be there.
        found: the digest that is there.
    """

    position: int
    expected: str
    found: str


_READABLE: Final = tuple(one.name for one in fields(AuditEvent) if one.name != "about")


def event_text(event: AuditEvent) -> str:
    """Readable part as JSON, without what is absent and without `about`, which the link itself has."""
    values = ((name, getattr(event, name)) for name in _READABLE)
    return canonical_json({name: value for name, value in values if value is not None})


def event_of(text: str, about: str) -> AuditEvent:
    """Event that `event_text` wrote. Raises: ValueError, TypeError: it is none."""
    return AuditEvent(**json.loads(text), about=about or None)


def chained(
    head: AuditHead, events: Iterable[AuditEvent], at: str, salts: Iterable[bytes]
) -> list[AuditLink]:
    """Links of new events behind the end of a chain. Args: salts: one for each, random."""
    links: list[AuditLink] = []
    for event, salt in zip(events, salts, strict=False):
        payload, about, position = event_text(event), event.about or "", head.position + 1
        sealed = _sealed(salt, payload)
        digest = _linked(head.digest, position, at, about, sealed)
        links.append(AuditLink(position, at, about, sealed, digest, payload, salt))
        head = AuditHead(position, digest)
    return links


def head_after(head: AuditHead, links: Sequence[AuditLink]) -> AuditHead:
    return AuditHead(links[-1].position, links[-1].digest) if links else head


def _sealed(salt: bytes, payload: str) -> str:
    return sha256(salt + payload.encode()).hexdigest()


def _linked(previous: str, position: int, at: str, about: str, sealed: str) -> str:
    """Digest of a link; `about` alone may hold any character, and comes with its length."""
    return sha256(f"{previous},{position},{at},{sealed},{len(about)}:{about}".encode()).hexdigest()


@dataclass(slots=True)
class ChainCheck:
    """Check of a chain from its first link on, which stops at the first that does not hold."""

    head: AuditHead = AuditHead()
    checked: int = 0
    erased: int = 0
    broken: BrokenLink | None = None
    _unexplained: dict[str, list[int]] = field(default_factory=dict)
    _erased_at: dict[str, int] = field(default_factory=dict)
    _any_erased_at: int = -LATE_MAX

    def read(self, links: Iterable[AuditLink]) -> int:
        """Checks the next links and returns the number of those that hold."""
        before = self.checked
        for link in links:
            self.broken = self.broken or self._flaw(link)
            if self.broken is not None:
                break
            self._take(link)
        return self.checked - before

    def end(self, head: AuditHead) -> BrokenLink | None:
        """Compares with the head, read after the links, and asks who erased what is erased."""
        if self.broken is None and head != self.head:
            self.broken = BrokenLink(min(head.position, self.head.position) + 1, _end(head), _end(self.head))
        unexplained = min((at for places in self._unexplained.values() for at in places), default=None)
        if unexplained is not None and (self.broken is None or unexplained < self.broken.position):
            found = "it is gone, and no entry after it tells of an erasure"
            self.broken = BrokenLink(unexplained, "a readable part", found)
        return self.broken

    def _flaw(self, link: AuditLink) -> BrokenLink | None:
        """Difference of a link from what has to follow the one before."""
        next_position = self.head.position + 1
        if link.position != next_position:
            return BrokenLink(next_position, f"entry {next_position}", f"entry {link.position}")
        digest = _linked(self.head.digest, link.position, link.at, link.about, link.sealed)
        if digest != link.digest:
            return BrokenLink(link.position, f"digest {digest}", f"digest {link.digest}")
        return _payload_flaw(link)

    def _take(self, link: AuditLink) -> None:
        self.head, self.checked = AuditHead(link.position, link.digest), self.checked + 1
        event = link.event
        if event is None:
            self.erased += 1
            erased_at = max(self._any_erased_at, self._erased_at.get(link.about, -LATE_MAX))
            if link.position - erased_at >= LATE_MAX:
                self._unexplained.setdefault(link.about, []).append(link.position)
        elif event.what in ERASES_ANY:  # whose entries were a person's, nobody is to know
            self._unexplained.clear()
            self._any_erased_at = link.position
        elif event.what in ERASES_ITS_OWN:
            self._unexplained.pop(link.about, None)
            self._erased_at[link.about] = link.position


def follows(link: AuditLink, previous: str) -> bool:
    """True if a link's digest follows from that of the link before. Args: previous: empty: it is the first one."""
    return link.digest == _linked(previous, link.position, link.at, link.about, link.sealed)


def _is_instant(text: str) -> bool:
    try:
        instant(text)
    except ValueError:
        return False
    return True


def _payload_flaw(link: AuditLink) -> BrokenLink | None:
    if link.payload is None and link.salt is None:
        return None
    sealed = None if link.payload is None or link.salt is None else _sealed(link.salt, link.payload)
    if sealed == link.sealed:
        return None
    return BrokenLink(link.position, f"a readable part of digest {link.sealed}", f"one of digest {sealed}")


def _end(head: AuditHead) -> str:
    return f"the end at entry {head.position}, digest {head.digest or 'none'}"
