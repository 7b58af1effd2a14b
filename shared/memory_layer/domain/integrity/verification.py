"""Verification of all data stored under an id, against the digests that were written with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.fields import memory_from_json, memory_to_json
from memory_layer.domain.integrity.digests import ACCESS_COUNTERS
from memory_layer.domain.memory import Memory, content_hash, is_stub, searchable_text

if TYPE_CHECKING:  # for types only: numpy need not load
    Array = NDArray[np.float32]

# fmt: off
Part = Literal[
    "record", "content", "body", "vectors", "version", "tombstone", "accesses", "verdict", "answer", "positions",
    "receipt", "run", "staged", "operation", "quota", "event", "activity", "pair", "log", "project", "settings", "file",
    "feedback", "mentions", "audit", "webhook", "counts",
]
# fmt: on

UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""Errors that reading a damaged value may raise."""

UNIT_LENGTH_TOLERANCE = 0.01
"""Float16 keeps the length of a vector to some 0.0005."""


@dataclass(frozen=True, slots=True)
class BrokenPart:
    """Finding of a verification: the broken part and what is wrong. `version` is None for a part without versions.

    `id` is that of the part: of the memory, or of the verdict, the run, the receipt…; "" for the storage as a whole.

    Args:
        id: of the memory, verdict, run or receipt; empty: of the storage as a whole.
        version: its version; null: it has none.
        part: the part of it that is broken.
        what: what is wrong with it, in words.
    """

    id: str
    version: int | None
    part: Part
    what: str


@dataclass(frozen=True, slots=True)
class StoredDigest:
    """Digest that was written with an item (None: the item is older than digests), and that of its present bytes."""

    stored: str | None
    found: str

    @property
    def is_broken(self) -> bool:
        return self.stored is not None and self.stored != self.found


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """Line of a history. `before` is the version that it was made of, `place` its position in the project's log.

    `document` is the record of the newest line, as JSON; None in other lines, and where it cannot be read.
    """

    number: int
    before: int | None = None
    place: str | None = None
    seal: StoredDigest | None = None
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StoredStub:
    """Record, or version of one, whose content is in a body. Args: body_bytes: size of the content as recorded."""

    version: int
    content_hash: str
    body_bytes: int | None = None


NO_MATCH = "does not match its digest"
NO_SEAL = "does not match the seal of its row"


@dataclass(frozen=True, slots=True)
class SideRecord:
    """Item stored beside a project's records that is broken, or (None) older than digests."""

    broken: BrokenPart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """All data stored under one id, unchecked. `flaws` name parts that cannot be read, or were never written so.

    Args:
        erased_at: the version of its newest tombstone.
        unsealed_beside: verdicts, answers and tombstones, read with the record, that are older than digests.
        versions: by number.
        first_version: version that the id's count begins with, where the record names it.
        body_bytes: as the record states it; None: its content is not in a body.
        stubs: of the record (the first one) and of its versions, where their content is in a body.
        is_seal_broken: the row is not as it was written, whatever is damaged; readers go by that.
    """

    id: str
    is_there: bool = False
    memory: Memory | None = None
    place: str | None = None
    seal: StoredDigest | None = None
    content_vector: Array | None = None
    context_vector: Array | None = None
    vectors_seal: StoredDigest | None = None
    versions: tuple[StoredVersion, ...] = ()
    first_version: int | None = None
    erased_at: int | None = None
    unsealed_beside: int = 0
    body_bytes: int | None = None
    stubs: tuple[StoredStub, ...] = ()
    flaws: tuple[BrokenPart, ...] = ()
    is_seal_broken: bool = False

    @property
    def is_unsealed(self) -> bool:
        """True if a part is older than digests, so that damage to it may not show."""
        seals = [self.seal, self.vectors_seal, *(version.seal for version in self.versions)]
        return any(seal is not None and seal.stored is None for seal in seals)


@dataclass(frozen=True, slots=True)
class StoredPage:
    """Page of data stored under ids, with the key that the next page continues after (None: this is the last page)."""

    kept: tuple[StoredRecord, ...]
    next_key: str | None


def broken_parts(kept: StoredRecord, *, model: str, dimensions: int) -> Iterator[BrokenPart]:
    """Finds everything that is broken under one id.

    Args:
        model, dimensions: of the embedder in use; vectors of another model may have any length.
    """
    yield from broken_state(kept, model=model, dimensions=dimensions)
    yield from _broken_lines(kept)
    yield from _broken_order(kept) if kept.is_there else _leftovers(kept)


def broken_state(kept: StoredRecord, *, model: str, dimensions: int) -> Iterator[BrokenPart]:
    """Finds what is broken in the record's present state, its history aside; arguments as `broken_parts`."""
    found = [*kept.flaws, *_broken_record(kept)]
    yield from found
    if kept.is_seal_broken and not found:
        yield BrokenPart(kept.id, kept.memory.version if kept.memory else None, "record", NO_SEAL)
    if kept.memory is not None:
        yield from _broken_vectors(kept, kept.memory, model, dimensions)


