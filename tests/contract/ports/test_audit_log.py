"""The audit log on either backend: every change and decision once, in order, and a chain that outlasts erasures."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.audit import (
    ERASED,
    EXPORTED,
    PERSON_ERASED,
    PROJECT_ERASED,
    REFUSED,
    AuditEvent,
    AuditHead,
    AuditLink,
)
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.memory import Scope
from memory_layer.errors import Forbidden
from memory_layer.ports.audit import AuditFilter, AuditStore
from memory_layer.ports.commit import Commit
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.ground.audit_log import (
    NOTES_PER_HOUR,
    AuditVerification,
    note_export,
    note_refusal,
    read_audit,
    verify_audit,
)
from memory_layer.usecases.ground.signed_ports import signed_ports
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import ADMIN, AGENT, PROJECT, REVIEWER, SCOPE, StandingClock, a_memory, created, put_as

ADVICE = "Run the importer with mode=ro, or it takes the write lock."
ALL = AuditFilter()


def put(
    backend: EmbeddedBackend, id: str = "m1", principal: Principal = AGENT, content: str = ADVICE
) -> None:
    put_as(signed_ports(backend.ports, principal, "req_1"), principal, id, content)


def told(backend: EmbeddedBackend, asked: AuditFilter = ALL) -> list[AuditEvent]:
    """Readable parts of the log, oldest first."""
    backend.drain()
    page = read_audit(backend.ports, REVIEWER, PROJECT, asked, before=None, limit=200)
    return [link.event for link in reversed(page.links) if link.event is not None]


def erase_all(backend: EmbeddedBackend, rule: ErasureRule) -> None:
    now = backend.ports.clock.now()
    erase(backend.ports, ADMIN, PROJECT, rule, id=f"ers_{rule.kind}", began_at=now)


def checked(backend: EmbeddedBackend) -> AuditVerification:
    backend.drain()
    return verify_audit(backend.ports, REVIEWER, PROJECT)


def test_each_change_and_decision_is_told_once_with_who_and_which_versions(backend: EmbeddedBackend) -> None:
    """Falls without the events of a commit in its transaction, and without the signature of a caller's ports."""
    put(backend)
    revise(backend.ports, AGENT, PROJECT, "m1", {"content": f"{ADVICE} Always."})
    approve_memory(backend.ports, REVIEWER, PROJECT, "m1")
    set_policy(signed_ports(backend.ports, ADMIN), ADMIN, PROJECT, lambda policy: policy)
    assert [(e.what, e.principal, e.about, e.before, e.after) for e in told(backend)] == [
        ("created", AGENT.name, "m1", 0, 1),
        ("updated", AGENT.name, "m1", 1, 2),
        ("approved", REVIEWER.name, "m1", 2, 3),
        ("settings", ADMIN.name, None, 0, 1),
    ]
    assert told(backend)[0].request_id == "req_1"
    assert checked(backend).is_valid
    assert checked(backend).entries == 4


def test_a_refused_commit_leaves_no_entry(backend: EmbeddedBackend) -> None:
    """Falls without the log in the transaction of the commit."""
    put(backend)
    stale = created(a_memory(SCOPE, "m1", content="Other words."))
    assert backend.ports.store.writer.commit_each([Commit(scope=SCOPE, changes=(stale,))]) != [None]
    assert len(told(backend)) == 1


def test_an_erasure_takes_the_readable_parts_and_keeps_the_chain(backend: EmbeddedBackend) -> None:
    """Falls without `_forget_before`: who had written what was erased could still be read."""
    put(backend)
    put(backend, "m2", content="Retry the upload twice.")
    erase_memory(signed_ports(backend.ports, ADMIN), ADMIN, PROJECT, "m1")
    found = told(backend)
    assert [(event.what, event.about) for event in found] == [("created", "m2"), (ERASED, "m1")]
    result = checked(backend)
    assert result.is_valid
    assert (result.entries, result.erased) == (3, 1)


