"""Bodies: the words of records that are no longer hot, as zstd in blobs; the rows keep their beginning.

A body is written before the commit that makes the stub, and never changed: a reader of the record, at whatever
moment something failed, finds its words in the row or here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TypeVar

from memory_layer.adapters.stored_form import body_format
from memory_layer.domain.integrity.verification import UNREADABLE, BrokenPart, StoredRecord, StoredStub
from memory_layer.domain.memory import BODY_MIN_BYTES, STUB_MAX_CHARS, Memory, Scope, content_hash, is_stub
from memory_layer.errors import BodyFrozen, StoreUnavailable, Unavailable
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.records import RecordPage, RecordVersion

Lines = Callable[[Scope, str], Iterable[RecordVersion]]
"""Reader of a record's versions, without bodies. Raises: StoreUnavailable, or UNREADABLE: a version is damaged."""

_log = logging.getLogger(__name__)

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class UnreadableBody:
    """Stub whose body cannot be read, and the error."""

    memory: Memory
    error: Unavailable


class Bodies:
    """Reads and writes of the bodies of a record store.

    Args:
        blobs: the store of bodies.
        executor: for reads and writes side by side; None: one after the other. It must run nothing that waits for them.
        lines: the versions of a record as stored: those that were written while it was hot have all words.
    """

    def __init__(
        self, blobs: BlobStore, executor: Executor | None = None, lines: Lines | None = None
    ) -> None:
        self._blobs = blobs
        self._executor = executor
        self._lines = lines

    def beside(self, lines: Lines) -> Bodies:
        """The same bodies for a store with histories, from which a lost body is read."""
        return Bodies(self._blobs, self._executor, lines)

    def put_away(self, commit: Commit) -> Commit:
        """Writes the bodies of a commit, durably, and returns it with stubs in place of records that are no longer hot.

        A stub that changes its tier takes its body along: the blob is in the new tier before the record says so.

        Raises:
            StoreUnavailable: a body cannot be written.
        """
        if all(_is_where_it_belongs(change.memory) for change in commit.changes):
            return commit
        return replace(commit, changes=tuple(self._each(self._put_away, commit.changes)))

    def _put_away(self, change: Change) -> Change:
        memory = change.memory
        if memory.tier == "hot":
            return replace(change, memory=self._words_back(memory)) if _is_cut(memory) else change
        key = body_format.body_key(memory.scope, memory.id, memory.content_hash)
        if is_stub(memory):
            self._blobs.reclass(key, memory.tier)
            return change if change.vectors is None else self._with_words(change)
        words = memory.content.encode()
        if len(words) < BODY_MIN_BYTES:
            return change
        self._blobs.put(key, body_format.packed_body(words), tier=memory.tier)
        stub = replace(memory, content=memory.content[:STUB_MAX_CHARS])
        return replace(change, memory=stub, words=memory.content)

    def _words_back(self, memory: Memory) -> Memory:
        """The record with its words, for a stub that becomes hot; a record without a body was no stub.

        Raises:
            BodyFrozen, StoreUnavailable: the words cannot be read, and would be lost.
        """
        found = self._read(memory, thaws=True)
        if isinstance(found, Memory):
            return found
        if isinstance(found.error, _BodyMissing):
            return memory
        raise found.error

    def _with_words(self, change: Change) -> Change:
        """The change of a stub that is indexed anew, with all its words, if they can be read."""
        found = self._read(change.memory)
        return change if isinstance(found, UnreadableBody) else replace(change, words=found.content)

    def whole(self, memories: Sequence[Memory]) -> tuple[list[Memory], list[UnreadableBody]]:
        """The records with all their words, in order; and the stubs whose body is missing, damaged or in deep archive.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """
        stubs = [memory for memory in memories if is_stub(memory)]
        if not stubs:
            return list(memories), []
        read = iter(self._each(self._read, stubs))
        found = [next(read) if is_stub(memory) else memory for memory in memories]
        unread = [one for one in found if isinstance(one, UnreadableBody)]
        return [one for one in found if isinstance(one, Memory)], unread

    def whole_page(self, page: RecordPage) -> RecordPage:
        """The page with all words of its records; without those that cannot be read, whose ids it names.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """
        memories, unread = self.whole(page.memories)
        frozen = tuple(one.memory.id for one in unread if isinstance(one.error, BodyFrozen))
        lost = tuple(one.memory.id for one in unread if one.memory.id not in frozen)
        return RecordPage(tuple(memories), page.next_key, lost, frozen)

    def whole_or_stubs(self, memories: Sequence[Memory]) -> list[Memory]:
        """The records with all their words, in order; the stub of one whose words cannot be read.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """
        whole = {memory.ref: memory for memory in self.whole(memories)[0]}
        return [whole.get(memory.ref, memory) for memory in memories]

    def whole_versions(self, versions: Mapping[str, RecordVersion]) -> dict[str, RecordVersion]:
        """The versions with all their words, one of each record, by id; without those whose words cannot be read.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """
        memories, _ = self.whole([version.memory for version in versions.values()])
        return {memory.id: replace(versions[memory.id], memory=memory) for memory in memories}

    def whole_history(self, versions: Sequence[RecordVersion]) -> list[RecordVersion]:
        """The versions of one record with all words; most were written while it was hot, and the others are read once.

        Raises:
            BodyFrozen, StoreUnavailable: the words of a version cannot be read anywhere.
        """
        known = {v.memory.content_hash: v.memory.content for v in versions if not is_stub(v.memory)}
        for version in versions:
            if version.memory.content_hash not in known:
                known[version.memory.content_hash] = self.one(version.memory).content
        return [
            replace(v, memory=replace(v.memory, content=known[v.memory.content_hash]))
            if is_stub(v.memory)
            else v
            for v in versions
        ]

    def one(self, memory: Memory) -> Memory:
        """The record with all its words; a body in deep archive is asked back.

        Raises:
            BodyFrozen, StoreUnavailable: the words cannot be read.
        """
        found = self._read(memory, thaws=True) if is_stub(memory) else memory
        if isinstance(found, UnreadableBody):
            raise found.error
        return found

    def _read(self, memory: Memory, *, thaws: bool = False) -> Memory | UnreadableBody:
        try:
            words = self._words(
                body_format.body_key(memory.scope, memory.id, memory.content_hash), thaws=thaws
            )
        except BodyFrozen as error:
            return UnreadableBody(memory, error)
        except body_format.DamagedBody as error:
            kind = _BodyMissing if isinstance(error, body_format.MissingBody) else StoreUnavailable
            sentence = _sentence(memory.id, error)
            earlier = self._words_in_history(memory)
            if earlier is None:
                return UnreadableBody(memory, kind(sentence))
            _log.error("read from its history: %s", sentence)
            return replace(memory, content=earlier)
        return replace(memory, content=words)

    def _words_in_history(self, memory: Memory) -> str | None:
        """Words of an undamaged version of the same content, written while the record was hot; None: none."""
        try:
            lines = [] if self._lines is None else self._lines(memory.scope, memory.id)
            same = (one.memory.content for one in lines if one.memory.content_hash == memory.content_hash)
            return next((words for words in same if content_hash(words) == memory.content_hash), None)
        except UNREADABLE:
            return None

    def _words(self, key: str, *, thaws: bool = False) -> str:
        """Words of the body under a key.

        Raises:
            DamagedBody: it is not there as it was written.
            BodyFrozen, StoreUnavailable: as ports.blobs.BlobStore.get.
        """
        try:
            body = self._blobs.get(key, thaws=thaws)
        except OSError as error:
            raise body_format.DamagedBody(f"cannot be read: {error.strerror}") from error
        return body_format.words_of_body(body, body_format.hash_of_key(key))

    def flaws(self, scope: Scope, kept: Iterable[StoredRecord]) -> list[BrokenPart]:
        """Flaws of the bodies of these records and of their versions, each read once.

        A body in deep archive is taken to be as it was put there: to look at it would be to bring it back.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """
        asked = {
            body_format.body_key(scope, one.id, stub.content_hash): (one.id, stub)
            for one in kept
            for stub in reversed(
                one.stubs
            )  # the record's own comes last and counts: it has the length of the words
        }
        return [flaw for flaw in self._each(self._flaw, list(asked.items())) if flaw is not None]

    def _flaw(self, asked: tuple[str, tuple[str, StoredStub]]) -> BrokenPart | None:
        key, (id, stub) = asked
        try:
            found = len(self._words(key).encode())
        except BodyFrozen:
            return None
        except body_format.DamagedBody as error:
            return BrokenPart(id, stub.version, "body", str(error))
        if stub.body_bytes in (None, found):
            return None
        return BrokenPart(
            id, stub.version, "body", f"has {found} bytes, and the record says {stub.body_bytes}"
        )

    def erase(self, scope: Scope, ids: Iterable[str]) -> None:
        """Deletes every body ever written under these ids, those that no record came to use as well.

        Raises:
            StoreUnavailable: the blobs do not answer; the bodies left go when the erasure is repeated.
        """
        found = self._each(self._blobs.keys, [body_format.record_folder(scope, id) for id in ids])
        self._each(self._blobs.delete, [key for keys in found for key in keys])

    def keep_only(self, scope: Scope, id: str, hashes: Collection[str]) -> None:
        """Deletes the bodies of a record but those of the contents of these hashes.

        Raises:
            StoreUnavailable: as `erase`.
        """
        found = self._blobs.keys(body_format.record_folder(scope, id))
        self._each(self._blobs.delete, [key for key in found if body_format.hash_of_key(key) not in hashes])

    def erase_project(self, scope: Scope, *, but: Iterable[str] = ()) -> int:
        """Deletes every body of a project, and returns their number. Args: but: ids of present records.

        Raises:
            StoreUnavailable: as `erase`.
        """
        kept = {body_format.record_folder(scope, id) for id in but}
        found = [
            key
            for key in self._blobs.keys(body_format.project_folder(scope))
            if body_format.folder_of_key(key) not in kept
        ]
        self._each(self._blobs.delete, found)
        return len(found)

    def _each(self, do: Callable[[Asked], Answered], asked: Sequence[Asked]) -> list[Answered]:
        if self._executor is None or len(asked) == 1:
            return [do(one) for one in asked]
        return list(self._executor.map(do, asked))


class _BodyMissing(StoreUnavailable): ...


def _is_where_it_belongs(memory: Memory) -> bool:
    return memory.tier == "hot" and not _is_cut(memory)


def _is_cut(memory: Memory) -> bool:
    """True if a hot record still has the cut content of a stub."""
    return len(memory.content) <= STUB_MAX_CHARS and content_hash(memory.content) != memory.content_hash


def _sentence(id: str, what: object) -> str:
    return f"the body of {id} {what}; see what else is damaged: mem verify"
