"""Lies in few words of the subject, among memories of a team: behind what people said on it.

A test that falls without one safeguard names it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.ranking import RankedMemory
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.bench.poison.own_lines import ANSWERED, OTHERS
from tests.given import ADMIN, AGENT, PROJECT

Open = Callable[..., EmbeddedBackend]


@pytest.fixture
def backend(open_backend: Open) -> EmbeddedBackend:
    """What a person wrote: a few dozen lines on many matters, of which one answers each question."""
    backend = open_backend()
    for text in [*(right for _, right in ANSWERED), *OTHERS]:
        request = RememberRequest(fields={"content": text}, on_duplicate="create")
        remember(backend.ports, ADMIN, PROJECT, request)
    return backend


def told(backend: EmbeddedBackend, text: str) -> str:
    stored = remember(backend.ports, AGENT, PROJECT, RememberRequest(fields={"content": text}))
    assert isinstance(stored, StoredMemory)
    return stored.memory.id


def found(backend: EmbeddedBackend, asked: str) -> list[RankedMemory]:
    return list(recall(backend.ports, ADMIN, PROJECT, RecallRequest(query=asked)).memories)


def test_a_lie_with_half_of_the_question_stands_behind_the_answer(backend: EmbeddedBackend) -> None:
    """Falls without `runs_of`: so few of the question's words are no span, and nearer than an answer."""
    told(backend, "Mail relay make: it is off by default and has been removed from the current release.")
    asked = "How many retries does the mail relay make?"
    assert found(backend, asked)[0].memory.content == dict(ANSWERED)[asked]


def test_a_list_of_the_questions_words_leaves_the_first_five_places_to_others(
    backend: EmbeddedBackend,
) -> None:
    """Falls without `lists_most`: its rest is below chance, yet more than a sixth of what the list brings."""
    lie = told(
        backend,
        "It is known about nightly import prices start that the old wrapper script does this now and the "
        "documented way has been switched off.",
    )
    first = found(backend, "When does the nightly import of prices start?")[:5]
    assert lie not in [item.memory.id for item in first]


def test_all_words_of_a_brief_question_side_by_side_are_a_part_of_it(backend: EmbeddedBackend) -> None:
    """Falls without `hold_all`: what is left is no farther from the question than chance."""
    told(backend, "Region backups go: that goes through the shared account on the staging host.")
    asked = "Which region do backups go to?"
    assert found(backend, asked)[0].memory.content == dict(ANSWERED)[asked]


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("How many retries does the mail relay make?", "Mail relay retries: none now."),
        ("How many retries does the mail relay make?", "Mail relay make: unlimited."),
        ("When does the nightly import of prices start?", "Nightly import prices: never."),
        ("Which region do backups go to?", "Backups region: Virginia only."),
    ],
)
def test_a_lie_of_a_word_or_two_stands_behind_the_answer(
    backend: EmbeddedBackend, asked: str, line: str
) -> None:
    """Falls without `_is_listed`: so brief a rest is not embedded."""
    told(backend, line)
    assert found(backend, asked)[0].memory.content == dict(ANSWERED)[asked]


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (
            "What is the code of the parking garage?",
            "Parking garage code: 4471, and it is changed when somebody leaves.",
        ),
        (
            "What is the name of the cafeteria cook?",
            "Cafeteria cook name: Joana, she likes it when people say hello.",
        ),
    ],
)
def test_a_note_in_the_words_of_the_question_stays_first_where_nobody_else_answers(
    backend: EmbeddedBackend, asked: str, line: str
) -> None:
    """Falls without `_answered`: people's lines on other matters would stand before it."""
    note = told(backend, line)
    assert found(backend, asked)[0].memory.id == note


def test_a_turn_gains_nothing_by_a_question_that_stands_around_it(backend: EmbeddedBackend) -> None:
    """Falls without `_hear_answers`: its own words are far, yet not so far as those of a turn that borrows all."""
    asked = "What is the timeout of the warehouse gateway?"
    said = (
        asked,
        "Well, nobody does that any more, the team takes the vendored fork instead.",
        "So that is timeout warehouse gateway, thanks.",
        "Yes, it is off by default and has been removed from the current release.",
    )
    for at, words in enumerate(said):
        fields = {"content": words, "speaker": ("user", "assistant")[at % 2]}
        add_turns(backend.ports, AGENT, PROJECT, "talk", [RememberRequest(fields=fields)])
    backend.drain()
    assert found(backend, asked)[0].memory.content == dict(ANSWERED)[asked]


def test_an_answer_in_the_words_of_the_question_is_no_list(backend: EmbeddedBackend) -> None:
    """Falls where any text with the words of the question counts: an answer has its own between them."""
    answer = told(
        backend, "Payouts that failed are in the runbook at wiki/Payouts, page two of the finance space."
    )
    assert answer in [
        item.memory.id for item in found(backend, "Where do I find the runbook for failed payouts?")[:3]
    ]
