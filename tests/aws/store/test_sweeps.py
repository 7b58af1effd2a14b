"""A sweep reads what is due and nothing else: counted in read units, while the table grows tenfold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.adapters.aws.table.record_items import due_attributes, item_of
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.aws.dynamodb_table import fresh_table, open_store
from tests.aws.faults import Fault, Faults
from tests.aws.store.test_reads import put_at_once
from tests.given import START, StandingClock, a_memory, new_scope, put_records

pytestmark = pytest.mark.engines

DAY = timedelta(days=1)
DUE = 100
READS = ("get_item", "batch_get_item", "query")


@pytest.fixture(autouse=True)
def _recent_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that knows no better begins in the past: here not longer ago than needed, for an engine that is slow."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START - timedelta(days=2))


class Metered:
    """A client that adds up the read units of what it is asked."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.units: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        return self._metered(name, call) if name in (*READS, "scan") else call

    def _metered(self, name: str, call: Any) -> Any:
        def metered(**request: Any) -> Any:
            answer = call(**request, ReturnConsumedCapacity="TOTAL")
            told = answer.get("ConsumedCapacity")
            self.units[name] += sum(
                one["CapacityUnits"] for one in (told if isinstance(told, list) else [told])
            )
            self.asked[name] += 1
            return answer

        return metered


@pytest.fixture
def table(dynamodb_endpoint: str) -> Iterator[tuple[Any, str]]:
    with fresh_table(dynamodb_endpoint) as made:
        yield made


def ports_over(backend: EmbeddedBackend, store: DynamoRecordStore, clock: StandingClock) -> Ports:
    return replace(backend.ports, store=store, clock=clock)


def fill(table: tuple[Any, str], scope: Scope, first: int, count: int) -> None:
    """Records that are not due: half of them never, the others in a year."""
    made = (
        a_memory(scope, f"other{number:06}", expires_at=_in_a_year(number))
        for number in range(first, first + count)
    )
    put_at_once(table, [{**item_of(memory), **due_attributes(memory, START)} for memory in made])


def _in_a_year(number: int) -> Any:
    return START + 365 * DAY + timedelta(minutes=number) if number % 2 else None


def due_now(scope: Scope, wave: str, clock: StandingClock) -> list[Memory]:
    return [
        a_memory(scope, f"{wave}{number:03}", expires_at=clock.now() + timedelta(hours=1))
        for number in range(DUE)
    ]


def put(store: DynamoRecordStore, memories: list[Memory], clock: StandingClock) -> None:
    put_records(store, *memories, at=clock.now())


def test_what_a_sweep_reads_does_not_grow_with_the_table(
    backend: EmbeddedBackend, clock: StandingClock, table: tuple[Any, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The safeguard is the index by_due: a scan, or a query of a project's records, would read ten times as much."""
    scope, metered = new_scope(), Metered(table[0])
    with open_store(metered, table[1], clock) as store:
        ports = ports_over(backend, store, clock)
        for name in ("expiry", "decay"):
            run_sweep(ports, name, holder="a test", seconds=600)
        read: list[dict[str, float]] = []
        others = 0
        for wave, grown_to in (("a", 500), ("b", 5_000)):
            fill(table, scope, others, grown_to - others)
            others = grown_to
            put(store, due_now(scope, wave, clock), clock)
            clock.advance(hours=2)
            metered.units.clear()
            report = run_sweep(ports, "expiry", holder="a test", seconds=600)
            assert (report.did, report.looked_at) == ({"expired": DUE}, DUE)
            read.append(dict(metered.units))
        metered.units.clear()
        run_sweep(ports, "expiry", holder="a test", seconds=600)
        nothing_due = dict(metered.units)
    with capsys.disabled():
        print(
            f"\nread units of a sweep of {DUE}: {read[0]} of 600 records, {read[1]} of 5,200; of none: {nothing_due}"
        )
    assert sum(read[1].values()) <= sum(read[0].values()) * 1.02
    assert "scan" not in metered.asked
    assert sum(nothing_due.values()) < 40


def test_a_sweep_that_lost_its_connection_in_any_request_is_completed_and_doubles_nothing(
    backend: EmbeddedBackend, clock: StandingClock, table: tuple[Any, str]
) -> None:
    scope = new_scope()
    fault: list[Fault] = ["no connection", "lost answer"]
    with open_store(*table, clock) as store:
        ports = ports_over(backend, store, clock)
        for number, kind in enumerate((*fault, *fault, *fault)):
            memories = [replace(m, id=f"{number}{m.id}") for m in due_now(scope, "m", clock)[:5]]
            put(store, memories, clock)
            clock.advance(hours=3)
            operation, nth = ("UpdateItem", "TransactWriteItems", "BatchGetItem")[number // 2], number % 2
            choose = partial(_one, (operation, nth), kind)
            with Faults(table[0], choose).applied():
                for _ in range(3):
                    try:
                        run_sweep(ports, "expiry", holder="a test", seconds=600)
                    except StoreUnavailable:
                        continue
                    finally:
                        clock.advance(hours=1)
            run_sweep(ports, "expiry", holder="a test", seconds=600)
            for memory in memories:
                verbs = [version.verb for version in store.history.of(scope, memory.id)]
                assert verbs == ["created", "expired"], (operation, kind)


def _one(which: tuple[str, int], kind: Fault, operation: str, before: int) -> Fault:
    return kind if (operation, before) == which else None
