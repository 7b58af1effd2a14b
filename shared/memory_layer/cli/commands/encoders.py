"""Commands for the choice of an embedding model: show it, use another one, go back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.commands.model import BUILT_HERE
from memory_layer.cli.commands.model import app as app
from memory_layer.cli.terminal.invocation import AsJson, CommandOutput, Data, print_output
from memory_layer.cli.terminal.next_command import typed_options
from memory_layer.cli.terminal.refusal_text import errors_on_stderr
from memory_layer.cli.terminal.served import settings_here
from memory_layer.cli.terminal.speaker import refuse_agent

if TYPE_CHECKING:
    from memory_layer.bootstrap.model_choice import SwitchedModel
    from memory_layer.settings import EmbeddedSettings


@app.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """The embedding model; without a command: the one in use."""
    if context.invoked_subcommand is None:
        show()


@app.command()
def show(
    data: Data = None,
    url: Annotated[str | None, BUILT_HERE] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Show the model in use, and the encoders that were brought.

    It counts the memories that have its vectors.
    """
    from memory_layer.bootstrap.model_choice import model_status

    with errors_on_stderr(json), typed_options(None, data):
        print_output(CommandOutput(model_status(settings_here(data)), _status_text), json)


@app.command()
def use(
    encoder: Annotated[
        str | None,
        typer.Argument(
            metavar="FOLDER",
            help="An encoder as sentence-transformers exports it to ONNX, with tokenizer.json; or the id of one "
            "brought before.",
        ),
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="Go back to the model that mem model build makes.")
    ] = False,
    graph: Annotated[
        str | None, typer.Option(help="File of the graph below the folder, where there are several.")
    ] = None,
    pooling: Annotated[
        str | None, typer.Option(help="mean, cls, max, last, or none where the graph pools by itself.")
    ] = None,
    pieces: Annotated[
        int | None, typer.Option(min=8, max=8192, help="Pieces of a text that it reads.")
    ] = None,
    question_prefix: Annotated[
        str | None, typer.Option(help="Put before what is asked, such as 'query: '.")
    ] = None,
    memory_prefix: Annotated[
        str | None, typer.Option(help="Put before what is remembered, such as 'passage: '.")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option(min=4, max=4096, help="First dimensions that are kept (Matryoshka).")
    ] = None,
    data: Data = None,
    url: Annotated[str | None, BUILT_HERE] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Use another encoder for a data folder. Its files are copied; what it says itself need not be said here.

    Memories are embedded again in the background, or at once by: mem sweep backfill. Until then they are found by
    their old vectors. It can be taken back at any time: mem model use --own, or the id of another encoder.
    """
    from memory_layer.errors import Invalid

    with errors_on_stderr(json), typed_options(None, data):
        refuse_agent("choosing the embedding model")
        if (encoder is None) != own:
            raise Invalid("name one model: a folder or an id, or --own")
        settings = settings_here(data)
        said = {
            "graph": graph,
            "pooling": pooling,
            "pieces_max": pieces,
            "question_prefix": question_prefix,
            "memory_prefix": memory_prefix,
            "dimensions": dimensions,
        }
        if own and any(value is not None for value in said.values()):
            raise Invalid("the own model has no options; leave them out")
        chosen = _used(settings, encoder, said)
        print_output(CommandOutput(_chosen(settings, chosen), _chosen_text), json)


@app.command()
def rerank(
    cross_encoder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER", help="A cross-encoder exported to ONNX, with tokenizer.json: one score a pair."
        ),
    ] = None,
    first: Annotated[
        int, typer.Option(min=2, max=100, help="How many hits of a recall it reads; each takes its time.")
    ] = 20,
    off: Annotated[bool, typer.Option("--off", help="Go on without a reranker.")] = False,
    data: Data = None,
    url: Annotated[str | None, BUILT_HERE] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Have a cross-encoder put the first hits of each recall in order. None does so by default."""
    from memory_layer.bootstrap.model_choice import use_reranker
    from memory_layer.errors import Invalid

    with errors_on_stderr(json), typed_options(None, data):
        refuse_agent("choosing a reranker")
        if (cross_encoder is None) != off:
            raise Invalid("name a folder, or --off")
        settings = settings_here(data)
        _refuse_beside_server(settings)
        document = {"reranker": use_reranker(settings, cross_encoder, first)}
        print_output(CommandOutput(document, lambda told: _reranker_line(told["reranker"])), json)


def _used(settings: EmbeddedSettings, encoder: str | None, said: Mapping[str, Any]) -> SwitchedModel:
    """Chooses a model; a server is asked to stop only for one that can be used. Raises: Conflict: a server runs."""
    from memory_layer.bootstrap.model_choice import use_encoder, use_own_model

    check = partial(_refuse_beside_server, settings)
    if encoder is not None:
        return use_encoder(settings, encoder, said, _say, check)
    check()
    return use_own_model(settings)


def _reranker_line(told: Mapping[str, Any] | None) -> str:
    return "no reranker" if told is None else f"reranker: {told['model']}, the first {told['first']} hits"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _refuse_beside_server(settings: EmbeddedSettings) -> None:
    """Refuses beside a running server, whose backfill would embed by the model before. Raises: Conflict."""
    from memory_layer.cli.handover.listener import is_served
    from memory_layer.errors import Conflict

    if is_served(settings.data_dir):
        raise Conflict(
            f"a server runs on {settings.data_dir} with the model in use; stop it, choose the model, and start it again"
        )


def _chosen(settings: EmbeddedSettings, chosen: SwitchedModel) -> dict[str, Any]:
    from memory_layer.bootstrap.model_choice import model_counts

    return {"before": chosen.before, **chosen.facts, **model_counts(settings, chosen.model)}


def _chosen_text(told: Mapping[str, Any]) -> str:
    lines = [f"Using {told['model']} ({told['dimensions']} dimensions); before: {told['before']}."]
    lines += _calibration_lines(told)
    waiting = told["memories"] - told["embedded"]
    if waiting:
        lines.append(
            f"{waiting:,} of {told['memories']:,} memories have no vector of it yet: mem serve makes them in the "
            "background, mem sweep backfill at once. Until then they are found as before."
        )
    return "\n".join(lines)


def _status_text(told: Mapping[str, Any]) -> str:
    lines = [f"{told['model']}, {told['dimensions']} dimensions"]
    if "pooling" in told:
        prefixes = f"questions {told['question_prefix']!r}, memories {told['memory_prefix']!r}"
        lines.append(f"pooling {told['pooling']}, {told['pieces_max']:,} pieces; prefixes: {prefixes}")
    lines += _calibration_lines(told)
    lines.append(f"{told['embedded']:,} of {told['memories']:,} memories have its vectors")
    lines += [f"  {count:,} have those of {name}" for name, count in told["others"].items() if name != "none"]
    lines += [_reranker_line(told["reranker"])] if told["reranker"] else []
    lines += [f"brought: {', '.join(told['brought'])}"] if told["brought"] else []
    return "\n".join(lines)


def _calibration_lines(told: Mapping[str, Any]) -> list[str]:
    if "raw_scale" not in told:
        return []
    raw, scale = told["raw_scale"], told["scale"]
    return [
        f"calibrated: {told['mean_taken_off']:.0%} of the mean vector taken off; a question and what does not answer "
        f"it {raw['unasked']:.2f} → {scale['unasked']:.2f}, its answer {raw['answer']:.2f} → {scale['answer']:.2f}, "
        f"near-duplicates {raw['near']:.2f} → {scale['near']:.2f}"
    ]
