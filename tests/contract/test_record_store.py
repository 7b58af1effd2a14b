"""A commit is all or nothing, and one that fails takes nothing with it that came with others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap import Embedded
from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.errors import InFlight, TooMany, VersionConflict
from memory_layer.ports import Answer, Change, Commit, Erasure, Quota
from tests.conftest import START

SCOPE = Scope("acme", "web")
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
ANSWER = Answer("k1", "same", 201, "{}", START + timedelta(hours=24))
QUOTA = Quota("failed:ada", 2, 3600, START, "failed verdicts of ada")


def test_a_failed_commit_leaves_nothing(backend: Embedded) -> None:
    store = backend.ports.store
    stale = Change(replace(MEMORY, version=9), 8, "updated", "ada", START)
    with pytest.raises(VersionConflict):
        store.commit(Commit(scope=SCOPE, changes=(CREATED, stale), quotas=(QUOTA,), answer=ANSWER))
    assert store.get(SCOPE, "m1") is None
    assert store.answer(SCOPE, "k1", START) is None
    for _ in range(QUOTA.limit):
        store.commit(Commit(scope=SCOPE, quotas=(QUOTA,)))
    with pytest.raises(TooMany):
        store.commit(Commit(scope=SCOPE, quotas=(QUOTA,)))


def test_one_of_many_fails_alone(backend: Embedded) -> None:
    store = backend.ports.store
    other = replace(CREATED, memory=replace(MEMORY, id="m2"))
    errors = store.commit_each(
        [Commit(scope=SCOPE, changes=(change,)) for change in (CREATED, CREATED, other)]
    )
    assert [type(error) for error in errors] == [type(None), VersionConflict, type(None)]
    assert store.get(SCOPE, "m2") is not None


def test_a_key_is_answered_once_and_forgotten_after_a_day(backend: Embedded) -> None:
    store = backend.ports.store
    store.commit(Commit(scope=SCOPE, answer=ANSWER))
    with pytest.raises(InFlight):
        store.commit(Commit(scope=SCOPE, answer=ANSWER))
    assert store.answer(SCOPE, "k1", START) == ANSWER
    assert store.answer(SCOPE, "k1", ANSWER.expires_at) is None
    store.commit(
        Commit(scope=SCOPE, answer=replace(ANSWER, expires_at=ANSWER.expires_at + timedelta(days=1)))
    )


def test_a_version_number_outlives_its_record(backend: Embedded) -> None:
    store = backend.ports.store
    store.commit(Commit(scope=SCOPE, changes=(CREATED,)))
    store.commit(Commit(scope=SCOPE, erasures=(Erasure("m1", 1),)))
    assert (store.get(SCOPE, "m1"), store.last_version(SCOPE, "m1"), store.history(SCOPE, "m1")) == (
        None,
        2,
        [],
    )
