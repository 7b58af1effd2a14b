"""Operators' commands for a deployment on AWS, found by its stack: the same functions run that the clock calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.commands.sweep import sweep_run_text
from memory_layer.cli.terminal.invocation import AsJson, CommandOutput, print_output
from memory_layer.cli.terminal.refusal_text import REFUSED, errors_on_stderr
from memory_layer.cli.terminal.service import works_here_alone
from memory_layer.manifest.stacks import FAILURE_QUEUES

if TYPE_CHECKING:
    from memory_layer.bootstrap.deployed import Deployment

app = typer.Typer()

Stack = Annotated[
    str,
    typer.Option(
        "--stack", metavar="NAME", help="The deployment, such as memory-layer-prod; found by its stacks."
    ),
]
Region = Annotated[str | None, typer.Option("--region", help="Its region; default: that of the AWS profile.")]
BY_OPERATORS = works_here_alone(
    "operators repair a deployment with its own credentials, and a folder where it lies"
)
Url = Annotated[str | None, BY_OPERATORS]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only look; change nothing.")]

INDEX_LAG_S = 60
"""Lag from which on the index is behind: the threshold of the alarm `IndexLag`."""


@contextmanager
def opened(stack: str, region: str | None, is_json: bool) -> Iterator[Deployment]:
    """Deployment of a stack; refusals go to stderr."""
    with errors_on_stderr(is_json):
        from memory_layer.bootstrap.deployed import Deployment
        from memory_layer.settings import read_aws_settings

        require_aws()
        yield Deployment(stack, region, read_aws_settings().endpoint)


def require_aws() -> None:
    """Checks that the libraries for AWS are installed. Raises: Unavailable"""
    from memory_layer.errors import Unavailable

    if find_spec("botocore") is None or find_spec("opensearchpy") is None:
        raise Unavailable("the libraries for AWS are missing; run in a checkout: pip install '.[local,aws]'")


def rebuild_there(stack: str, region: str | None, is_json: bool) -> None:
    """Has the function `reindex` run until the index is whole, with the deployment's engine, shards and replicas."""
    with opened(stack, region, is_json) as deployment:
        report = deployment.rebuild()
        while not report.is_done:
            print(report, file=sys.stderr)
            report = deployment.rebuild()
        print_output(CommandOutput(asdict(report), lambda _: str(report)), is_json)


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(help="The sweep, such as reconcile; mem sweep shows them.")],
    stack: Stack,
    region: Region = None,
    dry_run: DryRun = False,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Run a sweep of a deployment now, over all its projects.

    Its function `sweep` runs it.
    """
    with opened(stack, region, json) as deployment:
        report = _swept(deployment, name, dry_run)
        print_output(CommandOutput(report, _sweep_text), json)


def _swept(deployment: Deployment, name: str, is_dry_run: bool) -> dict[str, Any]:
    """Last report of a sweep that is run until it is complete; a dry run begins anew each time, and is run once."""
    event = {"sweep": name, "dry_run": is_dry_run}
    report: dict[str, Any] = deployment.call("sweep", event)
    while not (report.get("running") or report.get("complete") or is_dry_run):
        print(_sweep_text(report), file=sys.stderr)
        report = deployment.call("sweep", event)
    return report


def _sweep_text(report: Mapping[str, Any]) -> str:
    if report.get("running"):
        return f"sweep {report['sweep']} runs already; ask again later"
    return sweep_run_text(report)


@app.command()
def verify(
    stack: Stack,
    region: Region = None,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Read everything of a deployment against its digests.

    The index is held against the table. The sweep verify heals what has a sound copy; the index is only looked at: the
    sweep reconcile brings it right.
    """
    with opened(stack, region, json) as deployment:
        done = {"verify": _swept(deployment, "verify", False), "index": _swept(deployment, "reconcile", True)}
        is_sound = not any(report.get("failed_count") for report in done.values())
        print_output(CommandOutput(done, _verified), json)
    if not is_sound:
        raise typer.Exit(REFUSED)