def test_an_erased_project_and_an_erased_person_are_named_no_more(backend: EmbeddedBackend) -> None:
    """Falls without the entries of `_Erasure._enter`: then what is gone would look altered."""
    put(backend)
    put(backend, "m2", REVIEWER, "Retry the upload twice.")
    revise(backend.ports, REVIEWER, PROJECT, "m1", {"content": f"{ADVICE} Always."})
    erase_all(backend, ErasureRule(created_by=REVIEWER.name))
    assert checked(backend).is_valid
    assert REVIEWER.name not in {event.principal for event in told(backend)}
    assert told(backend)[-1].what == PERSON_ERASED
    erase_all(backend, ErasureRule())
    assert checked(backend).is_valid
    assert {event.about for event in told(backend)} == {None}
    assert told(backend)[-1].what == PROJECT_ERASED


def test_pages_go_back_to_the_first_entry_and_filters_choose(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    for number in range(7):
        put(backend, f"m{number}", content=f"Rule {number}: close file {number} after use.")
        clock.advance(minutes=1)
    approve_memory(backend.ports, REVIEWER, PROJECT, "m3")
    backend.drain()
    positions: list[int] = []
    before = None
    while True:
        page = read_audit(backend.ports, REVIEWER, PROJECT, ALL, before=before, limit=3)
        positions += [link.position for link in page.links]
        before = page.next_before
        if before is None:
            break
    assert positions == list(range(8, 0, -1))
    assert [e.what for e in told(backend, AuditFilter(about="m3"))] == ["created", "approved"]
    assert [e.about for e in told(backend, AuditFilter(principal=REVIEWER.name))] == ["m3"]
    assert [e.about for e in told(backend, AuditFilter(what="approved"))] == ["m3"]
    assert len(told(backend, AuditFilter(since=clock.now()))) == 1
    assert len(told(backend, AuditFilter(until=clock.now()))) == 8


def test_the_log_is_for_reviewers(backend: EmbeddedBackend) -> None:
    """Falls without `_require_reviewer`."""
    with pytest.raises(Forbidden):
        read_audit(backend.ports, AGENT, PROJECT, ALL, before=None, limit=1)
    with pytest.raises(Forbidden):
        verify_audit(backend.ports, AGENT, PROJECT)


def test_refusals_are_told_up_to_so_many_an_hour(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """Falls without the allowance in `note_refusal`: whoever is refused could fill the log."""
    put(backend)
    for _ in range(NOTES_PER_HOUR + 5):
        note_refusal(backend.ports, AGENT, PROJECT, "PATCH memories/ID: 403 forbidden", "m1")
    assert [event.what for event in told(backend)].count(REFUSED) == NOTES_PER_HOUR
    clock.advance(hours=1)
    note_refusal(backend.ports, AGENT, PROJECT, "PATCH memories/ID: 403 forbidden", "m1")
    assert [event.what for event in told(backend)].count(REFUSED) == NOTES_PER_HOUR + 1


@pytest.mark.parametrize("what", [REFUSED, EXPORTED])
def test_a_token_has_one_allowance_whatever_its_clients_call_themselves(
    backend: EmbeddedBackend, what: str
) -> None:
    """Falls where notes are counted by names: a client that renames itself could fill the log."""
    put(backend)
    for number in range(NOTES_PER_HOUR + 5):
        client = replace(AGENT, subject=f"agent:client-{number}:ada@acme.test")
        if what == REFUSED:
            note_refusal(backend.ports, client, PROJECT, "PATCH memories/ID: 403 forbidden", "m1")
        else:
            note_export(backend.ports, client, PROJECT)
    assert [event.what for event in told(backend)].count(what) == NOTES_PER_HOUR


def test_a_refusal_makes_no_project(backend: EmbeddedBackend) -> None:
    """Falls without the look at the write versions: any name in a path would become a project."""
    note_refusal(backend.ports, AGENT, "never-written", "POST memories: 403 forbidden")
    assert backend.ports.store.sweeps.projects(after=None, limit=10) == []


def test_parallel_writers_make_one_chain(backend: EmbeddedBackend) -> None:
    """Falls without the head that a link is appended to."""
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda number: put(backend, f"m{number}", content=f"Rule {number}: close handle {number}."),
                range(24),
            )
        )
    result = checked(backend)
    assert result.is_valid
    assert result.entries == 24
    assert {event.about for event in told(backend)} == {f"m{number}" for number in range(24)}


