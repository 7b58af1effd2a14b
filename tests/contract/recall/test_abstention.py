"""When a recall says that nothing is known: in small projects and in large ones, on every path that may say it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.ports.index import IndexAnswer, IndexQuery
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.given import PROJECT

SNAKE_CASE = "Always use snake_case for Python functions"
FOREIGN = "What is the capital of France?"
THINGS = ("queue", "cache", "gateway", "scheduler", "index", "worker", "parser", "session", "bucket", "table")
FACTS = (
    "The {} keeps entries for four days.",
    "Restart the {} after every schema change.",
    "Errors of the {} are logged as JSON.",
    "The {} reads its settings from the environment.",
)


def asked(backend: EmbeddedBackend, by: Principal, query: str, **given: object) -> RecallResult:
    return recall(backend.ports, by, PROJECT, RecallRequest(query=query, **given))  # type: ignore[arg-type]


def tell(backend: EmbeddedBackend, by: Principal, contents: Sequence[str], **fields: object) -> None:
    lines = [
        RememberRequest(fields={"content": content, **fields}, on_duplicate="create") for content in contents
    ]
    assert all(
        isinstance(result, StoredMemory) for result in remember_many(backend.ports, by, PROJECT, lines)
    )


def facts() -> list[str]:
    return [fact.format(thing) for thing in THINGS for fact in FACTS]


@pytest.mark.parametrize("is_drained", [True, False])
def test_the_only_memory_of_a_project_answers_in_other_words(
    backend: EmbeddedBackend, admin: Principal, is_drained: bool
) -> None:
    """Falls where a project's size does not lower what an answer has to reach; seen by the index or not."""
    tell(backend, admin, [SNAKE_CASE], category="convention")
    if is_drained:
        backend.drain()
    found = asked(backend, admin, "naming conventions")
    assert [item.memory.content for item in found.memories] == [SNAKE_CASE]
    assert not found.abstained
    assert asked(backend, admin, FOREIGN).abstained


def test_a_context_knows_what_a_recall_knows(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the paths judge by rules of their own."""
    tell(backend, admin, [SNAKE_CASE], category="convention")
    backend.drain()
    for intent, is_known in (("naming conventions", True), (FOREIGN, False)):
        request = ContextRequest(intent=intent, request_id="r", tokens_max=4_000, time_ms=27_000)
        parts = assemble_context(backend.ports, admin, PROJECT, request)
        assert (SNAKE_CASE in str(parts)) is is_known


def test_a_foreign_question_beside_many_memories_finds_nothing(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the number of memories does not raise what an answer has to reach: chance comes to .2 among 40."""
    tell(backend, admin, facts())
    backend.drain()
    near_by_chance = ("What is Anna's email address?", "How do I enable dark mode in Grafana?")
    for question in (FOREIGN, "naming conventions", *near_by_chance):
        assert asked(backend, admin, question).abstained, question
    assert not asked(backend, admin, "how long does the cache keep its entries?").abstained


def test_the_index_counts_what_is_searched(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """The same on both backends, for both decide by it: what is in use, passes the filters and may be seen."""
    for id in ("kept", "dropped"):
        put_memory(backend.ports, admin, PROJECT, id, {"content": f"The {id} queue holds.", "tags": [id]})
    put_memory(backend.ports, admin, PROJECT, "private", {"content": "The queue.", "persona": "alpha"})
    put_memory(backend.ports, admin, SHARED_PROJECT, "shared", {"content": "Every queue is Café."})
    backend.drain()
    assert _answer(backend, agent, Filters()).searched == 3
    assert _answer(backend, agent, Filters(tags=("kept",))).searched == 1
    archive_memory(backend.ports, admin, PROJECT, "dropped")
    backend.drain()
    found = _answer(backend, agent, Filters())
    assert found.searched == 2
    assert (found.words.texts, dict(found.words.holders)) == (4, {"queue": 4, "cafe": 1, "penguin": 0})


def _answer(backend: EmbeddedBackend, by: Principal, filters: Filters) -> IndexAnswer:
    text = "queue café penguins"
    return backend.ports.index.search(
        IndexQuery(
            scopes=(by.scope(PROJECT), Scope(by.tenant, SHARED_PROJECT)),
            text=text,
            vector=backend.ports.embedder.embed([text])[0],
            filters=filters,
            viewer=viewer_of(by),
            now=backend.ports.clock.now(),
            k=10,
        )
    )
