"""Operators' commands: for a deployment on AWS, with their own credentials, and for a data folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.terminal.invocation import AsJson, CommandOutput, Data, print_output
from memory_layer.cli.terminal.refusal_text import errors_on_stderr
from memory_layer.cli.terminal.service import works_here_alone

if TYPE_CHECKING:
    from memory_layer.bootstrap.aws import AwsBackend

app = typer.Typer(no_args_is_help=True)

BY_OPERATORS = works_here_alone(
    "operators repair a deployment with its own credentials, and a folder where it lies"
)


@app.callback()
def about() -> None:
    """Repair a deployment on AWS, or a data folder.

    MEMORY_LAYER_RECORDS_TABLE and MEMORY_LAYER_SEARCH_ENDPOINT name the deployment.
    """


@app.command()
def reindex(
    url: Annotated[str | None, BY_OPERATORS] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Build the search index anew from the records. Recalls go to it once it is whole.

    Writes go on meanwhile. Stopped half-way it goes on from there the next time.
    """
    with errors_on_stderr(json):
        cloud = _cloud()
        report = cloud.rebuild()
        while not report.is_done:
            print(report, file=sys.stderr)
            report = cloud.rebuild()
        print_output(CommandOutput(asdict(report), lambda _: str(report)), json)


@app.command()
def rollback(
    data: Data = None,
    url: Annotated[str | None, BY_OPERATORS] = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Go back to the database as it was before the last migration. The one that is there is set aside.

    Refused while a server has it open. Memories written since are in the file that is set aside.
    """
    with errors_on_stderr(json):
        from datetime import UTC, datetime

        from memory_layer.bootstrap.storage import go_back
        from memory_layer.settings import read_settings

        went = go_back(read_settings(data_dir=data), datetime.now(UTC))
        print_output(CommandOutput(went, _went_back), json)


def _went_back(went: Mapping[str, Any]) -> str:
    return (
        f"the database has schema {went['schema']} again; what it was is in {went['set_aside']}\n"
        "start the version of memory-layer that wrote it: this one would migrate it again\n"
        "what was erased since is there again: erase it once more"
    )


def _cloud() -> AwsBackend:
    from memory_layer.bootstrap.aws import AwsBackend
    from memory_layer.errors import Unavailable
    from memory_layer.manifest import env
    from memory_layer.settings import read_aws_settings

    if find_spec("botocore") is None or find_spec("opensearchpy") is None:
        raise Unavailable("the libraries for AWS are missing; run: pip install 'memory-layer[local,aws]'")
    settings = read_aws_settings()
    if not settings.records_table or not settings.search_endpoint:
        raise Unavailable(
            f"set {env.RECORDS_TABLE} and {env.SEARCH_ENDPOINT} to the deployment's outputs "
            "RecordsTableName and SearchEndpoint (with https://)"
        )
    return AwsBackend(settings)