TAMPERING = {
    "changed": "UPDATE audit SET payload = replace(payload, 'agent-7', 'eve') WHERE position = 2",
    "removed": "DELETE FROM audit WHERE position = 2",
    "moved": "UPDATE audit SET position = position + 10 WHERE position = 2",
    "said to be erased": "UPDATE audit SET payload = NULL, salt = NULL WHERE position = 2",
    "cut off": "DELETE FROM audit WHERE position >= 2",
}


class _HalfShown:
    """Log of which the first reading shows a part of an append: of its links the last alone, or not yet its head."""

    def __init__(self, log: AuditStore, hidden: str) -> None:
        self._log = log
        self._hidden: str | None = hidden

    def links(self, scope: Scope, *, after: int) -> Iterator[AuditLink]:
        found = list(self._log.links(scope, after=after))
        return iter(found[-1:] if self._hidden == "links" else found)

    def settled_head(self, scope: Scope) -> AuditHead:
        hidden, self._hidden = self._hidden, None
        return AuditHead() if hidden == "head" else self._log.settled_head(scope)


@pytest.mark.parametrize("hidden", ["links", "head"])
def test_an_append_that_is_under_way_is_no_break(backend: EmbeddedBackend, hidden: str) -> None:
    """Falls where one reading alone is believed."""
    put(backend)
    put(backend, "m2", content=f"{ADVICE} Twice.")
    backend.drain()
    ports = backend.ports
    half_shown = replace(ports.store, audit=_HalfShown(ports.store.audit, hidden))
    assert verify_audit(replace(ports, store=half_shown), REVIEWER, PROJECT).is_valid


@EMBEDDED_ONLY
@pytest.mark.parametrize("how", sorted(TAMPERING))
def test_tampering_with_the_file_is_named(
    open_backend: Callable[..., EmbeddedBackend], tmp_path: Path, how: str
) -> None:
    """Falls without the chain, its head, or the question who erased."""
    backend = open_backend()
    for number in range(1, 4):
        put(backend, f"m{number}", content=f"Rule {number}: close file {number} after use.")
    with sqlite3.connect(tmp_path / "data" / DATABASE_NAME) as connection:
        connection.execute(TAMPERING[how])
    connection.close()
    broken = checked(backend).broken
    assert broken is not None
    assert broken.position == 2
    found = verify(backend.ports, ADMIN, PROJECT).broken
    assert [part.part for part in found] == ["audit"]


@EMBEDDED_ONLY
def test_no_byte_of_an_erased_entry_stays(
    open_backend: Callable[..., EmbeddedBackend], tmp_path: Path
) -> None:
    """Falls without the removal of payload and salt, and of what the log of writes still holds."""
    backend = open_backend()
    put(backend)
    salts = [link.salt for link in backend.ports.store.audit.links(SCOPE, after=0)]
    erase_all(backend, ErasureRule())
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").glob(f"{DATABASE_NAME}*"))
    with sqlite3.connect(tmp_path / "data" / DATABASE_NAME) as c:
        for (t,) in c.execute("select name from sqlite_master where type='table'").fetchall():
            for row in c.execute(f"select * from {t}"):
                if "particular" in str(row):
                    print("FOUND", t, row)
    assert salts
    assert all(salt is not None and salt not in stored for salt in salts)
