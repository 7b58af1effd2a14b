"""Throttling, errors, time-outs before and after the effect: what is acknowledged is there, once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import InFlight, StoreUnavailable, VersionConflict
from memory_layer.ports.commit import ANSWER_LIFETIME, Commit, Erasure, IdempotencyRecord, Quota
from tests.aws.dynamodb_table import new_client, open_store
from tests.aws.faults import Body, Fault, Faults
from tests.given import START, a_memory, changed, created

pytestmark = pytest.mark.engines


@pytest.fixture
def client(dynamodb_endpoint: str) -> Any:
    """One of its own for each test, to be tampered with."""
    return new_client(dynamodb_endpoint)


@pytest.fixture
def store(client: Any, table: tuple[Any, str]) -> Iterator[DynamoRecordStore]:
    with open_store(client, table[1]) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Botocore sleeps up to seconds between its attempts."""
    nap = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: nap(min(seconds, 0.001)))


def first(*faults: Fault, of: str = "TransactWriteItems") -> Callable[[str, int], Fault]:
    """The first requests of an operation meet these, in order."""
    return lambda operation, number: faults[number] if operation == of and number < len(faults) else None


def always(fault: Fault, *operations: str) -> Callable[[str, int], Fault]:
    return lambda operation, _: fault if operation in operations else None


@pytest.mark.parametrize(
    "faults",
    [
        *(["throttle"], ["error"], ["no connection"], ["lost request"], ["lost answer"]),
        *(["lost answer", "error"], ["lost answer", "throttle", "throttle"]),
    ],
    ids=", ".join,
)
def test_a_commit_takes_effect_once_whatever_its_first_requests_meet(
    client: Any, store: DynamoRecordStore, scope: Scope, faults: list[Fault]
) -> None:
    """`lost answer` falls without our client token: what is sent after it meets the record that it wrote itself."""
    quota = Quota(scope.project, 2, 3600, START, "writes")
    answer = IdempotencyRecord("k", "same", 201, "{}", START + ANSWER_LIFETIME, "m1")
    commit = Commit(scope=scope, changes=(created(a_memory(scope)),), quotas=(quota,), answer=answer)
    with Faults(client, first(*faults)).applied() as applied:
        store.writer.commit(commit)
    assert applied.sent["TransactWriteItems"] == len(faults) + 1
    assert store.memories.get(scope, "m1") == a_memory(scope)
    assert len(store.history.of(scope, "m1")) == 1
    store.writer.commit(Commit(scope=scope, quotas=(quota,)))


def test_every_request_of_a_commit_carries_one_token_and_each_commit_its_own(
    client: Any, store: DynamoRecordStore, scope: Scope
) -> None:
    tokens: list[str] = []
    client.meta.events.register(
        "before-call.dynamodb.TransactWriteItems",
        lambda params, **_: tokens.append(str(params["body"]).split("ClientRequestToken")[1][:50]),
    )
    with Faults(client, first("lost answer", "error", "throttle", "error", "lost answer")).applied():
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope, "m2")),)))
    assert len(tokens) >= 3
    assert (len(set(tokens[:-1])), len(set(tokens))) == (1, 2)


@pytest.mark.parametrize("fault", ["lost request", "lost answer", "no connection"])
def test_silence_to_the_end_says_that_the_effect_is_unknown(
    client: Any, store: DynamoRecordStore, scope: Scope, fault: Fault
) -> None:
    commit = Commit(scope=scope, changes=(created(a_memory(scope)),))
    with (
        Faults(client, always(fault, "TransactWriteItems")).applied(),
        pytest.raises(StoreUnavailable, match=r"not known: send it again with the same Idempotency-Key"),
    ):
        store.writer.commit(commit)
    assert (store.memories.get(scope, "m1") is not None) == (fault == "lost answer")


def test_what_was_not_acknowledged_can_be_sent_again_under_its_key(
    client: Any, store: DynamoRecordStore, scope: Scope
) -> None:
    answer = IdempotencyRecord("k", "same", 201, '{"id":"m1"}', START + ANSWER_LIFETIME, "m1")
    commit = Commit(scope=scope, changes=(created(a_memory(scope)),), answer=answer)
    with (
        Faults(client, always("lost answer", "TransactWriteItems")).applied(),
        pytest.raises(StoreUnavailable),
    ):
        store.writer.commit(commit)
    with pytest.raises(InFlight):
        store.writer.commit(commit)
    assert store.requests.answers(scope, ["k"], START) == {"k": answer}
    assert len(store.history.of(scope, "m1")) == 1


