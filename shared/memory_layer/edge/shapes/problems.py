"""Errors as RFC 9457 problem details: one table maps each error to its status."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pydantic_core import PydanticCustomError

from memory_layer import errors
from memory_layer.domain.memory import Standing
from memory_layer.domain.remedies import Remedy
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.violation_words import error_message
from memory_layer.errors import MemoryLayerError, Violation

PROBLEM_JSON = "application/problem+json"
RETRY_IN_FLIGHT_S = 1
GATHERED_PARAMETER = "listing"
"""Name of the argument in which a route gathers many query parameters; callers never see it."""

_KINDS: dict[type[MemoryLayerError], tuple[int, str, str]] = {
    errors.KeyReused: (422, "idempotency_key_reused", "Idempotency key reused"),
    errors.Invalid: (422, "invalid", "Invalid request"),
    errors.Malformed: (400, "malformed", "Request cannot be read"),
    errors.TooLarge: (413, "too_large", "Request too large"),
    errors.Unauthenticated: (401, "unauthenticated", "Not signed in"),
    errors.Forbidden: (403, "forbidden", "Not allowed"),
    errors.NotFound: (404, "not_found", "Not found"),
    errors.Duplicate: (409, "duplicate", "Already known"),
    errors.Contradicts: (409, "contradicts", "Says otherwise"),
    errors.RecalledText: (409, "recalled_text", "Our own words"),
    errors.InFlight: (409, "in_flight", "Already being served"),
    errors.PathTaken: (409, "path_taken", "Path taken"),
    errors.ContentChanged: (409, "content_changed", "Changed meanwhile"),
    errors.IdTaken: (409, "id_taken", "Id taken"),
    errors.VersionConflict: (409, "version_conflict", "Changed meanwhile"),
    errors.Conflict: (409, "conflict", "Not in this state"),
    errors.StaleVersion: (412, "stale_version", "Not the newest version"),
    errors.TooMany: (429, "too_many", "Too many"),
    errors.OutcomeUnknown: (503, "outcome_unknown", "Perhaps stored"),
    errors.ReadOnlyStore: (503, "read_only", "Reads only"),
    errors.Unavailable: (503, "unavailable", "A part is down"),
}

_TITLES: Final = {
    **{code: title for _, code, title in _KINDS.values()},
    "unsupported": "Unsupported content type",
    "method_not_allowed": "Method not allowed",
    "too_slow": "Request too slow",
    "busy": "Too busy",
    "internal": "Our mistake",
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTwin:
    """The memory that says the same already, or otherwise.

    Args:
        similarity: cosine of the two contents.
        content: what it says; left out of what is kept on a disk.
        differs_in: the point in which the two disagree, where they do.
        standing: whose words these are: trusted or unreviewed.
        id: id of that memory.
    """

    id: str
    similarity: float
    standing: Standing | None = None
    content: str | None = None
    differs_in: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenRule:
    """A broken rule.

    Args:
        pointer: JSON pointer into the request; empty: the request as a whole.
        detail: what is wrong there, and what to do.
        limit: the bound that is broken, where there is one.
        remedies: ways out, as data, of which one is enough.
    """

    pointer: str
    detail: str
    limit: float | None = None
    remedies: Sequence[Remedy] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """RFC 9457 problem details.

    Args:
        type: a URN that ends in a short code.
        instance: the path that was asked for.
        errors: each broken rule, by a JSON pointer into the request.
        remedies: ways out, as data, of which one is enough; those of a broken rule stand with it.
        duplicate_of: the memory that says the same, where one does.
        contradicts: the memory that says otherwise of the same thing, where one does.
        repeats: ids of the memories that a recall returned, and that the text repeats.
        title: the kind of problem in a few words.
        status: the status of the answer.
        detail: what is wrong here, and what to do.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: Sequence[BrokenRule] = ()
    remedies: Sequence[Remedy] | None = None
    duplicate_of: KnownTwin | None = None
    contradicts: KnownTwin | None = None
    repeats: Sequence[str] | None = None


def title_of(code: str) -> str:
    """Title of a problem of this kind, from every detector alike."""
    return _TITLES[code]


def status_of(error: MemoryLayerError) -> int:
    """Status with which an error is answered."""
    return _kind_of(error)[0]


def _kind_of(error: MemoryLayerError) -> tuple[int, str, str]:
    return next(_KINDS[kind] for kind in type(error).__mro__ if kind in _KINDS)


