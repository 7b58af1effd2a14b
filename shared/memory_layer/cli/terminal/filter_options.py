"""Options for every filter of the domain, derived from it, so that a terminal offers what HTTP does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_type_hints

import typer

from memory_layer.cli.terminal.options import time_ago
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory

_NOT_OFFERED: Final = ("status", "is_approved", "is_doubted", "pinned")
"""Filters that a command offers in a form of its own, or not at all."""

OPTION_OF: Final[Mapping[str, str]] = {"tags": "tag", "entities": "entity", "session_id": "session"}
"""Options that are called otherwise than their filter."""

_SHORT: Final[Mapping[str, tuple[str, ...]]] = {"category": ("--category", "-c"), "type": ("--type", "-t")}


Body = TypeVar("Body", bound=Callable[..., Any])


def with_filters(body: Body) -> Body:
    """Command's function with an option for each filter that is none of its own; it gets them as `filters`."""
    own = list(inspect.signature(body, eval_str=True).parameters.values())
    own = [parameter for parameter in own if parameter.name != "filters"]
    added = filter_parameters({parameter.name for parameter in own})

    @wraps(body)
    def run(call: Any, **given: Any) -> Any:
        asked = {name: given.pop(one.name, None) for name, one in added.items()}
        return body(call, **given, filters=given_filters(asked, call.now))

    run.__signature__ = inspect.Signature([*own, *added.values()])  # type: ignore[attr-defined]
    return cast(Body, run)


def filter_parameters(offered: Collection[str]) -> dict[str, inspect.Parameter]:
    """Parameters of a command for the filters that it does not offer itself, by filter. Args: offered: its own."""
    hints = get_type_hints(Filters)
    names = {one.name: OPTION_OF.get(one.name, one.name) for one in fields(Filters)}
    return {
        name: _parameter(name, option, hints[name])
        for name, option in names.items()
        if name not in _NOT_OFFERED and option not in offered
    }


def _parameter(name: str, option: str, hint: Any) -> inspect.Parameter:
    typed = typer.Option(*_SHORT.get(name, ()), **_words(name, hint))
    kind = Annotated[_kind(hint), typed]  # type: ignore[valid-type]
    return inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _kind(hint: Any) -> Any:
    if hint == tuple[str, ...]:
        return list[str] | None
    return (float if float in get_args(hint) else str) | None


def _words(name: str, hint: Any) -> dict[str, Any]:
    """Help of an option: the values, where these are few."""
    if datetime in get_args(hint):
        return {"metavar": "TIME", "help": "2026-03-01T12:00:00Z, 2026-03-01, or 2d for two days ago."}
    if float in get_args(hint):
        return {"help": "0 to 1."}
    few = _choices(get_type_hints(Memory).get(name, hint))
    return {"help": f"Any of: {', '.join(few)}." if few else "Any of these; repeat for more."}


def _choices(hint: Any) -> list[str]:
    options = [value for one in (hint, *get_args(hint)) for value in get_args(one) or (one,)]
    return list(dict.fromkeys(one for one in options if isinstance(one, str)))


def given_filters(given: Mapping[str, Any], now: Callable[[], datetime]) -> dict[str, Any]:
    """Filters as a request takes them; times as `options.time_ago`. Args: given: values of the options, by filter."""
    times = {name for name, hint in get_type_hints(Filters).items() if datetime in get_args(hint)}
    return {
        name: time_ago(value, now(), f"/{name}") if name in times else value
        for name, value in given.items()
        if value is not None and value != []
    }