def test_throttling_to_the_end_writes_nothing(client: Any, store: DynamoRecordStore, scope: Scope) -> None:
    with (
        Faults(client, always("throttle", "TransactWriteItems")).applied() as faults,
        pytest.raises(StoreUnavailable, match="too busy for transact_write_items at 12 attempts"),
    ):
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    assert faults.sent["TransactWriteItems"] >= 12
    assert store.memories.get(scope, "m1") is None


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_others_hold_up_is_tried_again(
    table: tuple[Any, str], client: Any, scope: Scope, code: str
) -> None:
    held_up = HeldUp(client, code, times=3)
    pauses: list[float] = []
    with open_store(held_up, table[1], share=lambda: 0.5, sleep=pauses.append) as store:
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
        assert store.memories.get(scope, "m1") == a_memory(scope)
    assert pauses == [0.02, 0.04, 0.08]
    assert len(set(held_up.tokens)) == 4


def test_a_transaction_that_others_always_hold_up_ends_in_an_error(
    table: tuple[Any, str], client: Any, scope: Scope
) -> None:
    with (
        open_store(HeldUp(client, "TransactionConflict", times=99), table[1], attempts=5) as store,
        pytest.raises(
            StoreUnavailable, match="m1: others wrote the same at each of 5 attempts; nothing was written"
        ),
    ):
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))


class HeldUp:
    """A client whose transactions are cancelled the first times, for a reason that DynamoDB Local seldom gives."""

    def __init__(self, client: Any, code: str, times: int) -> None:
        self._client = client
        self._code = code
        self._left = times
        self.tokens: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, **request: Any) -> Any:
        self.tokens.append(request["ClientRequestToken"])
        self._left -= 1
        if self._left < 0:
            return self._client.transact_write_items(**request)
        reasons = [{"Code": "None"} for _ in request["TransactItems"][1:]]
        raise self._client.exceptions.TransactionCanceledException(
            {
                "Error": {"Code": "TransactionCanceledException", "Message": "injected"},
                "CancellationReasons": [{"Code": self._code, "Message": "injected"}, *reasons],
            },
            "TransactWriteItems",
        )


def test_each_of_many_commits_has_an_error_of_its_own(
    client: Any, store: DynamoRecordStore, scope: Scope
) -> None:
    """Every fifth request never arrives, and botocore's next attempts neither: no other line is touched."""
    lost = {f"m{number}" for number in range(0, 40, 5)}

    class LosesSome(Faults):
        def _send(self, request: Any, event_name: str, **more: Any) -> Any:
            text = request.body if isinstance(request.body, str) else request.body.decode()
            self._choose = always("lost request", *(["TransactWriteItems"] if is_lost(text) else []))
            return super()._send(request, event_name, **more)

    def is_lost(text: str) -> bool:
        return any(f'#m#{id}"' in text for id in lost)

    commits = [Commit(scope=scope, changes=(created(a_memory(scope, f"m{number}")),)) for number in range(40)]
    with LosesSome(client, always(None)).applied():
        errors = [error for commit in commits for error in store.writer.commit_each([commit])]
    failed = {commit.changes[0].memory.id for commit, e in zip(commits, errors, strict=True) if e is not None}
    assert failed == lost
    assert {type(error) for error in errors} == {type(None), StoreUnavailable}
    assert {ref.id for ref in store.memories.written_after(scope, 0)} == {f"m{n}" for n in range(40)} - lost


@pytest.mark.parametrize("seed", range(6))
def test_in_a_storm_nothing_acknowledged_is_lost_and_nothing_doubled(
    client: Any, store: DynamoRecordStore, table: tuple[Any, str], scope: Scope, seed: int
) -> None:
    """A third of all requests fails, in every way, side by side; the caller sends again what was not acknowledged."""
    rng = random.Random(seed)
    fates: list[Fault] = [
        "throttle",
        "error",
        "no connection",
        "lost request",
        "lost answer",
        None,
        None,
        None,
    ]
    acknowledged: dict[str, int] = {}
    with Faults(client, lambda *_: rng.choice([*fates, *[None] * 7])).applied() as faults:
        for round_ in range(4):
            commits = []
            for number in range(30):
                id = f"m{number}"
                memory = a_memory(scope, id, use_count=round_)
                answer = IdempotencyRecord(f"{id} {round_}", "same", 200, "{}", START + ANSWER_LIFETIME, id)
                change = (
                    created(memory)
                    if round_ == 0
                    else changed(a_memory(scope, id, version=round_, use_count=round_ - 1), use_count=round_)
                )
                commits.append(Commit(scope=scope, changes=(change,), answer=answer))
            pending = dict(enumerate(commits))
            while pending:
                errors = store.writer.commit_each(list(pending.values()))
                for number, error in zip(list(pending), errors, strict=True):
                    assert error is None or isinstance(error, StoreUnavailable | InFlight), error
                    if not isinstance(error, StoreUnavailable):
                        acknowledged[f"m{number}"] = round_ + 1
                        del pending[number]
    assert set(faults.met) == {*fates[:5], "none"}
    with open_store(*table) as calm:
        records = calm.memories.get_many(scope.tenant, [Ref(scope.project, id) for id in acknowledged])
        assert {ref.id: memory.version for ref, memory in records.items()} == acknowledged
        assert set(acknowledged.values()) == {4}
        for id in acknowledged:
            assert [v.memory.version for v in calm.history.of(scope, id)] == [1, 2, 3, 4]
        assert len(log_entries(table, scope)) == 120


