"""What earlier runs taught comes into the prompt of the next: by task, by errors, by files, and nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.learning.knowledge_page import GROUPS
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.retrieval.candidates import RecordTable, table_of_refs
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_knowledge import KnowledgePrompt, compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.find_candidates import NO_EMBEDDER, NO_INDEX
from memory_layer.usecases.recall.prompt_candidates import POOL
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.put import put_memory
from tests.contract.recall.test_lying_index import ForgetfulIndex, LyingIndex, NoIndex
from tests.given import PROJECT, NoEmbedder, StandingClock

SMALL_POOL = 3
TASK = "Fix failing authentication tests"
MODULES = "Avoid: Module not found - verify dependencies installed"
PERMISSIONS = "Avoid: Permission errors - check file/directory permissions"
TYPES = [group.type for group in GROUPS]


def teach(
    ports: Ports,
    principal: Principal,
    id: str,
    type: str,
    content: str = "",
    *,
    project: str = PROJECT,
    **fields: Any,
) -> None:
    said = {"type": type, "content": content or f"{id} of type {type}.", "source": "run", "confidence": 0.8}
    said["success_rate"] = 0.0 if type == "antipattern" else 1.0
    put_memory(ports, principal, project, id, {**said, **fields})


def knowledge(
    ports: Ports, principal: Principal, text: str = TASK, limit: int = 100, pool: int = POOL, **task: Any
) -> KnowledgePrompt:
    return compose_knowledge(ports, principal, PROJECT, text, TaskProfile(**task), limit=limit, pool=pool)


def ids(composed: KnowledgePrompt) -> dict[str, list[str]]:
    """Of the groups that have any."""
    return {name: [item.memory.id for item in items] for name, items in composed.groups.items() if items}


def test_what_the_design_shows(backend: EmbeddedBackend, admin: Principal, agent: Principal) -> None:
    ports = backend.ports
    teach(
        ports, admin, "tdd", "strategy", "Test-driven development approach", task_type="test-fix",
        confidence=0.85, success_rate=0.85, detail={"effectiveness": 0.85}, source="human",
    )  # fmt: skip
    teach(
        ports, admin, "steps", "strategy", "Incremental implementation", task_type="test-fix",
        confidence=0.78, success_rate=0.78, detail={"effectiveness": 0.78}, source="human",
    )  # fmt: skip
    teach(
        ports, admin, "syntax", "antipattern", "Avoid: Syntax errors - check code carefully before execution",
        source="human",
    )  # fmt: skip
    figures = {"total_iterations": 3, "avg_iteration_time_ms": 45_000}
    said = {"task_type": "test-fix", "detail": figures, "source": "human"}
    teach(ports, admin, "time", "estimate", "Three iterations.", **said)
    composed = knowledge(ports, agent)
    assert re.sub("memories-[0-9a-f]{16}", "memories-1", composed.markdown).splitlines()[2:] == [
        "<memories-1>",
        "",
        "## Proven Strategies",
        "",
        "- Test-driven development approach (effectiveness: 85%)",
        "- Incremental implementation (effectiveness: 78%)",
        "",
        "## Anti-Patterns to Avoid",
        "",
        "- Avoid: Syntax errors - check code carefully before execution",
        "",
        "## Time/Iteration Estimates",
        "",
        "- Similar tasks: ~3 iterations, ~45s per iteration",
        "</memories-1>",
    ]
    assert [memory.id for memory in composed.memories] == ["tdd", "steps", "syntax", "time"]
    assert composed.note is None
    assert composed.groups["strategies"][0].score == pytest.approx(0.4 * 0.85 + 0.3 + 0.2 * 0.85 + 0.1)
    receipt = ports.store.receipts.get(agent.scope(PROJECT), composed.recall_id)
    assert receipt is not None
    assert receipt.refs == tuple(memory.ref for memory in composed.memories)


@pytest.mark.parametrize("is_in_index", [True, False])
@pytest.mark.parametrize(
    "patterns",
    [
        ("cannot find module", "module not found"),
        ("cannot find module",),
        ("import of numpy failed", "MODULE  NOT FOUND"),
    ],
)
def test_the_anti_pattern_of_the_error_at_hand_comes_first(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, patterns: tuple[str, ...], is_in_index: bool
) -> None:
    """The design's fifth example. Falls without the bonus in `task_score`; the second without `error_class`."""
    teach(backend.ports, admin, "modules", "antipattern", MODULES, confidence=0.5)
    teach(backend.ports, admin, "permissions", "antipattern", PERMISSIONS, confidence=0.8)
    if is_in_index:
        backend.drain()
    plain = knowledge(backend.ports, agent, "Fix module imports")
    assert ids(plain) == {"antipatterns": ["permissions", "modules"]}
    lifted = knowledge(backend.ports, agent, "Fix module imports", error_patterns=patterns)
    assert ids(lifted) == {"antipatterns": ["modules", "permissions"]}
    assert lifted.groups["antipatterns"][0].score == pytest.approx(
        plain.groups["antipatterns"][1].score + 0.3
    )
    assert lifted.markdown.splitlines()[6:-1] == [f"- {MODULES}", f"- {PERMISSIONS}"]


