"""The compactor and those who read behind it: conflicts, damage, erasure down to the last byte, few requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.projection.compactor import Compactor
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.projection.stream_changes import PoisonRecord
from memory_layer.adapters.aws.segments import segment_form
from memory_layer.adapters.aws.segments.loaded_segments import IDLE, SegmentedProjects
from memory_layer.adapters.aws.segments.segment_index import SegmentIndex
from memory_layer.adapters.aws.segments.segment_store import ORPHAN_AGE, SegmentStore
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import Item, item_of
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.text.analyzer import analyze, term_hash
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vectors
from memory_layer.ports.index import IndexQuery
from tests.bucket_in_memory import BUCKET, BucketInMemory
from tests.given import StandingClock
from tests.index_examples import DIMENSIONS, MODEL, NO_BODIES, NOW, SCOPE, memory, unit_vectors

VECTORS = unit_vectors(8)
QUICK = Backoff(attempts=3, sleep=lambda _seconds: None)


class Bench:
    """A table in memory, a bucket, and a compactor between them."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.clock = StandingClock(NOW)
        self.bucket = BucketInMemory(now=self.clock.now)
        self.store = SegmentStore(self.bucket, BUCKET)
        self.compactor = Compactor(
            self.store,
            self,  # type: ignore[arg-type]
            NO_BODIES,
            model=MODEL,
            dimensions=DIMENSIONS,
            clock=self.clock,
            backoff=QUICK,
        )
        self.index = SegmentIndex(
            self.store, model=MODEL, dimensions=DIMENSIONS, clock=self.clock, reconcile=_nothing
        )

    def get_chunk(self, wanted: Sequence[Mapping[str, Any]]) -> list[Item]:
        return [item for key in wanted if (item := self.items.get(key["pk"]["S"])) is not None]

    def write(self, *memories: Memory) -> None:
        for one in memories:
            item = item_of(one, Vectors(VECTORS[len(self.items) % 8]), f"log-{one.id}-{one.version}")
            self.items[keys.record_key(SCOPE, one.id)["pk"]["S"]] = item
        self.compactor.bring(SCOPE, [one.id for one in memories])

    def erase(self, id: str) -> None:
        del self.items[keys.record_key(SCOPE, id)["pk"]["S"]]
        self.compactor.bring(SCOPE, [id])

    def found(self, text: str, index: SegmentIndex | None = None) -> list[str]:
        query = IndexQuery(
            scopes=(SCOPE,), text=text, vector=None, filters=Filters(), viewer=Viewer(), now=NOW, k=9
        )
        return [ref.id for ref in (index or self.index).search(query).candidates.ranked("content_lexical")]

    def bytes_at_rest(self) -> bytes:
        """Everything in the bucket, as it lies and unpacked."""
        bodies = [body for body, _ in self.bucket.objects.values()]
        return b"".join([*bodies, *map(_unpacked, bodies), *(key.encode() for key in self.bucket.objects)])


def _nothing(*_: Any, **__: Any) -> Any:
    raise AssertionError("nothing is compared here")


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"MLSG"):
        return b""
    start = 8 + int.from_bytes(body[4:8], "little")
    header = json.loads(body[8:start])
    return bytes(segment_form.zstd.decompress(body[start : start + header["packed"]]))


def test_what_is_erased_is_in_no_byte_of_the_bucket_and_leaves_a_warm_process() -> None:
    """Falls where a purge leaves an older segment, a dictionary's entry or a deleted object's bytes."""
    bench = Bench()
    secret = memory(
        "mem_zebra", "the quagga grazes", tags=("okapi",), entities=("urn:zoo:quagga",), persona="tapir",
        session_id="s-bongo", created_by="kudu",
    )  # fmt: skip
    bench.write(secret, memory("m2", "the lion sleeps", tags=("savanna",)))
    bench.write(memory("m3", "the lion wakes"))
    marks = [b"mem_zebra", b"okapi", b"urn:zoo:quagga", b"tapir", b"s-bongo", b"kudu"]
    marks += [term_hash(term).to_bytes(4, "little") for term in analyze("quagga grazes")]
    assert [mark for mark in marks if mark not in bench.bytes_at_rest()] == []
    assert bench.index.tags((SCOPE,)) == ["okapi", "savanna"]
    assert bench.index.projects("acme", Viewer(frozenset({"tapir"})), after=None, limit=9)[0].total == 3
    bench.erase("mem_zebra")
    assert [mark for mark in marks if mark in bench.bytes_at_rest()] == []
    assert bench.index.tags((SCOPE,)) == ["savanna"]
    project = bench.index._projects._projects[SCOPE]
    assert [label for label in project.index._columns._labels["tags"]._dictionary if label] == ["savanna"]
    assert bench.found("lion") == ["m2", "m3"]
    assert bench.found("quagga") == []