def log_entries(table: tuple[Any, str], scope: Scope) -> list[Any]:
    client, name = table
    found: list[Any] = client.query(
        TableName=name,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.log_partition(scope)}},
    )["Items"]
    return found


@pytest.mark.parametrize("fault", ["throttle", "error", "no connection", "lost request"])
def test_reads_go_on_after_a_fault(client: Any, store: DynamoRecordStore, scope: Scope, fault: Fault) -> None:
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    everyone = Viewer(sees_all_personas=True)
    with Faults(client, lambda _, number: fault if number == 0 else None).applied() as faults:
        assert store.memories.get(scope, "m1") == a_memory(scope)
        assert store.memories.page(scope, Filters(), everyone, now=START, after=None, limit=5).memories == (
            a_memory(scope),
        )
        assert store.memories.written_after(scope, 0) == [Ref(scope.project, "m1")]
    assert {"GetItem", "BatchGetItem", "Query"} <= set(faults.sent)


def test_reads_that_nobody_answers_say_so(client: Any, store: DynamoRecordStore, scope: Scope) -> None:
    with Faults(client, always("lost request", "GetItem", "Query", "BatchGetItem")).applied():
        for read in (
            lambda: store.memories.get(scope, "m1"),
            lambda: store.memories.written_after(scope, 0),
            lambda: store.memories.get_many("acme", [Ref(scope.project, "m1")]),
        ):
            with pytest.raises(StoreUnavailable, match="did not answer"):
                read()


def test_an_answer_cut_off_on_its_way_is_asked_for_again(
    client: Any, store: DynamoRecordStore, scope: Scope
) -> None:
    """Falls without `TruncatedAnswer`: botocore takes half an answer for an empty one, and the record for missing."""
    store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    cut = [AWSResponse("http://cut", 200, {}, Body(b'{"Item": {"pk"')) for _ in range(2)]
    client.meta.events.register("before-send.dynamodb.GetItem", lambda **_: cut.pop() if cut else None)
    assert store.memories.get(scope, "m1") == a_memory(scope)
    assert cut == []


def test_an_erasure_whose_answers_are_lost_leaves_nothing(
    client: Any, store: DynamoRecordStore, table: tuple[Any, str], scope: Scope
) -> None:
    memory = a_memory(scope)
    store.writer.commit(Commit(scope=scope, changes=(created(memory),)))
    for _ in range(110):
        change = changed(memory, pinned=not memory.pinned)
        store.writer.commit(Commit(scope=scope, changes=(change,)))
        memory = change.memory
    with Faults(client, lambda _, number: "lost answer" if number % 2 == 0 else None).applied():
        store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", memory.version),)))
    items = table[0].query(
        TableName=table[1],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.record_partition(scope, "m1")}},
    )["Items"]
    assert len(items) == 1
    assert store.memories.last_versions(scope, ["m1"]) == {"m1": memory.version + 1}


def test_unprocessed_deletions_are_sent_again(client: Any, table: tuple[Any, str], scope: Scope) -> None:
    class Sluggish(HeldUp):
        """Deletes one of each batch."""

        def batch_write_item(self, RequestItems: dict[str, list[Any]]) -> Any:
            ((name, requests),) = RequestItems.items()
            self._client.batch_write_item(RequestItems={name: requests[:1]})
            return {"UnprocessedItems": {name: requests[1:]} if requests[1:] else {}}

    with open_store(Sluggish(client, "None", 0), table[1], attempts=30) as store:
        memory = a_memory(scope)
        store.writer.commit(Commit(scope=scope, changes=(created(memory),)))
        for _ in range(120):
            change = changed(memory, pinned=not memory.pinned)
            store.writer.commit(Commit(scope=scope, changes=(change,)))
            memory = change.memory
        store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", memory.version),)))
    answer = table[0].query(
        TableName=table[1],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.record_partition(scope, "m1")}},
    )
    assert answer["Count"] == 1


def test_positions_leave_gaps_and_no_twins_when_answers_are_lost(
    client: Any, store: DynamoRecordStore, scope: Scope
) -> None:
    with Faults(client, first(None, "lost answer", None, "lost answer", of="UpdateItem")).applied() as faults:
        taken = [store.sessions.take_positions(scope, "talk", 2) for _ in range(3)]
    assert all(later >= earlier + 2 for earlier, later in pairwise(taken))
    assert faults.met["lost answer"] == 2


def test_a_missing_table_and_a_refusal_say_what_to_do(
    client: Any, table: tuple[Any, str], scope: Scope
) -> None:
    with open_store(client, "no-such-table") as store:
        with pytest.raises(StoreUnavailable, match="deploy the stack, or point MEMORY_LAYER_RECORDS_TABLE"):
            store.memories.get(scope, "m1")
        with pytest.raises(StoreUnavailable, match="deploy the stack"):
            store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope)),)))
    with open_store(client, table[1]) as store, pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=scope, changes=(changed(a_memory(scope)),)))
