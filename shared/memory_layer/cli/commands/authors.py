"""Command for authors whose lines were judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing.author_text import authors_table
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import done_now, given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app, served="writes")
def authors(
    call: Invocation,
    reset: Annotated[
        str | None, typer.Option(metavar="AUTHOR", help="Begin the record of this one anew: its name or id.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="With --reset: why.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show whose lines were found wrong, or reset one's record.

    It tells how much lower what they write ranks for it.
    """
    if reset is None and reason is not None:
        raise typer.BadParameter("say whose record begins anew: --reset AUTHOR")
    if reset is None:
        shown = _listed(call, limit, cursor)
        if not shown["authors"]:
            tell_if_empty(call)
        return CommandOutput(shown, authors_table)
    id, said = _named(_listed(call, 200, None), reset), given(reason=reason)
    asked = Asked("reset_author", {"author": id}, body=said)
    done = call.answer(asked, lambda here: _reset(here, id, said))
    return CommandOutput(done, lambda one: authors_table({"authors": [one], "next_cursor": None}))


def _listed(call: Invocation, limit: int, cursor: str | None) -> dict[str, Any]:
    asked = Asked("list_authors", query={"limit": limit, "cursor": cursor})
    document: dict[str, Any] = call.answer(asked, lambda here: _page(here, limit, cursor))
    return document


def _page(here: FolderCall, limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.author_answers import authors_json
    from memory_layer.usecases.review.author_standing import list_authors

    bound_to = ["authors", here.project]
    after = decode_cursor(cursor, bound_to)
    page = list_authors(here.ports, here.principal, here.project, after=after, limit=limit)
    return authors_json(page.authors, encode_cursor(page.next_key, bound_to))


def _named(document: Mapping[str, Any], named: str) -> str:
    """Id of the author of a name or an id. Raises: NotFound: there is none. Conflict: there are two."""
    from memory_layer.errors import Conflict, NotFound

    ids = [one["id"] for one in document["authors"] if named in (one["id"], one["author"])]
    if not ids:
        raise NotFound(f"nothing is kept of an author {named}; see of whom: mem authors")
    if len(ids) > 1:
        raise Conflict(f"an agent and an end user are called {named}; name one by its id: {', '.join(ids)}")
    return str(ids[0])


def _reset(here: FolderCall, id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.author_answers import author_json
    from memory_layer.edge.shapes.requests import Reason
    from memory_layer.usecases.review.author_standing import reset_author

    reason = validated(Reason, said).reason
    return author_json(done_now(reset_author(here.ports, here.principal, here.project, id, reason=reason)))
