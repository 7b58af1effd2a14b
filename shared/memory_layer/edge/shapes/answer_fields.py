"""Members of an answer, read off its dataclass: its document, its schema and their words come from the same fields.

A member has the name of its field. A field with the default None is left out of a document where it is None; one that
is `SPREAD` gives its own members in the place of its name.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from memory_layer.domain.fields import DERIVED_FIELDS, DOUBT_OPTIONAL, memory_to_json, rfc3339
from memory_layer.domain.memory import Memory

SPREAD: Final = "spread"
"""Annotation of a field whose members stand beside those of the answer."""

ROUNDED: Final = "rounded"
"""Annotation of a number, or of a dataclass of numbers, that is shown to six decimals."""

DIGITS: Final = 6
_NAMES: Final[Mapping[str, str]] = {
    "from_": "from",
    "is_complete": "complete",
    "is_dry_run": "dry_run",
    "is_stopped": "stopped",
}
"""Names that a field has in a document, where Python or the house calls it otherwise."""

Answer = TypeVar("Answer")
Write = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Member:
    """Member of an answer.

    Args:
        name: in the document; `attribute`: of the dataclass.
        hint: its type, with annotations.
        write: makes JSON of the value; None: the value is JSON.
    """

    name: str
    attribute: str
    hint: Any
    write: Write | None
    is_left_out: bool
    is_spread: bool


@cache
def members(of: type) -> tuple[Member, ...]:
    """Members of a dataclass, in its order; a record's with the derived ones, as `memory_to_json` writes it."""
    hints = get_type_hints(of, include_extras=True)
    if of is Memory:
        return tuple(_member(name, hint, False) for name, hint in {**hints, **DERIVED_FIELDS}.items())
    return tuple(_member(one.name, hints[one.name], one.default is None) for one in fields(of))


def _member(attribute: str, hint: Any, is_left_out: bool) -> Member:
    marks = getattr(hint, "__metadata__", ())
    name = _NAMES.get(attribute, attribute)
    return Member(name, attribute, hint, _writer(hint), is_left_out, SPREAD in marks)


def document(answer: Any) -> dict[str, Any]:
    """JSON object of an answer. Args: answer: an instance of a dataclass."""
    written: dict[str, Any] = {}
    kind: type = type(answer)
    for member in members(kind):
        value = getattr(answer, member.attribute)
        if value is None:
            if not member.is_left_out:
                written[member.name] = None
        elif member.is_spread and member.write is not None:
            written.update(member.write(value))
        else:
            written[member.name] = value if member.write is None else member.write(value)
    return written


def answer_from(kind: type[Answer], source: object, **computed: Any) -> Answer:
    """Answer with the source's values in the fields of the same names, but for those that are computed."""
    own = (one.name for one in fields(kind) if one.name not in computed)  # type: ignore[arg-type]
    return kind(**{name: getattr(source, name) for name in own}, **computed)


def _writer(hint: Any) -> Write | None:
    """Writer of values of a type; None: they are JSON already."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return _rounded(_writer(inner)) if ROUNDED in marks else _writer(inner)
    if get_origin(hint) in (Union, UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        return _writer(options[0]) if len(options) == 1 else document
    if hint in _WRITERS:
        return _WRITERS[hint]
    if is_dataclass(hint):
        return document
    return _container_writer(get_origin(hint), get_args(hint))


def _record(memory: Memory) -> dict[str, Any]:
    """Record with every member of its doubt; some are stored only where there are any."""
    document = memory_to_json(memory)
    if document["doubted"] is not None:
        document["doubted"] = {**{name: [] for name in DOUBT_OPTIONAL}, **document["doubted"]}
    return document


_WRITERS: Final[Mapping[Any, Write]] = {
    Memory: _record,
    datetime: rfc3339,
    date: date.isoformat,
}


def _container_writer(origin: Any, arguments: tuple[Any, ...]) -> Write | None:
    if origin in (tuple, list, Sequence):
        return _list_writer(_writer(arguments[0]))
    if origin in (dict, Mapping):
        return _mapping_writer(_writer(arguments[1]))
    return None


def _list_writer(write: Write | None) -> Write:
    return list if write is None else lambda values: [write(value) for value in values]


def _mapping_writer(write: Write | None) -> Write:
    return dict if write is None else lambda values: {key: write(one) for key, one in values.items()}


def _rounded(write: Write | None) -> Write:
    if write is None:
        return lambda number: round(number, DIGITS)
    return lambda answer: {name: round(number, DIGITS) for name, number in write(answer).items()}


@cache
def summary(of: type) -> str | None:
    """First part of a class's docstring, without its sections; None where it has none of its own."""
    text = inspect.cleandoc(of.__doc__ or "")
    if text.startswith(f"{of.__name__}("):  # made by @dataclass
        return None
    return _SECTION.split(text)[0].strip() or None


@cache
def field_words(of: type) -> Mapping[str, str]:
    """Words about each field: those of the section `Args` in a class's docstring, and in those of its bases."""
    found: dict[str, str] = {}
    for one in reversed(of.__mro__):
        for entry in _ENTRY.findall(_arguments(inspect.cleandoc(one.__dict__.get("__doc__") or ""))):
            names, words = entry
            found |= dict.fromkeys(_WORD.findall(names), _sentence(words))
    return found


_SECTION: Final = re.compile(r"(?:^|\s)(?:Args|Returns|Raises|Source):(?=\s)")
_ENTRY: Final = re.compile(r"^    (?P<names>[a-z_`, ]+): (?P<words>.+(?:\n {8,}.+)*)", re.MULTILINE)
_WORD: Final = re.compile(r"[a-z_]+")


def _arguments(text: str) -> str:
    """Entries of the section `Args`, one a line; of a section in one line its one entry."""
    _, _, section = text.partition("Args:")
    own = re.split(r"\n(?=\S)", section)[0]
    return own if own.startswith("\n") else f"    {own.strip()}"


def _sentence(words: str) -> str:
    """Words as a sentence, in one line."""
    line = " ".join(words.split())
    return line[:1].upper() + line[1:]
