"""The audit log in the table: what commits tell is chained once, in order, whoever brings it and however often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.audit import AuditItems
from memory_layer.adapters.aws.store.audit_chain import AuditChain
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import audit_items, keys
from memory_layer.adapters.aws.table.audit_items import ToldEvent, told_events
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.audit import (
    PERSON_ERASED,
    PROJECT_ERASED,
    AuditEvent,
    AuditLink,
    BrokenLink,
    ChainCheck,
)
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.audit import AuditFilter
from memory_layer.ports.commit import Commit, Erasure
from tests.aws.dynamodb_table import open_store
from tests.given import StandingClock, a_memory, changed, commit_all, created, read_back

pytestmark = pytest.mark.engines

ALL = AuditFilter()


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def store(table: tuple[Any, str], clock: StandingClock) -> Iterator[DynamoRecordStore]:
    with open_store(*table, clock=clock) as opened:
        yield opened


@pytest.fixture
def items(table: tuple[Any, str]) -> RecordsTable:
    return RecordsTable(*table, Backoff(sleep=lambda _seconds: None))


def write(store: DynamoRecordStore, clock: StandingClock, scope: Scope, *ids: str) -> None:
    for id in ids:
        commit_all(store, [created(a_memory(scope, id))])
        clock.advance(seconds=1)


def told(items: RecordsTable, scope: Scope) -> list[ToldEvent]:
    """What the stream brings of the project, in the order of time."""
    part = KeyRange(keys.log_partition(scope), " ", f"{keys.AFTER_TIMES}~")
    events = [one for item in items.whole(part) if audit_items.TOLD in item for one in told_events(item)]
    return sorted(events, key=lambda one: one.at)


def links(store: DynamoRecordStore, scope: Scope) -> list[AuditLink]:
    return list(store.audit.links(scope, after=0))


def broken(store: DynamoRecordStore, scope: Scope) -> BrokenLink | None:
    check = ChainCheck()
    check.read(links(store, scope))
    return check.end(store.audit.head(scope))


def abouts(store: DynamoRecordStore, scope: Scope) -> list[str | None]:
    return [None if link.event is None else link.event.about for link in links(store, scope)]


def test_commits_tell_what_the_chain_then_has(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without the events in the items of the log."""
    write(store, clock, scope, "m1", "m2")
    store.writer.commit(Commit(scope=scope, policy=Policy(version=1)))
    store.chain.append(told(items, scope))
    assert [(one.event.what, one.event.about) for one in links(store, scope) if one.event] == [
        ("created", "m1"),
        ("created", "m2"),
        ("settings", None),
    ]
    assert broken(store, scope) is None
    assert not [one for one in told(items, scope) if one.event.what == "settings"]


