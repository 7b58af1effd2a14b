"""Names of the product that a page mentions, and the names that there are."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer

from memory_layer.cli.app import app
from tests.guides.pages import blocks_of

_LINK = re.compile(r"\[[^\]]+\]\((?!https?:)([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def links_of(text: str) -> list[str]:
    """The relative links of a page."""
    return _LINK.findall(_FENCED.sub("", text))


def anchors_of(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def code_of(text: str) -> list[str]:
    """Each line of shell and each inline code of a page."""
    shell = [line for block in blocks_of(text) if block.language == "sh" for line in block.text.splitlines()]
    return [*shell, *re.findall(r"`([^`]+)`", _FENCED.sub("", text))]


def targets_of(code: Sequence[str]) -> set[str]:
    """The targets that the code makes."""
    return {target for line in code for target in re.findall(r"^make ([a-z-]+)", line)}


def make_targets(root: Path) -> set[str]:
    """The targets of the Makefile."""
    return set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE))


def mem_commands(code: Sequence[str]) -> Iterator[list[str]]:
    """The words after `mem` of each command."""
    for line in code:
        if line.startswith("mem "):
            yield shlex.split(line.replace("…", "x"), comments=True)[1:]


def missing_words(words: Sequence[str]) -> list[str]:
    """The command, and the options of it, that `mem` does not have."""
    command = _mem()
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    unknown = [word for word in words if word.startswith("-") and word not in {*known, "-", "-h", "--help"}]
    return [
        *unknown,
        *(words[:1] if getattr(command, "commands", {}) and not words[0].startswith("-") else []),
    ]


@cache
def _mem() -> Any:
    return typer.main.get_command(app)


def operations_named(root: Path) -> set[str]:
    """Method and path of every operation in docs/openapi.json."""
    paths = json.loads((root / "docs" / "openapi.json").read_text("utf-8"))["paths"]
    return {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}
