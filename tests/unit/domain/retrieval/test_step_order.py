"""Steps of a procedure that is asked for stand in the order of their file; a step that is asked for stays first."""

from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.step_order import asks_how, in_step_order
from tests.unit.domain.plain_memories import plain_memory

RESTORE = "Runbook > Restore the database"
HOW = "How do I restore the database?"


def placed(question: str, *lines: tuple[str, int | None, str], file: str = "RUNBOOK.md") -> list[int]:
    """Places of lines: the words, the number in the file, the headings."""
    return in_step_order(
        question,
        [
            plain_memory(
                f"m{at}", words, context=above, tags=(file,), detail={"line_order": number} if number else {}
            )
            for at, (words, number, above) in enumerate(lines)
        ],
    )


@pytest.mark.parametrize(
    ("lines", "order"),
    [
        ([("Start it", 3, RESTORE), ("Stop it", 1, RESTORE), ("Copy the dump", 2, RESTORE)], [1, 2, 0]),
        ([("Start it", 3, RESTORE), ("Dumps are here", 2, "Runbook"), ("Stop it", 1, RESTORE)], [2, 1, 0]),
        ([("Start it", None, RESTORE), ("Stop it", 1, RESTORE)], [0, 1]),
        ([("Start it", 3, RESTORE), ("Stop it", None, RESTORE)], [0, 1]),
    ],
    ids=["in order", "others stay", "no number of the first", "no number of another"],
)
def test_steps_of_the_section_that_is_asked_for_stand_in_order(
    lines: list[tuple[str, int | None, str]], order: list[int]
) -> None:
    assert placed(HOW, *lines) == order


@pytest.mark.parametrize(
    "question", ["How do I flush the cache when I restore the database?", "How do I start it?"]
)
def test_what_is_asked_for_by_its_own_words_stays_first(question: str) -> None:
    """Falls without the look at what the first line says of the question itself."""
    lines = ("Flush the cache, and start it", 2, RESTORE), ("Stop it", 1, RESTORE)
    assert placed(question, *lines) == [0, 1]


@pytest.mark.parametrize(
    ("question", "does"),
    [
        (HOW, True),
        ("What are the steps to roll back a deploy?", True),
        ("I am on call, where do I start?", True),
        ("Wie spiele ich ein Backup zurück?", True),
        ("How many retries are there?", False),
        ("Wie viele Versuche gibt es?", False),
        ("Which database do we use?", False),
    ],
)
def test_questions_for_a_procedure_are_known(question: str, does: bool) -> None:
    assert asks_how(question) is does
