"""Contents of one transaction, on either backend: the data that use cases pass to the record store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.audit import AuditEvent
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.learning.author_records import AuthorRecords
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Memory, OutcomeResult, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.verdict_bounds import Speaker
from memory_layer.errors import TooMany

Vector: TypeAlias = "NDArray[np.float32]"
"""Shape (dimensions,), unit length."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of one record: of its content, and of its content with its context where it has a context."""

    content: Vector
    context: Vector | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """New state of one record. `before` is the version it was read at, 0 for a new record.

    `vectors` None keeps those already stored (the text did not change), or stores none for a new record.
    `is_news` has the store refuse the record if an active record of its persona has the very same content.
    `news_since` has a store that can do so refuse such a record also if an active one of its persona whose content is
    nearer than a near-duplicate's was committed after this position of the project's log, up to which it was searched.
    `beside` are the near records with which it was compared, for which no store refuses it; one without such a position
    refuses it for all other near ones.
    `brings_accesses` stores the record's own access counts as well, which any other change leaves to recalls; its
    version may be any after that of an erased record with its id, where any other new record counts on by one.
    `words` is the full content of a record whose content the store has moved into a body, leaving a stub.
    """

    memory: Memory
    before: int
    verb: str
    by: str
    at: datetime
    reason: str | None = None
    vectors: Vectors | None = None
    is_news: bool = False
    news_since: int | None = None
    beside: tuple[str, ...] | None = None
    brings_accesses: bool = False
    words: str | None = None

    @property
    def body_bytes(self) -> int | None:
        """Size in UTF-8 of the content that was moved into a body; None: the content is in the record."""
        return None if self.words is None else len(self.words.encode())


@dataclass(frozen=True, slots=True)
class Erasure:
    """Removal of a record, its versions and the answers that carry it; its id and last version stay as a tombstone.

    `echoes` are the records whose context held its words: the contexts of their earlier versions, and of the
    answers that carry them, are removed as well. `persona` is the record's, for whom alone its end is told.
    """

    id: str
    before: int
    echoes: tuple[str, ...] = ()
    persona: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of one principal on one memory, and how far it moved the memory's scores (after every cap).

    `speaker` is the right that the principal spoke with; None: the verdict is older than this field. A verdict that
    `replaced_by` names itself was never in force: it stands for one that a rollback took back.
    """

    id: str
    memory_id: str
    result: OutcomeResult
    principal: str
    at: datetime
    session_id: str | None
    run_id: str | None
    recall_id: str | None
    note: str | None
    score_moved: float
    confidence_moved: float
    replaced_by: str | None = None
    speaker: Speaker | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """Limit of `limit` uses of `key` in any `window_s` seconds; counted in the commit that uses it."""

    key: str
    limit: int
    window_s: int
    at: datetime
    subject: str

    def spent(self, uses: Sequence[datetime]) -> list[datetime]:
        """Adds a use and returns the uses to keep. Args: uses: earlier ones, oldest first.

        Raises:
            TooMany: the limit is reached within the sliding window.
        """
        window = timedelta(seconds=self.window_s)
        inside = [use for use in uses if use + window > self.at]
        if len(inside) < self.limit:
            return [*inside, self.at]
        wait_s = max(1, -int((self.at - inside[0] - window).total_seconds() // 1))
        raise TooMany(
            f"{self.subject}: {self.limit} in {self.window_s // 60} minutes is the limit; try again in {wait_s} s",
            wait_s,
        )


HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class HourlyUse:
    """Use of an allowance of `limit` of `key` in an hour of the clock: a count, where a quota keeps every use.

    `subject` names for people what is used, in words that follow a number.
    """

    key: str
    amount: int
    limit: int
    at: datetime
    subject: str

    @property
    def hour(self) -> datetime:
        """Beginning of the hour in which it counts."""
        return self.at.replace(minute=0, second=0, microsecond=0)

    def added_to(self, used: int) -> int:
        """Adds the use to those of the hour. Raises: TooMany: the allowance is less."""
        if used + self.amount > self.limit:
            raise self.refusal
        return used + self.amount

    @property
    def refusal(self) -> TooMany:
        wait_s = max(1, -int((self.at - self.hour - HOUR).total_seconds() // 1))
        return TooMany(
            f"{self.limit:,} {self.subject} an hour are the limit; try again in {wait_s} s", wait_s
        )


ANSWER_LIFETIME = timedelta(hours=24)
"""Lifetime of an idempotency key (SPEC 2.89)."""


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Answer given under an idempotency key, stored with the record that it carries and erased with it.

    `body` is JSON; empty once the record was erased.
    """

    key: str
    fingerprint: str
    status: int
    body: str
    expires_at: datetime
    memory_id: str


@dataclass(frozen=True, slots=True)
class Signer:
    """Caller in whose request a commit is made.

    Args:
        user: for whom they speak.
        traceparent: trace context of the request, as version 00 writes it.
    """

    principal: str
    user: str | None = None
    request_id: str | None = None
    traceparent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One transaction, all or nothing, on either backend (at most 100 actions).

    Its entries in the audit log follow from it (`ports.audit.events_of`).

    Args:
        signer: None: nobody's request, but a process of our own.
        notes: what goes into the audit log and is told by nothing else of the commit.
        forgets: the person whom a note of this commit erases from the log.
    """

    scope: Scope
    changes: tuple[Change, ...] = ()
    erasures: tuple[Erasure, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    replaces: tuple[tuple[str, str], ...] = ()  # (id of an earlier verdict, id of the one in its place)
    quotas: tuple[Quota, ...] = ()
    uses: tuple[HourlyUse, ...] = ()
    policy: Policy | None = None
    assembly: AssemblyPolicy | None = None  # at its new version; 1: the first
    authors: AuthorRecords | None = None  # as assembly
    answer: IdempotencyRecord | None = None
    runs: tuple[RunRecord, ...] = ()  # each at its new version; 1: a new run
    unrun: tuple[RunRecord, ...] = ()  # removed, if still at this version
    staged: tuple[StagedLearning, ...] = ()  # as runs
    unstaged: tuple[StagedLearning, ...] = ()  # removed, if still at this version
    feedback: tuple[ImplicitFeedback, ...] = ()  # as runs; one without entries is removed
    signer: Signer | None = None
    notes: tuple[AuditEvent, ...] = ()
    forgets: str | None = None
