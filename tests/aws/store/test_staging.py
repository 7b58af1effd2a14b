"""Runs and staged learnings in DynamoDB: entries and items, reasons of a transaction, TTL, ten thousand of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.store.staging_actions import staging_actions
from memory_layer.adapters.aws.store.transaction import ACTIONS_MAX, ITEM_MAX_BYTES
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.staging_items import run_item, staged_entry, staged_item
from memory_layer.domain.access import Viewer
from memory_layer.domain.learning.run import MEMORIES_USED_MAX
from memory_layer.domain.learning.staging import STAGED_DAYS, StagedLearning
from memory_layer.domain.memory import Scope
from memory_layer.errors import InFlight, Invalid, Malformed, StoreUnavailable, TooLarge, VersionConflict
from memory_layer.manifest.tables import RECEIPT_SORT_PREFIX, RECORD_SORT_KEY
from memory_layer.ports.commit import Commit
from memory_layer.usecases.learn.learn_from_run import LEARNINGS_MAX
from tests.aws.dynamodb_table import new_client, open_store
from tests.aws.faults import Faults
from tests.aws.indexes_that_lag import Lagging
from tests.aws.store.test_commits import an_answer
from tests.contract.ports.test_learning_store import (
    CODER,
    EVERY_STATUS,
    EVERYONE,
    LEARNING,
    RUN,
    a_staged,
    all_pages,
    counts,
    decided,
    listed,
    moved_on,
    stage,
)
from tests.given import START, StandingClock, a_memory, created, new_scope

pytestmark = pytest.mark.engines

MANY = 10_000


@pytest.fixture
def store(table: tuple[Any, str], clock: StandingClock) -> Iterator[DynamoRecordStore]:
    with open_store(*table, clock) as opened:
        yield opened


class Counted:
    """A client that counts the requests it is sent, by operation."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sent: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.sent[name] += 1
        return getattr(self._client, name)


def put_at_once(table: tuple[Any, str], items: Sequence[dict[str, Any]]) -> None:
    client, name = table
    for at in range(0, len(items), 25):
        waiting: Any = {name: [{"PutRequest": {"Item": item}} for item in items[at : at + 25]]}
        while waiting:
            waiting = client.batch_write_item(RequestItems=waiting)["UnprocessedItems"]


def items_of(table: tuple[Any, str], scope: Scope) -> list[dict[str, Any]]:
    client, name = table
    mine = {":mine": {"S": f"{scope.tenant}#{scope.project}#"}}
    pages = client.get_paginator("scan").paginate(
        TableName=name,
        FilterExpression="begins_with(pk, :mine)",
        ExpressionAttributeValues=mine,
        ConsistentRead=True,
    )
    return [item for page in pages for item in page["Items"]]


# ---- transactions


def test_a_key_in_flight_goes_before_a_conflict_over_a_learning(
    store: DynamoRecordStore, scope: Scope
) -> None:
    commit = Commit(
        scope=scope,
        changes=(created(a_memory(scope)),),
        runs=(RUN,),
        staged=(a_staged(),),
        answer=an_answer(),
    )
    store.writer.commit(commit)
    with pytest.raises(InFlight):
        store.writer.commit(commit)
    with pytest.raises(VersionConflict, match="m1 exists"):
        store.writer.commit(replace(commit, answer=None))
    with pytest.raises(VersionConflict, match="run loop/7"):
        store.writer.commit(replace(commit, answer=None, changes=()))


def test_what_a_transaction_does_to_each(scope: Scope) -> None:
    """Two actions for anything but a run that is there; `usecases/learn/promote_learnings.py` counts on it."""
    commit = Commit(
        scope=scope,
        runs=(RUN, replace(RUN, version=2)),
        staged=(a_staged(), decided(a_staged("stg_2"))),
        unstaged=(a_staged("stg_3"),),
    )
    actions = list(staging_actions(commit, START))
    assert [action.kind for action in actions] == ["Put"] * 7 + ["Delete"] * 2
    assert [action.key[1].split("#")[0] for action in actions[:2]] == ["run", "2026-03-01T12:00:00.000000Z"]


