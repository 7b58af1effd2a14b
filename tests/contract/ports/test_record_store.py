"""A commit is all or nothing, and one that fails takes nothing with it that came with others."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.errors import ContentTaken, InFlight, TooMany, VersionConflict
from memory_layer.ports.commit import Change, Commit, Erasure, IdempotencyRecord, Quota
from tests.given import SCOPE, START

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
CREATED = Change(MEMORY, 0, "created", "ada", START)
ANSWER = IdempotencyRecord("k1", "same", 201, "{}", START + timedelta(hours=24), "m1")
QUOTA = Quota("failed:ada", 2, 3600, START, "failed verdicts of ada")


def test_a_failed_commit_leaves_nothing(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    stale = Change(replace(MEMORY, version=9), 8, "updated", "ada", START)
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=SCOPE, changes=(CREATED, stale), quotas=(QUOTA,), answer=ANSWER))
    assert store.memories.get(SCOPE, "m1") is None
    assert store.requests.answers(SCOPE, ["k1"], START) == {}
    for _ in range(QUOTA.limit):
        store.writer.commit(Commit(scope=SCOPE, quotas=(QUOTA,)))
    with pytest.raises(TooMany):
        store.writer.commit(Commit(scope=SCOPE, quotas=(QUOTA,)))


def test_one_of_many_fails_alone(backend: EmbeddedBackend) -> None:
    """Which of two with the same id comes first is nobody's promise: they may go side by side."""
    store = backend.ports.store
    other = replace(CREATED, memory=replace(MEMORY, id="m2"))
    errors = store.writer.commit_each(
        [Commit(scope=SCOPE, changes=(change,)) for change in (CREATED, CREATED, other)]
    )
    assert errors[2] is None
    assert {type(error) for error in errors[:2]} == {type(None), VersionConflict}
    assert store.memories.get(SCOPE, "m2") is not None


def test_a_key_is_answered_once_and_forgotten_after_a_day(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    store.writer.commit(Commit(scope=SCOPE, answer=ANSWER))
    with pytest.raises(InFlight):
        store.writer.commit(Commit(scope=SCOPE, answer=ANSWER))
    assert store.requests.answers(SCOPE, ["k1", "k2"], START) == {"k1": ANSWER}
    assert store.requests.answers(SCOPE, ["k1"], ANSWER.expires_at) == {}
    store.writer.commit(
        Commit(scope=SCOPE, answer=replace(ANSWER, expires_at=ANSWER.expires_at + timedelta(days=1)))
    )


def test_a_version_number_outlives_its_record(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    store.writer.commit(Commit(scope=SCOPE, changes=(CREATED,)))
    store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("m1", 1),)))
    assert (store.memories.get(SCOPE, "m1"), store.history.of(SCOPE, "m1")) == (None, [])
    assert store.memories.last_versions(SCOPE, ["m1", "m2"]) == {"m1": 2}


def test_the_same_content_is_taken_once(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    first = replace(CREATED, is_news=True)
    other = replace(first, memory=replace(MEMORY, id="m2"))
    store.writer.commit(Commit(scope=SCOPE, changes=(first,)))
    (taken,) = store.writer.commit_each([Commit(scope=SCOPE, changes=(other,))])
    assert isinstance(taken, ContentTaken)
    assert taken.id == "m1"
    for apart in (
        replace(other, is_news=False),
        replace(other, memory=replace(MEMORY, id="m3", persona="reviewer")),
        replace(other, memory=replace(MEMORY, id="m4", content_hash=content_hash("Use no WAL."))),
    ):
        store.writer.commit(Commit(scope=SCOPE, changes=(apart,)))


def test_positions_are_given_out_once_and_above_all_in_use(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    said = replace(MEMORY, session_id="talk", position=7)
    store.writer.commit(Commit(scope=SCOPE, changes=(replace(CREATED, memory=said),)))
    assert [store.sessions.take_positions(SCOPE, "talk", 3) for _ in range(2)] == [8, 11]
    assert store.sessions.take_positions(SCOPE, "talk", 1, at_least=40) == 40
    assert store.sessions.take_positions(SCOPE, "another", 1) == 0


def test_an_erased_record_leaves_no_word_in_answers_and_neighbours(backend: EmbeddedBackend) -> None:
    """Falls without the echoes of an erasure, and without the memory's name on its answers."""
    store = backend.ports.store
    answer = replace(ANSWER, body='{"id":"m1","content":"Use WAL."}')
    neighbour = replace(MEMORY, id="m2", content="Yes.", content_hash="h", context="Use WAL.")
    heard = replace(ANSWER, key="k2", memory_id="m2", body='{"id":"m2","context":"Use WAL."}')
    store.writer.commit(Commit(scope=SCOPE, changes=(CREATED,), answer=answer))
    store.writer.commit(Commit(scope=SCOPE, changes=(replace(CREATED, memory=neighbour),), answer=heard))
    quiet = Change(replace(neighbour, context=None, version=2), 1, "neighbour erased", "ada", START)
    store.writer.commit(Commit(scope=SCOPE, changes=(quiet,), erasures=(Erasure("m1", 1, ("m2",)),)))
    answers = store.requests.answers(SCOPE, ["k1", "k2"], START)
    assert answers["k1"].body == ""
    assert json.loads(answers["k2"].body) == {"id": "m2", "context": None}
    assert [version.memory.context for version in store.history.of(SCOPE, "m2")] == [None, None]


def test_contents_are_read_as_stored_and_unknown_ids_left_out(backend: EmbeddedBackend) -> None:
    store = backend.ports.store
    store.writer.commit(Commit(scope=SCOPE, changes=(CREATED,)))
    assert store.memories.stored_contents(SCOPE, ["m1", "m2"]) == {"m1": "Use WAL."}
    assert store.memories.stored_contents(Scope("acme", "api"), ["m1"]) == {}
    assert store.memories.stored_contents(SCOPE, []) == {}
