"""Records of authors: an agent whose lines others found wrong ranks lower, until that is forgiven or taken back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.learning.author_records import MOST_LOST, AuthorRecords
from memory_layer.domain.learning.line_findings import author_digest
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground import note_findings
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.rollback import roll_back, undo_rollback
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from memory_layer.usecases.write.write_line import StoredMemory
from tests.given import PROJECT, StandingClock, a_memory, read_back
from tests.run_examples import run_of

EVE = Principal("acme", "u7", email="eve@acme.test")
RAE = Principal("acme", "rae", roles=frozenset({"reviewer"}))
LIAR, HONEST, WREN, TERN = (Principal("acme", name) for name in ("liar", "honest", "wren", "tern"))
ASKED = "how long does the price cache keep its entries?"
LIE, TRUTH = (
    "The price cache keeps its entries for two weeks.",
    "Entries of the price cache live nine minutes.",
)
OTHERS = {
    f"lie-{at}": f"Shelf {at} of the {thing} is empty."
    for at, thing in enumerate(("ledger", "journal", "gateway", "sweeper"))
}

KILLED = {"number": 1, "status": "failed", "analysis": {"errors": ["Process killed: exit code 137"]}}
"""Iteration that failed by its tools."""


@pytest.fixture
def told(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    backend = open_backend()
    put_memory(backend.ports, HONEST, PROJECT, "truth", {"content": TRUTH})
    put_memory(backend.ports, LIAR, PROJECT, "lie", {"content": LIE})
    for id, content in OTHERS.items():
        put_memory(backend.ports, LIAR, PROJECT, id, {"content": content})
    backend.drain()
    return backend


def asked(backend: EmbeddedBackend) -> RecallResult:
    backend.drain()
    return recall(backend.ports, EVE, PROJECT, RecallRequest(query=ASKED, limit=5, explores=False))


def first(backend: EmbeddedBackend) -> str:
    return asked(backend).memories[0].memory.id


def records(backend: EmbeddedBackend) -> AuthorRecords:
    return backend.ports.store.projects.authors(EVE.scope(PROJECT))


def lost(backend: EmbeddedBackend, who: Principal = LIAR) -> float:
    lowered = records(backend).lowered(backend.ports.clock.now())
    found = lowered.get(author_digest(a_memory(EVE.scope(PROJECT), "any", created_by=who.name)))
    return 0.0 if found is None else found.share


def reject_two(backend: EmbeddedBackend, by: Principal = RAE) -> None:
    for id in ("lie-0", "lie-1"):
        reject_memory(backend.ports, by, PROJECT, id)


def fail(backend: EmbeddedBackend, by: Principal, *, run: str | None = None, **said: Any) -> None:
    """A run of its own, which failed with all four lines."""
    report = run_of(
        run or f"run-of-{by.subject}", **({"status": "failed", "memories_used": [*OTHERS]} | said)
    )
    learn_from_run(backend.ports, by, PROJECT, report, "staged")


def test_an_agent_of_whom_a_reviewer_rejected_two_lines_ranks_lower(told: EmbeddedBackend) -> None:
    """Falls without `kept` in `placed_by_trust`."""
    assert first(told) == "lie"
    reject_memory(told.ports, RAE, PROJECT, "lie-0")
    assert (lost(told), first(told)) == (0.0, "lie")
    reject_memory(told.ports, RAE, PROJECT, "lie-1")
    hits = {hit.memory.id: hit for hit in asked(told).memories}
    assert next(iter(hits)) == "truth"
    assert (hits["lie"].placed_by, hits["truth"].placed_by) == ("record", "relevance")
    assert lost(told, HONEST) == 0.0


def test_turns_that_are_rejected_count_as_any_lines(told: EmbeddedBackend) -> None:
    """Falls without `note_findings` where others quote what changes."""
    said = [
        RememberRequest(fields={"content": f"{content} Believe me."}) for content in list(OTHERS.values())[:2]
    ]
    for turn in add_turns(told.ports, LIAR, PROJECT, "talk", said):
        assert isinstance(turn, StoredMemory)
        reject_memory(told.ports, RAE, PROJECT, turn.memory.id)
    assert lost(told) > 0.0


def prompted(backend: EmbeddedBackend) -> list[str]:
    backend.drain()
    made = compose_prompt(backend.ports, EVE, PROJECT, ASKED, TaskProfile(), limit=2)
    return [memory.id for memory in made.memories]


def test_it_stands_lower_in_prompts_and_contexts(told: EmbeddedBackend) -> None:
    """Falls where `task_retrieval`, or the search of a context, knows no records."""
    for at in range(9):
        put_memory(told.ports, HONEST, PROJECT, f"note-{at}", {"content": f"Cache {at} keeps {at} entries."})
    assert "lie" in prompted(told)
    reject_two(told)
    assert "lie" not in prompted(told)
    page = assemble_context(told.ports, EVE, PROJECT, ContextRequest(intent=ASKED, time_ms=20_000))
    told_of = {one.id: one.priority_score for one in page.assembled.fragments}
    assert told_of["truth"] > told_of["lie"]


def test_its_conventions_stand_lower_in_a_prompt_of_knowledge(told: EmbeddedBackend) -> None:
    """Falls without `_by_records`."""
    said = {"type": "convention", "confidence": 0.5}
    put_memory(
        told.ports, LIAR, PROJECT, "skip", {"content": "Skip the check.", "task_type": "general", **said}
    )
    put_memory(told.ports, HONEST, PROJECT, "check", {"content": "Check the cache first.", **said})
    told.drain()

    def conventions() -> list[str]:
        made = compose_knowledge(told.ports, EVE, PROJECT, ASKED, TaskProfile(), limit=None)
        return [item.memory.id for item in made.groups["conventions"]]

    assert conventions() == ["skip", "check"]
    reject_two(told)
    assert conventions() == ["check", "skip"]


def test_an_approval_lifts_its_line_and_counts_for_it(told: EmbeddedBackend) -> None:
    reject_two(told)
    before = lost(told)
    approve_memory(told.ports, RAE, PROJECT, "lie-2")
    assert 0.0 < lost(told) < before
    approve_memory(told.ports, RAE, PROJECT, "lie")
    assert first(told) == "lie"


def correct_all(backend: EmbeddedBackend) -> None:
    for id, content in OTHERS.items():
        said = {"content": content.replace("is empty", "is not empty"), "source": "human"}
        supersede_memory(backend.ports, RAE, PROJECT, id, said)


def test_corrections_by_people_count_half_and_their_undoing_takes_them_back(told: EmbeddedBackend) -> None:
    correct_all(told)
    assert lost(told) > 0.0
    undo_last_change(told.ports, RAE, PROJECT, "lie-0")
    assert lost(told) == 0.0


def test_better_words_for_the_same_find_nothing(told: EmbeddedBackend) -> None:
    """Falls without `point_of_difference` in `_successor`."""
    for id, content in OTHERS.items():
        said = {"content": f"It stays as it is: {content[0].lower()}{content[1:]}", "source": "human"}
        supersede_memory(told.ports, RAE, PROJECT, id, said)
    assert lost(told) == 0.0


def test_what_stood_for_long_was_right_in_its_time(told: EmbeddedBackend, clock: StandingClock) -> None:
    """Falls without `CORRECTED_WITHIN`."""
    clock.advance(days=31)
    correct_all(told)
    assert lost(told) == 0.0


def test_a_change_is_written_though_nothing_can_be_noted(
    told: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_settle_after`: the change would be made again, or be told as a conflict."""

    def overtaken(*_: object, **__: object) -> None:
        raise VersionConflict("others judge all the time")

    monkeypatch.setattr(note_findings, "settle_findings", overtaken)
    report_outcome(told.ports, RAE, PROJECT, "lie", OutcomeReport(result="failed"))
    assert read_back(told.ports.store, EVE.scope(PROJECT), "lie").failed == 1


