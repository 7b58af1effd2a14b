"""A prompt tells a task that something bears on from one that nothing does; on every backend."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import TaskProfile
from memory_layer.usecases.recall.compose_prompt import LINES_LEFT_OUT, NOTHING_BEARS, compose_prompt
from memory_layer.usecases.recall.prompt_candidates import ComposedPrompt
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.given import PROJECT

QUEUE = "The queue keeps messages for four days."
RULE = "Table names are written in snake_case."
OF_SCOPE = "The gateway is restarted after every schema change."
FOREIGN = "Which penguins live near Bouvet?"


@pytest.fixture
def told(backend: EmbeddedBackend, admin: Principal) -> EmbeddedBackend:
    lines = (
        {"content": QUEUE},
        {"content": RULE, "category": "coding_style"},
        {"content": OF_SCOPE, "tags": ("src/gateway/**",)},
    )
    remember_many(backend.ports, admin, PROJECT, [RememberRequest(fields=line) for line in lines])
    backend.drain()
    return backend


def prompted(backend: EmbeddedBackend, by: Principal, task: str, *scope: str) -> ComposedPrompt:
    return compose_prompt(backend.ports, by, PROJECT, task, TaskProfile(write_scope=scope), limit=10)


def contents(prompt: ComposedPrompt) -> set[str]:
    return {memory.content for memory in prompt.memories}


def test_what_nothing_bears_on_gets_rules_alone_and_a_note(told: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the best-standing memories fill the page, as if they bore on the task."""
    prompt = prompted(told, admin, FOREIGN)
    assert (contents(prompt), prompt.note, prompt.degraded) == ({RULE}, NOTHING_BEARS, False)
    of_scope = prompted(told, admin, FOREIGN, "src/gateway/routes.py")
    assert contents(of_scope) == {RULE, OF_SCOPE}


def test_what_something_bears_on_has_the_room_filled(told: EmbeddedBackend, admin: Principal) -> None:
    prompt = prompted(told, admin, "change how long the queue keeps messages")
    assert contents(prompt) == {QUEUE, RULE, OF_SCOPE}
    assert prompt.note is None


def test_a_task_without_words_lists_by_standing(told: EmbeddedBackend, admin: Principal) -> None:
    prompt = prompted(told, admin, "")
    assert (len(prompt.memories), prompt.note) == (3, None)


def test_a_projects_synonyms_reach_its_prompts(told: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a prompt is searched with the words of the task alone."""
    task = "Rework the quaggle"
    assert prompted(told, admin, task).note == NOTHING_BEARS
    own = {"quaggle": ("queue of messages",)}
    set_policy(told.ports, admin, PROJECT, lambda before: Policy(synonyms=own, version=before.version))
    assert QUEUE in contents(prompted(told, admin, task))


def test_a_prompt_says_where_it_leaves_out_lines_of_a_section(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the chosen steps stand one after the other, as if they were the whole procedure."""
    steps = ("Stop the queue consumers", "Call the caretaker", "Start the queue consumers")
    place = {"tags": ("RUN.md",), "context": "Runbook > Restart the queue"}
    lines = [
        RememberRequest(fields={"content": step, "detail": {"line_order": 1000 * at}, **place})
        for at, step in enumerate(steps, 1)
    ]
    remember_many(backend.ports, admin, PROJECT, lines)
    backend.drain()
    asked = (backend.ports, admin, PROJECT, "restart the queue consumers", TaskProfile())
    cut, whole = (compose_prompt(*asked, limit=limit) for limit in (2, 3))
    assert (contents(cut), cut.note) == ({steps[0], steps[2]}, LINES_LEFT_OUT)
    before, after = cut.markdown.split("\n\u2026 lines left out\n")
    assert (steps[0] in before, steps[2] in after) == (True, True)
    assert (len(whole.memories), whole.note, "\u2026" in whole.markdown) == (3, None, False)