def problem(error: MemoryLayerError, *, instance: str, request_id: str) -> dict[str, Any]:
    """Problem document of an error. Args: instance: the path asked for."""
    status, code, title = _kind_of(error)
    if isinstance(error, errors.TooMany):
        _log.warning("request %s to %s is refused: %s", request_id, instance, error.reason)
    return problem_document(
        status,
        code,
        title,
        error.detail,
        instance=instance,
        request_id=request_id,
        violations=getattr(error, "violations", ()),
        extra=_extra(error),
    )


def problem_document(
    status: int,
    code: str,
    title: str,
    detail: str,
    *,
    instance: str,
    request_id: str,
    violations: Iterable[Violation] = (),
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Problem document from its parts; `type` is a URN that ends in the short code."""
    return document(
        Problem(
            type=f"urn:memory-layer:problem:{code}",
            title=title,
            status=status,
            detail=detail,
            instance=instance,
            request_id=request_id,
            errors=[answer_from(BrokenRule, one, remedies=one.remedies or None) for one in violations],
            **(extra or {}),
        )
    )


def _extra(error: MemoryLayerError) -> dict[str, Any]:
    ways = {} if getattr(error, "violations", ()) or not error.remedies else {"remedies": error.remedies}
    if isinstance(error, errors.Duplicate):
        return {**ways, "duplicate_of": _known(error)}
    if isinstance(error, errors.Contradicts):
        return {**ways, "contradicts": _known(error, error.says_otherwise)}
    return {**ways, "repeats": error.sources} if isinstance(error, errors.RecalledText) else ways


def headers_of(error: MemoryLayerError) -> dict[str, str]:
    """Headers that tell a client when to try again, or how to sign in."""
    if isinstance(error, errors.TooMany | errors.BodyFrozen | errors.OutcomeUnknown):
        return {"Retry-After": str(error.retry_after_s)}
    if type(error) in _PASSING:
        return {"Retry-After": str(errors.REPEAT_S)}
    if isinstance(error, errors.InFlight):
        return {"Retry-After": str(RETRY_IN_FLIGHT_S)}
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    return {}


_PASSING: Final = (errors.IndexUnavailable, errors.StoreUnavailable, errors.EmbedderUnavailable)
"""Parts that are down or busy for a while; what is damaged, frozen or read-only has an error of its own kind."""

VIOLATIONS_MAX: Final = 100
"""Most violations listed for one request; ten thousand wrong fields need no list."""


def violations_of(found: Iterable[Mapping[str, Any]]) -> tuple[Violation, ...]:
    """Pydantic's errors as JSON pointers; sent values are not repeated, nor a secret in a field's name."""
    return tuple(
        Violation(_pointer(item["loc"]), error_message(item), _limit(item), _remedies(item))
        for item in islice(found, VIOLATIONS_MAX)
    )


def refused(reason: str, *remedies: Remedy) -> PydanticCustomError:
    """Error of a model's validator, with its ways out."""
    return PydanticCustomError(_REFUSED, "{reason}", {"reason": reason, "remedies": remedies})


_REFUSED: Final = "refused"
_BOUNDS: Final = ("le", "ge", "lt", "gt", "max_length", "min_length")


def _limit(item: Mapping[str, Any]) -> float | None:
    bounds = (item.get("ctx", {}).get(name) for name in _BOUNDS)
    return next((bound for bound in bounds if isinstance(bound, int | float)), None)


def _remedies(item: Mapping[str, Any]) -> tuple[Remedy, ...]:
    found: tuple[Remedy, ...] = item.get("ctx", {}).get("remedies", ())
    return found


def _pointer(location: Iterable[Any]) -> str:
    """JSON pointer of a location: ("body", "tags", 0) → /tags/0; a parameter keeps its own place."""
    from memory_layer.domain.safety.redaction import redact

    place, *path = location
    start = "" if place == "body" else f"/{place}"
    if place == "query" and path[:1] == [GATHERED_PARAMETER]:
        path = path[1:]
    return start + "".join(f"/{redact(str(part), 'secrets').text}" for part in path)


def problem_text(found: Mapping[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False)


def _known(error: errors.Duplicate | errors.Contradicts, differs_in: str | None = None) -> KnownTwin:
    twin = error.twin
    return KnownTwin(
        id=twin.id,
        similarity=round(error.similarity, 4),
        standing=twin.standing,
        content=twin.content,
        differs_in=differs_in,
    )