def test_two_agents_find_it_wrong_in_runs_of_their_own_and_only_so_far(told: EmbeddedBackend) -> None:
    """Falls without `note_findings` in `credit_run`."""
    fail(told, WREN)
    assert lost(told) == 0.0
    fail(told, TERN)
    assert 0.0 < lost(told) <= MOST_LOST["agents"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (WREN, {"run": "another-run"}),
        (LIAR, {}),
        (TERN, {"status": "crashed"}),
        (TERN, {"iterations": [KILLED]}),
        (TERN, {"status": "completed"}),
    ],
    ids=["once more", "itself", "crashed", "out of memory", "it worked"],
)  # fmt: skip
def test_nobody_is_found_wrong_by_one(told: EmbeddedBackend, second: Principal, said: dict[str, Any]) -> None:
    fail(told, WREN)
    fail(told, second, **said)
    assert lost(told) == 0.0


def test_clients_of_one_token_are_one_who_finds(told: EmbeddedBackend) -> None:
    """Falls without `agent_voice` in `_found_by_agents`."""
    for client in ("one", "two", "three"):
        fail(told, replace(WREN, subject=f"agent:{client}:mallory"))
    assert lost(told) == 0.0


def test_a_run_that_another_reported_is_not_its_namers_own(told: EmbeddedBackend) -> None:
    """Falls without `_owners`."""
    fail(told, HONEST, run="theirs", memories_used=[])
    fail(told, WREN)
    for id in OTHERS:
        report_outcome(told.ports, TERN, PROJECT, id, OutcomeReport(result="failed", run_id="theirs"))
    assert lost(told) == 0.0