def test_a_whole_run_of_the_largest_kind_is_one_commit(store: DynamoRecordStore, scope: Scope) -> None:
    """A thousand memories used, and as many learnings as come with their run; the audit log takes an action too."""
    staged = tuple(
        a_staged(f"stg_{number:032x}", learning=replace(LEARNING, content=f"{number}" * 4_000))
        for number in range(LEARNINGS_MAX)
    )
    ids = tuple(item.id for item in staged)
    run = replace(
        RUN,
        run_id="r" * 256,
        memories_used=tuple(f"{number:0128d}" for number in range(1_000)),
        staged_ids=ids,
    )
    store.writer.commit(Commit(scope=scope, runs=(run,), staged=staged))
    assert store.learnings.run(scope, run.run_id) == run
    assert store.learnings.staged(scope, run.staged_ids) == {item.id: item for item in staged}


def test_forty_learnings_and_their_memory_are_one_commit(store: DynamoRecordStore, scope: Scope) -> None:
    staged = [a_staged(f"stg_{number:02}", run_id=f"loop/{number}") for number in range(40)]
    stage(store, *staged, scope=scope)
    promoted = tuple(decided(item, memory_id="lrn_1") for item in staged)
    memory = a_memory(scope, "lrn_1")
    store.writer.commit(Commit(scope=scope, changes=(created(memory),), staged=promoted))
    assert (store.memories.get(scope, "lrn_1"), counts(store, scope=scope)) == (memory, (0, 0, 0, 40))


def test_more_than_a_transaction_holds_is_refused_by_number(store: DynamoRecordStore, scope: Scope) -> None:
    staged = tuple(a_staged(f"stg_{number}") for number in range(LEARNINGS_MAX + 1))
    with pytest.raises(Invalid, match=f"101 actions, {ACTIONS_MAX} is the most"):
        store.writer.commit(Commit(scope=scope, runs=(RUN,), staged=staged))
    store.writer.commit(Commit(scope=scope, runs=(RUN,), staged=staged[:LEARNINGS_MAX]))
    assert len(listed(store, scope=scope)) == LEARNINGS_MAX


def test_a_run_that_no_item_holds_is_too_large(store: DynamoRecordStore, scope: Scope) -> None:
    """As the run is packed, a thousand ids of 128 letters and digits fit; nothing can shrink noise that is longer."""
    ids = tuple(keys.text_digest(str(number)) * 2 for number in range(MEMORIES_USED_MAX))
    store.writer.commit(Commit(scope=scope, runs=(replace(RUN, memories_used=ids),)))
    noise = tuple(
        "".join(keys.text_digest(f"{number} {part}") for part in range(16)) for number in range(1_000)
    )
    with pytest.raises(TooLarge, match=f"{ITEM_MAX_BYTES} is the most"):
        store.writer.commit(Commit(scope=scope, runs=(replace(RUN, run_id="r2", memories_used=noise),)))
    assert store.learnings.run(scope, "r2") is None


def test_a_move_that_is_sent_again_after_it_took_effect_is_done_once(
    table: tuple[Any, str], scope: Scope, clock: StandingClock
) -> None:
    """Falls without the one token that goes with every attempt: the second would find the version moved on."""
    client = new_client(table[0].meta.endpoint_url)
    with open_store(client, table[1], clock) as store:
        stage(store, a_staged(), scope=scope)
        lost = Faults(
            client, lambda name, sent: "lost answer" if (name, sent) == ("TransactWriteItems", 0) else None
        )
        with lost.applied():
            stage(store, decided(a_staged()), scope=scope)
        assert lost.met["lost answer"] == 1
        assert counts(store, scope=scope) == (0, 0, 0, 1)


