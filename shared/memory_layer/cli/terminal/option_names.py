"""Names of request fields on the command line: the options that fill them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Final, get_args, get_origin

from typer.models import ArgumentInfo, OptionInfo

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "at": ("occurred_at",),
    "budget_ms": ("time_ms",),
    "by": ("id",),
    "coherence": ("coherence_score",),
    "contradictions": ("contradiction_rate",),
    "detail": ("lod_preference",),
    "entity": ("entities",),
    "error_pattern": ("error_patterns",),
    "expires": ("expires_at",),
    "file_pattern": ("file_patterns",),
    "keep_both": ("kept_both",),
    "kind": ("event",),
    "named": ("refs",),
    "origin": ("format", "from"),
    "recall": ("recall_id",),
    "receiver": ("url",),
    "run": ("run_id",),
    "satisfaction": ("user_satisfaction",),
    "session": ("session_id",),
    "source": ("source_scope",),
    "tag": ("tags",),
    "tokens": ("tokens_max",),
    "unsealed": ("allow_unsealed",),
    "winner": ("superseded",),
}
"""Fields of requests, and values of them, that a command's parameter fills where their names differ from its own."""

_INDEX: Final = re.compile(r"/\d+(?=/|$)")


@dataclass(frozen=True, slots=True)
class TypedName:
    """Option or argument as it is typed. Args: is_flag: it takes no value."""

    name: str
    is_flag: bool = False


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Options and arguments of a command, by the field that each fills."""

    by_field: Mapping[str, TypedName]

    def __contains__(self, field: str) -> bool:
        return field in self.by_field

    def call(self, pointer: str, value: str | None = None) -> str:
        """Option that fills the field at a pointer such as `/budgets/tokens_max`, with a value to give it.

        An option that stands for the value alone (`--keep-both`) needs none; the path where no option fills the field.
        """
        path = _INDEX.sub("", pointer).removeprefix("/query").lstrip("/")
        outer, _, inner = path.partition("/")
        if inner and outer in self.by_field:
            return f"{self.by_field[outer].name}: {inner}"
        typed = self.by_field.get(path.rsplit("/", 1)[-1]) if path.count("/") <= 1 else None
        if typed is None and value is not None and value in self.by_field:
            return self.by_field[value].name
        if typed is None:
            return pointer.lstrip("/") if value is None else f"{pointer.lstrip('/')}: {value}"
        return typed.name if value is None or typed.is_flag else f"{typed.name} {value}"


NO_OPTIONS: Final = OptionNames({})


def option_names(parameters: Iterable[Parameter]) -> OptionNames:
    """Options and arguments of a command, by the field of a request that each fills."""
    by_field = {one.name: typed for one in parameters if (typed := _typed(one)) is not None}
    fields = {
        field: by_field[name] for name, others in _FIELDS.items() if name in by_field for field in others
    }
    return OptionNames({**by_field, **fields})


def _typed(parameter: Parameter) -> TypedName | None:
    """Parameter as it is typed: `--tag`; an argument as in the help; None: nothing that could be a name."""
    kind, *metadata = (
        get_args(parameter.annotation) if get_origin(parameter.annotation) is Annotated else (None,)
    )
    for one in metadata:
        if isinstance(one, OptionInfo):
            said = (one.default, *(one.param_decls or ()))  # typer takes the first name for a default
            long = [flag for flag in said if isinstance(flag, str) and flag.startswith("--")]
            name = next(iter(long), f"--{parameter.name.replace('_', '-')}").partition("/")[0]
            return TypedName(name, is_flag=bool in (kind, *get_args(kind)))
        if isinstance(one, ArgumentInfo) and one.metavar:
            word = one.metavar.partition("[")[0]  # of ID[@VERSION] the part that there always is
            return TypedName(word) if word.isupper() and word.isalpha() else None
    return None
