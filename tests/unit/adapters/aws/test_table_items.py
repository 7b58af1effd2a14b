"""Keys and items of the cloud's table: nothing lost on the way there and back, no key ambiguous."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.receipts import receipt_item, receipt_of
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.history_items import (
    history_entry_of,
    verdict_item,
    verdict_of,
    version_item,
)
from memory_layer.adapters.aws.table.packing import packed, unpacked, without_context
from memory_layer.adapters.aws.table.record_items import (
    ACCESS_FIELDS,
    VECTOR_ATTRIBUTES,
    attributes_of,
    due_attributes,
    item_of,
    memory_of,
    size_bytes,
    vectors_of,
)
from memory_layer.adapters.aws.table.record_update import record_update
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import (
    answer_body_item,
    answer_item,
    answer_of,
    operation_item,
    operation_of,
    quota_item,
    uses_of,
)
from memory_layer.domain.fields import record_fields
from memory_layer.domain.memory import Doubt, Memory, Ref, Relation, Scope, content_hash
from memory_layer.domain.resolved_time import Certainty, ResolvedTime
from memory_layer.errors import Invalid
from memory_layer.manifest.tables import RECORDS
from memory_layer.ports.commit import Change, IdempotencyRecord, Quota, Vectors, Verdict
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.ports.records import Operation
from tests.fuzzing import examples
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

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
labels = st.lists(texts.filter(bool), max_size=3).map(tuple)
instants = st.datetimes(datetime(1970, 1, 1), datetime(2262, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)
thousandths = st.integers(-1_000, 1_000).map(lambda number: number / 1000)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
resolved_times = st.builds(
    lambda words, days, certainty: ResolvedTime(
        words=words, from_=min(days), to=max(days), certainty=certainty
    ),
    st.text(min_size=1, max_size=80),
    st.tuples(st.dates(), st.dates()),
    st.sampled_from(get_args(Certainty)),
)
OF_KIND: dict[str, st.SearchStrategy[Any]] = {
    "text": texts.filter(bool),
    "integer": st.integers(0, 2**31),
    "score": thousandths,
    "boolean": st.booleans(),
    "instant": instants,
    "labels": labels,
    "relations": st.lists(st.builds(Relation, texts, texts), max_size=3).map(tuple),
    "doubt": st.builds(Doubt, since=instants, by=labels, reasons=labels, runs=labels),
    "times": st.lists(resolved_times, max_size=3).map(tuple),
    "document": st.dictionaries(texts, json_values, max_size=3),
}
memories = st.builds(
    Memory,
    **{
        field.name: OF_KIND[field.kind] | st.none() if field.is_nullable else OF_KIND[field.kind]
        for field in record_fields()
        if field.name not in ("tenant", "project", "status")
    },
    status=st.sampled_from(["active", "archived"]),
    tenant=st.just("acme"),
    project=st.just("web"),
)


# ---- the record


@given(memories)
@settings(max_examples=examples(100))
def test_a_record_comes_back_as_it_was(memory: Memory) -> None:
    assert memory_of(item_of(memory)) == memory
    assert memory_of(json.loads(json.dumps(item_of(memory)))) == memory


def test_there_is_one_attribute_per_field_and_none_for_nothing() -> None:
    bare = attributes_of(MEMORY)
    nothing = {f.name for f in record_fields() if getattr(MEMORY, f.name) in (None, (), {})}
    assert set(bare) == {field.name for field in record_fields()} - nothing
    assert bare["confidence"] == {"N": "1000"}
    assert bare["created_at"] == {"S": "2026-03-01T12:00:00.000000Z"}


def test_an_item_without_a_field_of_a_later_version_has_its_default() -> None:
    item = item_of(replace(MEMORY, pinned=True, use_count=3))
    for name in ("pinned", "use_count", "access_count"):
        item.pop(name)
    assert memory_of(item) == MEMORY
    item.pop("content")
    with pytest.raises(LookupError, match="content"):
        memory_of(item)


def test_two_records_share_no_detail() -> None:
    one, other = (memory_of(item_of(MEMORY)) for _ in range(2))
    assert one.detail == {}
    assert one.detail is not other.detail


@pytest.mark.parametrize(
    "carried", [bytes, lambda stored: b64encode(stored).decode()], ids=["bytes", "base64"]
)
def test_vectors_come_back_from_bytes_and_from_a_stream(carried: Callable[[bytes], Any]) -> None:
    vector = np.linspace(-1, 1, 384, dtype=np.float32)
    item: dict[str, Any] = item_of(MEMORY, Vectors(vector, -vector))
    for name in VECTOR_ATTRIBUTES:
        item[name] = {"B": carried(item[name]["B"])}
    found = vectors_of(item)
    assert found is not None
    assert found.context is not None
    assert (found.content == vector.astype(np.float16)).all()
    assert (found.context == -found.content).all()
    assert found.content.dtype == np.float32


def test_a_record_without_vectors_has_none() -> None:
    assert vectors_of(item_of(MEMORY)) is None
    alone = vectors_of(item_of(MEMORY, Vectors(np.ones(4, np.float32))))
    assert alone is not None
    assert alone.context is None


def test_the_manifests_indexes_are_fed() -> None:
    """An index whose attributes no item has would stay empty without a word."""
    memory = replace(MEMORY, session_id="talk", position=3, expires_at=MEMORY.created_at)
    item = {**item_of(memory), **due_attributes(memory, MEMORY.created_at)}
    for index in RECORDS.indexes:
        assert {index.partition_key, index.sort_key} <= set(item)
    assert {"content_pk", "session_pk"}.isdisjoint(item_of(replace(MEMORY, status="archived")))
    assert item_of(MEMORY)["age_pk"] == {"S": "acme#web#active"}


@given(memories, st.booleans())
@settings(max_examples=examples(50))
def test_an_update_speaks_of_every_field_but_what_recalls_count(memory: Memory, text_changed: bool) -> None:
    body = record_update(Change(memory, 1, "updated", "ada", START), "log", text_changed=text_changed)
    names: dict[str, str] = body["ExpressionAttributeNames"]
    spoken_of = {field.name for field in record_fields()} - {*ACCESS_FIELDS, "id", "tenant", "project"}
    assert spoken_of <= set(names.values())
    assert not set(ACCESS_FIELDS) & set(names.values())
    assert set(VECTOR_ATTRIBUTES) <= set(names.values()) or not text_changed
    expression = body["UpdateExpression"]
    assert {word.strip(",") for word in expression.split() if word.startswith("#")} == set(names) - {
        name for name, attribute in names.items() if attribute == "kind"
    }
    assert len(expression.encode()) < 4_096


STUB = replace(MEMORY, version=2, tier="warm", content="a stub")


@pytest.mark.parametrize(
    ("memory", "words", "is_named", "value"),
    [
        (replace(MEMORY, version=2), None, True, None),
        (STUB, None, False, None),
        (STUB, "é" * 9, True, {"N": "18"}),
    ],
)
def test_an_update_knows_how_long_words_in_a_body_are(
    memory: Memory, words: str | None, is_named: bool, value: dict[str, str] | None
) -> None:
    """Removed where the words are back, kept where a stub moves on, and set where they are put away."""
    change = Change(memory, 1, "moved", "ada", START, words=words)
    body = record_update(change, "log", text_changed=False)
    named = {said: name for name, said in body["ExpressionAttributeNames"].items()}
    name = named.get("body_bytes", "#none")
    assert (name != "#none") == is_named
    assert body["ExpressionAttributeValues"].get(f":{name[1:]}") == value
    removed = body["UpdateExpression"].partition(" REMOVE ")[2].split(", ")
    assert (name in removed) == (is_named and value is None)


def test_the_size_is_what_dynamodb_counts() -> None:
    """Source: Amazon DynamoDB Developer Guide, item sizes and formats."""
    item = {
        "pk": {"S": "é"},
        "n": {"N": "1234"},
        "b": {"BOOL": True},
        "l": {"L": [{"S": "ab"}]},
        "v": {"B": b"abc"},
    }
    assert size_bytes(item) == (2 + 2) + (1 + 4) + (1 + 1) + (1 + 3 + 1 + 2) + (1 + 3)


# ---- what lies beside it


@given(memories)
@settings(max_examples=examples(50))
def test_a_version_comes_back(memory: Memory) -> None:
    change = Change(memory, 1, "updated", "ada", START, "because")
    version = history_entry_of(version_item(change, "log"))
    assert version.memory == memory
    assert (version.verb, version.by, version.at, version.reason) == ("updated", "ada", START, "because")


def test_a_verdict_comes_back() -> None:
    verdict = Verdict("v1", "m1", "failed", "ada", START, "s", None, "rec", "Note.", -0.275, -0.1)
    assert verdict_of(verdict_item(SCOPE, verdict)) == verdict
    assert verdict_of(verdict_item(SCOPE, replace(verdict, replaced_by="v2"))).replaced_by == "v2"


def test_an_answer_comes_back_and_without_its_body_is_empty() -> None:
    answer = IdempotencyRecord("key", "print", 201, '{"id":"m1"}', START, "m1")
    item, body = answer_item(SCOPE, answer), answer_body_item(SCOPE, answer)
    assert answer_of(item, body) == answer
    assert answer_of(item, None) == replace(answer, body="")
    assert body["pk"] == keys.record_key(SCOPE, "m1")["pk"]


@given(st.lists(instants, max_size=30))
def test_uses_of_a_quota_come_back(uses: list[datetime]) -> None:
    quota = Quota("failed:ada", 9, 60, START, "x")
    assert uses_of(quota_item("acme", quota, uses)) == uses
    assert uses_of(None) == []


def test_receipts_and_operations_come_back() -> None:
    receipt = RecallReceipt("rec_1", SCOPE, "ada", (Ref("web", "m1"), Ref("_shared", "m2")), START)
    assert receipt_of(receipt_item(receipt)) == receipt
    operation = Operation(
        "op", "acme", "ada", "batch", "failed", 1, 2, START, "in", {"a": [1.5]}, {"title": "No."}
    )
    assert operation_of(operation_item(operation)) == operation
    assert operation_of(operation_item(replace(operation, result=None, problem=None))).result is None


@given(texts)
def test_what_is_packed_comes_back(text: str) -> None:
    assert unpacked(packed(text)) == text
    assert unpacked({"B": b64encode(packed(text)["B"]).decode()}) == text


def test_a_context_is_taken_out_where_there_is_one() -> None:
    assert without_context('{"id":"m1","context":"Words."}') == '{"context":null,"id":"m1"}'
    assert [without_context(text) for text in ("", "{}", '{"context":null}', "[]", '"context"')] == [None] * 5


# ---- keys

parts = st.text("ab#:-.", min_size=1, max_size=4)
slugs = st.text("ab-._", min_size=1, max_size=3)


@given(st.lists(st.tuples(slugs, slugs, parts, parts), min_size=2, max_size=2, unique=True))
@settings(max_examples=examples(200))
def test_no_two_things_share_a_key(both: list[tuple[str, str, str, str]]) -> None:
    """Whatever callers put into ids, keys, sessions and personas."""
    one, other = (_all_keys(*parts) for parts in both)
    assert len(set(one.values())) == len(one)
    named = {key: name for name, key in other.items()}
    shared = {(name, named[key]) for name, key in one.items() if key in named}
    assert shared == {(name, name) for name in _shared_by(*both)}


def _all_keys(tenant: str, project: str, first: str, second: str) -> dict[str, tuple[str, str]]:
    scope = Scope(tenant, project)
    made = {
        "record": keys.record_key(scope, first),
        "version": keys.version_key(scope, first, 1),
        "verdict": keys.verdict_key(scope, first, second),
        "answer": keys.answer_key(scope, first),
        "body": keys.answer_body_key(scope, first, second),
        "log": keys.log_key(scope, keys.log_sort(START, first, 1)),
        "claim": keys.claim_key(scope, first, second),
        "everyone's claim": keys.claim_key(scope, first, None),
        "positions": keys.positions_key(scope, first),
        "policy": keys.policy_key(scope),
        "receipt": keys.receipt_key(scope, first),
        "quota": keys.quota_key(tenant, first),
        "operation": keys.operation_key(tenant, first),
    }
    return {name: (key["pk"]["S"], key["sk"]["S"]) for name, key in made.items()}


def _shared_by(one: tuple[str, str, str, str], other: tuple[str, str, str, str]) -> set[str]:
    """What two descriptions name alike."""
    named = {
        "record version answer log positions receipt": (0, 1, 2),
        "verdict body claim": (0, 1, 2, 3),
        "policy": (0, 1),
        "quota operation": (0, 2),
    }
    shared = {
        name
        for names, places in named.items()
        if all(one[place] == other[place] for place in places)
        for name in names.split()
    }
    return shared | ({"everyone's claim"} if "record" in shared else set())


@pytest.mark.parametrize("scope", [Scope("a#b", "c"), Scope("a", "b#c"), Scope("", "a"), Scope("a", "")])
def test_what_is_no_slug_makes_no_key(scope: Scope) -> None:
    with pytest.raises(Invalid):
        keys.record_key(scope, "m1")


@given(st.lists(st.tuples(instants, st.text("aZ0_.:-", min_size=1, max_size=4)), min_size=2, max_size=2))
def test_ages_sort_as_time_and_id_do(both: list[tuple[datetime, str]]) -> None:
    """Whether or not one id begins with the other, and whenever they expire."""
    in_order = [keys.age_sort(at, id, None if len(id) % 2 else START) for at, id in sorted(both)]
    assert in_order == sorted(in_order)


def test_positions_sort_as_numbers_do() -> None:
    in_order = [None, 0, 9, 10, 2**31]
    sorts = [keys.session_sort(position, "m", START) for position in in_order]
    assert sorts == sorted(sorts)


def test_a_time_to_live_is_never_too_early() -> None:
    assert keys.ttl_seconds(datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)) == 5
    assert keys.ttl_seconds(datetime(1970, 1, 1, 0, 0, 5, 1, tzinfo=UTC)) == 6


def test_keys_fit_whatever_callers_choose() -> None:
    """A partition key has 2,048 bytes, a sort key 1,024."""
    longest, scope = "\U0001f9e0" * 256, Scope("t" * 64, "p" * 64)
    for name, (partition, sort) in _all_keys(scope.tenant, scope.project, longest, "x" * 128).items():
        if name not in ("claim", "receipt", "log"):  # those end with ids and hashes of ours
            assert (len(partition.encode()) <= 2_048, len(sort.encode()) <= 1_024) == (True, True), name
    long_key = "x" * 10_000
    assert len(keys.quota_key("t", long_key)["pk"]["S"]) < 100
    assert len(keys.answer_key(scope, long_key)["pk"]["S"]) < 250


# ---- waiting


def test_waits_are_random_shares_of_a_doubling_bound() -> None:
    slept: list[float] = []
    shares = iter([0.5, 1.0, 0.0, 0.25])
    backoff = Backoff(attempts=5, base_s=0.1, longest_s=0.5, share=lambda: next(shares), sleep=slept.append)
    assert list(backoff.rounds()) == [0, 1, 2, 3, 4]
    assert slept == [0.1, 0.4, 0.0, 0.125]


def test_an_empty_range_is_not_asked_for() -> None:
    """DynamoDB refuses a range that ends before it begins."""
    nobody = RecordsTable(None, "records", Backoff())
    assert list(nobody.pages(KeyRange("p", low="b", high="a"), [10])) == []


def test_records_are_read_without_numpy() -> None:
    """A function that only reads starts faster: falls once record_items.py imports numpy at its top."""
    program = (
        "import sys; import memory_layer.adapters.aws.table.record_items, memory_layer.adapters.aws.table.keys; "
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
