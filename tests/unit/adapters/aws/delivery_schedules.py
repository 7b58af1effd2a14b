"""A plain model of what surrounds the projector: a table, its stream, and indexes with external versions.

A schedule is a random history: records are written, erased and created anew, while events are delivered late, out of
order, again and again, indexes are too busy, and a rebuild goes on. All between stream and index is the product's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, Literal

from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.document_writer import DocumentWriter
from memory_layer.adapters.aws.projection.item_documents import documents_of
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.projection.stream_changes import StreamRecord
from memory_layer.adapters.aws.search.aliases import WriteTarget
from memory_layer.adapters.aws.search.documents import document_id
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import TOMBSTONE, Item, item_of
from memory_layer.manifest.index import index_body
from tests.index_examples import MODEL, NO_BODIES, NOW, SCOPE, memory

Safeguard = Literal["tombstones", "versions", "rebuild hears live events", "log entries wait for the index"]

IDS: Final = ("a", "b")
STEPS: Final = 12
BUSY_SHARE: Final = 0.05

_FIELDS = frozenset(index_body("lucene", dimensions=4, model=MODEL, stop_words=())["mappings"]["properties"])
_AT_ONCE = Backoff(attempts=1)


@dataclass(slots=True)
class Outcome:
    """What was wrong: in the end, or (`unseen`) at some moment."""

    resurrected: int = 0
    diverged: int = 0
    unseen: int = 0
    left_in_log: int = 0


@dataclass(frozen=True, slots=True)
class _State:
    version: int
    is_erased: bool


class _Indexes:
    """OpenSearch as far as the projector can tell: `_bulk` with `external_gte` and `require_alias`."""

    def __init__(self, random: Random, without: Safeguard | None) -> None:
        self.documents: dict[str, dict[str, _State]] = {"0": {}}
        self.read = "0"
        self._random = random
        self._without = without

    def targets(self) -> list[WriteTarget]:
        names = [self.read] if self._without == "rebuild hears live events" else self.documents
        return [_target(name) for name in names]

    def bulk(self, *, body: bytes, params: Mapping[str, str]) -> dict[str, Any]:
        assert params["require_alias"] == "true"
        lines = body.splitlines()
        pairs = zip(lines[::2], lines[1::2], strict=True)
        return {
            "items": [self._item(json.loads(action)["index"], json.loads(text)) for action, text in pairs]
        }

    def _item(self, action: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        assert action["version_type"] == "external_gte"
        name = action["_index"].removesuffix("-own")
        if name not in self.documents:
            return {"index": {"status": 404, "error": {"type": "index_not_found_exception"}}}
        if self._random.random() < BUSY_SHARE:
            return {"index": {"status": 429, "error": {"type": "rejected_execution_exception"}}}
        state = _State(action["version"], document["is_tombstone"])
        return {"index": {"status": self._put(self.documents[name], action["_id"], state)}}

    def _put(self, held: dict[str, _State], id: str, new: _State) -> int:
        old = held.get(id)
        if old is not None and old.version > new.version and self._without != "versions":
            return 409
        held[id] = new
        if new.is_erased and self._without == "tombstones":
            del held[id]  # what an index does with a deletion, once it has forgotten the version
        return 200


@dataclass(slots=True)
class _Table:
    """Current items, events not yet acknowledged by the projector, all events ever, and log entries."""

    current: dict[str, Item] = field(default_factory=dict)
    undelivered: list[StreamRecord] = field(default_factory=list)
    events: list[StreamRecord] = field(default_factory=list)
    log: set[str] = field(default_factory=set)

    def state(self, id: str) -> _State | None:
        item = self.current.get(id)
        return None if item is None else _State(int(item["version"]["N"]), item["kind"]["S"] == TOMBSTONE)

    def write(self, id: str, *, erases: bool) -> None:
        """The next version: an erasure where there is a record, else a change, or a creation."""
        before = self.state(id)
        is_there = before is not None and not before.is_erased
        self._put(id, _item(id, before.version + 1 if before else 1, erases and is_there))
        self.log.add(self.current[id]["log_sk"]["S"])

    def count_access(self, id: str) -> None:
        """Moves no version, and is no business of the index."""
        if id in self.current:
            self._put(id, {**self.current[id], "access_count": {"N": "1"}})

    def _put(self, id: str, item: Item) -> None:
        images = {"NewImage": item} | ({"OldImage": self.current[id]} if id in self.current else {})
        key = {"pk": item["pk"], "sk": item["sk"]}
        event = {"dynamodb": {"Keys": key, "SequenceNumber": str(len(self.events)), **images}}
        self.current[id] = item
        self.events.append(event)
        self.undelivered.append(event)


class Schedule:
    """One random history. `without` takes a safeguard out."""

    def __init__(self, seed: int, without: Safeguard | None = None) -> None:
        self._random = Random(seed)
        self._without = without
        self._table = _Table()
        self._indexes = _Indexes(self._random, without)
        self._writer = BulkWriter(self._indexes, backoff=_AT_ONCE)  # type: ignore[arg-type]
        self._projector = Projector(
            DocumentWriter(self._indexes.targets, self._writer, NO_BODIES),
            delete_log_entries=lambda entries: self._table.log.difference_update(
                e["sk"]["S"] for e in entries
            ),
            finish_erasure=lambda *_: None,
        )
        self._unscanned: set[str] = set()
        self._outcome = Outcome()

    def run(self) -> Outcome:
        for _ in range(STEPS):
            self._random.choice((self._write, self._write, self._deliver, self._deliver, self._rebuild))()
            self._look()
        self._settle()
        return self._outcome

    def _write(self) -> None:
        id = self._random.choice(IDS)
        if self._random.random() < 0.15:
            self._table.count_access(id)
        else:
            self._table.write(id, erases=self._random.random() < 0.4)
            if self._without == "log entries wait for the index":
                self._table.log.clear()

    def _deliver(self) -> None:
        """Some events, in any order; what failed, and what Lambda tells again with it, stays undelivered."""
        waiting = self._table.undelivered
        batch = self._random.sample(waiting, self._random.randint(0, len(waiting)))
        self._project(batch)
        if self._table.events and self._random.random() < 0.4:  # redriven, or simply told twice
            self._projector.project(self._random.sample(self._table.events, 1))

    def _project(self, batch: Sequence[StreamRecord]) -> None:
        failed = self._projector.project(batch).failed
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        done = numbers[: min(map(numbers.index, failed), default=len(numbers))]
        self._table.undelivered = [
            record for record in self._table.undelivered if record["dynamodb"]["SequenceNumber"] not in done
        ]

    def _rebuild(self) -> None:
        """The next step of one: a new index, the scan of one record, the swap."""
        if len(self._indexes.documents) == 1:
            self._indexes.documents[str(int(self._indexes.read) + 1)] = {}
            self._unscanned = set(IDS)
        elif self._unscanned:
            self._scan(self._random.choice(sorted(self._unscanned)))
        else:
            del self._indexes.documents[self._indexes.read]
            self._indexes.read = next(iter(self._indexes.documents))

    def _scan(self, id: str) -> None:
        newest = max(self._indexes.documents, key=int)
        if id in self._table.current:
            documents = list(documents_of([self._table.current[id]], NO_BODIES).made.values())
            while self._writer.write(documents, lambda: [_target(newest)], seconds=1).failed:
                pass
        self._unscanned.discard(id)

    def _look(self) -> None:
        """At any moment: what the index that is searched has not, the log has."""
        held = self._indexes.documents[self._indexes.read]
        for id, item in self._table.current.items():
            if held.get(_name(id)) != self._table.state(id) and item["log_sk"]["S"] not in self._table.log:
                self._outcome.unseen += 1

    def _settle(self) -> None:
        """Everything is delivered, the rebuild ends, old events come once more; then both sides are compared."""
        while self._table.undelivered:
            self._random.shuffle(self._table.undelivered)
            self._project(self._table.undelivered)
        while len(self._indexes.documents) > 1:
            self._rebuild()
        for event in self._random.sample(self._table.events, min(2, len(self._table.events))):
            self._projector.project([event])
        held = self._indexes.documents[self._indexes.read]
        for id in self._table.current:
            expected, found = self._table.state(id), held.get(_name(id))
            is_live = found is not None and not found.is_erased
            self._outcome.diverged += found != expected
            self._outcome.resurrected += expected is not None and expected.is_erased and is_live
        self._outcome.left_in_log += len(self._table.log)


@cache
def _target(name: str) -> WriteTarget:
    return WriteTarget(name, _FIELDS, MODEL)


@cache
def _name(id: str) -> str:
    return document_id(SCOPE, id)


@cache
def _item(id: str, version: int, is_erased: bool) -> Item:
    """As the record store writes it."""
    log_sk = keys.log_sort(NOW, id, version)
    if not is_erased:
        return item_of(memory(id, f"{id} as of {version}", version=version), None, log_sk)
    named = {"kind": TOMBSTONE, "tenant": SCOPE.tenant, "project": SCOPE.project, "id": id, "log_sk": log_sk}
    tombstone = {name: {"S": value} for name, value in named.items()}
    return {**keys.record_key(SCOPE, id), **tombstone, "version": {"N": str(version)}}
