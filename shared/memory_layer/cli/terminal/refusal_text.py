"""Refusals on a terminal: in words that call fields by their options, or as the document that HTTP answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import typer

from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.option_names import NO_OPTIONS, OptionNames

if TYPE_CHECKING:  # nothing heavy is imported before a command runs
    from memory_layer.domain.remedies import Remedy
    from memory_layer.errors import MemoryLayerError, Violation
    from memory_layer.wire.problem import MemoryProblem

REFUSED: Final = 1


@contextmanager
def errors_on_stderr(is_json: bool, names: OptionNames = NO_OPTIONS) -> Iterator[None]:
    """Ends a refused command with its problem on stderr: in words, or as the document that HTTP answers.

    Args: names: the options that fill the fields of its request.
    """
    try:
        yield
    except refusals() as error:
        shown = json.dumps(command_problem(error), ensure_ascii=False) if is_json else _in_words(error, names)
        print(shown, file=sys.stderr)
        raise typer.Exit(REFUSED) from error


def refusals() -> tuple[type[Exception], ...]:
    """Errors by which a command is refused, here or by a service."""
    from memory_layer.errors import MemoryLayerError
    from memory_layer.wire.problem import MemoryProblem

    return MemoryLayerError, MemoryProblem


def is_refused_as(error: Exception, kind: type[Exception], code: str) -> bool:
    """Tells if a refusal is of a kind, here or by the code of a service's problem."""
    return isinstance(error, kind) or getattr(error, "code", None) == code


def command_problem(error: Any) -> dict[str, Any]:
    """Problem document of an error: as the service wrote it, or as HTTP would answer it."""
    from memory_layer.wire.problem import URN, MemoryProblem

    if isinstance(error, MemoryProblem):
        unanswered = {"type": f"{URN}{error.code}", "title": "No answer", "detail": error.detail}
        return error.document or {**unanswered, "status": error.status}
    from uuid import uuid4

    from memory_layer.edge.shapes.problems import problem

    return problem(error, instance="urn:memory-layer:cli", request_id=f"req_{uuid4().hex}")


def _in_words(error: Exception, names: OptionNames) -> str:
    """Error in words, with its fields called by the options that fill them."""
    from memory_layer.domain.remedies import with_remedies
    from memory_layer.errors import Contradicts, Duplicate
    from memory_layer.wire.problem import MemoryProblem

    told: Any = _as_error(error) if isinstance(error, MemoryProblem) else error
    rules = [_rule_in_words(one, names) for one in getattr(told, "violations", ())]
    if getattr(told, "is_list", False):
        first, *more = rules
    else:
        first = runnable(with_remedies(told.reason, told.remedies, names.call))
        more = rules if len(rules) > 1 else []
    twin = told.twin.content if isinstance(told, Duplicate | Contradicts) else _twin_content(error)
    more += [f"it says: {printable(twin)}"] if twin else []
    more += map(runnable, getattr(error, "__notes__", []))
    return "\n".join([f"mem: {first}", *(f"  {line}" for line in more)])


def _rule_in_words(violation: Violation, names: OptionNames) -> str:
    from memory_layer.domain.remedies import with_remedies

    said = with_remedies(violation.reason, violation.remedies, names.call)
    return f"{names.call(violation.pointer)}: {said}" if violation.pointer else said


def _as_error(problem: MemoryProblem) -> MemoryLayerError:
    """Error of this package that says what a service said; its fields are named anew, by options."""
    from memory_layer.errors import Invalid, MemoryLayerError, Violation

    document = problem.document
    rules = tuple(
        Violation(one["pointer"], *_without_ways(one["detail"], one), remedies=_remedies(one))
        for one in document.get("errors", ())
    )
    if not rules:
        return MemoryLayerError(*_without_ways(problem.detail, document), *_remedies(document))
    first = document["errors"][0]
    is_list = f": {first['detail']}" in problem.detail
    error = Invalid(*_without_ways(problem.detail, first), rules, *rules[0].remedies)
    error.is_list = is_list
    return error


def _remedies(told: Mapping[str, Any]) -> tuple[Remedy, ...]:
    from memory_layer.domain.remedies import Remedy

    return tuple(
        Remedy(
            one.get("pointer", ""),
            tuple(one.get("values") or ()),
            bool(one.get("is_omitted")),
            one.get("action"),
        )
        for one in told.get("remedies") or ()
    )


def _without_ways(detail: str, told: Mapping[str, Any]) -> tuple[str]:
    """Sentence without the ways out that it ends with, which are told as data as well."""
    from memory_layer.domain.remedies import with_remedies

    return (detail.removesuffix(with_remedies("", _remedies(told))),)


def _twin_content(error: Exception) -> str | None:
    """Words of the memory that a service says is known."""
    document = getattr(error, "document", {})
    twins: Sequence[Mapping[str, Any]] = [
        document[name] for name in ("duplicate_of", "contradicts") if document.get(name)
    ]
    return twins[0].get("content") if twins else None


_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and newline, and characters that turn the direction of writing round."""


def printable(text: str) -> str:
    """Text without characters that could steer the terminal."""
    return _CONTROL_CHARACTERS.sub("\ufffd", text)


def printable_json(text: str) -> str:
    """JSON with escapes for the controls that it leaves as they are."""
    return _LEFT_BY_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_LEFT_BY_JSON = re.compile(r"[\x7f-\x9f]")
