"""Questions that name a period are answered by what happened in it, whatever its words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.given import PROJECT, START

NOON = datetime(2023, 11, 23, 12, tzinfo=UTC)
RESTARTED = "Yesterday we restarted the mail gateway because its queue was full."
MOVED = "Last Friday the payments team moved to the new ledger."
RULES = [
    f"The {thing} keeps {count} entries and writes its errors as JSON."
    for thing in ("queue", "cache", "gateway", "scheduler", "index", "worker", "parser", "session")
    for count in (22, 30, 64, 2023)
]


def tell(backend: EmbeddedBackend, by: Principal, content: str, **fields: object) -> str:
    asked = RememberRequest(fields={"content": content, **fields}, on_duplicate="create")
    (stored,) = remember_many(backend.ports, by, PROJECT, [asked])
    assert isinstance(stored, StoredMemory)
    return stored.memory.content


def asked(backend: EmbeddedBackend, by: Principal, query: str) -> RecallResult:
    return recall(backend.ports, by, PROJECT, RecallRequest(query=query, limit=5))


def contents(found: RecallResult) -> list[str]:
    return [item.memory.content for item in found.memories]


@pytest.fixture
def project(backend: EmbeddedBackend, admin: Principal) -> EmbeddedBackend:
    for content in RULES:
        tell(backend, admin, content)
    tell(backend, admin, RESTARTED, said_at=NOON)
    tell(backend, admin, MOVED, said_at=NOON)
    return backend


@pytest.mark.parametrize("is_drained", [True, False])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What happened on 22 November 2023?", RESTARTED),
        ("What was done on 2023-11-17?", MOVED),
        ("Was geschah am 22. November 2023?", RESTARTED),
    ],
)
def test_what_happened_on_a_day_is_told_by_words_that_mean_it(
    project: EmbeddedBackend, admin: Principal, question: str, answer: str, is_drained: bool
) -> None:
    """Falls where records are not looked for by the days that they tell of; seen by the index or not."""
    if is_drained:
        project.drain()
    assert contents(asked(project, admin, question))[:1] == [answer]


def test_yesterday_is_the_day_before_the_question(backend: EmbeddedBackend, admin: Principal) -> None:
    for content in RULES:
        tell(backend, admin, content)
    told = tell(
        backend, admin, "Two days ago we froze the schema of the ledger.", said_at=START + timedelta(1)
    )
    backend.drain()
    assert contents(asked(backend, admin, "What happened yesterday?"))[:1] == [told]


def test_a_period_in_which_nothing_is_known_to_have_happened_has_no_answer(
    project: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the words of a period count for every record."""
    project.drain()
    assert asked(project, admin, "What happened on 3 March 2019?").abstained


def test_the_day_of_writing_tells_of_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a rule that was noted today is what happened today."""
    for content in RULES:
        tell(backend, admin, content)
    backend.drain()
    assert asked(backend, admin, "What happened today?").abstained


def test_a_line_below_a_dated_heading_happened_on_its_day(backend: EmbeddedBackend, admin: Principal) -> None:
    for content in RULES:
        tell(backend, admin, content)
    line = tell(backend, admin, "Support for the old token format is gone.", said_at=NOON)
    backend.drain()
    assert contents(asked(backend, admin, "What changed in November 2023?"))[:1] == [line]
