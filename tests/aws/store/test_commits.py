"""A commit is all or nothing, under conditions that each say which error it is when they fail."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import size_bytes
from memory_layer.adapters.aws.table.request_items import quota_item
from memory_layer.domain.memory import Memory, Relation, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import (
    ContentTaken,
    InFlight,
    Invalid,
    TooLarge,
    TooMany,
    VersionConflict,
)
from memory_layer.ports.commit import ANSWER_LIFETIME, Commit, Erasure, IdempotencyRecord, Quota, Verdict
from tests.aws.receipts_told import shown
from tests.given import START, a_memory, changed, created, equal, new_scope, some_vectors

pytestmark = pytest.mark.engines

QUOTA = Quota("failed:ada", 2, 3600, START, "failed verdicts of ada")


def an_answer(key: str = "k1", memory_id: str = "m1", body: str = '{"id":"m1"}') -> IdempotencyRecord:
    return IdempotencyRecord(key, "same", 201, body, START + ANSWER_LIFETIME, memory_id)


def a_verdict(id: str, memory_id: str = "m1", **fields: Any) -> Verdict:
    said = {"result": "worked", "principal": "ada", "at": START, "session_id": None, "run_id": "r1"}
    moved = {"recall_id": None, "note": None, "score_moved": 0.2, "confidence_moved": 0.1}
    return Verdict(id=id, memory_id=memory_id, **{**said, **moved, **fields})


def stored(table: tuple[Any, str], key: keys.Key) -> dict[str, Any] | None:
    client, name = table
    item: dict[str, Any] | None = client.get_item(TableName=name, Key=key, ConsistentRead=True).get("Item")
    return item


def full_memory(scope: Scope) -> Memory:
    return a_memory(
        scope,
        summary="One line.",
        detail={"occurrences": 3, "share": 0.1, "nested": {"list": [1, None, "ü"]}},
        context="Before.\nAfter.",
        session_id="talk#1",
        position=0,
        persona="reviewer",
        tags=("src/**", "api"),
        relations=(Relation("uses", "urn:x"),),
        outcome_score=-0.275,
        confidence=0.333,
        success_rate=0.0,
        expires_at=START + timedelta(days=1, microseconds=1),
        pinned=True,
        embedding_model="mini",
    )


# ---- records


def test_every_field_comes_back(store: DynamoRecordStore, scope: Scope) -> None:
    memory = full_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(memory),)))
    assert store.memories.get(scope, "m1") == memory


def test_what_becomes_null_or_empty_is_so_afterwards(store: DynamoRecordStore, scope: Scope) -> None:
    full = full_memory(scope)
    bare = replace(a_memory(scope), version=2)
    store.writer.commit(Commit(scope=scope, changes=(created(full),)))
    store.writer.commit(Commit(scope=scope, changes=(replace(changed(full), memory=bare),)))
    assert store.memories.get(scope, "m1") == bare


def test_a_new_record_is_refused_where_one_is(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    with pytest.raises(VersionConflict, match="m1 exists already"):
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope, content="Other.")),)))
    assert store.memories.get(scope, "m1") == a_memory(scope)


@pytest.mark.parametrize("before", [1, 3])
def test_a_change_of_another_version_is_refused(store: DynamoRecordStore, scope: Scope, before: int) -> None:
    first = a_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(first),)))
    second = changed(first, confidence=0.5)
    store.writer.commit(Commit(scope=scope, changes=(second,)))
    stale = changed(replace(first, version=before), confidence=0.1)
    with pytest.raises(VersionConflict, match=f"m1 is no longer at version {before}"):
        store.writer.commit(Commit(scope=scope, changes=(stale,)))
    assert store.memories.get(scope, "m1") == second.memory


def test_a_change_of_a_record_that_is_not_there_is_refused(store: DynamoRecordStore, scope: Scope) -> None:
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope)),)))
    assert store.memories.get(scope, "m1") is None


def test_one_failed_condition_undoes_all(store: DynamoRecordStore, scope: Scope) -> None:
    answer, policy = an_answer(), Policy(version=1)
    stale = changed(a_memory(scope, "m2"))
    with pytest.raises(VersionConflict):
        store.writer.commit(
            Commit(
                scope=scope,
                changes=(created(a_memory(scope)), stale),
                verdicts=(a_verdict("v1"),),
                quotas=(QUOTA,),
                policy=policy,
                answer=answer,
            )
        )
    assert store.memories.get_many(scope.tenant, [a_memory(scope).ref]) == {}
    assert store.requests.answers(scope, ["k1"], START) == {}
    assert (store.history.of(scope, "m1"), store.history.verdicts(scope, "m1")) == ([], [])
    assert (store.projects.policy(scope), store.memories.written_after(scope, 0)) == (Policy(), [])


def test_what_recalls_count_survives_a_change(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls if a change writes the whole record back."""
    first = a_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(first),)))
    store.accesses.count({(scope, "m1"): shown(3, START)})
    store.writer.commit(Commit(scope=scope, changes=(changed(first, confidence=0.5),)))
    memory = store.memories.get(scope, "m1")
    assert memory is not None
    assert (memory.access_count, memory.last_accessed_at, memory.confidence) == (3, START, 0.5)


