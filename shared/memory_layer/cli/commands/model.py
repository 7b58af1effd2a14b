"""Commands for the embedding model: build it, or offer to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal.invocation import (
    AsJson,
    CommandOutput,
    FolderCall,
    print_output,
)
from memory_layer.cli.terminal.refusal_text import errors_on_stderr
from memory_layer.cli.terminal.service import works_here_alone

if TYPE_CHECKING:
    from memory_layer.errors import EmbedderUnavailable
    from memory_layer.ports.process import Embedder
    from memory_layer.settings import EmbeddedSettings

app = typer.Typer()

BUILD = "mem model build"

BUILT_HERE = works_here_alone("the model is built for this machine; a server has its own")


@app.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Build it anew even if it is whole.")] = False,
    url: Annotated[str | None, BUILT_HERE] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Fetch the weights, verify them, make the int8 model of them."""
    from memory_layer.bootstrap.embedded import build_embedding_model
    from memory_layer.settings import read_settings

    with errors_on_stderr(json):
        folder = build_embedding_model(read_settings(), _say, force=force)
        print_output(CommandOutput({"folder": str(folder)}, lambda _: ""), json)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def offer_model(call: FolderCall) -> None:
    """Offers a person to build a missing model at the first start, else says what recall does without it."""
    unusable = _unusable(call.ports.embedder)
    if unusable is None:
        return
    if is_interactive() and call.is_first_start and not call.is_json and _can_be_built(unusable):
        build_if_wanted(call.ports.embedder, call.settings)
    else:
        _say(f"Going on by words alone: {unusable.detail}")


def is_interactive() -> bool:
    """Tells if a person sits at both ends."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def build_if_wanted(embedder: Embedder, settings: EmbeddedSettings) -> None:
    """Asks, then builds; a failed build is reported, and holds nothing up."""
    from memory_layer.bootstrap.embedded import build_embedding_model
    from memory_layer.errors import EmbedderUnavailable

    unusable = _unusable(embedder)
    if unusable is None or not _can_be_built(unusable):
        return
    _say(f"{unusable.detail[0].upper()}{unusable.detail[1:]}")
    question = (
        "Build it now? It takes a minute and fetches about 85 MB; without it recall goes by words alone."
    )
    if not typer.confirm(question, default=True, err=True):
        return
    try:
        build_embedding_model(settings, _say)
    except EmbedderUnavailable as error:
        _say(f"Going on by words alone: {error.detail}")


def _can_be_built(unusable: EmbedderUnavailable) -> bool:
    """False of an encoder that a user brought: only they can bring it again."""
    return BUILD in unusable.detail


def _unusable(embedder: Embedder) -> EmbedderUnavailable | None:
    """Reason why nothing can be embedded; None for a usable model, which the check loads."""
    from memory_layer.errors import EmbedderUnavailable

    try:
        embedder.embed(["ready?"])
    except EmbedderUnavailable as error:
        return error
    return None