def _broken_record(kept: StoredRecord) -> Iterator[BrokenPart]:
    version = kept.memory.version if kept.memory else None
    if kept.seal is not None and kept.seal.is_broken:
        yield BrokenPart(kept.id, version, "record", NO_MATCH)
    if kept.memory is not None:
        yield from _broken_words(kept, kept.memory)
    if kept.is_there and kept.erased_at is not None and (version or 0) <= kept.erased_at:
        yield BrokenPart(
            kept.id, version, "tombstone", f"was erased at version {kept.erased_at}, and is there"
        )


def _broken_words(kept: StoredRecord, memory: Memory) -> Iterator[BrokenPart]:
    """Checks content that is in the record against its hash; content in a body is checked there."""
    if kept.body_bytes is None and content_hash(memory.content) != memory.content_hash:
        yield BrokenPart(kept.id, memory.version, "content", "does not match its content_hash")
    elif kept.body_bytes is not None and not is_stub(memory):
        yield BrokenPart(kept.id, memory.version, "body", "is said to have the words, and they are here")


def _broken_vectors(kept: StoredRecord, memory: Memory, model: str, dimensions: int) -> Iterator[BrokenPart]:
    def broken(what: str) -> BrokenPart:
        return BrokenPart(kept.id, memory.version, "vectors", what)

    if kept.vectors_seal is not None and kept.vectors_seal.is_broken:
        yield broken("do not match their digest")
    content, context = kept.content_vector, kept.context_vector
    if content is None and memory.embedding_model is not None:
        yield broken(f"are missing, though {memory.embedding_model} made some")
    needs_context = content is not None and searchable_text(memory.content, memory.context) is not None
    if needs_context != (context is not None):
        yield broken(
            "lack that of the context" if needs_context else "have one of a context that is not there"
        )
    size = dimensions if memory.embedding_model == model else len(content if content is not None else ())
    for vector in (content, context):
        if vector is not None and len(vector) != size:
            yield broken(f"have {len(vector)} dimensions and not {size}")
        elif vector is not None and not _has_unit_length(vector):
            yield broken("are not of unit length")


def _has_unit_length(vector: Array) -> bool:
    """True for a vector of unit length; False if a component is not a number."""
    return bool(abs(float((vector * vector).sum()) ** 0.5 - 1.0) <= UNIT_LENGTH_TOLERANCE)


def _broken_lines(kept: StoredRecord) -> Iterator[BrokenPart]:
    for version in kept.versions:
        if version.seal is not None and version.seal.is_broken:
            yield BrokenPart(kept.id, version.number, "version", NO_MATCH)


def _broken_order(kept: StoredRecord) -> Iterator[BrokenPart]:
    """Checks that each version leads to the one it was made of, and that the newest one equals the record."""
    by_number = {version.number: version for version in kept.versions}
    newest = max(by_number, default=0)
    wanted = kept.memory.version if kept.memory else newest
    if kept.memory is not None and wanted in by_number:
        yield from _unlike(kept, kept.memory, by_number[wanted])
    for number in sorted(by_number, reverse=True):
        if number > wanted:
            yield BrokenPart(
                kept.id, number, "version", "is newer than the record, or older than its first one"
            )
            continue
        if number < wanted:
            yield BrokenPart(kept.id, wanted, "version", "is missing")
        before = by_number[number].before
        if before == 0 and kept.first_version not in (None, number):
            yield BrokenPart(kept.id, number, "version", f"is the first one, and not {kept.first_version}")
        wanted = _older(by_number, number) if before is None else before
    if wanted:
        yield BrokenPart(kept.id, wanted, "version", "is missing")


def _older(by_number: dict[int, StoredVersion], number: int) -> int:
    """Predecessor of a line that is older than digests: the next lower version that exists."""
    return max((other for other in by_number if other < number), default=0)


def _unlike(kept: StoredRecord, memory: Memory, newest: StoredVersion) -> Iterator[BrokenPart]:
    """Finds differences of a record from its newest version.

    The words of an erased neighbour go out of a history, and may leave the record's own context in place.
    """
    if newest.place is not None and newest.place != kept.place:
        yield BrokenPart(
            kept.id, memory.version, "record", "stands elsewhere in the log than its newest version"
        )
    if newest.document is not None and not _equals_record(newest.document, memory):
        yield BrokenPart(kept.id, memory.version, "version", "says something else than the record")


def _equals_record(document: Mapping[str, Any], memory: Memory) -> bool:
    """True if a document equals a record; one that an earlier release wrote may lack fields that have a default."""
    wanted = memory_to_json(memory)
    counts = {name: wanted[name] for name in ACCESS_COUNTERS}
    stored = {**document, **counts}
    if stored == wanted:
        return True
    try:
        whole = {**memory_to_json(memory_from_json(document)), **counts}
    except UNREADABLE:
        return False
    return whole in (wanted, {**wanted, "context": None})


def _leftovers(kept: StoredRecord) -> Iterator[BrokenPart]:
    for version in kept.versions:
        what = "is there without its record"
        if kept.erased_at is not None and version.number <= kept.erased_at:
            what = f"is there, though its record was erased at version {kept.erased_at}"
        yield BrokenPart(kept.id, version.number, "version", what)
