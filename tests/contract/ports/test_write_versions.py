"""What was written last, in a word: kept contexts go by it, so no write may leave it as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from memory_layer.domain.memory import Memory, Ref, Scope, content_hash
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.ports.commit import Change, Commit, Erasure
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.ports.record_store import RecordStore
from tests.given import START

SCOPE, OTHER = Scope("acme", "web"), Scope("acme", "_shared")
MEMORY = Memory(
    id="m1",
    tenant="acme",
    project="web",
    content="Use WAL.",
    content_hash=content_hash("Use WAL."),
    created_by="ada",
    created_at=START,
    updated_at=START,
)
EVENT = EntityEvent(
    id="e1",
    tenant="acme",
    project="web",
    urn="urn:table:orders",
    event="content_changed",
    occurred_at=START,
    received_at=START,
    created_by="ada",
)


def test_every_write_changes_it_and_it_is_never_what_it_was(store: RecordStore) -> None:
    created = Change(MEMORY, 0, "created", "ada", START)
    updated = Change(replace(MEMORY, version=2, tags=("a",)), 1, "updated", "ada", START)
    writes: list[Callable[[], object]] = [
        lambda: store.writer.commit(Commit(scope=SCOPE, changes=(created,))),
        lambda: store.writer.commit_each([Commit(scope=SCOPE, changes=(updated,))]),
        lambda: store.writer.commit(Commit(scope=SCOPE, policy=Policy(privacy_mode="personal", version=1))),
        lambda: store.events.add([EVENT]),
        lambda: store.events.mark_applied([replace(EVENT, applied_at=START, is_known=True, version=2)]),
        lambda: store.projects.note_activity(SCOPE, START),
        lambda: store.events.forget(SCOPE, urn=EVENT.urn),
        lambda: store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("m1", 2),))),
        lambda: store.erasures.forget_project(SCOPE),
    ]
    seen, of_another = [store.projects.write_versions([SCOPE])], store.projects.write_versions([OTHER])
    for write in writes:
        write()
        seen.append(store.projects.write_versions([SCOPE]))
    assert len(set(seen)) == len(writes) + 1
    assert store.projects.write_versions([OTHER]) == of_another, "another project's is its own"


def test_what_recalls_count_is_no_write(store: RecordStore) -> None:
    store.writer.commit(Commit(scope=SCOPE, changes=(Change(MEMORY, 0, "created", "ada", START),)))
    before = store.projects.write_versions([OTHER, SCOPE])
    at = START + timedelta(seconds=1)
    store.receipts.note(RecallReceipt("rcl_1", SCOPE, "ada", (Ref("web", "m1"),), at))
    assert store.receipts.get(SCOPE, "rcl_1") is not None
    assert store.projects.write_versions([OTHER, SCOPE]) == before


def test_each_answers_for_its_own_project_in_the_order_asked(store: RecordStore) -> None:
    store.writer.commit(Commit(scope=SCOPE, changes=(Change(MEMORY, 0, "created", "ada", START),)))
    assert (
        store.projects.write_versions([OTHER, SCOPE]) == store.projects.write_versions([SCOPE, OTHER])[::-1]
    )
    assert len(set(store.projects.write_versions([OTHER, SCOPE]))) == 2
