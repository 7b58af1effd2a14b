"""Options that several commands share, and the parsing of their times."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, get_args

import typer

from memory_layer.domain import memory as record


def _one_of(choices: Any) -> str:
    return f"One of: {', '.join(get_args(choices))}."


SHOWN = "ID[@VERSION]"
MemoryId = Annotated[
    str, typer.Argument(metavar=SHOWN, help="The memory's id, also with its version, as mem review shows it.")
]
Category = Annotated[
    str | None, typer.Option("--category", "-c", help=f"{_one_of(record.Category)} Default: detected.")
]
Kind = Annotated[
    str | None, typer.Option("--type", "-t", help=f"{_one_of(record.MemoryType)} Default: by the category.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A keyword or a glob; repeat for more.")]
Entities = Annotated[
    list[str] | None, typer.Option("--entity", help="A URN that it is about; repeat for more.")
]
Context = Annotated[str | None, typer.Option(help="Text around it: helps to find it, is never shown as it.")]
Source = Annotated[str | None, typer.Option(help=f"{_one_of(record.Source)} Default: human.")]
Persona = Annotated[str | None, typer.Option(help="Who may see it; default: everyone in the project.")]
OnDuplicate = Annotated[
    str | None,
    typer.Option(
        help="If one says the same or otherwise: ask (refuse and say so; default), merge, create, supersede."
    ),
]
IfVersion = Annotated[int | None, typer.Option(help="Only if this still is the newest version.")]
Seen = Annotated[
    list[str] | None,
    typer.Option(
        "--seen",
        metavar="ID@VERSION",
        help="A memory whose place it takes, as you saw it; repeat for all. Without it: any, as it is by now.",
    ),
]
BackTo = Annotated[
    int | None,
    typer.Option(
        metavar="VERSION",
        help="The version whose status and approval come back; all that changed them since is undone as one.",
    ),
]
OnlyStanding = Annotated[
    str | None,
    typer.Option("--standing", help="trusted: only what people said or approved; unreviewed: only the rest."),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="As it was then: 2026-03-01T12:00:00Z, 2026-03-01, or 2d for two days ago."
    ),
]
NEVER = "never"
SaidAt = Annotated[
    str | None,
    typer.Option(
        "--said-at",
        metavar="TIME",
        help="When it was said, which tells the date of its yesterday: 2d, 2026-03-01; default: now.",
    ),
]
Expires = Annotated[
    str | None,
    typer.Option(
        "--expires",
        metavar="TIME",
        help=f"When it goes: 30d from now, 2026-03-01, 2026-03-01T12:00:00Z, or {NEVER}; default: by the type.",
    ),
]
FilterValues = dict[str, Any] | None
"""Filters that a command was given, by name; no option of its own."""

PageLimit = Annotated[int | None, typer.Option("--limit", "-n", help="1 to 200; default 50.")]
PageCursor = Annotated[str | None, typer.Option("--cursor", help="Where the last page ended.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")]
Reason = Annotated[str | None, typer.Option(help="Why; kept in the history.")]

_SPAN = re.compile(r"(\d{1,6})(m|h|d|w)", re.ASCII)
_DAYS_AWAY = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SPAN_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DATED = re.compile(r"\d{4}-", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def with_shown_version(given: Mapping[str, Any], *, reads: bool) -> dict[str, Any]:
    """Options of a command, the version of an `ID@VERSION` as its `--if-version`.

    Args:
        given: of a command about the memory `id`.
        reads: the command changes nothing, and shows the version that there is by now.

    Raises:
        Invalid: the version is no number, not that of `--if-version`, or of no use to the command.
    """
    id, mark, said = given["id"].partition("@")
    if not mark:
        return {**given, "id": id}
    version = version_said(id, said)
    if reads:
        return {**given, "id": id}
    from memory_layer.errors import Invalid

    if given.get("if_version", version) not in (None, version):
        raise Invalid(f"@{version} and --if-version {given['if_version']} are two versions; give one")
    if "if_version" not in given:
        raise Invalid(f"a version is of no use here: leave @{said} out")
    return {**given, "id": id, "if_version": version}


def version_said(id: str, said: str) -> int:
    """Version behind the @ of an `ID@VERSION`. Raises: Invalid: it is no number."""
    from memory_layer.errors import Invalid

    if not said.isdecimal() or len(said) >= 10:
        raise Invalid(f"{id}@{said}: a version is a number, as in {id}@3")
    return int(said)


def time_ago(text: str | None, now: datetime, pointer: str = "/as_of") -> str | None:
    """Past time of an option as the API takes it: `2d` and `yesterday` lie back, days are of UTC, all else stays.

    Raises:
        Invalid: it is neither a date nor a span.
    """
    return _time(text, now, -1, pointer)


def time_ahead(text: str | None, now: datetime) -> str | None:
    """Time as in `time_ago`, but in the future."""
    return _time(text, now, 1, "/expires_at")


def _time(text: str | None, now: datetime, direction: int, pointer: str) -> str | None:
    if text is None or _DATED.match(text):
        return f"{text}T00:00:00Z" if text and _DAY.fullmatch(text) else text
    if text in _DAYS_AWAY:
        day = (now + timedelta(_DAYS_AWAY[text])).date()
        return f"{day.isoformat()}T00:00:00Z"
    span = _SPAN.fullmatch(text.removesuffix(" ago"))
    try:
        if span:
            return (now + direction * timedelta(**{_SPAN_UNITS[span[2]]: int(span[1])})).isoformat()
    except OverflowError:
        pass
    from memory_layer.errors import Invalid

    raise Invalid.at(
        pointer, f"{text!r} is no time; say 2026-03-01T12:00:00Z, 2026-03-01, yesterday or 2d (m, h, d, w)"
    )
