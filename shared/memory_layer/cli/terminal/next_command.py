"""Commands that a text names, with the options that the command at hand was given: they run as they are printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

_COMMAND: Final = re.compile(
    r"(?<![\w/.-])mem (?P<path>(?:settings|admin|model|webhook) [a-z]+|[a-z]+(?:-[a-z]+)*)(?! --help)(?=[\s,.:;)]|$)"
)
_NAMES_PROJECT: Final = re.compile(r"[^;,\n]* (?:-p|--project) ")
_NAMES_DATA: Final = re.compile(r"[^;,\n]* --data ")
WITHOUT_PROJECT: Final = frozenset(
    {
        *("sweep", "serve", "token", "console", "doctor", "version", "projects"),
        *("hook", "connect", "disconnect"),
        *("model build", "model show", "model use", "model rerank"),
        *("admin reindex", "admin rollback", "admin sweep", "admin verify"),
        *("admin migrate", "admin doctor", "admin lag", "admin redrive", "admin canary"),
    }
)
WITHOUT_DATA: Final = frozenset(
    {
        *("version", "model build", "admin reindex", "admin sweep", "admin verify"),
        *("admin migrate", "admin doctor", "admin lag", "admin redrive", "admin canary"),
    }
)
"""Commands that do not take the option; all others do."""

_TYPED: ContextVar[tuple[str, str]] = ContextVar("typed", default=("", ""))
"""Options for the project, and for the data folder or the service."""


@contextmanager
def typed_options(project: str | None, data: Path | None, url: str | None = None) -> Iterator[None]:
    """Keeps --project, --data and --url as they were typed, for the commands that come next; None: not typed."""
    options = _option("-p", project), _option("--data", data) + _option("--url", url)
    token = _TYPED.set(options)
    try:
        yield
    finally:
        _TYPED.reset(token)


def _option(name: str, value: str | Path | None) -> str:
    return "" if value is None else f" {name} {shlex.quote(str(value))}"


def runnable(text: str) -> str:
    """Text of the product's own whose commands have the options that were typed."""
    return _COMMAND.sub(_with_options, text) if any(_TYPED.get()) else text


def _with_options(found: re.Match[str]) -> str:
    project, data = _TYPED.get()
    path, rest = found["path"], found.string[found.end() :]
    is_named = path in WITHOUT_PROJECT or _NAMES_PROJECT.match(rest) is not None
    has_data = path in WITHOUT_DATA or _NAMES_DATA.match(rest) is not None
    options = ("" if is_named else project) + ("" if has_data else data)
    return f"{found[0]}{options}"
