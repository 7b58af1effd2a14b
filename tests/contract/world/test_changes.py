"""Changes as events on either backend: in order, by the rights of who reads them, without a word of any memory."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.change_events import as_cloud_event
from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.errors import Invalid
from memory_layer.ports.commit import Commit
from memory_layer.usecases.ground.audit_log import note_refusal
from memory_layer.usecases.ground.signed_ports import signed_ports
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.review.apply_memory import apply_memory
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.world.list_changes import (
    ChangePage,
    last_position,
    list_changes,
    list_recent_changes,
)
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import ADMIN, AGENT, PROJECT, REVIEWER, SCOPE, a_memory, created, put_as
from tests.run_examples import run_of

ADVICE = "Run the importer with mode=ro, or it takes the write lock."
ANALYST = replace(AGENT, subject="ana", persona="analyst")
ENGINEER = replace(AGENT, subject="eng", persona="engineer")
FOREIGNER = Principal("globex", "gus", "gus@globex.test", roles=frozenset({"admin"}))


def put(backend: EmbeddedBackend, id: str = "m1", by: Principal = AGENT, content: str = ADVICE) -> None:
    put_as(signed_ports(backend.ports, by), by, id, content, persona=by.persona)


def page(backend: EmbeddedBackend, reader: Principal = ADMIN, **asked: object) -> ChangePage:
    backend.drain()
    return list_changes(backend.ports, reader, PROJECT, **asked)  # type: ignore[arg-type]


def told(
    backend: EmbeddedBackend, reader: Principal = ADMIN, **asked: object
) -> list[tuple[ChangeType, str | None]]:
    return [(event.type, event.subject) for event in page(backend, reader, **asked).events]


def test_each_change_is_told_once_in_order_with_its_version_and_the_state_of_now(
    backend: EmbeddedBackend,
) -> None:
    put(backend)
    revise(signed_ports(backend.ports, AGENT), AGENT, PROJECT, "m1", {"content": f"{ADVICE} Always."})
    approve_memory(backend.ports, REVIEWER, PROJECT, "m1")
    archive_memory(backend.ports, REVIEWER, PROJECT, "m1")
    events = page(backend).events
    assert [(e.id, e.type, e.data.version, e.data.by) for e in events] == [
        ("1", "memory.created", 1, AGENT.name),
        ("2", "memory.edited", 2, AGENT.name),
        ("3", "memory.approved", 3, REVIEWER.name),
        ("4", "memory.archived", 4, REVIEWER.name),
    ]
    assert {(e.data.now.version, e.data.now.status) for e in events if e.data.now} == {(4, "archived")}


def test_a_supersession_and_knowledge_for_all_have_their_types(backend: EmbeddedBackend) -> None:
    put(backend)
    supersede_memory(backend.ports, AGENT, PROJECT, "m1", {"content": "Run the importer with mode=rw."})
    put(backend, "m2", REVIEWER, "Close each file after use.")
    approve_memory(backend.ports, REVIEWER, PROJECT, "m2")
    apply_memory(backend.ports, REVIEWER, PROJECT, "m2", "memory")
    assert ("memory.superseded", "m1") in told(backend)
    assert ("knowledge.applied", "m2") in told(backend)
    backend.drain()
    (shared,) = list_changes(backend.ports, AGENT, "_shared").events
    assert shared.type == "knowledge.applied"


def test_the_newest_changes_come_first_page_by_page_without_a_gap(backend: EmbeddedBackend) -> None:
    for number in range(7):
        put(backend, f"m{number}", content=f"The importer of shop {number} takes the write lock.")
        archive_memory(backend.ports, REVIEWER, PROJECT, f"m{number}")
    backend.drain()
    found: list[str | None] = []
    before: int | None = None
    for _ in range(9):
        recent = list_recent_changes(
            backend.ports, ADMIN, PROJECT, before=before, types=("memory.archived",), limit=2
        )
        found += [event.subject for event in recent.events]
        if (before := recent.next_before) is None:
            break
    assert found == [f"m{number}" for number in reversed(range(7))]
    assert before is None
    assert list_changes(backend.ports, ADMIN, PROJECT, after=recent.next_after).events == ()


def test_the_newest_changes_keep_to_the_reader_s_rights(backend: EmbeddedBackend) -> None:
    """Falls without `_Rights`."""
    put(backend, "hers", ANALYST)
    put(backend, "his", ENGINEER, "Close each file after use.")
    backend.drain()
    recent = list_recent_changes(backend.ports, ANALYST, PROJECT)
    assert [event.subject for event in recent.events] == ["hers"]


def test_no_event_has_a_word_of_a_memory(backend: EmbeddedBackend) -> None:
    put(backend, content=f"{ADVICE} xyzzy")
    revise(backend.ports, AGENT, PROJECT, "m1", {"content": f"{ADVICE} xyzzy plugh", "tags": ["xyzzy"]})
    assert "xyzzy" not in json.dumps([as_cloud_event(event) for event in page(backend).events])


def test_the_erasure_of_a_memory_tells_its_id_alone_and_what_was_told_before_is_told_no_more(
    backend: EmbeddedBackend,
) -> None:
    put(backend)
    put(backend, "m2", content="Close each file after use.")
    erase_memory(backend.ports, ADMIN, PROJECT, "m1")
    assert told(backend) == [("memory.created", "m2"), ("memory.erased", "m1")]
    assert as_cloud_event(page(backend).events[-1])["data"] == {"id": "m1", "change": "erased"}


def test_a_persona_hears_of_its_own_and_of_everyones(backend: EmbeddedBackend) -> None:
    """Falls without `_Rights`."""
    put(backend, "hers", ANALYST)
    put(backend, "all", AGENT, "Close each file after use.")
    assert told(backend, ANALYST) == [("memory.created", "hers"), ("memory.created", "all")]
    assert told(backend, ENGINEER) == [("memory.created", "all")]
    assert page(backend, ENGINEER).next_after == 2


def test_the_erasure_of_a_personas_memory_is_told_to_that_persona(backend: EmbeddedBackend) -> None:
    """Falls without the persona of an erasure in the log."""
    put(backend, "hers", ANALYST)
    erase_memory(backend.ports, ADMIN, PROJECT, "hers")
    assert told(backend, ANALYST) == [("memory.erased", "hers")]
    assert told(backend, ENGINEER) == []


def test_the_erasure_of_a_person_takes_the_persona_of_erasures_as_well(backend: EmbeddedBackend) -> None:
    """Falls without `persona` among what is forgotten of a person."""
    put(backend, "his", replace(AGENT, subject="sam", persona="sam"))
    erase_memory(backend.ports, ADMIN, PROJECT, "his")
    rule, now = ErasureRule(created_by="sam"), backend.ports.clock.now()
    erase(backend.ports, ADMIN, PROJECT, rule, id="ers_1", began_at=now)
    backend.drain()
    left = [link.payload for link in backend.ports.store.audit.links(SCOPE, after=0)]
    assert "sam" not in json.dumps(left)
    assert told(backend, ENGINEER) == [("person.erased", None)]


def test_another_tenant_hears_of_nothing(backend: EmbeddedBackend) -> None:
    put(backend)
    put_as(backend.ports, FOREIGNER, "theirs", "Their own rule about files.")
    assert told(backend, FOREIGNER) == [("memory.created", "theirs")]
    assert {event.source for event in page(backend, FOREIGNER).events} == {"urn:memory-layer:globex:web"}
    assert told(backend) == [("memory.created", "m1")]


def test_settings_and_learnings_are_told_to_reviewers_and_runs_to_all(backend: EmbeddedBackend) -> None:
    set_policy(backend.ports, ADMIN, PROJECT, lambda policy: policy)
    learn_from_run(backend.ports, AGENT, PROJECT, run_of("r1"), "staged")
    agents, reviewers = told(backend, AGENT), told(backend, REVIEWER)
    assert ("run.reported", "r1") in agents
    assert {kind for kind, _ in agents} == {"run.reported"}
    assert {kind for kind, _ in reviewers} == {"settings.changed", "run.reported", "learning.changed"}


def test_a_refusal_is_no_change(backend: EmbeddedBackend) -> None:
    put(backend)
    backend.drain()
    note_refusal(backend.ports, AGENT, PROJECT, "POST memories: 409 duplicate", "m1")
    assert told(backend) == [("memory.created", "m1")]


def test_pages_go_on_where_the_one_before_ended(backend: EmbeddedBackend) -> None:
    changes = [created(a_memory(SCOPE, f"m{number}", content=f"Rule {number}.")) for number in range(7)]
    assert backend.ports.store.writer.commit_each([Commit(scope=SCOPE, changes=(one,)) for one in changes])
    read: list[str | None] = []
    after, is_last = 0, False
    while not is_last:
        found = page(backend, after=after, limit=2)
        read += [event.subject for event in found.events]
        after, is_last = found.next_after, found.is_last
    assert sorted(map(str, read)) == [f"m{number}" for number in range(7)], (
        "the cloud commits them side by side"
    )
    assert last_position(backend.ports, ADMIN, PROJECT) == after == 7
    assert page(backend, after=7) == ChangePage((), 7, True)


def test_types_are_chosen_and_a_page_without_any_goes_on(backend: EmbeddedBackend) -> None:
    put(backend)
    approve_memory(backend.ports, REVIEWER, PROJECT, "m1")
    assert told(backend, types={"memory.approved"}) == [("memory.approved", "m1")]
    assert page(backend, types={"memory.stale"}) == ChangePage((), 2, True)


def test_a_place_behind_the_end_is_refused(backend: EmbeddedBackend) -> None:
    """Falls without `_refuse_beyond`: a reader of a log that was restored would wait for ever."""
    put(backend)
    with pytest.raises(Invalid, match="behind the end, 1"):
        page(backend, after=2)
