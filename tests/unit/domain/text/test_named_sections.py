"""Lines of a file that name what their headings name do not contradict what other headings name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.conflicts.pair_verdict import judge_pair
from memory_layer.domain.memory import Memory
from memory_layer.usecases.write.near_verdicts import judge_near
from tests.given import a_memory, new_scope

SCOPE = new_scope()
RULE = (
    "The name **must** start with the word `{}`. "
    "The remainder of the name **should** be the singular form of the {}."
)
FETCH, MAKE = RULE.format("Fetch", "record being fetched"), RULE.format("Make", "record's model name")


def line(id: str, content: str, headings: str, source: str = "human", file: str = "rules.md") -> Memory:
    said = {
        "tags": (file,),
        "detail": {"line_order": len(id)},
        "session_id": None,
        "position": None,
        "category": "convention",
    }
    return a_memory(SCOPE, id, **said, content=content, context=headings, source=source, expires_at=None)


@pytest.mark.parametrize(
    ("mine", "theirs", "source", "is_found"),
    [
        ("Methods > Fetch", "Methods > Make", "human", False),
        ("Methods", "Methods", "human", True),
        ("Methods > Reading", "Methods > Writing", "human", True),
        ("Methods > Fetch", "Methods", "human", True),
        ("Methods > Fetch", "Methods > Make", "run", True),
    ],
    ids=["each its own", "one section", "headings of other words", "only one", "an agent names any heading"],
)
def test_two_things_that_headings_name_are_no_contradiction(
    mine: str, theirs: str, source: str, is_found: bool
) -> None:
    one, other = line("a", FETCH, mine), replace(line("bb", MAKE, theirs, source), approved_by="rae")
    found = judge_pair(one, other, 0.9)
    assert (found is not None and found.kind == "conflict") is is_found
    assert (judge_near(one, other, 0.9).says_otherwise is not None) is is_found


@pytest.mark.parametrize(("theirs", "is_found"), [("linode.md", False), ("rules.md", True)])
def test_lines_on_the_tutorial_that_they_stand_in_speak_of_two(theirs: str, is_found: bool) -> None:
    """Falls without the words by which a text speaks of itself: each tutorial had its own version."""
    said = "Make sure to use **>={}** version of the tool for this tutorial."
    one, other = (
        line("a", said.format("0.11.0"), "Tutorials > Azure"),
        line("bb", said.format("0.4.6"), "Tutorials > Linode", file=theirs),
    )
    assert (judge_pair(one, other, 0.9) is not None) is is_found
