"""Verdicts by reference: the numbers of a page are those of its receipt, on whatever face and backend."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import Invalid, NotFound, TooMany
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.report_on_page import report_on_page
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer, OutcomeReport
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.put import put_memory

WORKED = OutcomeReport(result="worked")
SAID = {
    "q1": "The queue keeps messages for four days.",
    "q2": "Messages that fail three times leave the queue.",
    "q3": "The queue is drained before each release.",
}


@pytest.fixture
def page(backend: EmbeddedBackend, admin: Principal) -> AssembledPage:
    for id, content in SAID.items():
        put_memory(backend.ports, admin, "web", id, {"content": content})
    put_memory(backend.ports, admin, SHARED_PROJECT, "s1", {"content": "Each queue of ours is encrypted."})
    request = ContextRequest(intent="how does the queue keep messages?", time_ms=27_000)
    return assemble_context(backend.ports, admin, "web", request)


def worked(backend: EmbeddedBackend, admin: Principal, project: str, id: str) -> int:
    return get_memory(backend.ports, admin, project, id).worked


def test_numbers_of_a_page_name_its_memories_wherever_they_are_kept(
    backend: EmbeddedBackend, admin: Principal, page: AssembledPage
) -> None:
    shown = page.assembled.fragments
    assert [part.ref for part in shown] == list(range(1, 5))
    assert all(f"\n{part.ref} {part.content}\n" in page.assembled.rendered for part in shown)
    named = [shown[0], shown[2]]
    judged = report_on_page(backend.ports, admin, "web", page.recall_id, [1, 3, 1], WORKED)

    assert [(one.ref, one.memory.id) for one in judged] == [(part.ref, part.id) for part in named]
    assert shown[0].project == SHARED_PROJECT
    counts = {part.id: worked(backend, admin, part.project, part.id) for part in shown}
    assert counts == {part.id: int(part in named) for part in shown}
    (verdict,) = backend.ports.store.history.verdicts(admin.scope(shown[2].project), shown[2].id)
    assert verdict.recall_id == page.recall_id


def test_a_kept_context_gives_its_numbers_to_a_receipt_of_its_own(
    backend: EmbeddedBackend, admin: Principal, page: AssembledPage
) -> None:
    again = assemble_context(
        backend.ports,
        admin,
        "web",
        ContextRequest(intent="how does the queue keep messages?", time_ms=27_000),
    )
    (judged,) = report_on_page(backend.ports, admin, "web", again.recall_id, [2], WORKED)

    assert again.recall_id != page.recall_id
    assert judged.memory.id == page.assembled.fragments[1].id


@pytest.mark.usefixtures("page")
def test_a_prompt_numbers_its_memories_in_the_order_of_its_ids(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    prompt = compose_prompt(backend.ports, admin, "web", "drain the queue", TaskProfile(), limit=10)
    (judged,) = report_on_page(backend.ports, admin, "web", prompt.recall_id, [2], WORKED)

    assert judged.memory == prompt.memories[1].ref
    assert f"- [pattern] {prompt.memories[1].content}\n  (2, human, 1 Mar 2026)\n" in prompt.markdown


@pytest.mark.parametrize("refs", [[1, 5], [0], [-1, 2]])
def test_a_number_that_is_not_on_the_page_is_refused_and_nothing_is_reported(
    backend: EmbeddedBackend, admin: Principal, page: AssembledPage, refs: list[int]
) -> None:
    """Falls without `_check`: 5 would be an IndexError, 0 and -1 the last ones; and the 1 would count."""
    with pytest.raises(Invalid, match="it has 1 to 4") as refused:
        report_on_page(backend.ports, admin, "web", page.recall_id, refs, WORKED)

    assert refused.value.violations[0].pointer == "/refs"
    assert sum(worked(backend, admin, part.project, part.id) for part in page.assembled.fragments) == 0


def test_a_page_that_nobody_knows_and_that_of_another_project_have_no_numbers(
    backend: EmbeddedBackend, admin: Principal, page: AssembledPage
) -> None:
    for project, recall_id in (("web", "rcl_mistyped"), ("shop", page.recall_id)):
        with pytest.raises(Invalid, match="no recall") as refused:
            report_on_page(backend.ports, admin, project, recall_id, [1], WORKED)
        assert refused.value.violations[0].pointer == "/recall_id"


def test_each_reference_has_an_answer_of_its_own(
    backend: EmbeddedBackend, admin: Principal, page: AssembledPage
) -> None:
    """One was erased since; the others are reported all the same."""
    gone, kept = page.assembled.fragments[1:3]
    erase_memory(backend.ports, admin, gone.project, gone.id)
    judged = report_on_page(backend.ports, admin, "web", page.recall_id, [2, 3], WORKED)

    assert isinstance(judged[0].outcome, NotFound)
    assert isinstance(judged[1].outcome, OutcomeAnswer)
    assert worked(backend, admin, kept.project, kept.id) == 1


@pytest.mark.usefixtures("page")
def test_a_page_is_no_way_around_the_limits_of_failed(backend: EmbeddedBackend, agent: Principal) -> None:
    """Three an hour of one session; the fourth reference is refused."""
    request = ContextRequest(intent="how does the queue keep messages?", time_ms=27_000)
    page = assemble_context(backend.ports, agent, "web", request)
    report = OutcomeReport(result="failed", session_id="s1")
    judged = report_on_page(backend.ports, agent, "web", page.recall_id, [2, 3, 4], report)
    more = report_on_page(backend.ports, agent, "web", page.recall_id, [2], report)

    assert all(isinstance(one.outcome, OutcomeAnswer) for one in judged)
    assert isinstance(more[0].outcome, TooMany)