def _verified(done: Mapping[str, Any]) -> str:
    return "\n".join(_sweep_text(report) for report in done.values())


@app.command()
def lag(
    stack: Stack,
    region: Region = None,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Say how far the index is behind, and what waits in queues.

    Queues hold what failed. Exit code 1: the index is over a minute behind, or something lies there.
    """
    with opened(stack, region, json) as deployment:
        from datetime import UTC, datetime

        queues = {name: asdict(depth) for name, depth in deployment.depths().items()}
        lags = deployment.lag(datetime.now(UTC))
        document = {**lags, "failure_queues": queues}
        print_output(CommandOutput(document, _lag_text), json)
    if (lags["index_lag_s"] or 0) >= INDEX_LAG_S or any(one["waiting"] for one in queues.values()):
        raise typer.Exit(REFUSED)


def _lag_text(document: Mapping[str, Any]) -> str:
    lags = [
        f"index lag        {_seconds(document['index_lag_s'])}",
        f"iterator age     {_seconds(document['iterator_age_s'])}",
    ]
    depths = [
        f"{name:<16} {depth['waiting']} of {FAILURE_QUEUES.get(name, 'what failed')}"
        for name, depth in document["failure_queues"].items()
    ]
    return "\n".join([*lags, *depths])


def _seconds(lag: float | None) -> str:
    return "not told in the last 15 minutes" if lag is None else f"{lag:.1f} s"


@app.command()
def redrive(
    stack: Stack,
    queue: Annotated[
        str | None, typer.Argument(help=f"The queue: {', '.join(FAILURE_QUEUES)}; default: all.")
    ] = None,
    region: Region = None,
    most: Annotated[int, typer.Option(min=1, help="Messages of a queue to look at.")] = 1_000,
    drop: Annotated[
        bool, typer.Option("--drop", help="Delete what is of no use to send again; it is named first.")
    ] = False,
    dry_run: DryRun = False,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Send again what failed, each message to where it was meant for.

    A message is deleted once it is taken over. Exit code 1: some are still there.
    """
    with opened(stack, region, json) as deployment:
        if dry_run:
            depths = {name: asdict(depth) for name, depth in deployment.depths().items()}
            return print_output(CommandOutput(depths, _depths_text), json)
        names = [queue] if queue else list(deployment.stack.failure_queues)
        reports = [asdict(deployment.redrive(name, most, is_dropping=drop)) for name in names]
        is_left = any(report["kept"] for report in reports)
        print_output(CommandOutput({"queues": reports}, _redriven), json)
    if is_left:
        raise typer.Exit(REFUSED)


def _depths_text(depths: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {depth['waiting']} wait" for name, depth in depths.items())


def _redriven(document: Mapping[str, Any]) -> str:
    lines = []
    for report in document["queues"]:
        dropped = f", dropped {report['dropped']}" if report["dropped"] else ""
        lines.append(f"{report['queue']}: sent {report['sent']}{dropped}, kept {len(report['kept'])}")
        lines += [f"  {id}: {reason}" for id, reason in report["kept"].items()]
    return "\n".join(lines)


@app.command()
def canary(
    stack: Stack,
    region: Region = None,
    url: Url = None,  # noqa: ARG001 it is refused
    json: AsJson = False,
) -> None:
    """Have a deployment remember, recall and forget something.

    Its canary does the same every five minutes.
    """
    with opened(stack, region, json) as deployment:
        report = deployment.call("canary", {})
        print_output(CommandOutput(report, _canary_text), json)
    if report["failed"]:
        raise typer.Exit(REFUSED)


def _canary_text(report: Mapping[str, Any]) -> str:
    steps = [f"{step['name']:<10} {step['ms']:.0f} ms  {step['error'] or 'ok'}" for step in report["steps"]]
    return "\n".join(steps)
