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
│   ├── RecalledText     the text repeats a recall's answer
│   ├── ContentTaken     another request stored the same content first
│   │   └── NearContentTaken  another request stored almost the same content first
│   ├── InFlight         a request with the same idempotency key is being served
│   ├── IdTaken          the requested id is not free
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

from dataclasses import dataclass

from memory_layer.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Violation:
    """Broken rule: a JSON pointer into the input and a description of the error there."""

    pointer: str
    detail: str


class MemoryLayerError(Exception):
    """Root of all errors that callers are meant to see."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Invalid(MemoryLayerError):
    def __init__(self, detail: str, violations: tuple[Violation, ...] = ()) -> None:
        super().__init__(detail)
        self.violations = violations

    @classmethod
    def at(cls, pointer: str, detail: str) -> Invalid:
        return cls(detail, (Violation(pointer, detail),))


class KeyReused(Invalid): ...


class Malformed(MemoryLayerError): ...


class TooLarge(MemoryLayerError): ...


class Unauthenticated(MemoryLayerError): ...


class Forbidden(MemoryLayerError): ...


class NotFound(MemoryLayerError): ...


class Conflict(MemoryLayerError): ...


class Duplicate(Conflict):
    """Refusal of a memory because another one says the same, or almost the same.

    Args:
        says_otherwise: point in which the two differ, if they do: then they are never merged.
        is_yours: the caller may change the other memory.
    """

    def __init__(
        self, twin: Memory, similarity: float, says_otherwise: str | None = None, *, is_yours: bool = True
    ) -> None:
        correction = (
            "if that no longer holds, supersede it (on_duplicate: supersede)"
            if is_yours
            else f"it is {twin.created_by}'s, so a reviewer has to supersede it if it no longer holds"
        )
        super().__init__(
            f"{twin.id} already says this (similarity {similarity:.3f}); "
            "report an outcome on it, or send on_duplicate: merge or create"
            if says_otherwise is None
            else f"{twin.id} is much like this (similarity {similarity:.3f}) and says otherwise ({says_otherwise}); "
            f"{correction}; if both hold, send on_duplicate: create"
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


class InFlight(Conflict): ...


class SweepRunning(Conflict): ...


class VersionConflict(Conflict): ...


def id_taken(id: str) -> str:
    """Error text of an id clash, without more detail: the caller may not be allowed to see the record."""
    return f"the id {id} is not free; choose another one, or update the memory that has it"


class IdTaken(Conflict):
    def __init__(self, id: str) -> None:
        super().__init__(id_taken(id))


class IdJustTaken(IdTaken, VersionConflict):
    """Id clash found at the commit: a caller that reads and decides again may find the record and change it."""


class StaleVersion(MemoryLayerError): ...


class TooMany(MemoryLayerError):
    def __init__(self, detail: str, retry_after_s: int) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class Unavailable(MemoryLayerError): ...


THAW_S = 43_200
"""Seconds for a standard retrieval from Deep Archive: within 12 hours.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html
"""


class BodyFrozen(Unavailable):
    def __init__(self, detail: str, retry_after_s: int = THAW_S) -> None:
        super().__init__(detail)
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

    def __init__(self, project: str, version: int) -> None:
        super().__init__(
            f"the settings of project {project} are damaged; an admin sets them anew: PUT /settings"
        )
        self.version = version
