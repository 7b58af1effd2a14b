"""Operators' commands: for a deployment on AWS, with their own credentials, and for a data folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.commands import deployment
from memory_layer.cli.commands.deployment import Region, Url, rebuild_there, require_aws
from memory_layer.cli.terminal.invocation import AsJson, CommandOutput, Data, print_output
from memory_layer.cli.terminal.refusal_text import errors_on_stderr
from memory_layer.manifest import env

if TYPE_CHECKING:
    from memory_layer.bootstrap.aws import AwsBackend
    from memory_layer.manifest.index import SearchedIndex

app = typer.Typer(no_args_is_help=True)
app.add_typer(deployment.app)


@app.callback()
def about() -> None:
    """Repair a deployment on AWS, or a data folder.

    A deployment is named by its stack: --stack memory-layer-prod. doctor and migrate take the variables of its
    function reindex from the environment; docs/guides/deployer.md says how to read them. docs/runbook.md has a page
    for each alarm.
    """


@app.command()
def reindex(
    stack: Annotated[
        str | None,
        typer.Option(
            "--stack",
            metavar="NAME",
            help="The deployment; without it the environment has to name every part of one.",
        ),
    ] = None,
    region: Region = None,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Build the search index anew from the records. Recalls go to it once it is whole.

    Writes go on meanwhile. Stopped half-way it goes on from there the next time.
    """
    if stack is not None:
        return rebuild_there(stack, region, json)
    with errors_on_stderr(json):
        cloud = _cloud(by_stack="name the deployment by --stack, such as memory-layer-prod; without it ")
        report = cloud.rebuild()
        while not report.is_done:
            print(report, file=sys.stderr)
            report = cloud.rebuild()
        print_output(CommandOutput(asdict(report), lambda _: str(report)), json)


@app.command()
def migrate(
    index: Annotated[str, typer.Argument(help="segments or domain: the index that shall be searched")],
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Fill the other index of a deployment that has both.

    It can be searched from then on. Writes go on meanwhile, to both. Deploy with -c index=segments,domain (or
    domain,segments) before, and once this is done with the order turned around: the first is searched.
    Stopped half-way it goes on the next time.
    """
    with errors_on_stderr(json):
        wanted = _index_named(index)
        cloud = _cloud(has_both=True)
        report = cloud.fill(wanted)
        while not report.is_done:
            print(report, file=sys.stderr)
            report = cloud.fill(wanted)
        print_output(CommandOutput(asdict(report), lambda _: _filled(report, wanted)), json)


def _filled(report: Any, index: SearchedIndex) -> str:
    other = "domain" if index == "segments" else "segments"
    more = "".join(f"\nNot indexed: {id} ({why})." for id, why in report.refused.items())
    return (
        f"{report.index} has {report.records} records of {report.projects} projects; every write goes to it.{more}\n"
        f"Deploy with -c index={index},{other} to search it; later with -c index={index}, which lets the other go."
    )


def _index_named(name: str) -> SearchedIndex:
    from memory_layer.errors import Invalid

    if name not in ("segments", "domain"):
        raise Invalid(f"{name} is no index; there are: segments, domain")
    return "segments" if name == "segments" else "domain"


@app.command()
def doctor(
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Tell what an operator has to do for the index.

    It names projects that are too large for it, or damaged.
    """
    with errors_on_stderr(json):
        findings = _cloud().index_findings()
        print_output(
            CommandOutput({"findings": findings}, lambda _: "\n".join(findings) or "nothing to do"), json
        )


@app.command()
def rollback(
    data: Data = None,
    url: Url = None,  # noqa: ARG001 it is refused
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


NEEDED = (env.RECORDS_TABLE, env.BLOBS_BUCKET)
OF_A_DOMAIN = (env.SEARCH_ENDPOINT, env.SEARCH_ENGINE, env.SEARCH_SHARDS, env.SEARCH_REPLICAS)
"""Variables without which an index would be built by defaults, and without the words of warm memories."""


WHERE_THEY_ARE = (
    "the deployment's function reindex has them all: aws lambda get-function-configuration tells the Environment of "
    "the function that its stacks' output ReindexFunction names"
)


def _missing(has_both: bool) -> str:
    """Variables that are not set: a deployment without a search domain has a bucket of segments; a move needs both."""
    environ = os.environ
    names: tuple[str, ...] = NEEDED
    either = ""
    if has_both:
        names = (*NEEDED, *OF_A_DOMAIN, env.SEGMENTS_BUCKET)
    elif environ.get(env.SEARCH_ENDPOINT):
        names = (*NEEDED, *OF_A_DOMAIN)
    elif not environ.get(env.SEGMENTS_BUCKET):
        names = (*NEEDED, *OF_A_DOMAIN)
        either = f" (without a search domain {env.SEGMENTS_BUCKET} in place of MEMORY_LAYER_SEARCH_…)"
    missing = [name for name in names if not environ.get(name)]
    return f"{', '.join(missing)}{either}" if missing else ""


def _cloud(*, by_stack: str = "", has_both: bool = False) -> AwsBackend:
    """Backend that the environment names.

    Args:
        by_stack: beginning of a refusal, of a command that takes --stack as well.
        has_both: it needs both indexes.

    Raises:
        Unavailable: a library or a variable is missing.
    """
    require_aws()
    from memory_layer.bootstrap.aws import AwsBackend
    from memory_layer.errors import Unavailable
    from memory_layer.settings import read_aws_settings

    missing = _missing(has_both)
    if missing:
        raise Unavailable(
            f"{by_stack}the environment has to name each part of the deployment, and lacks {missing}; {WHERE_THEY_ARE}"
        )
    return AwsBackend(read_aws_settings())
