"""Errors as sentences that a model can act on."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memory_layer import errors
from memory_layer.domain.prompt import render_memories
from memory_layer.domain.remedies import with_remedies
from memory_layer.edge.shapes.problems import violations_of
from memory_layer.errors import MemoryLayerError, Violation

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_log = logging.getLogger(__name__)

_NEXT_STEPS: Mapping[type[MemoryLayerError], str] = {
    errors.RecalledText: "Do not store it; call report_outcome on what you were shown, if you used it.",
    errors.Invalid: "Correct the arguments and call again.",
    errors.Malformed: "Correct the arguments and call again.",
    errors.NotFound: "Call search_memory or list_memories to find the id.",
    errors.Forbidden: "Call report_outcome on it, or add_memory with what is true instead.",
    errors.StaleVersion: "Look at the memory as it is now, then decide again.",
    errors.VersionConflict: "Look at the memory as it is now, then decide again.",
    errors.Conflict: "Look at the memory as it is now, then decide again.",
    errors.OutcomeUnknown: "Look with search_memory if it is stored before you call again.",
    errors.Unavailable: "Go on with your task without memory; a person can run: mem doctor.",
}


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """Arguments of a tool, as a model calls the fields of a request."""

    known: Collection[str]

    def call(self, pointer: str, value: str | None = None) -> str:
        """Argument that fills the field at a pointer such as `/budgets/tokens_max`; else the path itself."""
        path = pointer.lstrip("/") or "arguments"
        last = path.rsplit("/", 1)[-1]
        name = next((one for one in _OTHER_NAMES.get(last, (last,)) if one in self.known), path)
        return name if value is None else f"{name}: {value}"

    def worded(self, said: MemoryLayerError | Violation) -> str:
        """Reason with the ways out that the tool's arguments offer."""
        ways = [one for one in said.remedies if one.action or self.call(one.pointer) in self.known]
        return with_remedies(said.reason, ways, self.call)


_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {"id": ("by_id", "memory_id")}
"""Arguments that a field of a request is called by, the first that a tool has."""


def refusal(error: MemoryLayerError, known: Collection[str]) -> str:
    """Sentences on what happened, and on what to do next. Args: known: the arguments that the tool takes."""
    names = ArgumentNames(known)
    if isinstance(error, errors.Duplicate | errors.Contradicts):
        return _known_refusal(error, names)
    if isinstance(error, errors.TooMany):
        _log.warning("a call is refused: %s", error.reason)
        return (
            f"{_sentence(error.reason)} Retry after {error.retry_after_s} seconds; meanwhile go on without."
        )
    steps = (_NEXT_STEPS[kind] for kind in type(error).__mro__ if kind in _NEXT_STEPS)
    return " ".join([_sentence(_in_full(error, names)), next(steps, "")]).strip()


def _known_refusal(error: errors.Duplicate | errors.Contradicts, names: ArgumentNames) -> str:
    """Refusal as HTTP words it, with the known memory's content and the tools that do what it offers."""
    twin = error.twin
    known = f"{_sentence(names.worded(error))} {twin.id} says:\n{render_memories([twin])}\n"
    if isinstance(error, errors.Contradicts):
        return (
            f"{known}Do not drop yours for it: decide which is true. If yours is, call supersede_memory with "
            f"memory_id {twin.id}, or add_memory again with on_duplicate."
        )
    helped = f"{known}If it helped, call report_outcome with memory_id {twin.id}"
    if "on_duplicate" not in names.known:
        return f"{helped}."
    return f"{helped}; if yours says more, call add_memory again with on_duplicate: merge."


def _in_full(error: MemoryLayerError, names: ArgumentNames) -> str:
    violations = getattr(error, "violations", ())
    if len(violations) > 1 or getattr(error, "is_list", False):
        return _violation_list(violations, names)
    return names.worded(error)


def invalid_arguments(error: ValidationError, known: Collection[str]) -> str:
    """Refusal that names each broken rule and its argument; sent values are not repeated.

    Args:
        known: the arguments that the tool takes.
    """
    items = ({**_unknown_argument(item, known), "loc": ("body", *item["loc"])} for item in error.errors())
    return f"{_sentence(_violation_list(violations_of(items), ArgumentNames(known)))} {_NEXT_STEPS[errors.Invalid]}"


def _unknown_argument(item: ErrorDetails, known: Collection[str]) -> Mapping[str, Any]:
    if item["type"] == "extra_forbidden" and len(item["loc"]) == 1:
        message = f"there is no such argument; there are: {', '.join(known)}"
        return {"type": "unknown_argument", "msg": message}
    return item


def _violation_list(violations: tuple[Violation, ...], names: ArgumentNames) -> str:
    return "; ".join(f"{names.call(item.pointer)}: {names.worded(item)}" for item in violations)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