def test_a_new_record_starts_uncounted(store: DynamoRecordStore, scope: Scope) -> None:
    copied = a_memory(scope, access_count=7, last_accessed_at=START)
    store.writer.commit(Commit(scope=scope, changes=(created(copied),)))
    assert store.memories.get(scope, "m1") == a_memory(scope)


def test_two_changes_of_one_record_are_no_commit(store: DynamoRecordStore, scope: Scope) -> None:
    first = a_memory(scope)
    with pytest.raises(VersionConflict, match="twice"):
        store.writer.commit(Commit(scope=scope, changes=(created(first), changed(first))))
    assert store.memories.get(scope, "m1") is None


def test_a_commit_of_nothing_is_done_at_once(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(Commit(scope=scope))
    assert store.memories.written_after(scope, 0) == []


def test_one_of_many_fails_alone_and_in_its_place(store: DynamoRecordStore, scope: Scope) -> None:
    changes = [created(a_memory(scope, f"m{number // 2}")) for number in range(60)]
    errors = store.writer.commit_each([Commit(scope=scope, changes=(change,)) for change in changes])
    assert {type(error) for error in errors} == {type(None), VersionConflict}
    assert [sorted(e is None for e in errors[at : at + 2]) for at in range(0, 60, 2)] == [[False, True]] * 30


# ---- vectors


def test_vectors_stay_where_the_text_stays(store: DynamoRecordStore, scope: Scope) -> None:
    first, vectors = a_memory(scope, context="Around."), some_vectors(1, with_context=True)
    store.writer.commit(Commit(scope=scope, changes=(created(first, vectors=vectors),)))
    store.writer.commit(Commit(scope=scope, changes=(changed(first, status="archived"),)))
    assert equal(store.memories.vectors(scope, ["m1"])["m1"], vectors)


@pytest.mark.parametrize(
    "said",
    [{"content_hash": "other"}, {"context": "Other."}, {"context": None}],
    ids=["content", "context", "none"],
)
def test_vectors_of_a_text_that_is_no_longer_are_gone(
    store: DynamoRecordStore, scope: Scope, said: dict[str, Any]
) -> None:
    """Falls without the comparison of texts in the condition of a change that brings no vectors."""
    first = a_memory(scope, context="Around.", embedding_model="mini")
    store.writer.commit(
        Commit(scope=scope, changes=(created(first, vectors=some_vectors(1, with_context=True)),))
    )
    second = changed(first, **said)
    store.writer.commit(Commit(scope=scope, changes=(second,)))
    assert store.memories.vectors(scope, ["m1"]) == {}
    assert store.memories.get(scope, "m1") == second.memory


def test_a_first_context_takes_the_vectors_of_the_text_alone(store: DynamoRecordStore, scope: Scope) -> None:
    first = a_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(first, vectors=some_vectors(1)),)))
    store.writer.commit(Commit(scope=scope, changes=(changed(first, context="Around."),)))
    assert store.memories.vectors(scope, ["m1"]) == {}


def test_new_vectors_replace_both(store: DynamoRecordStore, scope: Scope) -> None:
    first, alone = a_memory(scope, context="Around."), some_vectors(2)
    store.writer.commit(
        Commit(scope=scope, changes=(created(first, vectors=some_vectors(1, with_context=True)),))
    )
    store.writer.commit(Commit(scope=scope, changes=(changed(first, alone, context=None),)))
    assert equal(store.memories.vectors(scope, ["m1"])["m1"], alone)