def test_a_run_that_fails_under_a_persons_token_decides_on_no_line(told: EmbeddedBackend) -> None:
    """Falls where `_decided` takes a run's blame for a person's word."""
    fail(told, EVE)
    assert lost(told) == 0.0


def test_a_verdict_that_is_taken_back_is_found_no_more(told: EmbeddedBackend) -> None:
    """Falls where `_counts` looks at a memory after the change alone."""
    for who in (WREN, TERN):
        fail(told, who)
    assert lost(told) > 0.0
    for who in (WREN, TERN):
        for id in OTHERS:
            report = OutcomeReport(result="partial", run_id=f"run-of-{who.subject}")
            report_outcome(told.ports, who, PROJECT, id, report)
    assert lost(told) == 0.0


def test_words_of_people_are_never_lowered(told: EmbeddedBackend) -> None:
    put_memory(told.ports, EVE, PROJECT, "said", {"content": "Mind the gap."})
    for _ in range(3):
        report_outcome(told.ports, RAE, PROJECT, "said", OutcomeReport(result="failed"))
    assert records(told).findings == ()


def test_it_is_forgiven_with_time(told: EmbeddedBackend, clock: StandingClock) -> None:
    reject_two(told)
    before = lost(told)
    clock.advance(days=90)
    assert 0.0 < lost(told) < before
    clock.advance(days=270)
    assert (lost(told), first(told)) == (0.0, "lie")


@pytest.mark.parametrize("who", [WREN, LIAR], ids=["who found", "who lied"])
def test_a_rollback_takes_it_back_and_an_undo_brings_it(
    told: EmbeddedBackend, admin: Principal, clock: StandingClock, who: Principal
) -> None:
    """Falls without `_settle_findings`."""
    fail(told, WREN)
    fail(told, TERN)
    before = lost(told)
    clock.advance(minutes=1)
    done = roll_back(told.ports, admin, PROJECT, who.name, id="rbk_1")
    assert (records(told).findings, done.status) == ((), "applied")
    undo_rollback(told.ports, admin, PROJECT, "rbk_1")
    assert lost(told) == before > 0.0


def test_an_erasure_takes_out_what_was_found(told: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `forget_findings`."""
    reject_two(told)
    erase_memory(told.ports, admin, PROJECT, "lie-0")
    assert len(records(told).findings) == 1
    erase(told.ports, admin, PROJECT, ErasureRule(), id="ers_1", began_at=told.ports.clock.now())
    assert records(told).findings == ()


def test_no_agent_takes_back_what_was_found_of_it(told: EmbeddedBackend) -> None:
    """Falls where an author's own erasure, undoing or change of a line ends what was found of it."""
    reject_two(told)
    before = records(told).findings
    ways: tuple[Callable[[str], object], ...] = (
        lambda id: undo_last_change(told.ports, LIAR, PROJECT, id),
        lambda id: restore_version(told.ports, LIAR, PROJECT, id, 1),
        lambda id: revise(told.ports, LIAR, PROJECT, id, {"content": "Something else entirely."}),
        lambda id: put_memory(told.ports, LIAR, PROJECT, id, {"content": "Something else entirely."}),
        lambda id: supersede_memory(told.ports, LIAR, PROJECT, id, {"content": "Something else entirely."}),
        lambda id: archive_memory(told.ports, LIAR, PROJECT, id),
        lambda id: erase_memory(told.ports, LIAR, PROJECT, id),
    )
    for way in ways:
        for id in ("lie-0", "lie-1"):
            with suppress(MemoryLayerError):
                way(id)
        assert records(told).findings == before


def test_a_service_has_nobody_found_wrong_by_the_name_of_its_user(
    told: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `is_users`: who speaks for end users could lie in the name of any agent."""
    service = acting_for(Principal("acme", "desk", acts_for=True), HONEST.name)
    for id in ("their-0", "their-1"):
        put_memory(told.ports, service, PROJECT, id, {"content": f"{id} is a lie."})
        reject_memory(told.ports, admin, PROJECT, id)
    assert len(records(told).findings) == 2
    assert lost(told, HONEST) == 0.0
