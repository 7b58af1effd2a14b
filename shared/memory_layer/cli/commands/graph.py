"""Commands for the graph: the surroundings of one entity, and enrichment of a response."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import graph_text
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.refusal_text import printable
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()

ENRICHED_MAX_BYTES = 4 * 1024 * 1024
"""Largest response to enrich: as large as a request to the server may be."""


@command(app, served="reads")
def graph(
    call: Invocation,
    entity: Annotated[
        str,
        typer.Argument(
            metavar="ENTITY", help="A URN, a name or path as memories write it, or a memory's id."
        ),
    ],
    hops: Annotated[
        int, typer.Option(min=1, max=3, help="Ties from it: 2 goes by what its memories name to theirs.")
    ] = 1,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=2_000, help="The nearest so many.")] = 50,
) -> CommandOutput:
    """Show what hangs together with an entity or a memory. The nearest comes first."""
    from memory_layer.cli.terminal.empty_project import tell_if_empty

    asked = Asked("explore_graph", query={"entity": entity, "hops": hops, "limit": limit})
    document = call.answer(asked, lambda here: _surroundings(here, entity, hops, limit))
    if not document["edges"]:
        tell_if_empty(call)
    return CommandOutput(document, graph_text.graph, aside=printable(document.get("note", "")))


def _surroundings(here: FolderCall, entity: str, hops: int, limit: int) -> dict[str, Any]:
    from memory_layer.edge.shapes.graph_bodies import graph_json
    from memory_layer.usecases.recall.explore_graph import explore_graph

    explored = explore_graph(here.ports, here.principal, here.project, entity, hops=hops, limit=limit)
    return graph_json(explored, here.project, entity, hops)


@command(app)
def enrich(
    call: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A tool's response: JSON or text.")],
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="1 to 50 memories; default 10.")] = None,
    tokens: Annotated[
        int | None,
        typer.Option(help="Of the block at most, four characters a token; 1 to 32,000; default 2,000."),
    ] = None,
) -> CommandOutput:
    """Print what is known of the URNs in a response. It is a block to put beside it."""
    from memory_layer.cli.terminal.empty_project import tell_if_empty

    said = given(payload=_payload(file), limit=limit, tokens_max=tokens)
    document = call.answer(Asked("enrich", body=said), lambda here: _enriched(here, said))
    if document["unknown"] and not document["found"]:
        tell_if_empty(call)
    return CommandOutput(document, graph_text.enrichment_block, aside=graph_text.enrichment_notes(document))


def _enriched(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.graph_bodies import EnrichQuery, enriched_json
    from memory_layer.usecases.recall.enrich import enrich

    body = validated(EnrichQuery, said)
    bounds = {"limit": body.limit, "tokens_max": body.tokens_max}
    return enriched_json(enrich(here.ports, here.principal, here.project, body.payload, **bounds))


def _payload(file: str) -> Any:
    """Response as JSON where it is JSON, else as text: URNs are found in either.

    Raises:
        Invalid: it cannot be read, or is too long.
    """
    from memory_layer.errors import Invalid

    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            read = source.read(ENRICHED_MAX_BYTES + 1)
    except OSError as error:
        raise Invalid.at("/payload", f"{file} cannot be read: {error.strerror}") from error
    if len(read) > ENRICHED_MAX_BYTES:
        raise Invalid.at("/payload", f"{file} is longer than {ENRICHED_MAX_BYTES:,} bytes; send a part of it")
    text = read.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (
        ValueError,
        RecursionError,
    ):  # not JSON, or nested too deeply for it: as text it is searched all the same
        return text