def test_an_anti_pattern_is_found_by_its_error_among_many(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the look-up by the words of the errors: its standing is the least of all."""
    for number in range(SMALL_POOL + 1):
        teach(backend.ports, admin, f"other-{number:02}", "antipattern", f"Avoid: trap number {number}")
    teach(backend.ports, admin, "modules", "antipattern", MODULES, confidence=0.4)
    backend.drain()
    down = replace(backend.ports, embedder=NoEmbedder())
    assert "modules" not in ids(knowledge(down, agent, "Brew tea", pool=SMALL_POOL))["antipatterns"]
    lifted = knowledge(down, agent, "Brew tea", pool=SMALL_POOL, error_patterns=("module not found",))
    assert "modules" in ids(lifted)["antipatterns"]


def test_those_of_the_tasks_type_are_found_among_many(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the second question of `_standing`."""
    for number in range(SMALL_POOL + 1):
        teach(backend.ports, admin, f"other-{number:02}", "strategy", confidence=0.9, task_type="feature")
    teach(
        backend.ports, admin, "mine", "strategy", "Run one test alone.", confidence=0.7, task_type="test-fix"
    )
    backend.drain()
    down = replace(backend.ports, embedder=NoEmbedder())
    assert ids(knowledge(down, agent, "", pool=SMALL_POOL, task_type="test-fix"))["strategies"][0] == "mine"


def test_conventions_of_the_files_come_first(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without `CONVENTIONS_OF_FILES`: neither its standing nor its words say that it is one of them."""
    login = {"examples": ["src/auth/login.test.ts"]}
    teach(
        backend.ports, admin, "login", "convention", "Named as they are there.", confidence=0.5, detail=login
    )
    for number in range(SMALL_POOL + 1):
        teach(backend.ports, admin, f"other-{number:02}", "convention", f"Convention {number}.")
    backend.drain()
    down = replace(backend.ports, embedder=NoEmbedder())
    assert "login" not in ids(knowledge(down, agent, "Brew tea", pool=SMALL_POOL))["conventions"]
    first = knowledge(down, agent, "Brew tea", pool=SMALL_POOL, file_patterns=(".test.ts",))
    assert ids(first)["conventions"][0] == "login"
    assert "  Examples: src/auth/login.test.ts" in first.markdown.splitlines()


@pytest.mark.parametrize(
    ("text", "given", "first"),
    [(TASK, None, "test-fix"), (TASK, "feature", "feature"), ("Write the user guide", None, "documentation")],
)
def test_the_task_type_is_the_callers_else_told_from_the_text(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, text: str, given: str | None, first: str
) -> None:
    for task_type in ("test-fix", "feature", "documentation"):
        teach(backend.ports, admin, task_type, "strategy", task_type=task_type)
    assert ids(knowledge(backend.ports, agent, text, task_type=given))["strategies"][0] == first


def test_only_what_reaches_the_bounds_is_taken(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """The index asks for it, and the record is checked again: both at the bound itself."""
    bounds = {"strategy": 0.5, "antipattern": 0.4, "estimate": 0.4, "convention": 0.5}
    for type, bound in bounds.items():
        teach(backend.ports, admin, f"{type}-at", type, confidence=bound)
        teach(backend.ports, admin, f"{type}-below", type, confidence=bound - 0.001)
    teach(backend.ports, admin, "worked-at", "strategy", success_rate=0.6, confidence=0.5)
    teach(backend.ports, admin, "worked-below", "strategy", success_rate=0.599)
    teach(backend.ports, admin, "untried", "strategy", success_rate=None)
    teach(backend.ports, admin, "other", "pattern", TASK)
    for _ in range(2):
        assert ids(knowledge(backend.ports, agent)) == {
            "strategies": ["strategy-at", "worked-at"],
            "antipatterns": ["antipattern-at"],
            "estimates": ["estimate-at"],
            "conventions": ["convention-at"],
        }
        backend.drain()


def test_groups_are_bounded_and_the_limit_is_for_all_together(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    for type in TYPES:
        for number in range(6):
            teach(backend.ports, admin, f"{type}-{number}", type, confidence=0.9 - number / 100)
    everything = knowledge(backend.ports, agent)
    assert [len(items) for items in everything.groups.values()] == [3, 5, 2, 3]
    for items in everything.groups.values():
        assert [item.memory.id[-1] for item in items] == list("01234")[: len(items)]
    few = knowledge(backend.ports, agent, limit=5)
    assert [len(items) for items in few.groups.values()] == [2, 1, 1, 1]
    assert len(few.memories) == 5


def hide(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> None:
    """One of each kind that nobody may be shown, and one that everybody may."""
    ports = backend.ports
    for word in ("active", "archived", "erased", "expired", "persona", "pending"):
        fields: dict[str, Any] = {"expires_at": None}
        if word == "expired":
            fields["expires_at"] = clock.moment.replace(year=clock.moment.year + 1)
        if word == "persona":
            fields["persona"] = "analyst"
        teach(ports, admin, word, "strategy", **fields)
    archive_memory(ports, admin, PROJECT, "archived")
    erase_memory(ports, admin, PROJECT, "erased")
    set_policy(ports, admin, PROJECT, lambda _: Policy(review_sources=("run",)))
    for word in ("active", "expired", "persona"):
        approve_memory(ports, admin, PROJECT, word)


def test_what_is_hidden_stays_hidden(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    """Whatever an index says. Falls without the re-check in `visible_records`."""
    hide(backend, admin, clock)
    expired = replace(backend.ports, clock=StandingClock(clock.moment.replace(year=clock.moment.year + 2)))
    analyst = replace(agent, persona="analyst")
    for ports in (
        expired,
        replace(expired, index=LyingIndex(expired.index, [Ref(PROJECT, "erased")])),
        replace(expired, index=NoIndex(expired.index, [])),
    ):
        assert ids(knowledge(ports, agent)) == {"strategies": ["active"]}
        assert ids(knowledge(ports, analyst)) == {"strategies": ["active", "persona"]}


def test_what_a_tenant_shares_is_read_and_another_tenants_is_not(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    stranger = replace(admin, tenant="globex")
    teach(backend.ports, admin, "own", "strategy", confidence=0.9)
    teach(backend.ports, admin, "shared", "strategy", project=SHARED_PROJECT)
    teach(backend.ports, stranger, "theirs", "strategy", confidence=1.0)
    for _ in range(2):
        assert ids(knowledge(backend.ports, agent)) == {"strategies": ["own", "shared"]}
        backend.drain()


def test_each_project_decides_what_of_its_own_is_shown(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    teach(backend.ports, admin, "own", "strategy")
    teach(backend.ports, admin, "shared", "strategy", project=SHARED_PROJECT)
    set_policy(backend.ports, admin, SHARED_PROJECT, lambda _: Policy(review_sources=("run",)))
    assert ids(knowledge(backend.ports, agent)) == {"strategies": ["own"]}


class LaggingIndex(ForgetfulIndex):
    """Has seen no write at all, and so knows of no record."""

    def standing(self, scopes: tuple[Scope, ...], *_: object, **__: object) -> RecordTable:
        return table_of_refs(scopes[0].tenant, ())


@pytest.mark.parametrize("text", ["", TASK, "nothing like it"])
def test_a_learning_is_there_at_once(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, text: str
) -> None:
    """With no vector and no word in common. Falls without `unseen` in `find_candidates`."""
    lagging = LaggingIndex(backend.ports.index, [])
    ports = replace(backend.ports, embedder=NoEmbedder(), index=lagging)
    for type in TYPES:
        teach(ports, admin, type, type)
    composed = knowledge(ports, agent, text)
    assert [len(items) for items in composed.groups.values()] == [1, 1, 1, 1]
    assert composed.note == (NO_EMBEDDER if text else None)


def test_without_an_index_the_newest_are_looked_at(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    teach(backend.ports, admin, "modules", "antipattern", MODULES, confidence=0.5)
    teach(backend.ports, admin, "permissions", "antipattern", PERMISSIONS)
    down = replace(backend.ports, index=NoIndex(backend.ports.index, []))
    composed = knowledge(down, agent, "Brew tea", error_patterns=("module not found",))
    assert ids(composed) == {"antipatterns": ["modules", "permissions"]}
    assert composed.note == NO_INDEX


def test_the_same_memories_give_the_same_bytes(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    for hours, id in ((4, "b"), (50, "a"), (0, "c")):
        clock.advance(hours=hours)
        teach(backend.ports, admin, id, "strategy", expires_at=None)
    first = knowledge(backend.ports, agent)
    assert len(first.memories) == 3
    for days in (0.3, 5, 80, 300):
        clock.advance(days=days)
        again = knowledge(backend.ports, agent)
        assert (again.markdown, again.memory_set_hash) == (first.markdown, first.memory_set_hash)
        assert again.recall_id != first.recall_id


def test_nothing_learned_is_an_empty_section(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": TASK})
    composed = knowledge(backend.ports, agent)
    assert (composed.markdown, composed.memories, ids(composed), composed.note) == ("", (), {}, None)
    assert compose_prompt(backend.ports, agent, PROJECT, TASK, TaskProfile(), limit=5).markdown


@pytest.mark.parametrize(
    ("text", "task", "pointer"),
    [
        ("fix\x00", {}, "/task"),
        ("fix", {"error_patterns": ("ok", "\ud800")}, "/error_patterns/1"),
        ("fix", {"file_patterns": ("\x07",)}, "/file_patterns/0"),
    ],
)
def test_what_is_no_text_is_refused(
    backend: EmbeddedBackend, agent: Principal, text: str, task: dict[str, tuple[str, ...]], pointer: str
) -> None:
    """Falls without `_check_patterns`: half a pair is no text that an engine could be asked for."""
    with pytest.raises(Invalid) as refused:
        knowledge(backend.ports, agent, text, **task)
    assert [violation.pointer for violation in refused.value.violations] == [pointer]


def test_the_tests_may_open_it_twice(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, agent: Principal
) -> None:
    """What one process learned is in the prompt of another."""
    teach(open_backend().ports, admin, "own", "strategy")
    assert ids(knowledge(open_backend().ports, agent)) == {"strategies": ["own"]}
