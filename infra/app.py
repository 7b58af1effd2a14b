"""CDK app: `npx aws-cdk deploy` calls it, and `python -m infra.app -c profile=dev` writes cdk.out by itself."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from infra.errors import BadDeployment
from infra.node import require_node

ROOT: Final = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Synthesises, or says in one sentence why not."""
    try:
        context = _context(arguments)
        require_node()
        from infra.build import synthesise  # aws_cdk starts Node as it loads

        assembly = synthesise(ROOT, context, outdir=_outdir(), default_region=_region(os.environ))
    except BadDeployment as error:
        sys.exit(f"This cannot be deployed: {error}")
    print(
        f"Templates are in {os.path.relpath(assembly.directory)}: {', '.join(s.stack_name for s in assembly.stacks)}"
    )


def _context(arguments: Sequence[str] | None) -> dict[str, Any]:
    parser = ArgumentParser(prog="python -m infra.app", description=__doc__)
    parser.add_argument(
        "-c",
        "--context",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a context value, as for cdk",
    )
    given = parser.parse_args(arguments).context
    for pair in given:
        if "=" not in pair:
            raise BadDeployment(f"-c {pair} lacks a value: say -c {pair}=…")
    return {**_defaults(), **dict(pair.split("=", 1) for pair in given)}


def _defaults() -> dict[str, Any]:
    """Context values of cdk.json; the CDK command line hands them over by itself."""
    if _is_under_the_command_line():
        return {}
    defaults: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"]
    return defaults


def _outdir() -> str | None:
    return None if _is_under_the_command_line() else str(ROOT / "cdk.out")


def _is_under_the_command_line() -> bool:
    return "CDK_OUTDIR" in os.environ


def _region(environ: os._Environ[str]) -> str | None:
    """Region of the caller's AWS profile, as far as the environment tells it."""
    return environ.get("CDK_DEFAULT_REGION") or environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")


if __name__ == "__main__":
    main()