def test_a_stale_change_of_the_text_is_a_conflict(store: DynamoRecordStore, scope: Scope) -> None:
    first = a_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(first),)))
    store.writer.commit(Commit(scope=scope, changes=(changed(first, context="Mine."),)))
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=scope, changes=(changed(first, context="Theirs."),)))


# ---- answers, verdicts, settings


def test_a_key_is_answered_once_and_again_after_a_day(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls if the deletion by TTL is waited for: nothing deletes here."""
    answer = an_answer()
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),), answer=answer))
    with pytest.raises(InFlight):
        store.writer.commit(Commit(scope=scope, answer=answer))
    tomorrow = replace(answer, body='{"id":"m1","version":2}', expires_at=answer.expires_at + ANSWER_LIFETIME)
    almost = replace(tomorrow, expires_at=tomorrow.expires_at - timedelta(microseconds=1))
    with pytest.raises(InFlight):
        store.writer.commit(Commit(scope=scope, answer=almost))
    assert store.requests.answers(scope, ["k1", "k2"], START) == {"k1": answer}
    assert store.requests.answers(scope, ["k1"], answer.expires_at) == {}
    store.writer.commit(Commit(scope=scope, answer=tomorrow))
    assert store.requests.answers(scope, ["k1"], answer.expires_at) == {"k1": tomorrow}


def test_a_key_in_flight_goes_before_all_other_reasons(store: DynamoRecordStore, scope: Scope) -> None:
    quota = replace(QUOTA, limit=1, key=scope.project)
    commit = Commit(scope=scope, changes=(created(a_memory(scope)),), quotas=(quota,), answer=an_answer())
    store.writer.commit(commit)
    with pytest.raises(InFlight):
        store.writer.commit(commit)


def test_two_projects_may_use_one_key(store: DynamoRecordStore, scope: Scope) -> None:
    other = new_scope()
    for each in (scope, other):
        store.writer.commit(Commit(scope=each, changes=(created(a_memory(each)),), answer=an_answer()))
    assert store.requests.answers(other, ["k1"], START) == {"k1": an_answer()}


def test_verdicts_stand_until_they_are_replaced(store: DynamoRecordStore, scope: Scope) -> None:
    earlier, other = a_verdict("v1", note="Good."), a_verdict("v2", principal="bob", score_moved=-0.3)
    later = a_verdict("v3", at=START + timedelta(hours=1))
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),), verdicts=(earlier, other)))
    store.writer.commit(Commit(scope=scope, verdicts=(later,), replaces=(("v1", "v3"),)))
    assert store.history.verdicts(scope, "m1") == [other, later]


def test_a_verdict_is_replaced_once(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(Commit(scope=scope, verdicts=(a_verdict("v1"),)))
    store.writer.commit(Commit(scope=scope, verdicts=(a_verdict("v2"),), replaces=(("v1", "v2"),)))
    with pytest.raises(VersionConflict, match="v1 was replaced"):
        store.writer.commit(Commit(scope=scope, verdicts=(a_verdict("v3"),), replaces=(("v1", "v3"),)))
    assert [verdict.id for verdict in store.history.verdicts(scope, "m1")] == ["v2"]


def test_what_replaces_a_verdict_is_part_of_the_commit(store: DynamoRecordStore, scope: Scope) -> None:
    with pytest.raises(Invalid, match="v9"):
        store.writer.commit(Commit(scope=scope, replaces=(("v1", "v9"),)))


def test_settings_change_one_version_at_a_time(store: DynamoRecordStore, scope: Scope) -> None:
    assert store.projects.policy(scope) == Policy()
    first = Policy(version=1, review_sources=("run",), default_expiry_days={"pattern": 3})
    store.writer.commit(Commit(scope=scope, policy=first))
    with pytest.raises(VersionConflict, match="settings"):
        store.writer.commit(Commit(scope=scope, policy=replace(first, profile="task")))
    second = replace(first, version=2, profile="task")
    store.writer.commit(Commit(scope=scope, policy=second))
    assert store.projects.policy(scope) == second


# ---- quotas


def test_a_quota_is_a_sliding_window(store: DynamoRecordStore, scope: Scope) -> None:
    quota = replace(QUOTA, key=scope.project)
    for minutes in (0, 20):
        store.writer.commit(
            Commit(scope=scope, quotas=(replace(quota, at=START + timedelta(minutes=minutes)),))
        )
    with pytest.raises(TooMany) as refusal:
        store.writer.commit(Commit(scope=scope, quotas=(replace(quota, at=START + timedelta(minutes=59)),)))
    assert refusal.value.retry_after_s == 60
    for minutes in (60, 80):
        store.writer.commit(
            Commit(scope=scope, quotas=(replace(quota, at=START + timedelta(minutes=minutes)),))
        )


def test_quotas_are_the_tenants(store: DynamoRecordStore, scope: Scope) -> None:
    quota = replace(QUOTA, key=scope.project, limit=1)
    other = new_scope()
    store.writer.commit(Commit(scope=scope, quotas=(quota,)))
    with pytest.raises(TooMany):
        store.writer.commit(Commit(scope=other, quotas=(quota,)))
    store.writer.commit(Commit(scope=new_scope("beta"), quotas=(quota,)))


def test_a_failed_commit_uses_no_quota(store: DynamoRecordStore, scope: Scope) -> None:
    quota = replace(QUOTA, key=scope.project, limit=1)
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope)),), quotas=(quota,)))
    store.writer.commit(Commit(scope=scope, quotas=(quota,)))


def test_a_quota_of_ten_thousand_fits(store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]) -> None:
    quota = replace(QUOTA, key=scope.project, limit=10_000)
    uses = [START - timedelta(seconds=number / 10) for number in range(9_999, 0, -1)]
    client, name = table
    client.put_item(TableName=name, Item=quota_item(scope.tenant, quota, uses))
    store.writer.commit(Commit(scope=scope, quotas=(quota,)))
    with pytest.raises(TooMany):
        store.writer.commit(Commit(scope=scope, quotas=(quota,)))


# ---- news


def news(memory: Memory) -> Commit:
    return Commit(scope=memory.scope, changes=(created(memory, is_news=True),))


def test_the_same_news_is_taken_once(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(news(a_memory(scope, "m1", content="Use WAL.")))
    with pytest.raises(ContentTaken) as taken:
        store.writer.commit(news(a_memory(scope, "m2", content="Use WAL.")))
    assert taken.value.id == "m1"
    assert store.memories.get(scope, "m2") is None


def test_other_words_and_other_personas_are_other_news(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(news(a_memory(scope, "m1", content="Use WAL.")))
    store.writer.commit(news(a_memory(scope, "m2", content="Use no WAL.")))
    store.writer.commit(news(a_memory(scope, "m3", content="Use WAL.", persona="reviewer")))
    store.writer.commit(news(a_memory(scope, "m4", content="Use WAL.", persona="-")))
    store.writer.commit(news(a_memory(new_scope(), "m1", content="Use WAL.")))
    with pytest.raises(ContentTaken, match="m3"):
        store.writer.commit(news(a_memory(scope, "m5", content="Use WAL.", persona="reviewer")))


@pytest.mark.parametrize(
    "said",
    [{"status": "archived"}, {"content": "x", "content_hash": "x"}, {"persona": "x"}, {"expires_at": START}],
)
def test_a_claim_gives_way_once_its_record_says_otherwise(
    store: DynamoRecordStore, scope: Scope, said: dict[str, Any]
) -> None:
    """Falls if a claim counts for as long as it is stored."""
    first = a_memory(scope, "m1", content="Use WAL.")
    store.writer.commit(news(first))
    store.writer.commit(Commit(scope=scope, changes=(changed(first, **said),)))
    store.writer.commit(news(a_memory(scope, "m2", content="Use WAL.")))
    with pytest.raises(ContentTaken, match="m2"):
        store.writer.commit(news(a_memory(scope, "m3", content="Use WAL.")))


def test_a_claim_gives_way_once_its_record_is_erased(store: DynamoRecordStore, scope: Scope) -> None:
    store.writer.commit(news(a_memory(scope, "m1", content="Use WAL.")))
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", 1),)))
    store.writer.commit(news(a_memory(scope, "m2", content="Use WAL.")))


def test_a_record_does_not_stand_in_its_own_way(store: DynamoRecordStore, scope: Scope) -> None:
    first = a_memory(scope, "m1", content="Use WAL.")
    store.writer.commit(news(first))
    again = replace(changed(first, confidence=0.5), is_news=True)
    store.writer.commit(Commit(scope=scope, changes=(again,)))
    assert store.memories.get(scope, "m1") == again.memory


# ---- bounds


def test_a_hundred_actions_are_a_commit_and_more_are_none(store: DynamoRecordStore, scope: Scope) -> None:
    changes = tuple(created(a_memory(scope, f"m{number}")) for number in range(34))
    with pytest.raises(Invalid, match="102 actions, 100 is the most"):
        store.writer.commit(Commit(scope=scope, changes=changes))
    with pytest.raises(
        Invalid, match="101 actions, 100 is the most"
    ):  # the settings, and their note in the log
        store.writer.commit(Commit(scope=scope, changes=changes[:33], policy=Policy(version=1)))
    store.writer.commit(Commit(scope=scope, changes=changes[:33], quotas=(QUOTA,)))
    assert len(store.memories.written_after(scope, 0)) == 33


def test_the_largest_record_passes(store: DynamoRecordStore, scope: Scope, table: tuple[Any, str]) -> None:
    """Every field at its bound, in characters of four bytes, with vectors, its version and its answer beside it."""
    label = "\U0001f9e0" * 256
    labels = tuple(f"{number:03}{label}"[:256] for number in range(64))
    memory = a_memory(
        scope,
        "i" * 128,
        content=label[:1] * (32_768 // 4),
        detail={"text": "\U0001f9e0" * ((16_384 - 20) // 4)},
        context=label[:1] * (8_192 // 4),
        summary=label * 4,
        status_reason=label * 4,
        session_id=label,
        source_run_id=label,
        created_by=label,
        persona=label[:128],
        tags=labels,
        entities=labels,
        source_runs=labels,
        relations=tuple(Relation(label[:200] + one[:56], one) for one in labels),
        position=2**31,
        approved_by=label,
        expires_at=START,
    )
    answer = an_answer(memory_id=memory.id, body='{"content":"' + memory.content + '"}')
    vectors = some_vectors(1, with_context=True)
    store.writer.commit(
        Commit(scope=scope, changes=(created(memory, vectors=vectors, is_news=True),), answer=answer)
    )
    assert store.memories.get(scope, memory.id) == memory
    store.writer.commit(Commit(scope=scope, changes=(changed(memory, vectors, confidence=0.5),)))
    item = stored(table, keys.record_key(scope, memory.id))
    assert item is not None
    assert 395_000 < size_bytes(item) <= 400 * 1024
    assert [version.memory.version for version in store.history.of(scope, memory.id)] == [1, 2]


def test_text_that_json_has_to_escape_fits_beside_its_record(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls if versions and answers are kept as plain JSON: this one takes 600 KB."""
    labels = tuple(f"{number:02}" + "\x01" * 254 for number in range(64))
    relations = tuple(Relation(label, label) for label in labels)
    memory = a_memory(
        scope, content="\x01" * 32_768, tags=labels, entities=labels, source_runs=labels, relations=relations
    )
    body = '{"content":"' + "\\u0001" * 100_000 + '"}'
    store.writer.commit(Commit(scope=scope, changes=(created(memory),), answer=an_answer(body=body)))
    assert store.history.of(scope, "m1")[0].memory == memory
    assert store.requests.answers(scope, ["k1"], START)["k1"].body == body


def test_what_no_item_holds_is_refused_with_its_size(store: DynamoRecordStore, scope: Scope) -> None:
    with pytest.raises(TooLarge, match=r"#m#m1 record takes 4\d{5} bytes, 409600 is the most"):
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope, content="x" * 409_600)),)))


def test_what_no_transaction_holds_is_refused_with_its_size(store: DynamoRecordStore, scope: Scope) -> None:
    changes = tuple(created(a_memory(scope, f"m{number}", content="x" * 380_000)) for number in range(12))
    with pytest.raises(TooLarge, match=r"4\d{6} bytes, 4194304 is the most"):
        store.writer.commit(Commit(scope=scope, changes=changes))
    store.writer.commit(Commit(scope=scope, changes=changes[:10]))
    assert len(store.memories.get_many(scope.tenant, [change.memory.ref for change in changes])) == 10


def test_a_scope_that_is_no_slug_reaches_nothing(store: DynamoRecordStore) -> None:
    """Falls without the check of slugs in keys.py: `a#b` of tenant `t` would be project `a` of another kind of item."""
    for scope in (Scope("acme", "web#m"), Scope("acme#web", "m"), Scope("", "web"), Scope("acme", "")):
        with pytest.raises(Invalid):
            store.memories.get(scope, "m1")
    with pytest.raises(Invalid):
        store.requests.operation("acme#web", "op")
