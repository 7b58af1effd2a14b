"""A plain model of what surrounds the compactor: a table, its stream, a bucket, and recalls that read while it writes.

A schedule is a random history: records are written, erased and created anew, events are delivered late, out of order
and again, a project is built anew, and before any request to the bucket or the table somebody else may write, compact,
rebuild or recall. All between stream and recall is the product's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, Literal

from memory_layer.adapters.aws.projection.compactor import Compactor
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.projection.stream_changes import StreamRecord
from memory_layer.adapters.aws.segments import manifest as manifests
from memory_layer.adapters.aws.segments import segment_form
from memory_layer.adapters.aws.segments.loaded_segments import SegmentedProjects
from memory_layer.adapters.aws.segments.segment_store import SegmentStore, StoredManifest
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import TOMBSTONE, Item, item_of, version_of
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.retrieval.candidates import identity_of
from memory_layer.errors import IndexUnavailable
from tests.bucket_in_memory import BUCKET, BucketInMemory
from tests.given import StandingClock
from tests.index_examples import MODEL, NO_BODIES, NOW, SCOPE, memory

Safeguard = Literal[
    "conditional manifest",
    "manifest before records",
    "manifest before list",
    "log before manifest",
    "log entries wait for the manifest",
]

IDS: Final = ("a", "b")
STEPS: Final = 10
MEANWHILE_SHARE: Final = 0.2
REBUILD_SHARE: Final = 0.05
DEPTH: Final = 2
"""Others that do something before a request, while others do."""

_PATIENT = Backoff(attempts=50, sleep=lambda _seconds: None)


@dataclass(slots=True)
class Outcome:
    """Counts of what was wrong: in the end, or (`unseen`) in a recall; and, of what is right, of recalls."""

    resurrected: int = 0
    diverged: int = 0
    unseen: int = 0
    left_in_log: int = 0
    left_in_bucket: int = 0
    recalls: int = field(default=0, compare=False)


class _Table:
    """Current items, events that were not taken yet, all events ever, and log entries."""

    def __init__(self, before_read: Callable[[], None]) -> None:
        self.current: dict[str, Item] = {}
        self.undelivered: list[StreamRecord] = []
        self.events: list[StreamRecord] = []
        self.log: dict[str, str] = {}
        self.erased: list[str] = []
        self._before_read = before_read

    def get_chunk(self, wanted: Sequence[Mapping[str, Any]]) -> list[Item]:
        self._before_read()
        found = {keys.record_key(SCOPE, id)["pk"]["S"]: item for id, item in self.current.items()}
        return [found[key["pk"]["S"]] for key in wanted if key["pk"]["S"] in found]

    def listed(self) -> list[str]:
        """Ids that a rebuild finds; others may do something before it looks, and before it goes on."""
        self._before_read()
        found = list(self.live())
        self._before_read()
        return found

    def live(self) -> dict[str, int]:
        """Version of each record that is not erased."""
        return {id: version_of(item) for id, item in self.current.items() if item["kind"]["S"] != TOMBSTONE}

    def write(self, id: str, *, erases: bool) -> None:
        """The next version: an erasure where there is a record, else a change, or a creation."""
        before = self.current.get(id)
        version = 1 if before is None else version_of(before) + 1
        item = _item(id, version, erases and id in self.live())
        self.erased += [id] if item["kind"]["S"] == TOMBSTONE else []
        images = {"NewImage": item} | ({"OldImage": before} if before is not None else {})
        key = {"pk": item["pk"], "sk": item["sk"]}
        event = {"dynamodb": {"Keys": key, "SequenceNumber": str(len(self.events)), **images}}
        self.current[id] = item
        self.events.append(event)
        self.undelivered.append(event)
        self.log[item["log_sk"]["S"]] = id


class _RecordsFirst(Compactor):
    """A compactor that reads the records before the manifest: the safeguard taken out."""

    def bring(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        found, own = self._read(scope, ids), copy(self)
        own._read = lambda _scope, _ids: found  # type: ignore[method-assign]
        return Compactor.bring(own, scope, ids)


class _ListFirst(Compactor):
    """A compactor that lists the records of a rebuild before it reads the manifest: the safeguard taken out."""

    def build_anew(self, scope: Scope, list_ids: Callable[[], Collection[str]]) -> dict[str, str]:
        ids = list_ids()
        return super().build_anew(scope, lambda: ids)


_MADE: Final[Mapping[Safeguard | None, type[Compactor]]] = {
    "manifest before records": _RecordsFirst,
    "manifest before list": _ListFirst,
}


class Schedule:
    """One random history. `without` takes a safeguard out."""

    def __init__(self, seed: int, without: Safeguard | None = None) -> None:
        self._random = Random(seed)
        self._without = without
        self._depth = 0
        self._is_settling = False
        self._table = _Table(self._meanwhile)
        self._bucket = BucketInMemory(
            before_call=self._meanwhile, keeps_conditions=without != "conditional manifest"
        )
        store, clock = SegmentStore(self._bucket, BUCKET), StandingClock()
        self._compactor = _MADE.get(without, Compactor)(
            store,
            self._table,  # type: ignore[arg-type]
            NO_BODIES,
            model=MODEL,
            dimensions=4,
            clock=clock,
            backoff=_PATIENT,
        )
        self._projector = Projector(
            self._compactor,
            delete_log_entries=lambda entries: [self._table.log.pop(e["sk"]["S"], None) for e in entries],  # type: ignore[func-returns-value]
            finish_erasure=lambda *_: None,
        )
        self._reader = SegmentedProjects(store, MODEL, 4, clock)
        self._outcome = Outcome()

    def run(self) -> Outcome:
        for _ in range(STEPS):
            self._step()
        self._settle()
        return self._outcome

    def _step(self) -> None:
        if self._random.random() < REBUILD_SHARE:
            self._compactor.build_anew(SCOPE, self._table.listed)
            return
        self._random.choice((self._write, self._write, self._deliver, self._deliver, self._recall))()

    def _meanwhile(self) -> None:
        """Somebody else does something, now and then."""
        if self._is_settling or self._depth >= DEPTH or self._random.random() > MEANWHILE_SHARE:
            return
        self._depth += 1
        for _ in range(self._random.randint(1, 3)):
            self._step()
        self._depth -= 1

    def _write(self) -> None:
        self._table.write(self._random.choice(IDS), erases=self._random.random() < 0.35)
        if self._without == "log entries wait for the manifest":
            self._table.log.clear()

    def _deliver(self) -> None:
        """Some events, in any order; what failed stays undelivered; now and then an old one is told again."""
        waiting = self._table.undelivered
        self._project(self._random.sample(waiting, self._random.randint(0, len(waiting))))
        if self._table.events and self._random.random() < 0.4:
            self._projector.project(self._random.sample(self._table.events, 1))

    def _project(self, batch: Sequence[StreamRecord]) -> None:
        failed = self._projector.project(batch).failed
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        done = set(numbers[: min(map(numbers.index, failed), default=len(numbers))])
        self._table.undelivered = [
            record for record in self._table.undelivered if record["dynamodb"]["SequenceNumber"] not in done
        ]

    def _recall(self) -> None:
        """What was committed before a recall begins is in the log that it reads, or in the segments it reads then."""
        committed, before = self._table.live(), len(self._table.erased)
        is_other = self._depth > 0 or self._random.random() < 0.3  # one process does one thing at a time
        reader = self._fresh_reader() if is_other else self._reader
        if self._without == "log before manifest":
            versions = self._versions(reader)
            self._meanwhile()
            unseen = set(self._table.log.values())
        else:
            unseen = set(self._table.log.values())
            self._meanwhile()
            versions = self._versions(reader)
        if versions is None:  # it says so, and the newest records are read instead
            return
        self._outcome.recalls += 1
        excused = unseen | set(self._table.erased[before:])  # what is erased meanwhile need not be found
        self._outcome.unseen += sum(
            versions.get(id, 0) < version and id not in excused for id, version in committed.items()
        )

    def _fresh_reader(self) -> SegmentedProjects:
        return SegmentedProjects(SegmentStore(self._bucket, BUCKET), MODEL, 4, StandingClock())

    def _versions(self, reader: SegmentedProjects) -> dict[str, int] | None:
        """Version of each record in the RAM of a process; None: others write all the time."""
        try:
            loaded = reader.up_to_date((SCOPE,))
        except IndexUnavailable:
            return None
        ids = {_key(id): id for id in IDS}
        found: dict[str, int] = {}
        for _, index in loaded:
            present, versions = index.standings()
            found = {
                ids[key]: version for key, version in zip(present.tolist(), versions.tolist(), strict=True)
            }
        return found

    def _settle(self) -> None:
        """Everything is delivered, old events come once more; then table, bucket and RAM are compared."""
        self._is_settling = True
        while self._table.undelivered:
            self._random.shuffle(self._table.undelivered)
            self._project(self._table.undelivered)
        for event in self._random.sample(self._table.events, min(2, len(self._table.events))):
            self._projector.project([event])
        live = self._table.live()
        for reader in (self._reader, self._fresh_reader()):
            found = self._versions(reader)
            self._outcome.diverged += found != live
            self._outcome.resurrected += len((found or {}).keys() - live.keys())
        self._outcome.left_in_log += len(self._table.log)
        self._outcome.left_in_bucket += self._leftovers(live)

    def _leftovers(self, live: Mapping[str, int]) -> int:
        """Objects that no manifest names, and rows of erased records in those that one names."""
        stored: StoredManifest = SegmentStore(self._bucket, BUCKET).manifest(SCOPE)
        names = stored.manifest.names
        left = 0
        for key, (body, _) in self._bucket.objects.items():
            name = key.rsplit("/", 1)[-1]
            if key.endswith("manifest.json"):
                assert manifests.decoded(body)
            elif name not in names:
                left += 1
            else:
                left += len(set(segment_form.decoded(body, name).batch.ids) - live.keys())
        return left


@cache
def _key(id: str) -> int:
    return identity_of(Ref(SCOPE.project, id))


@cache
def _item(id: str, version: int, is_erased: bool) -> Item:
    """As the record store writes it."""
    log_sk = keys.log_sort(NOW, id, version)
    if not is_erased:
        return item_of(memory(id, f"{id} as of {version}", version=version), None, log_sk)
    named = {"kind": TOMBSTONE, "tenant": SCOPE.tenant, "project": SCOPE.project, "id": id, "log_sk": log_sk}
    tombstone = {name: {"S": value} for name, value in named.items()}
    return {**keys.record_key(SCOPE, id), **tombstone, "version": {"N": str(version)}}