@pytest.mark.parametrize("has_manifest", [True, False])
@pytest.mark.parametrize("way", ["bring", "build anew"])
def test_who_read_a_record_before_its_erasure_does_not_bring_it_back(way: str, has_manifest: bool) -> None:
    """Falls if an erasure that finds nothing to take out leaves the manifest as it is: the other one's still counts."""
    bench = Bench()
    if has_manifest:
        bench.write(memory("m1", "the lion sleeps"))
    late = memory("mem_zebra", "the quagga grazes")
    bench.items[keys.record_key(SCOPE, late.id)["pk"]["S"]] = item_of(late, None, "log-zebra-1")
    meanwhile = [lambda: bench.erase(late.id)]

    def before_put(**_: Any) -> None:
        while meanwhile:
            meanwhile.pop()()

    put = bench.store.put_segment
    bench.store.put_segment = lambda *given: (before_put(), put(*given))[1]  # type: ignore[method-assign]
    if way == "bring":
        bench.compactor.bring(SCOPE, [late.id])
    else:
        bench.compactor.build_anew(SCOPE, lambda: ["m1", late.id])
    assert not meanwhile
    assert b"mem_zebra" not in bench.bytes_at_rest()
    assert bench.found("quagga") == []


def test_the_last_record_of_a_project_leaves_no_segment() -> None:
    bench = Bench()
    bench.write(memory("m1"))
    bench.erase("m1")
    assert [key.rsplit("/", 1)[-1] for key in bench.bucket.objects] == ["manifest.json"]
    assert bench.found("wal") == []


def test_a_segment_that_a_crash_left_behind_goes_with_the_next_erasure() -> None:
    bench = Bench()
    bench.write(memory("m1"), memory("m2"))
    left, _ = bench.store.put_segment(SCOPE, bench.store.segment(SCOPE, *_names(bench)))
    bench.erase("m1")
    assert any(left in key for key in bench.bucket.objects)  # another compactor may be about to name it
    bench.clock.advance(seconds=ORPHAN_AGE.total_seconds() + 1)
    bench.compactor.bring(SCOPE, ["m1"])
    assert not any(left in key for key in bench.bucket.objects)


def _names(bench: Bench) -> list[str]:
    return [entry.name for entry in bench.store.manifest(SCOPE).manifest.segments]


def test_a_damaged_segment_is_named_and_built_anew() -> None:
    """Falls without the digest in `decoded`: the search would answer from what is damaged."""
    bench = Bench()
    bench.write(memory("m1"), memory("m2", "the lion sleeps"))
    (key,) = [key for key in bench.bucket.objects if "manifest" not in key]
    body, at = bench.bucket.objects[key]
    bench.bucket.objects[key] = body[:-3] + bytes([body[-3] ^ 1]) + body[-2:], at
    with pytest.raises(IndexUnavailable, match=r"project shop is damaged.*mem admin reindex"):
        bench.found("lion")
    with pytest.raises(IndexUnavailable, match="project shop is damaged"):
        bench.compactor.bring(SCOPE, ["m1"])
    bench.compactor.build_anew(SCOPE, lambda: ["m1", "m2"])
    assert bench.found("lion") == ["m2"]
    assert len(bench.bucket.objects) == 2


def test_a_damaged_manifest_is_named_and_built_anew() -> None:
    bench = Bench()
    bench.write(memory("m1", "the lion sleeps"))
    (key,) = [key for key in bench.bucket.objects if "manifest" in key]
    bench.bucket.objects[key] = b'{"said": "{}", "digest": ""}', NOW
    with pytest.raises(IndexUnavailable, match="damaged"):
        bench.found("lion")
    bench.compactor.build_anew(SCOPE, lambda: ["m1"])
    assert bench.found("lion") == ["m1"]


@pytest.mark.parametrize("damage", ["manifest", "segment", "missing segment"])
def test_a_damaged_project_holds_up_no_other_and_stays_in_the_log(damage: str) -> None:
    """Falls if what is damaged waits: the stream tells its shard again until a rebuild, for every tenant in it."""
    bench, other = Bench(), Scope("other", "shop")
    first = changed(bench, memory("m1", "the lion sleeps"))
    projector, log, aside = projecting(bench)
    assert (projector.project([first]).failed, log) == ([], set())
    spoil(bench, damage)
    batch = [
        changed(bench, memory("m1", "the lion wakes", version=2)),
        changed(bench, memory("m9", scope=other)),
    ]
    log |= {event["dynamodb"]["NewImage"]["log_sk"]["S"] for event in batch}
    assert projector.project(batch).failed == []
    assert log == {batch[0]["dynamodb"]["NewImage"]["log_sk"]["S"]}
    assert ["damaged" in poison.reason for poison in aside] == [True]
    assert bench.store.manifest(other).manifest.records == 1
    bench.compactor.build_anew(SCOPE, lambda: ["m1"])
    assert projector.project(batch[:1]).failed == []
    assert (log, bench.found("wakes")) == (set(), ["m1"])


