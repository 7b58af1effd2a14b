"""Ports of records: as they are now, as they were before, and as conversations, recalls and requests have them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.conversation import Conversation
from memory_layer.domain.filters import Filters
from memory_layer.domain.learning.author_records import AuthorRecords
from memory_layer.domain.memory import Memory, Ref, Scope, Status
from memory_layer.domain.policy import Policy
from memory_layer.ports.commit import IdempotencyRecord, Vectors, Verdict
from memory_layer.ports.project_settings import ContextSettings, RecallSettings


@dataclass(frozen=True, slots=True)
class RecordVersion:
    """State of a record after one change, with the change's author, time, verb and reason."""

    memory: Memory
    verb: str
    by: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Page of records in order, with the key that the next page continues after (None: this is the last page).

    Records that are damaged, or whose body is missing or damaged (`unread`), and those whose body is in deep archive
    (`frozen`) are left out, and named.
    """

    memories: tuple[Memory, ...]
    next_key: tuple[str, str] | None
    unread: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()

    @property
    def note(self) -> str | None:
        """Sentence that names what is left out because it is damaged; None: nothing is."""
        return left_out(self.unread)


def left_out(ids: Iterable[str]) -> str | None:
    """Sentence that names what an answer leaves out because it is damaged; None: nothing is."""
    named = ", ".join(ids)
    return f"{named}: damaged and left out: mem verify names what is broken" if named else None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Page of conversations by their id, and the id that the next page continues after (None: this is the last)."""

    sessions: tuple[Conversation, ...]
    next_key: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    """Long-running operation, which outlives its request; `input` names the blob with its instructions."""

    id: str
    tenant: str
    principal: str
    kind: str
    status: Literal["running", "succeeded", "failed"]
    done: int
    total: int
    created_at: datetime
    input: str | None = None
    result: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None


UNSEEN_MAX = 1_000
"""Maximum of not yet indexed records that one recall reads; a recall that meets more says so."""


NEVER_WRITTEN = "0"
"""Write version of a project before its first write."""


class MemoryStore(Protocol):
    """Records as they are now.

    The content of a record that is not hot may be in a body of its own (domain.tiers). Reads return records with
    their full content unless a method says otherwise; reads of several leave out records whose body is unreadable now.
    """

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        """Reads a record; None: it does not exist.

        Args:
            with_body: False: a stub is returned as stored.

        Raises:
            BodyFrozen: its content is in deep archive; its return has been requested.
            StoreUnavailable: its content is missing or damaged.
        """

    def get_many(
        self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True, with_accesses: bool = True
    ) -> dict[Ref, Memory]:
        """Reads the existing records, in one round trip per hundred.

        Args:
            with_bodies: False: stubs as stored.
            with_accesses: False: maybe without access counts, for readers of many who do not look at them.
        """

    def counted(self, memories: Sequence[Memory]) -> list[Memory]:
        """Reads the access counts of records that were read without them, in the same order."""

    def stored_contents(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        """Reads contents as stored, unproven, of a stub its beginning: for a first look, before `get_many`."""

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        """Reads records as `get_many` does without bodies and access counts, with their vectors."""

    def unseen(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        """Reads records that `written_after` has just listed, as `with_vectors` does.

        A store may keep them as long as it lists them at the same version: for candidates; what is shown is read again.
        """

    def whole(self, memories: Sequence[Memory]) -> list[Memory]:
        """Reads the bodies of records that were read without them, and returns the records with their full content."""

    def damaged_among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        """Those of these records that a read has just left out because they are damaged."""

    def packed_bytes(self, content: str) -> int:
        """Size in bytes of a content stored as a body."""

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        """Reads the newest version that each id ever had, a hard delete counted; ids never used are left out."""

    def page(
        self,
        scope: Scope,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool = False,
    ) -> RecordPage:
        """Lists records by creation time (newest first by default), then id; never an expired one as active."""

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        """Lists records as stored, of every status and persona, none read as expired; oldest first, then by id.

        A page may hold fewer than `limit`, even none, and still name a next page.
        """

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        """Lists active records with exactly this content."""

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]: ...

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        """Lists the writes that the index may lack: those after a position (see `covered`), newest first.

        A store that knows which writes reached the index leaves these out, and may stop at the newest `UNSEEN_MAX`.

        Raises:
            IndexUnavailable: the writes are too many even to list.
        """


class HistoryStore(Protocol):
    """Earlier versions of records, and the verdicts on them."""

    def of(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Lists every version of a record, oldest first."""

    def of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[RecordVersion]]:
        """Lists as `of` the versions of several records, read side by side; those without any are left out."""

    def writers(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        """Reads who wrote the first version of each record, by id, however many followed; damaged ones are left out."""

    def at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        """Reads records as of a moment; those not written by then, and erased ones, are left out."""

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        """Reads, for each record that is in a status, the change that brought it into that status."""

    def verdicts(self, scope: Scope, memory_id: str, *, in_force: bool = True) -> list[Verdict]:
        """Lists the verdicts on a memory, oldest first. Args: in_force: only those that nothing has replaced."""

    def verdicts_of_each(self, scope: Scope, ids: Collection[str]) -> dict[str, list[Verdict]]:
        """Lists as `verdicts` those on several memories, also replaced ones, read side by side."""


class SessionStore(Protocol):
    """Conversations: their records by position."""

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        """Lists a conversation's records with first <= position <= last, by position, then by age and id.

        A record whose content cannot be read comes as its stub: its context quotes the turns around it all the same.
        """

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        """Lists the last records of a conversation by position, newest first; records without a position come last.

        Records of every status and persona are listed; a record whose content cannot be read is left out.
        """

    def page(
        self,
        scope: Scope,
        session_id: str,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        newest_first: bool = False,
    ) -> RecordPage:
        """Lists a conversation's turns by position, then by id; records without a position are none.

        Keys are a position as decimal digits, and an id. A page may hold fewer than `limit`, even none, and still name
        a next page.
        """

    def conversations(
        self, scope: Scope, filters: Filters, viewer: Viewer, *, now: datetime, after: str | None, limit: int
    ) -> ConversationPage:
        """Lists the conversations that have such a turn, by id; a page may hold fewer than `limit` as `page` does."""

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        """Claims `count` positions after all of the conversation's and returns the first; no other caller gets them."""


class RequestStore(Protocol):
    """Answers to requests under their idempotency keys, and operations that outlive their request."""

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        """Reads the answers given under these idempotency keys; expired ones are left out."""

    def operation(self, tenant: str, id: str) -> Operation | None: ...

    def put_operation(self, operation: Operation) -> None: ...


class ProjectStore(Protocol):
    """Settings of projects, and the marks of their writes and activity."""

    def policy(self, scope: Scope) -> Policy: ...

    def recall_settings(self, scope: Scope) -> RecallSettings:
        """Reads what a recall goes by in a project, in one read.

        Raises:
            DamagedSettings
        """

    def authors(self, scope: Scope) -> AuthorRecords:
        """Reads the findings on authors of a project; none where they are damaged."""

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        """Reads the settings of each project, in one round trip.

        Raises:
            DamagedSettings
        """

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        """Reads the write version of each project, which every acknowledged write changes; in one round trip.

        A write is any change that a context may depend on: of records, settings, tuning, entity events, activity, and
        every erasure of them; not the access counts of recalls.

        Args:
            scopes: no project twice.
        """

    def note_activity(self, scope: Scope, at: datetime) -> None:
        """Records the time of activity in a project, which is watched from then on; an earlier time changes nothing."""