def test_of_many_who_move_one_learning_one_does(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls without the condition on the version."""
    stage(store, a_staged(), scope=scope)
    moves = [decided(a_staged(), status=status) for status in ("promoted", "rejected") * 8]
    errors = store.writer.commit_each([Commit(scope=scope, staged=(move,)) for move in moves])
    assert errors.count(None) == 1
    assert {type(error) for error in errors if error} == {VersionConflict}
    assert store.learnings.staged(scope, ["stg_1"])["stg_1"] == moves[errors.index(None)]
    assert sum(counts(store, scope=scope)) == 1


# ---- consistency


def test_no_index_is_asked(table: tuple[Any, str], scope: Scope, clock: StandingClock) -> None:
    """Falls if runs or learnings are listed by an index: this client's know nothing."""
    with open_store(Lagging(table[0]), table[1], clock) as store:
        store.writer.commit(Commit(scope=scope, runs=(RUN,), staged=(a_staged(),)))
        assert store.learnings.runs(scope, after=None, limit=9).runs == (RUN,)
        assert (listed(store, scope=scope), counts(store, scope=scope)) == (["stg_1"], (1, 0, 0, 0))


def test_a_learning_that_moves_while_a_page_is_read_is_not_shown_as_it_was(
    table: tuple[Any, str], store: DynamoRecordStore, scope: Scope, clock: StandingClock
) -> None:
    """Falls without the second look at the status; the page is full all the same."""
    rows = [a_staged(f"stg_{number}") for number in range(6)]
    stage(store, *rows, scope=scope)

    class Overtaken(Counted):
        """Moves the second learning on between the entries and the items."""

        def batch_get_item(self, **request: Any) -> Any:
            if self.sent["moved"] == 0:
                self.sent["moved"] = 1
                stage(store, decided(rows[1]), scope=scope)
            return self._client.batch_get_item(**request)

    with open_store(Overtaken(table[0]), table[1], clock) as behind:
        page = behind.learnings.staged_page(scope, ["pending"], EVERYONE, after=None, limit=3)
    assert [item.id for item in page.staged] == ["stg_0", "stg_2", "stg_3"]
    assert page.next_key is not None


# ---- what goes


def test_what_is_decided_carries_the_time_of_its_deletion_and_nothing_else_does(
    table: tuple[Any, str], store: DynamoRecordStore, scope: Scope
) -> None:
    """Falls if TTL could reach what waits for a decision, or leave an entry behind."""
    late = decided(a_staged("stg_2"), decided_at=START + timedelta(microseconds=1))
    store.writer.commit(Commit(scope=scope, runs=(RUN,), staged=(a_staged(), a_staged("stg_2"))))
    assert all("expires_s" not in item for item in items_of(table, scope))
    stage(store, late, scope=scope)
    ends = Counter(item["expires_s"]["N"] for item in items_of(table, scope) if "expires_s" in item)
    last_second = int((START + timedelta(days=STAGED_DAYS, seconds=1)).timestamp())
    assert ends == {str(last_second): 2}
    stage(store, moved_on(late, status="pending"), scope=scope)
    assert all("expires_s" not in item for item in items_of(table, scope))


def test_what_ttl_has_not_deleted_yet_is_shown_to_the_last_microsecond(
    store: DynamoRecordStore, scope: Scope, clock: StandingClock
) -> None:
    """Falls if a reader waits for the deletion; nothing deletes here."""
    stage(store, a_staged(), scope=scope)
    stage(store, decided(a_staged()), scope=scope)
    clock.advance(days=STAGED_DAYS, microseconds=-1)
    assert (listed(store, scope=scope), counts(store, scope=scope)) == (["stg_1"], (0, 0, 0, 1))
    assert list(store.learnings.staged(scope, ["stg_1"])) == ["stg_1"]
    clock.advance(microseconds=1)
    assert (listed(store, scope=scope), counts(store, scope=scope)) == ([], (0, 0, 0, 0))
    assert store.learnings.staged(scope, ["stg_1"]) == {}


def test_an_entry_that_ttl_left_behind_shows_nothing(
    table: tuple[Any, str], store: DynamoRecordStore, scope: Scope
) -> None:
    """The two deletions of TTL are not one transaction."""
    stage(store, a_staged(), scope=scope)
    table[0].delete_item(TableName=table[1], Key=keys.staged_key(scope, "stg_1"))
    assert listed(store, scope=scope) == []


def test_a_removal_leaves_nothing_but_what_the_audit_log_is_told(
    table: tuple[Any, str], store: DynamoRecordStore, scope: Scope
) -> None:
    stage(store, a_staged(), scope=scope)
    stage(store, decided(a_staged()), scope=scope)
    store.writer.commit(Commit(scope=scope, unstaged=(decided(a_staged()),)))
    assert {item["kind"]["S"] for item in items_of(table, scope)} == {"note"}


# ---- keys


def test_ids_of_any_shape_stay_in_their_own_place(store: DynamoRecordStore, scope: Scope) -> None:
    """Falls without the digest in the keys: ids may be longer than a key, and hold what separates its parts."""
    names = ["#", "x#run", "record", "rcl_1", "\U0001f600" * 256, " ", "../..", "'\"\\\0"]
    runs = [replace(RUN, run_id=name, iterations=number) for number, name in enumerate(names)]
    store.writer.commit(Commit(scope=scope, runs=tuple(runs)))
    assert [store.learnings.run(scope, name) for name in names] == runs
    expected = sorted(runs, key=lambda run: run.run_id, reverse=True)
    assert list(store.learnings.runs(scope, after=None, limit=99).runs) == expected
    assert store.learnings.staged(scope, [*names, "s" * 5_000]) == {}


@pytest.mark.parametrize(
    "after",
    [("", ""), ("0", "\0"), ("~", "~"), ("2026", "x"), ("x" * 30, "stg_1"), ("#", "#"), ("\U0001f600", "")],
)
def test_a_cursor_that_no_page_made_is_no_fault_of_ours(
    store: DynamoRecordStore, scope: Scope, after: tuple[str, str]
) -> None:
    store.writer.commit(Commit(scope=scope, runs=(RUN,), staged=(a_staged(),)))
    assert len(store.learnings.runs(scope, after=after, limit=9).runs) <= 1
    assert len(store.learnings.staged_page(scope, EVERY_STATUS, EVERYONE, after=after, limit=9).staged) <= 1


def test_a_cursor_longer_than_a_key_is_malformed(store: DynamoRecordStore, scope: Scope) -> None:
    for after in (("x" * 2_000, "y"), ("2026", "y" * 2_000)):
        with pytest.raises(Malformed):
            store.learnings.staged_page(scope, EVERY_STATUS, EVERYONE, after=after, limit=9)
    with pytest.raises(Malformed):
        store.learnings.runs(scope, after=("x" * 2_000, "y"), limit=9)


def test_the_projector_takes_none_of_it_for_a_record(scope: Scope) -> None:
    """Falls if a sort key is what the stream's filters let through, whatever the ids are."""
    staged = decided(a_staged("rcl_record"))
    images = [
        run_item(scope, replace(RUN, run_id="record")),
        staged_item(scope, staged),
        staged_entry(scope, staged),
        *(action.body["Item"] for action in staging_actions(Commit(scope=scope, runs=(RUN,)), START)),
    ]
    for image in images:
        sort = image["sk"]["S"]
        assert sort != RECORD_SORT_KEY
        assert not sort.startswith(RECEIPT_SORT_PREFIX)


# ---- ten thousand


@pytest.fixture(scope="module")
def crowd(table: tuple[Any, str]) -> tuple[Scope, list[StagedLearning]]:
    """A month of a busy project: nine of ten are decided, two of three are a persona's, and all of one moment."""
    scope = new_scope()
    rows = []
    for number in range(MANY):
        staged = a_staged(
            f"stg_{number * 7_919 % MANY:032x}",
            learning=replace(LEARNING, content=f"Learning {number}."),
            persona=(None, "coder", "reviewer")[number % 3],
        )
        rows.append(decided(staged) if number % 10 else staged)
    put_at_once(table, [make(scope, row) for row in rows for make in (staged_item, staged_entry)])
    return scope, sorted(rows, key=lambda row: row.id)


@pytest.mark.parametrize("viewer", [EVERYONE, CODER, Viewer()], ids=["everyone", "coder", "nobody"])
def test_ten_thousand_are_counted_and_paged(
    table: tuple[Any, str], crowd: tuple[Scope, list[StagedLearning]], viewer: Viewer, clock: StandingClock
) -> None:
    """Falls if a page skips, repeats, or ends early, and if a page costs more than a few round trips."""
    scope, rows = crowd
    expected = [row for row in rows if row.status == "pending" and viewer.may_see(row.persona)]
    client = Counted(table[0])
    with open_store(client, table[1], clock) as store:
        visible = sum(viewer.may_see(row.persona) for row in rows)
        assert counts(store, viewer, scope) == (len(expected), 0, 0, visible - len(expected))
        assert client.sent["query"] <= 4
        pages = list(all_pages(store, ("pending",), viewer, 100, scope))
    assert [row for page in pages for row in page.staged] == expected
    assert [len(page.staged) for page in pages[:-1]] == [100] * (len(pages) - 1)
    assert client.sent["query"] <= 4 + 5 * len(pages)
    assert client.sent["batch_get_item"] <= 3 * len(pages)


def test_an_unavailable_table_is_told_as_that(scope: Scope, table: tuple[Any, str]) -> None:
    with (
        open_store(table[0], "no-such-table") as store,
        pytest.raises(StoreUnavailable, match="no-such-table"),
    ):
        store.learnings.staged_counts(scope, EVERYONE)
