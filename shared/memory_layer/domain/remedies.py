"""Ways out of a refusal, as data: every face calls the fields by its own names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Call = Callable[[str, str | None], str]
"""Name that a face has for the field at a JSON pointer, with a value to give there if there is one."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way out: a field to give, or to leave out, or something else to do.

    Args:
        pointer: JSON pointer of the field; empty: there is none.
        values: the values that will do; none: any that keeps the rules.
        is_omitted: the field is to be left out.
        action: what to do, in words that name no field; of a field, what giving it does.
    """

    pointer: str
    values: tuple[str, ...] = ()
    is_omitted: bool = False
    action: str | None = None


def do(action: str) -> Remedy:
    return Remedy("", action=action)


def give(pointer: str, *values: str) -> Remedy:
    return Remedy(pointer, values)


def omit(pointer: str) -> Remedy:
    return Remedy(pointer, is_omitted=True)


def field_of_request(pointer: str, value: str | None = None) -> str:
    """Field as a JSON request has it: `filters.entities`, or with a value `on_duplicate: merge`."""
    name = pointer.removeprefix("/query").strip("/").replace("/", ".")
    return name if value is None else f"{name}: {value}"


def with_remedies(reason: str, remedies: Sequence[Remedy], call: Call = field_of_request) -> str:
    """Sentence of a reason and the ways out."""
    ways = ", or ".join(_ways(remedies, call))
    return f"{reason}; {ways}" if ways else reason


def _ways(remedies: Sequence[Remedy], call: Call) -> Iterator[str]:
    """Ways out in words, the fields that take any value together."""
    yield from (one.action for one in remedies if one.action is not None and not one.values)
    given = [call(one.pointer, None) for one in remedies if _takes_any_value(one)]
    if given:
        yield f"give {_any_of(given)}"
    for one in remedies:
        if one.values:
            purpose = "" if one.action is None else f"{one.action}: "
            yield f"{purpose}give {_any_of([call(one.pointer, one.values[0]), *one.values[1:]])}"
        if one.is_omitted:
            yield f"leave {call(one.pointer, None)} out"


def _takes_any_value(remedy: Remedy) -> bool:
    return not remedy.values and not remedy.is_omitted and remedy.action is None


def _any_of(names: Sequence[str]) -> str:
    """Names as alternatives: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
