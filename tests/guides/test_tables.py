"""The tables of the guides list what there is."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from infra.deployment import Deployment
from infra.sizes import Sizes
from memory_layer.edge.shapes.problems import title_of
from memory_layer.mcp.tools import TOOLS
from tests.given import REPOSITORY

GUIDES = REPOSITORY / "docs" / "guides"


def first_cells(guide: str, heading: str) -> set[str]:
    """The names in the first column of the table below a heading."""
    section = (GUIDES / guide).read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_the_guide_for_coding_agents_lists_every_tool() -> None:
    assert first_cells("coding-agent.md", "Tools") == {tool.name for tool in TOOLS}


def test_the_guide_for_deployers_lists_every_context_value() -> None:
    values = {field.name for kind in (Deployment, Sizes) for field in fields(kind)} - {"sizes"}
    assert first_cells("deployment-options.md", "Context options") == values


def test_the_guide_for_hosted_agents_names_codes_that_there_are() -> None:
    codes = re.findall(
        r"^\| \d{3} \| `(\w+)` \|", (GUIDES / "hosted-agent.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(codes) == 11
    assert all(title_of(code) for code in codes)
    with pytest.raises(KeyError):
        title_of("no_such_code")
