"""Names of request fields on the command line: the options that fill them."""

import re
from collections.abc import Iterable, Mapping
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
    "kind": ("event",),
    "recall": ("recall_id",),
    "run": ("run_id",),
    "satisfaction": ("user_satisfaction",),
    "session": ("session_id",),
    "source": ("source_scope", "from"),
    "tag": ("tags",),
    "tokens": ("tokens_max",),
}
"""Fields of requests that a command's parameter fills, where their names differ from its own."""

_FIELD: Final = re.compile(r"\b(?P<field>[a-z]+(?:_[a-z]+)+)\b(?P<gives>: (?=[a-z]))?")
"""Field name that is no plain word, so that it can be told from the prose around it."""

_INDEX: Final = re.compile(r"/\d+(?=/|$)")


def option_names(parameters: Iterable[Parameter]) -> Mapping[str, str]:
    """Option or argument that fills each field of a request, by field."""
    by_field = {one.name: name for one in parameters if (name := _typed(one)) is not None}
    fields = {
        field: by_field[name] for name, others in _FIELDS.items() if name in by_field for field in others
    }
    return {**by_field, **fields}


def _typed(parameter: Parameter) -> str | None:
    """Parameter as it is typed: `--tag`; an argument as in the help; None: nothing that could be a name."""
    metadata = get_args(parameter.annotation)[1:] if get_origin(parameter.annotation) is Annotated else ()
    for one in metadata:
        if isinstance(one, OptionInfo):
            long = [flag for flag in one.param_decls or () if flag.startswith("--")]
            return next(iter(long), f"--{parameter.name.replace('_', '-')}")
        if isinstance(one, ArgumentInfo) and one.metavar and one.metavar.isupper() and one.metavar.isalpha():
            return one.metavar
    return None


def option_of_field(pointer: str, by_field: Mapping[str, str]) -> str:
    """Option that a pointer such as `/budgets/tokens_max` points to; the path itself where no option fills it."""
    path = _INDEX.sub("", pointer).lstrip("/")
    outer, _, inner = path.partition("/")
    if inner and outer in by_field:
        return f"{by_field[outer]}: {inner}"
    return (path.count("/") <= 1 and by_field.get(path.rsplit("/", 1)[-1])) or pointer.lstrip("/")


def with_options(sentence: str, by_field: Mapping[str, str]) -> str:
    """Sentence with each field's option in its place."""

    def as_option(match: re.Match[str]) -> str:
        option = by_field.get(match["field"])
        return match[0] if option is None else f"{option} " if match["gives"] else option

    return _FIELD.sub(as_option, sentence)
