"""A question names a section by its heading, or nearly so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.named_sections import named_section
from tests.given import SCOPE, a_memory

ASKED = "How do we restore the billing database of the second region?"


def line(heading: str, number: int, *, file: str = "ops.md", content: str = "Do it.") -> Memory:
    return a_memory(
        SCOPE,
        f"{file}-{number}",
        content=content,
        context=f"Runbook > {heading}",
        tags=(file,),
        detail={"line_order": number},
        source="human",
    )


@pytest.mark.parametrize(
    ("heading", "is_named"),
    [
        (ASKED, True),
        ("Restore the billing database of the second region", True),
        ("Restore the billing database of a region", True),
        ("Restore the billing database of the first region", False),
        ("Restore the ledger of the second region", False),
        ("How do we never restore the billing database of the second region?", False),
        ("How do we restore the billing database of the second region in 2 steps?", False),
        ("Restore", False),
        ("???", False),
    ],
)
def test_a_heading_is_named_by_three_quarters_of_the_terms_of_both(heading: str, is_named: bool) -> None:
    assert named_section(ASKED, [line(heading, 7)]) == ([0] if is_named else [])


def test_two_terms_name_a_heading_that_says_no_other() -> None:
    assert named_section("restore database", [line("Restore the database", 7)]) == [0]
    assert named_section("restore database", [line("Restore the database quickly", 7)]) == []
    assert named_section("the deploy", [line("Deploy", 7)]) == []


@pytest.mark.parametrize("question", ["?!", "Deploy", "How do I?", "1.2.0"])
def test_one_word_and_none_name_nothing(question: str) -> None:
    assert named_section(question, [line(question, 7)]) == []


def test_the_lines_of_the_named_file_alone_are_in_its_order() -> None:
    """Falls where a heading of another file counts, and where the order of the hits stays."""
    lines = [
        line(ASKED, 9),
        line(ASKED, 3, file="web.md"),
        line("Other", 4),
        line(f"{ASKED} > On Windows", 5),
    ]
    assert named_section(ASKED, lines) == [3, 0]


def test_what_stands_directly_under_a_title_is_named_by_it_alone() -> None:
    below, under = line("Prepare", 2), replace(line("", 1), context=ASKED)
    deep = replace(below, context=f"{ASKED} > Prepare")
    assert named_section(ASKED, [deep]) == []
    assert named_section(ASKED, [deep, under]) == [1, 0]


def test_a_heading_that_nobody_vouches_for_is_not_named() -> None:
    said = replace(line(ASKED, 7), created_by="agent:codex", source="agent", approved_by="rae@acme.test")
    assert named_section(ASKED, [said]) == []
    assert named_section(ASKED, [said, line("Restore the billing database of a region", 8)]) == [1]
