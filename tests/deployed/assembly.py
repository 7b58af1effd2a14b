"""What `cdk synth` writes, read: stacks with what they wait for, and the files to upload before them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

from tests.deployed.ministack import ACCOUNT, REGION

_STACK: Final = "aws:cloudformation:stack"
_PLACES: Final = {"AWS::AccountId": ACCOUNT, "AWS::Region": REGION, "AWS::Partition": "aws"}


class NotSynthesised(Exception):
    """`infra.app` failed; the message is what it wrote."""


@dataclass(frozen=True)
class Asset:
    """A file or a folder, and the object that it becomes: a folder is zipped."""

    source: Path
    is_zipped: bool
    bucket: str
    key: str


@dataclass(frozen=True)
class Stack:
    """A stack and the object with its template."""

    name: str
    template: dict[str, Any]
    bucket: str
    key: str


def synthesise(root: Path, context: Mapping[str, str], outdir: Path) -> None:
    """Run the CDK app as the CDK command line would.

    Args:
        root: of the repository.
        outdir: a folder for the assembly.

    Raises:
        NotSynthesised: the deployment is refused, or Node is missing.
    """
    told = [argument for name, value in context.items() for argument in ("-c", f"{name}={value}")]
    ended = subprocess.run(
        [sys.executable, "-m", "infra.app", *told],
        cwd=root,
        env={**os.environ, "CDK_OUTDIR": str(outdir)},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise NotSynthesised(ended.stdout + ended.stderr)


def stacks_of(outdir: Path) -> list[Stack]:
    """Every stack after those that it takes values from."""
    artifacts = json.loads((outdir / "manifest.json").read_text("utf-8"))["artifacts"]
    stacks = {name: artifact for name, artifact in artifacts.items() if artifact["type"] == _STACK}
    order = TopologicalSorter({name: _only(stacks, artifact) for name, artifact in stacks.items()})
    return [_stack(outdir, name, stacks[name]["properties"]) for name in order.static_order()]


def _only(stacks: Mapping[str, Any], artifact: Mapping[str, Any]) -> list[str]:
    return [name for name in artifact.get("dependencies", ()) if name in stacks]


def _stack(outdir: Path, name: str, properties: Mapping[str, Any]) -> Stack:
    template = json.loads((outdir / properties["templateFile"]).read_text("utf-8"))
    bucket, _, key = filled_in(properties["stackTemplateAssetObjectUrl"]).removeprefix("s3://").partition("/")
    return Stack(name, template, bucket, key)


def assets_of(outdir: Path) -> Iterator[Asset]:
    """What to upload, each object once."""
    seen = set()
    for manifest in sorted(outdir.glob("*.assets.json")):
        for file in json.loads(manifest.read_text("utf-8"))["files"].values():
            for asset in _destinations(outdir, file):
                if (asset.bucket, asset.key) not in seen:
                    seen.add((asset.bucket, asset.key))
                    yield asset


def _destinations(outdir: Path, file: Mapping[str, Any]) -> Iterator[Asset]:
    source = file["source"]
    for destination in file["destinations"].values():
        yield Asset(
            outdir / source["path"],
            source["packaging"] == "zip",
            filled_in(destination["bucketName"]),
            destination["objectKey"],
        )


def filled_in(text: str) -> str:
    """With `${AWS::AccountId}` and its like replaced."""
    for name, value in _PLACES.items():
        text = text.replace(f"${{{name}}}", value)
    return text
