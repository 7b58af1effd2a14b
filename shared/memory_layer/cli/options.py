"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from memory_layer.domain import memory as record

if TYPE_CHECKING:
    pass


def _one_of(choices: Any) -> str:
    return f"One of: {', '.join(get_args(choices))}."


MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]
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
    str | None, typer.Option(help="If it is known already: ask (refuse and say so; default), merge, create.")
]
IfVersion = Annotated[int | None, typer.Option(help="Only if this still is the newest version.")]
AsOf = Annotated[
    str | None, typer.Option(metavar="TIME", help="As it was then, such as 2026-03-01T12:00:00Z.")
]
Reason = Annotated[str | None, typer.Option(help="Why; kept in the history.")]
