"""Exceptions of the package, in words for the person who must act on them.

MemoryLayerError
├── Invalid              the input breaks a rule; `violations` point at the fields
│   └── KeyReused        an idempotency key came back with another body
├── Malformed            the input cannot be read at all (bad JSON, bad cursor, invalid UTF-8)
├── TooLarge             the body is over the limit
├── Unauthenticated      no token, or an invalid one
├── Forbidden            the caller may not do this
├── NotFound             nothing here that the caller may know of
├── Conflict             the state does not allow it
│   ├── Duplicate        the memory says the same as `twin`
│   ├── Contradicts      the memory says otherwise of the same thing than `twin`
│   ├── RecalledText     the text repeats a recall's answer
│   ├── ContentTaken     another request stored the same content first
│   │   └── NearContentTaken  another request stored almost the same content first
│   ├── AnnouncementCancelled  another process that stores almost the same content goes first
│   ├── InFlight         a request with the same idempotency key is being served
│   ├── IdTaken          the requested id is not free
│   ├── PathTaken        another file lies at the path, above it or below it
│   ├── ContentChanged   a file does not have the content that the caller has seen
│   ├── SweepRunning     another process is running this sweep
│   └── VersionConflict  another request changed the record first
│       └── IdJustTaken  … by storing a record under the same id (an IdTaken as well)
├── StaleVersion         If-Match names a version that is no longer the newest
├── TooMany              a limit is reached; `retry_after_s` says when to come back
└── Unavailable          a part is down; functions that do not need it go on
    ├── BodyFrozen       a record's content is in deep archive; `retry_after_s` says when to come back
    ├── EmbedderUnavailable
    ├── IndexUnavailable
    └── StoreUnavailable
        ├── OutcomeUnknown   the disk failed at a commit; `retry_after_s` says when to repeat the request
        ├── ReadOnlyStore    this process may read the records and not write them
        ├── DamagedRecord    a record is not as it was written, and its history cannot heal it
        └── DamagedSettings  a project's stored settings are damaged
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.remedies import Remedy, do, give, with_remedies


@dataclass(frozen=True, slots=True)
class Violation:
    """Broken rule.

    Args:
        pointer: JSON pointer into the input; empty: the input as a whole.
        reason: the error there, in words that name no other field.
        limit: the bound that is broken, where there is one.
        remedies: ways out, of which one is enough.
    """

    pointer: str
    reason: str
    limit: float | None = None
    remedies: tuple[Remedy, ...] = ()

    @property
    def detail(self) -> str:
        return with_remedies(self.reason, self.remedies)


class MemoryLayerError(Exception):
    """Root of all errors that callers are meant to see.

    Args:
        reason: what happened, in words that name no field.
        remedies: ways out, of which one is enough.
    """

    def __init__(self, reason: str, *remedies: Remedy) -> None:
        super().__init__(with_remedies(reason, remedies))
        self.reason = reason
        self.remedies = remedies

    @property
    def detail(self) -> str:
        """Reason and ways out, with the fields as requests call them."""
        return with_remedies(self.reason, self.remedies)


class Invalid(MemoryLayerError):
    """Refusal of an input. `is_list`: it says no more than its violations, which each face words."""

    is_list = False

    def __init__(self, reason: str, violations: tuple[Violation, ...] = (), *remedies: Remedy) -> None:
        super().__init__(reason, *remedies)
        self.violations = violations

    @classmethod
    def at(cls, pointer: str, reason: str, *remedies: Remedy, limit: float | None = None) -> Invalid:
        return cls(reason, (Violation(pointer, reason, limit, remedies),), *remedies)

    @classmethod
    def each(cls, violations: Sequence[Violation], count: int = 0, whole: str = "the body") -> Invalid:
        """Refusal that says no more than its violations.

        Args:
            count: of all that were found, where more are than those that are listed.
            whole: name of the input, where all of it is wrong.
        """
        first = violations[0]
        more = f" (and {count - 1} more)" if count > 1 else ""
        error = cls(f"{first.pointer or whole}: {first.detail}{more}", tuple(violations))
        error.is_list = True
        return error


class KeyReused(Invalid): ...


class Malformed(MemoryLayerError): ...


class TooLarge(MemoryLayerError): ...


class Unauthenticated(MemoryLayerError): ...


class Forbidden(MemoryLayerError): ...


class NotFound(MemoryLayerError): ...


class Conflict(MemoryLayerError): ...


class Duplicate(Conflict):
    """Refusal of a memory because another one says the same. Args: remedies: ways out, where `on_duplicate` is none."""

    def __init__(
        self, twin: Memory, similarity: float, *, remedies: tuple[Remedy, ...] | None = None
    ) -> None:
        ways = (CREDIT_TWIN, give("/on_duplicate", "merge", "create")) if remedies is None else remedies
        super().__init__(f"{twin.id} already says this (similarity {similarity:.3f})", *ways)
        self.twin = twin
        self.similarity = similarity


CREDIT_TWIN: Final = do("report an outcome on it")


class Contradicts(Conflict):
    """Refusal of a memory because another one says otherwise of the same thing: the two are never merged.

    Args:
        says_otherwise: the point in which they disagree.
        is_yours: the caller may change the other memory.
    """

    def __init__(
        self, twin: Memory, similarity: float, says_otherwise: str, *, is_yours: bool = True
    ) -> None:
        owner = f"; it is {twin.created_by}'s, so a reviewer has to supersede it if it is wrong"
        super().__init__(
            f"{twin.id} is much like this (similarity {similarity:.3f}) and says otherwise ({says_otherwise})"
            f"{'' if is_yours else owner}",
            give("/on_duplicate", *(("supersede", "create") if is_yours else ("create",))),
        )
        self.twin = twin
        self.similarity = similarity
        self.says_otherwise = says_otherwise


class RecalledText(Conflict):
    def __init__(self, sources: tuple[str, ...]) -> None:
        super().__init__(
            f"this repeats what a recall returned ({', '.join(sources)}), which is no new evidence; "
            "report an outcome on those memories instead"
        )
        self.sources = sources


class ContentTaken(Conflict):
    def __init__(self, id: str) -> None:
        super().__init__(f"{id} was stored with the very same content a moment ago; read it")
        self.id = id


class NearContentTaken(ContentTaken):
    """Refusal of a commit alone: a caller that searches again finds the record, and decides about it."""


class AnnouncementCancelled(Conflict):
    """Refusal of a commit alone: the store announces it anew."""


class InFlight(Conflict): ...


class SweepRunning(Conflict): ...


class VersionConflict(Conflict): ...


def id_taken(id: str) -> str:
    """Error text of an id clash, without more detail: the caller may not be allowed to see the record."""
    return f"the id {id} is not free; choose another one, or update the memory that has it"


class IdTaken(Conflict):
    def __init__(self, id: str) -> None:
        super().__init__(id_taken(id))


class PathTaken(Conflict):
    """Refusal of a path. Args: holder: the id and the path of the file in the way; None: a file of somebody else."""

    def __init__(self, path: str, holder: tuple[str, str] | None = None) -> None:
        at = "" if holder is None else f": {holder[1]} is {holder[0]}"
        super().__init__(f"the path {path} is not free{at}; update that file, or choose another path")
        self.path = path
        self.holder = holder


class ContentChanged(Conflict):
    def __init__(self, id: str, expected: str, found: str) -> None:
        super().__init__(
            f"{id} does not have the content of hash {expected} any more but of {found}; read it again, then decide"
        )


class IdJustTaken(IdTaken, VersionConflict):
    """Id clash found at the commit: a caller that reads and decides again may find the record and change it."""


class StaleVersion(MemoryLayerError): ...


class TooMany(MemoryLayerError):
    def __init__(self, reason: str, retry_after_s: int) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Unavailable(MemoryLayerError): ...


THAW_S = 43_200
"""Seconds for a standard retrieval from Deep Archive: within 12 hours.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html
"""


class BodyFrozen(Unavailable):
    def __init__(self, reason: str, retry_after_s: int = THAW_S) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class EmbedderUnavailable(Unavailable): ...


class IndexUnavailable(Unavailable): ...


class StoreUnavailable(Unavailable): ...


REPEAT_S = 5


class OutcomeUnknown(StoreUnavailable):
    """Failure of a commit that may be found made all the same. Args: cause: the reason, as the store knows it."""

    def __init__(self, cause: str, retry_after_s: int = REPEAT_S) -> None:
        super().__init__(
            f"{cause}: it may be stored or not; repeat the request with the same Idempotency-Key, which takes effect "
            "once, or read before you write it again; if it stays so, run: mem doctor"
        )
        self.retry_after_s = retry_after_s


class ReadOnlyStore(StoreUnavailable): ...


class DamagedRecord(StoreUnavailable): ...


class DamagedSettings(StoreUnavailable):
    """Damage to a project's settings, without which nothing may go on. `version`: of the settings, as far as known."""

    def __init__(self, project: str, version: int, detail: str = "") -> None:
        said = f"the settings of project {project} are damaged; an admin sets them anew: PUT /settings"
        super().__init__(detail or said)
        self.version = version