def changed(bench: Bench, one: Memory) -> dict[str, Any]:
    """Writes a record and returns the event that tells of it."""
    item = item_of(one, None, f"log-{one.id}-{one.version}")
    key = keys.record_key(one.scope, one.id)
    bench.items[key["pk"]["S"]] = item
    return {"dynamodb": {"Keys": key, "SequenceNumber": f"{one.id}-{one.version}", "NewImage": item}}


def projecting(bench: Bench) -> tuple[Projector, set[str], list[PoisonRecord]]:
    log: set[str] = set()
    aside: list[PoisonRecord] = []

    def deleted(entries: Sequence[Mapping[str, Any]]) -> None:
        log.difference_update(entry["sk"]["S"] for entry in entries)

    projector = Projector(
        bench.compactor,
        delete_log_entries=deleted,
        finish_erasure=lambda *_: None,
        set_aside=aside.append,
    )
    return projector, log, aside


def spoil(bench: Bench, damage: str) -> None:
    (key,) = [key for key in bench.bucket.objects if ("manifest" in key) == (damage == "manifest")]
    if damage == "missing segment":
        del bench.bucket.objects[key]
    else:
        bench.bucket.objects[key] = b"{}", NOW


def test_a_warm_process_reads_the_manifest_alone_and_a_cold_one_few_objects() -> None:
    """Two to four requests of a project when cold, one when warm."""
    bench = Bench()
    for number in range(60):
        bench.write(memory(f"m{number}", f"the lion sleeps {number} hours"))
    for expected in (range(2, 5), range(1, 2)):
        bench.bucket.calls.clear()
        bench.found("lion")
        assert bench.bucket.calls.total() == bench.bucket.calls["GET"] in expected


def test_a_project_that_nobody_asks_for_leaves_the_process() -> None:
    """Falls without `_forget_idle`: its erased words would stay as long as the process does."""
    bench = Bench()
    bench.write(memory("m1"))
    bench.found("wal")
    bench.clock.advance(seconds=(IDLE + timedelta(seconds=1)).total_seconds())
    bench.index.tags(())
    assert bench.index._projects._projects == {}


@pytest.mark.parametrize(
    "asked", ["a recall of the project", "a list of projects, later", "no project, later"]
)
def test_a_catalogue_with_an_erased_tag_leaves_the_process(asked: str) -> None:
    """Falls where the catalogue of the last list stays until the next list: erased tags would, for days."""
    bench = Bench()
    bench.write(memory("m1", tags=("okapi",)), memory("m2"))
    assert bench.index.stats(SCOPE, Viewer(), now=NOW).total == 2
    bench.erase("m1")
    if "later" in asked:
        bench.clock.advance(seconds=(IDLE + timedelta(seconds=1)).total_seconds())
    requests: dict[str, Callable[[], object]] = {
        "a recall of the project": lambda: bench.found("wal"),
        "a list of projects, later": lambda: bench.index.projects("acme", Viewer(), after=None, limit=1),
        "no project, later": lambda: bench.index.tags(()),
    }
    requests[asked]()
    assert bench.index._projects._catalogue is None
    assert bench.index.stats(SCOPE, Viewer(), now=NOW).total == 1


def test_projects_beyond_the_bound_leave_the_process() -> None:
    bench = Bench()
    bench.write(memory("m1"))
    loaded = SegmentedProjects(bench.store, MODEL, DIMENSIONS, bench.clock, max_bytes=1)
    loaded.up_to_date((SCOPE,))
    loaded.up_to_date((memory().scope.__class__("acme", "other"),))
    assert SCOPE not in loaded._projects


def test_a_record_that_leaves_recall_is_listed_still() -> None:
    bench = Bench()
    bench.write(memory("m1", "the lion sleeps"), memory("m2", "the lion wakes"))
    assert bench.found("lion") == ["m1", "m2"]
    bench.write(memory("m1", "the lion sleeps", version=2, tier="cold"))
    assert bench.found("lion") == ["m2"]
    assert bench.index.stats(SCOPE, Viewer(), now=NOW).by["tier"] == {"cold": 1, "hot": 1}
