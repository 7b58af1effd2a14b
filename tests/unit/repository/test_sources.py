"""The table of the design documents' statements names parts and tests that there are."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.given import REPOSITORY

TEXT = (REPOSITORY / "docs" / "sources.md").read_text("utf-8")
DOCUMENTS, _, STATEMENTS = TEXT.partition("## Statements, one by one")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in STATEMENTS.splitlines()
    if line.startswith("| ") and not line.startswith("| document")
]
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / "tests" / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def parts_of(title: str) -> set[str]:
    section = re.split(r"^## \d+\. ", DOCUMENTS, flags=re.MULTILINE)
    (text,) = [one for one in section if one.startswith(f"{title}\n")]
    return {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")}


@pytest.mark.parametrize("row", ROWS, ids=[" ".join(row[:3]) for row in ROWS])
def test_a_statement_is_of_a_part_and_shown_by_a_test(row: list[str]) -> None:
    """Falls where a test is renamed or removed, and the table still says that it shows something."""
    title, part, statement, shown, otherwise = row
    assert part in parts_of(title)
    assert statement
    assert NAMED.fullmatch(shown)
    for path, name in NAMED.findall(f"{shown} {otherwise}"):
        assert (REPOSITORY / "tests" / path).is_file(), path
        assert not name or name in names_in(path), name


def test_every_document_has_statements() -> None:
    titles = re.findall(r"^## \d+\. (.+)$", DOCUMENTS, re.MULTILINE)
    assert {row[0] for row in ROWS} == set(titles)
    assert len(ROWS) > 50
