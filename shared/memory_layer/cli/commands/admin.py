"""Operators' commands for a deployment on AWS, with their own credentials."""

from __future__ import annotations

import sys
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import typer

from memory_layer.cli.terminal.invocation import AsJson, CommandOutput, errors_on_stderr, print_output

if TYPE_CHECKING:
    from memory_layer.bootstrap.aws import AwsBackend

app = typer.Typer(no_args_is_help=True)


@app.callback()
def about() -> None:
    """A deployment on AWS. MEMORY_LAYER_RECORDS_TABLE and MEMORY_LAYER_SEARCH_ENDPOINT name it."""


@app.command()
def reindex(json: AsJson = False) -> None:
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


def _cloud() -> AwsBackend:
    from memory_layer.bootstrap.aws import AwsBackend
    from memory_layer.errors import Unavailable
    from memory_layer.manifest import env
    from memory_layer.settings import read_aws_settings

    if find_spec("botocore") is None or find_spec("opensearchpy") is None:
        raise Unavailable("the libraries for AWS are missing; run: pip install 'memory-layer[aws]'")
    settings = read_aws_settings()
    if not settings.records_table or not settings.search_endpoint:
        raise Unavailable(
            f"set {env.RECORDS_TABLE} and {env.SEARCH_ENDPOINT} to the deployment's outputs "
            "RecordsTableName and SearchEndpoint (with https://)"
        )
    return AwsBackend(settings)