def test_what_is_told_again_is_chained_once(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without the sources of `_not_chained`."""
    write(store, clock, scope, "m1", "m2", "m3")
    found = told(items, scope)
    store.chain.append(found[:2])
    store.chain.append(found)
    store.chain.append([*found, *found])
    assert abouts(store, scope) == ["m1", "m2", "m3"]
    assert broken(store, scope) is None


def test_a_crash_between_two_transactions_is_made_up_for(
    store: DynamoRecordStore, table: tuple[Any, str], items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without the condition on the head, and without the sources."""
    write(store, clock, scope, *(f"m{number:02}" for number in range(40)))
    found = told(items, scope)
    dying = _Dying(*table, Backoff(sleep=lambda _seconds: None))
    with pytest.raises(StoreUnavailable):
        AuditChain(dying, _tokens()).append(found)
    assert 0 < len(links(store, scope)) < 40
    store.chain.append(found)
    assert abouts(store, scope) == [f"m{number:02}" for number in range(40)]
    assert broken(store, scope) is None


def test_projectors_side_by_side_make_one_chain(
    store: DynamoRecordStore, table: tuple[Any, str], items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without the condition on the head: links would be lost, or be there twice."""
    write(store, clock, scope, *(f"m{number:02}" for number in range(24)))
    found = told(items, scope)
    patient = Backoff(attempts=60, base_s=0.002)
    chains = [AuditChain(RecordsTable(*table, patient), store.chain._new_token) for _ in range(4)]
    parts: list[Sequence[ToldEvent]] = [found[:12], found[12:], found[6:18], found]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda chain, part: [chain.append([one]) for one in part], chains, parts))
    assert sorted(map(str, abouts(store, scope))) == [f"m{number:02}" for number in range(24)]
    assert broken(store, scope) is None


def test_an_erasure_takes_the_readable_parts_even_of_what_is_told_late(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without `_forget_erased`, and for what comes late without the mark of the erased version."""
    write(store, clock, scope, "m1", "m2")
    commit_all(store, [changed(read_back(store, scope, "m1"), tags=("t",))])
    clock.advance(seconds=1)
    early = told(items, scope)
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", 2),)))
    (erasure,) = [one for one in told(items, scope) if one.event.what == "erased"]
    store.chain.append(early[:2])
    store.chain.append([erasure])
    store.chain.append(early[2:])
    assert [(link.about, link.payload is None, link.salt is None) for link in links(store, scope)] == [
        ("m1", True, True),
        ("m2", False, False),
        ("m1", False, False),
        ("m1", True, True),
    ]
    assert broken(store, scope) is None


def forget(store: DynamoRecordStore, scope: Scope, name: str | None) -> None:
    """Commits what an erasure of a person tells; None: of the project."""
    what = PROJECT_ERASED if name is None else PERSON_ERASED
    gone = AuditEvent(what=what, principal="eve")
    store.writer.commit(Commit(scope=scope, notes=(gone,), forgets=name))


def test_a_forgotten_project_and_person_leave_digests(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Falls without `_forget_before`."""
    write(store, clock, scope, "m1")
    store.chain.append(told(items, scope))
    for name, are_gone in (("nobody", [False]), ("ada", [True, False]), (None, [True, True, True])):
        forget(store, scope, name)
        assert broken(store, scope) is None
        store.chain.append(told(items, scope))
        assert [link.payload is None for link in links(store, scope)] == [*are_gone, False]
        assert broken(store, scope) is None


@pytest.mark.parametrize("name", ["ada", None])
def test_what_is_told_after_the_erasure_of_its_person_or_project_loses_its_readable_part(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock, name: str | None
) -> None:
    """Falls without the time up to which somebody is forgotten, and without the room for it in the check."""
    write(store, clock, scope, "m1", "m2", "m3")
    early = told(items, scope)
    forget(store, scope, name)
    (erasure,) = [one for one in told(items, scope) if one not in early]
    clock.advance(seconds=1)
    write(store, clock, scope, "m4")
    store.chain.append(early[:1])
    store.chain.append([erasure, early[1]])
    store.chain.append(early[2:])
    store.chain.append(told(items, scope))
    found = [(link.about, link.payload is None, link.salt is None) for link in links(store, scope)]
    assert found == [
        ("m1", True, True),
        ("", False, False),
        ("m2", True, True),
        ("m3", True, True),
        ("m4", False, False),
    ]
    assert broken(store, scope) is None


def test_pages_and_filters(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    write(store, clock, scope, *(f"m{number}" for number in range(7)))
    store.chain.append(told(items, scope))
    first = store.audit.page(scope, ALL, before=None, limit=4)
    assert [link.position for link in first.links] == [7, 6, 5, 4]
    rest = store.audit.page(scope, ALL, before=first.next_before, limit=4)
    assert [link.position for link in rest.links] == [3, 2, 1]
    assert rest.next_before is None
    for asked, count in (
        (replace(ALL, about="m3"), 1),
        (replace(ALL, principal="ada"), 7),
        (replace(ALL, principal="ad"), 0),
        (replace(ALL, what="created"), 7),
        (replace(ALL, since=clock.now()), 0),
        (replace(ALL, until=clock.now()), 7),
    ):
        assert len(store.audit.page(scope, asked, before=None, limit=50).links) == count, asked


@pytest.mark.parametrize("how", ["changed", "removed", "swapped", "said to be erased", "inserted"])
def test_tampering_with_the_table_is_named(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock, how: str
) -> None:
    """Falls without the chain and its head."""
    write(store, clock, scope, "m1", "m2", "m3")
    store.chain.append(told(items, scope))
    second, third = links(store, scope)[1:]
    if how == "changed":
        items.put(audit_items.link_item(scope, replace(second, at="2020-01-01T00:00:00Z")))
    if how == "removed":
        items.delete_each([audit_items.link_key(scope, 2)])
    if how == "swapped":
        items.put(audit_items.link_item(scope, replace(third, position=2)))
        items.put(audit_items.link_item(scope, replace(second, position=3)))
    if how == "said to be erased":
        items.put(audit_items.link_item(scope, replace(second, payload=None, salt=None)))
    if how == "inserted":
        items.put(audit_items.link_item(scope, replace(third, position=4)))
    found = broken(store, scope)
    assert found is not None
    assert found.position == (4 if how == "inserted" else 2)


def test_a_head_that_a_transaction_writes_is_waited_for(
    store: DynamoRecordStore, table: tuple[Any, str], scope: Scope, clock: StandingClock
) -> None:
    """Falls where the head is read beside the transaction, as it was before."""
    client, name = table
    write(store, clock, scope, "m1")
    store.chain.append(told(RecordsTable(client, name, Backoff()), scope))
    contended = _Contended(client, times=2)
    head = AuditItems(RecordsTable(contended, name, Backoff(sleep=lambda _seconds: None))).settled_head(scope)
    assert (head, contended.left) == (store.audit.head(scope), 0)
    assert head.position == 1


class _Contended:
    """A client whose first reads of settled items meet a transaction."""

    def __init__(self, client: Any, times: int) -> None:
        self._client = client
        self.left = times

    def transact_get_items(self, **request: Any) -> Any:
        if not self.left:
            return self._client.transact_get_items(**request)
        self.left -= 1
        error = {"Error": {"Code": "TransactionCanceledException", "Message": "injected"}}
        raise self._client.exceptions.TransactionCanceledException(error, "TransactGetItems")


class _Dying(RecordsTable):
    """A table that carries out one transaction, and no other."""

    _left = 1

    def transact(self, actions: Any, token: str) -> Any:
        if not self._left:
            raise StoreUnavailable("killed")
        self._left -= 1
        return super().transact(actions, token)


def _tokens() -> Any:
    from uuid import uuid4

    return lambda: uuid4().hex


def test_the_links_of_what_was_told_are_those_that_lie_in_the_chain(
    store: DynamoRecordStore, items: RecordsTable, scope: Scope, clock: StandingClock
) -> None:
    """Told again, the bus has the same positions; what was erased meanwhile has no readable part any more."""
    write(store, clock, scope, "m1", "m2")
    first = told(items, scope)
    store.chain.append(first)
    once = store.chain.chained(first)
    assert [(of, link.position, link.about) for of, link in once] == [(scope, 1, "m1"), (scope, 2, "m2")]
    memory = read_back(store, scope, "m1")
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", memory.version, persona="sam"),)))
    store.chain.append(told(items, scope))
    assert [(link.about, link.event is None) for _, link in store.chain.chained(first)] == [
        ("m1", True),
        ("m2", False),
    ]
    erased = links(store, scope)[-1].event
    assert erased is not None
    assert (erased.what, erased.persona) == ("erased", "sam")
