"""The rules in docs/SPEC.md and the code that they describe name the same things and the same numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import fields
from typing import get_args

import pytest

from memory_layer.domain.context.fragments import LAYERS
from memory_layer.domain.memory import Memory, Tier
from memory_layer.domain.policy import DEFAULT_EXPIRY_DAYS, Policy, Profile
from memory_layer.domain.ranking import CATEGORY_BOOSTS, LEARNED_WEIGHTS, RELEVANCE_MARGIN
from memory_layer.domain.retrieval.blending import LEXICAL_WEIGHT
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY
from memory_layer.domain.time.entity_events import EntityEventKind
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.mcp.tools import TOOLS
from memory_layer.usecases.recall.recall import Strategy
from memory_layer.usecases.write.prepare import OnDuplicate
from tests.given import REPOSITORY

DOCS = REPOSITORY / "docs"
PROJECT = "/v1/projects/{project}"
TO_COME = "(to come)"
PERIODS = {15: "every 15 minutes", 60: "hourly", 24 * 60: "daily", 7 * 24 * 60: "weekly"}

ROUTE = re.compile(r"^\| [\d.]+ \| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`")


def _names(record: type) -> list[str]:
    return [field.name for field in fields(record) if field.name != "version" or record is Memory]


def _section(number: int) -> list[str]:
    """The rules of a section, a line each."""
    text = (DOCS / "SPEC.md").read_text("utf-8")
    body = re.split(r"^## \d+\. .*$", text, flags=re.MULTILINE)[number]
    return [line for line in body.splitlines() if re.match(rf"(?:- \*\*|\| ){number}\.", line)]


def _rule(section: int, name: str) -> str:
    """The first rule of a section that has this name in its first cell."""
    rows = (line for line in _section(section) if line.startswith("|"))
    return next(line for line in rows if f"`{name}`" in line.split("|")[2])


@pytest.mark.parametrize(
    ("section", "names"),
    [
        (1, _names(Memory)),
        (2, _names(Policy)),
        (3, [*get_args(Strategy), *get_args(Profile)]),
        (5, get_args(OnDuplicate)),
        (6, get_args(EntityEventKind)),
        (7, [*DECLARED_SWEEPS, *DEFAULT_EXPIRY_DAYS, *get_args(Tier), *DEFAULT_TIER_POLICY]),
        (9, LAYERS),
        (11, [tool.name for tool in TOOLS]),
    ],
)
def test_every_name_of_the_product_has_a_rule(section: int, names: Collection[str]) -> None:
    built = [line for line in _section(section) if TO_COME not in line]
    assert [name for name in names if not any(f"`{name}`" in line for line in built)] == []


def test_routes_are_those_of_the_api() -> None:
    told = {found[1]: TO_COME in line for line in _section(2) if (found := ROUTE.match(line))}
    paths = json.loads((DOCS / "openapi.json").read_text("utf-8"))["paths"]
    served = {
        f"{method.upper()} {path.removeprefix(PROJECT) or path}"
        for path, item in paths.items()
        for method in item
    }
    assert {route for route, is_to_come in told.items() if not is_to_come} == served


def test_sweeps_run_as_often_as_told() -> None:
    periods = {name: _rule(7, name).split("|")[3].strip() for name in DECLARED_SWEEPS}
    assert periods == {name: PERIODS[sweep.minutes] for name, sweep in DECLARED_SWEEPS.items()}


def test_expiry_defaults_are_those_told() -> None:
    told = {name: _rule(7, name).split("|")[3].strip() for name in DEFAULT_EXPIRY_DAYS}
    assert told == {name: str(days or "none") for name, days in DEFAULT_EXPIRY_DAYS.items()}


def test_weights_of_ranking_are_those_told() -> None:
    section = "\n".join(_section(3))
    weights = " + ".join(f".{round(100 * weight):02} {name}" for name, weight in LEARNED_WEIGHTS.items())
    assert weights in section
    assert f"semantic + {RELEVANCE_MARGIN:g} × merit".replace("0.", ".") in section
    assert f"keywords weigh {LEXICAL_WEIGHT:g}".replace("0.", ".") in section
    boosts = next(line for line in _section(3) if "is boosted" in line)
    told = {
        category: float(factor)
        for categories, factor in re.findall(r"((?:\w+, )*\w+) (\d\.\d)", boosts)
        for category in categories.split(", ")
    }
    assert told == {**CATEGORY_BOOSTS, "else": 1.0}
