"""The projector's decisions: what it writes, what it skips, which events it asks to be told again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from opensearchpy.exceptions import ConnectionTimeout

from memory_layer.adapters.aws.projection.bulk_writes import REQUEST_MAX_LINES, BulkWriter, verdict_on
from memory_layer.adapters.aws.projection.document_writer import DocumentWriter
from memory_layer.adapters.aws.projection.failure_queue import message_of
from memory_layer.adapters.aws.projection.item_documents import documents_of
from memory_layer.adapters.aws.projection.projector import ProjectionResult, Projector
from memory_layer.adapters.aws.projection.stream_changes import PoisonRecord
from memory_layer.adapters.aws.search.aliases import WriteTarget
from memory_layer.adapters.aws.search.documents import document_id, document_of
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.audit_items import ToldEvent, note_item
from memory_layer.adapters.aws.table.record_items import TOMBSTONE, Item, item_of
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.audit import AuditEvent
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable, StoreUnavailable, Unavailable
from memory_layer.manifest.index import index_body
from memory_layer.ports.commit import Vectors
from tests.given import BlobsInMemory
from tests.index_examples import MODEL, NO_BODIES, NOW, SCOPE, memory, unit_vectors

FIELDS = frozenset(index_body("lucene", dimensions=4, model=MODEL, stop_words=())["mappings"]["properties"])
ONE, TWO = (WriteTarget(name, FIELDS, MODEL) for name in ("one", "two"))
OK = {"status": 201}
BUSY = {"status": 429, "error": {"type": "rejected_execution_exception"}}
POISON = {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "the text of a memory"}}

Answer = Callable[[str, str], dict[str, Any]]
"""From index and record id to the item of a bulk answer."""


class BulkClient:
    """Answers as it is told to, and keeps what it was sent."""

    def __init__(self, answer: Answer = lambda _index, _id: OK) -> None:
        self.answer = answer
        self.sent: list[list[tuple[str, str, int]]] = []

    def bulk(self, *, body: bytes, params: Mapping[str, Any]) -> dict[str, Any]:
        assert (params["refresh"], params["require_alias"]) == ("wait_for", "true")
        actions = [json.loads(line)["index"] for line in body.splitlines()[::2]]
        sent = [
            (a["_index"].removesuffix("-own"), a["_id"].rpartition("#")[2], a["version"]) for a in actions
        ]
        self.sent.append(sent)
        return {"items": [{"index": self.answer(index, id)} for index, id, _ in sent]}

    @property
    def ids(self) -> list[str]:
        return [id for request in self.sent for _, id, _ in request]


class Bench:
    """A projector, with everything that it reaches within reach."""

    def __init__(
        self,
        client: BulkClient | None = None,
        targets: Any = None,
        *,
        has_queue: bool = True,
        bodies: Bodies = NO_BODIES,
        **backoff: Any,
    ) -> None:
        self.client = client or BulkClient()
        self.slept: list[float] = []
        self.deleted: list[str] = []
        self.elapsed_s = 0.0
        self.finished: list[tuple[str, str, int]] = []
        self.set_aside: list[PoisonRecord] = []
        self.take: Callable[[PoisonRecord], None] = self.set_aside.append
        waits = Backoff(**{"attempts": 3, "share": lambda: 0.5, "sleep": self._sleep, **backoff})
        self.writer = BulkWriter(self.client, backoff=waits, monotonic=lambda: self.elapsed_s)  # type: ignore[arg-type]
        self.projector = Projector(
            DocumentWriter(targets or (lambda: [ONE]), self.writer, bodies),
            delete_log_entries=lambda entries: self.deleted.extend(entry["sk"]["S"] for entry in entries),
            finish_erasure=lambda scope, id, version: self.finished.append((scope.project, id, version)),
            set_aside=(lambda poison: self.take(poison)) if has_queue else None,
        )

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.elapsed_s += seconds


def test_a_log_that_takes_nothing_is_told_again_from_its_first_event() -> None:
    """Falls without `_chain`: what was not entered would be passed over for good."""
    bench, seen = Bench(), list[ToldEvent]()
    told = note_item(SCOPE, NOW, "t1", [AuditEvent(what="settings", principal="ada")])
    key = {"pk": told["pk"], "sk": told["sk"]}
    news = {"dynamodb": {"Keys": key, "SequenceNumber": "2", "NewImage": told}}
    batch = [event(1, image("m1")), news]

    def refuse(_told: Any) -> None:
        raise StoreUnavailable("busy")

    bench.projector._chain_events = refuse
    assert bench.projector.project(batch).failed == ["2"]
    bench.projector._chain_events = seen.extend
    assert bench.projector.project(batch).failed == []
    assert [one.event.what for one in seen] == ["settings"]
    bench.projector._publish_changes = refuse
    assert bench.projector.project(batch).failed == ["2"]


def image(id: str, version: int = 1, **fields: Any) -> Item:
    return item_of(memory(id, version=version, **fields), None, f"log-{id}-{version}")


def event(number: int, new: Item | None, old: Item | None = None) -> dict[str, Any]:
    shown = new or old
    assert shown is not None
    images = {name: value for name, value in (("NewImage", new), ("OldImage", old)) if value is not None}
    key = {"pk": shown["pk"], "sk": shown["sk"]}
    return {"dynamodb": {"Keys": key, "SequenceNumber": str(number), **images}}


def test_newest_image_of_each_record_is_written_once() -> None:
    bench = Bench()
    batch = [
        event(1, image("a", 1)),
        event(2, image("b", 1)),
        event(3, image("a", 3)),
        event(4, image("a", 2)),
    ]
    assert bench.projector.project(batch).failed == []
    assert bench.client.sent == [[("one", "a", 3), ("one", "b", 1)]]
    assert sorted(bench.deleted) == ["log-a-1", "log-a-2", "log-a-3", "log-b-1"]


def test_log_entry_of_the_old_image_goes_too() -> None:
    """The event of that version may have been given up: the index has a newer one now."""
    bench = Bench()
    bench.projector.project([event(1, image("a", 2), image("a", 1))])
    assert sorted(bench.deleted) == ["log-a-1", "log-a-2"]


def test_access_counts_other_items_and_deletions_are_skipped() -> None:
    bench = Bench()
    counted = {**image("a"), "access_count": {"N": "9"}}
    version = {**image("a"), "sk": {"S": "version#0000000001"}}
    batch = [event(1, counted, image("a")), event(2, version), event(3, None, image("a"))]
    assert bench.projector.project(batch).failed == []
    assert (bench.client.sent, bench.deleted) == ([], [])


def test_conflict_is_a_success_that_came_late() -> None:
    bench = Bench(BulkClient(lambda _index, _id: {"status": 409, "error": {"type": "version_conflict"}}))
    assert bench.projector.project([event(1, image("a"))]).failed == []
    assert bench.deleted == ["log-a-1"]
    assert len(bench.client.sent) == 1


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        *((200, "settled"), (201, "settled"), (409, "settled"), (400, "refused")),
        *((403, "busy"), (404, "busy"), (429, "busy"), (500, "busy"), (503, "busy")),
    ],
)
def test_what_a_status_means(status: int, verdict: str) -> None:
    assert verdict_on(status) == verdict


def test_busy_items_alone_are_sent_again_after_a_random_wait() -> None:
    refusals = {"b": 2}

    def answer(_index: str, id: str) -> dict[str, Any]:
        refusals[id] = refusals.get(id, 0) - 1
        return BUSY if refusals[id] >= 0 else OK

    bench = Bench(BulkClient(answer), base_s=0.1, longest_s=9.0)
    assert bench.projector.project([event(1, image("a")), event(2, image("b"))]).failed == []
    assert bench.client.ids == ["a", "b", "b", "b"]
    assert bench.slept == pytest.approx([0.5 * 0.2, 0.5 * 0.4])


def test_what_stays_busy_is_told_again_and_keeps_its_log_entry() -> None:
    bench = Bench(BulkClient(lambda _index, id: BUSY if id == "b" else OK))
    batch = [event(1, image("a")), event(2, image("b")), event(3, image("c"))]
    assert bench.projector.project(batch).failed == ["2"]
    assert sorted(bench.deleted) == ["log-a-1", "log-c-1"]


def test_a_failed_record_is_told_again_from_its_first_event_in_the_batch() -> None:
    """Told again from the second on, the log entry of the first version would stay for ever."""
    bench = Bench(BulkClient(lambda _index, _id: BUSY))
    batch = [event(1, image("a", 1)), event(2, image("b", 1)), event(3, image("a", 2))]
    assert bench.projector.project(batch).failed == ["1", "2"]
    assert bench.deleted == []


def test_no_attempt_begins_after_the_batchs_time() -> None:
    bench = Bench(BulkClient(lambda _index, _id: BUSY), attempts=99, base_s=20.0, longest_s=20.0)
    assert bench.projector.project([event(1, image("a"))]).failed == ["1"]
    assert len(bench.client.sent) == 3  # at 0, 10 and 20 s of 30


def test_poison_is_set_aside_alone_and_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """The safeguard is `_set_aside_each`: without it the shard stands still behind `b` until Lambda gives it up."""
    bench = Bench(BulkClient(lambda _index, id: POISON if id == "b" else OK))
    batch = [event(1, image("a")), event(2, image("b", 7)), event(3, image("c"))]
    assert bench.projector.project(batch) == ProjectionResult([], set_aside=1)
    assert len(bench.client.sent) == 1
    (poison,) = bench.set_aside
    assert poison.key == {"pk": "acme#shop#m#b", "sk": "record"}
    assert (poison.version, poison.reason) == (7, "400 mapper_parsing_exception from one")
    assert sorted(bench.deleted) == ["log-a-1", "log-c-1"]
    assert "acme#shop#m#b" in caplog.text
    assert "the text of a memory" not in caplog.text + message_of(poison)


def test_recalls_go_on_seeing_what_was_set_aside() -> None:
    """By its newest log entry; those of the versions before are done with, or nobody would ever delete them."""
    bench = Bench(BulkClient(lambda _index, _id: POISON))
    batch = [event(1, image("a", 1)), event(2, image("a", 3), image("a", 2))]
    assert bench.projector.project(batch) == ProjectionResult([], set_aside=1)
    assert sorted(bench.deleted) == ["log-a-1", "log-a-2"]


@pytest.mark.parametrize("missing", ["content", "tenant", "project", "id", "created_at"])
def test_item_that_is_not_whole_is_set_aside_alone(missing: str, caplog: pytest.LogCaptureFixture) -> None:
    broken = {name: value for name, value in image("a").items() if name != missing}
    bench = Bench()
    batch = [event(1, broken), event(2, image("b"))]
    assert bench.projector.project(batch) == ProjectionResult([], set_aside=1)
    assert bench.client.ids == ["b"]
    (poison,) = bench.set_aside
    assert poison.key["pk"] == "acme#shop#m#a"
    assert "not whole" in poison.reason
    assert "acme#shop#m#a" in caplog.text


def test_what_the_failure_queue_does_not_take_fails_as_before(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(BulkClient(lambda _index, id: POISON if id == "b" else OK))

    def refuse(_poison: PoisonRecord) -> None:
        raise Unavailable("the queue is away")

    bench.take = refuse
    batch = [event(1, image("a")), event(2, image("b")), event(3, image("c"))]
    assert bench.projector.project(batch) == ProjectionResult(["2"])
    assert "the queue is away" in caplog.text


def test_without_a_failure_queue_poison_is_told_again() -> None:
    bench = Bench(BulkClient(lambda _index, _id: POISON), has_queue=False)
    assert bench.projector.project([event(1, image("a"))]) == ProjectionResult(["1"])


def test_what_comes_after_a_failure_is_not_set_aside_yet() -> None:
    """Lambda tells it again with the failure: it would lie in the queue as often as that fails."""
    answers = {"a": BUSY, "b": POISON}
    bench = Bench(BulkClient(lambda _index, id: answers[id]))
    assert bench.projector.project([event(1, image("a")), event(2, image("b"))]) == ProjectionResult(["1"])
    assert bench.set_aside == []


def test_busy_in_one_index_and_refused_by_another_is_told_again() -> None:
    bench = Bench(BulkClient(lambda index, _id: POISON if index == "one" else BUSY), lambda: [ONE, TWO])
    assert bench.projector.project([event(1, image("a"))]) == ProjectionResult(["1"])
    assert bench.set_aside == []


def test_time_out_of_a_whole_request_is_tried_again() -> None:
    client = BulkClient()
    bench, calls = Bench(client), []

    def answer(_index: str, id: str) -> dict[str, Any]:
        calls.append(id)
        if len(calls) == 1:
            raise ConnectionTimeout("TIMEOUT", "read timed out", TimeoutError())
        return OK

    client.answer = answer
    assert bench.projector.project([event(1, image("a"))]).failed == []
    assert calls == ["a", "a"]


def test_every_index_of_now_is_written_to() -> None:
    """A rebuild adds one, swaps, and drops the other, while a batch is under way."""
    rounds = iter([[ONE], [ONE, TWO], [TWO]])
    bench = Bench(BulkClient(lambda index, _id: BUSY if index == "one" else OK), lambda: next(rounds))
    assert bench.projector.project([event(1, image("a"))]).failed == []
    assert [[index for index, _, _ in request] for request in bench.client.sent] == [["one"], ["one", "two"]]


def test_without_any_index_everything_is_told_again() -> None:
    def targets() -> Sequence[WriteTarget]:
        raise IndexUnavailable("the index is not there yet: run mem admin reindex")

    bench = Bench(targets=targets)
    assert bench.projector.project([event(1, image("a"))]).failed == ["1"]
    assert bench.client.sent == []


def test_log_entries_that_stay_are_told_again() -> None:
    bench = Bench()

    def delete(_keys: Sequence[Any]) -> None:
        raise StoreUnavailable("busy")

    projector = Projector(
        DocumentWriter(lambda: [ONE], bench.writer, NO_BODIES),
        delete_log_entries=delete,
        finish_erasure=lambda *_: None,
    )
    assert projector.project([event(4, image("a")), event(5, image("b"))]).failed == ["4", "5"]


def test_many_documents_go_in_several_requests() -> None:
    bench = Bench()
    events = [event(n, image(f"m{n}")) for n in range(REQUEST_MAX_LINES + 1)]
    assert bench.projector.project(events).failed == []
    assert [len(request) for request in bench.client.sent] == [REQUEST_MAX_LINES, 1]


def test_target_takes_what_its_mapping_knows_and_vectors_of_its_model() -> None:
    """While a new mapping or model moves in, both indexes are written to."""
    vectors = Vectors(*unit_vectors(2))
    document = document_of(memory(context="c"), vectors)
    assert WriteTarget("new", FIELDS, MODEL).shaped(document) == document
    other = WriteTarget("old", FIELDS - {"bytes"}, "older-model").shaped(document)
    vectors_of_its_own = {"content_vector", "context_vector", "content_float16", "context_float16"}
    assert document.keys() - other.keys() == {"bytes", *vectors_of_its_own}


def test_document_ids_fit_opensearch() -> None:
    """512 bytes at most; tenants and projects are slugs of 64 characters, ids have 128."""
    longest = document_id(Scope("t" * 64, "p" * 64), "m" * 128)
    assert len(longest.encode()) <= 512
    assert keys.project_partition(SCOPE) in document_id(SCOPE, "a")


def test_what_a_crash_left_beside_a_tombstone_is_deleted() -> None:
    """Falls without `finish_erasure`: the record is gone, and its words could stay in versions and answers."""
    bench = Bench()
    whole = image("a", 3)
    names = ("pk", "sk", "tenant", "project", "id", "version", "log_sk")
    erased = {**{name: whole[name] for name in names if name in whole}, "kind": {"S": TOMBSTONE}}
    assert bench.projector.project([event(1, image("b")), event(2, erased)]).failed == []
    assert bench.finished == [(SCOPE.project, "a", 3)]


# ---- what is warm


class BlobsAway(BlobsInMemory):
    """A bucket that does not answer."""

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:  # noqa: ARG002
        raise StoreUnavailable(f"{key} cannot be read")


def stub(id: str, tier: str) -> Item:
    """An item whose words are in a body. Its version and its log entry are as those of `image`."""
    whole = memory(id, "w" * 2_000, tier=tier)
    return {
        **item_of(replace(whole, content=whole.content[:200]), None, f"log-{id}-1"),
        "body_bytes": {"N": "2000"},
    }


def test_what_has_words_in_a_bucket_that_is_away_waits_and_nothing_else() -> None:
    """Falls if an outage of the bucket fails the batch, or lets half of the words be indexed for good."""
    bench = Bench(bodies=Bodies(BlobsAway()))
    batch = [
        event(1, image("a")),
        event(2, stub("c", "cold")),
        event(3, stub("w", "warm")),
        event(4, image("b")),
    ]
    assert bench.projector.project(batch) == ProjectionResult(["3"])
    assert sorted(bench.client.ids) == ["a", "b", "c"]
    assert "log-w-1" not in bench.deleted


def test_a_body_that_is_lost_is_no_poison(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(bodies=Bodies(BlobsInMemory()))
    assert bench.projector.project([event(1, stub("w", "warm")), event(2, image("a"))]) == ProjectionResult(
        []
    )
    assert sorted(bench.client.ids) == ["a", "w"]
    assert "w is searched by its first words alone" in caplog.text
    assert "wwww" not in caplog.text


def test_of_what_no_question_finds_no_body_is_read() -> None:
    """A rebuild of a project whose past is cold reads no more of it than its items."""
    items = [stub("c", "cold"), stub("f", "frozen"), image("a")]
    found = documents_of(items, Bodies(BlobsAway()))
    assert sorted((made["id"], made["bytes"]) for made in found.made.values()) == [
        ("a", len("use WAL mode") + 2),
        ("c", 2_002),
        ("f", 2_002),
    ]
    with pytest.raises(StoreUnavailable):
        documents_of([stub("w", "warm")], Bodies(BlobsAway()))
