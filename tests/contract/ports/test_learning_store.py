"""Runs and staged learnings: written with all else that a commit does, read as they are at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Viewer
from memory_layer.domain.learning.implicit_feedback import FeedbackEntry, ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import STAGED_DAYS, Learning, StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.errors import VersionConflict
from memory_layer.ports.collections import StagedPage
from memory_layer.ports.commit import Commit
from memory_layer.ports.record_store import RecordStore
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import SCOPE, START, StandingClock, a_memory, changed, created

EVERYONE, NOBODY_IN_PARTICULAR, CODER = Viewer(sees_all_personas=True), Viewer(), Viewer.of("coder")
EVERY_STATUS: tuple[StagedStatus, ...] = ("pending", "validated", "rejected", "promoted")
SOME = 24

RUN = RunRecord(
    run_id="loop/7 #1",
    fingerprint="f" * 64,
    objective="Fix the flaky tests.",
    status="completed",
    outcome="worked",
    task_type="test-fix",
    iterations=3,
    mode="auto",
    memories_used=("m1", "m2"),
    staged_ids=("stg_1",),
    created_by="ada",
    persona="coder",
    received_at=START,
)
LEARNING = Learning(
    type="strategy",
    task_type="test-fix",
    content="Run each test alone first — then all.",
    detail={"effectiveness": 0.667, "iterations": 2, "examples": ["tests/a.py", "tests/b.py"]},
    confidence=0.667,
    success_rate=0.667,
    source_runs=("loop/7 #1", "loop/8"),
)


def a_staged(id: str = "stg_1", **fields: Any) -> StagedLearning:
    made = {"run_id": RUN.run_id, "learning": LEARNING, "staged_at": START, "created_by": "ada"}
    return StagedLearning(id=id, **{**made, **fields})


def moved_on(staged: StagedLearning, **fields: Any) -> StagedLearning:
    return replace(staged, version=staged.version + 1, **fields)


def decided(staged: StagedLearning, status: str = "promoted", **fields: Any) -> StagedLearning:
    return moved_on(staged, **{"status": status, "decided_by": "eve", "decided_at": START, **fields})


def stage(store: RecordStore, *staged: StagedLearning, scope: Scope = SCOPE) -> None:
    store.writer.commit(Commit(scope=scope, staged=staged))


def all_pages(
    store: RecordStore, statuses: tuple[StagedStatus, ...], viewer: Viewer, limit: int, scope: Scope = SCOPE
) -> Iterator[StagedPage]:
    after: tuple[str, str] | None = None
    while True:
        page = store.learnings.staged_page(scope, statuses, viewer, after=after, limit=limit)
        yield page
        if page.next_key is None:
            return
        assert after is None or page.next_key > after, "the next page begins where this one did"
        after = page.next_key


def listed(
    store: RecordStore,
    statuses: tuple[StagedStatus, ...] = EVERY_STATUS,
    viewer: Viewer = EVERYONE,
    limit: int = 100,
    scope: Scope = SCOPE,
) -> list[str]:
    return [item.id for page in all_pages(store, statuses, viewer, limit, scope) for item in page.staged]


def counts(store: RecordStore, viewer: Viewer = EVERYONE, scope: Scope = SCOPE) -> tuple[int, ...]:
    found = store.learnings.staged_counts(scope, viewer)
    assert set(found) == set(EVERY_STATUS)
    return tuple(found[status] for status in EVERY_STATUS)


# ---- what comes back


def test_every_field_of_a_run_comes_back(store: RecordStore) -> None:
    store.writer.commit(Commit(scope=SCOPE, runs=(RUN,)))
    assert store.learnings.run(SCOPE, RUN.run_id) == RUN
    done = replace(
        RUN,
        finished_at=START + timedelta(microseconds=1),
        result={"staged": 1, "promoted": 0},
        persona=None,
        version=2,
    )
    store.writer.commit(Commit(scope=SCOPE, runs=(done,)))
    assert store.learnings.run(SCOPE, RUN.run_id) == done
    assert store.learnings.runs(SCOPE, after=None, limit=10).runs == (done,)


def test_every_field_of_a_staged_learning_comes_back(store: RecordStore) -> None:
    bare = a_staged("stg_2", learning=replace(LEARNING, detail={}, source_runs=()))
    stage(store, a_staged(), bare)
    full = decided(
        a_staged(),
        "rejected",
        rejection_reason="too vague",
        validated_at=START + timedelta(seconds=1),
        memory_id="lrn_1",
        is_merged=True,
        persona="coder",
    )
    stage(store, full)
    assert store.learnings.staged(SCOPE, ["stg_1", "stg_2", "stg_9"]) == {"stg_1": full, "stg_2": bare}
    assert store.learnings.staged_page(SCOPE, ["rejected"], EVERYONE, after=None, limit=9).staged == (full,)


def test_what_is_not_there_is_not_found(store: RecordStore) -> None:
    assert store.learnings.run(SCOPE, RUN.run_id) is None
    assert store.learnings.runs(SCOPE, after=None, limit=1).runs == ()
    assert store.learnings.staged(SCOPE, []) == store.learnings.staged(SCOPE, ["stg_1", "", "#"]) == {}
    assert (listed(store), counts(store)) == ([], (0, 0, 0, 0))


# ---- versions


@pytest.mark.parametrize("version", [1, 2, 4])
def test_a_run_is_written_over_the_version_before_it_alone(store: RecordStore, version: int) -> None:
    """Falls without the condition on a run's version."""
    second = replace(RUN, version=2, result={"staged": 1})
    store.writer.commit(Commit(scope=SCOPE, runs=(RUN,)))
    store.writer.commit(Commit(scope=SCOPE, runs=(second,)))
    with pytest.raises(VersionConflict, match=rf"run {RUN.run_id} .*read it"):
        store.writer.commit(Commit(scope=SCOPE, runs=(replace(RUN, version=version, objective="Other."),)))
    assert store.learnings.run(SCOPE, RUN.run_id) == second


@pytest.mark.parametrize("version", [1, 2, 4])
def test_a_learning_is_written_over_the_version_before_it_alone(store: RecordStore, version: int) -> None:
    """Falls without the condition on a learning's version; the entry must not move either."""
    second = moved_on(a_staged(), status="validated")
    stage(store, a_staged())
    stage(store, second)
    with pytest.raises(VersionConflict, match=r"stg_1 .*read it"):
        stage(store, replace(a_staged(), version=version, status="rejected"))
    assert store.learnings.staged(SCOPE, ["stg_1"]) == {"stg_1": second}
    assert counts(store) == (0, 1, 0, 0)


def test_what_was_never_stored_has_no_second_version(store: RecordStore) -> None:
    for commit in (
        Commit(scope=SCOPE, runs=(replace(RUN, version=2),)),
        Commit(scope=SCOPE, staged=(moved_on(a_staged()),)),
        Commit(scope=SCOPE, unstaged=(a_staged(),)),
    ):
        with pytest.raises(VersionConflict):
            store.writer.commit(commit)
    assert (store.learnings.run(SCOPE, RUN.run_id), listed(store)) == (None, [])


def test_a_learning_is_removed_at_its_version_alone(store: RecordStore) -> None:
    """Falls without the condition on a removal."""
    second = moved_on(a_staged(), status="validated")
    stage(store, a_staged(), a_staged("stg_2"))
    stage(store, second)
    with pytest.raises(VersionConflict, match=r"stg_1 .*version 1"):
        store.writer.commit(Commit(scope=SCOPE, unstaged=(a_staged(), a_staged("stg_2"))))
    assert (listed(store), counts(store)) == (["stg_1", "stg_2"], (1, 1, 0, 0))
    store.writer.commit(Commit(scope=SCOPE, unstaged=(second,)))
    assert (listed(store), counts(store)) == (["stg_2"], (1, 0, 0, 0))
    stage(store, a_staged())
    assert listed(store) == ["stg_1", "stg_2"]


def test_one_commit_writes_a_learning_once(store: RecordStore) -> None:
    with pytest.raises(VersionConflict):
        stage(store, a_staged(), a_staged())
    assert listed(store) == []


# ---- all or nothing


def test_a_conflict_over_a_learning_undoes_the_memory(store: RecordStore) -> None:
    """Falls if learnings are written beside the transaction."""
    first, other = a_memory(SCOPE), a_memory(SCOPE, "m2")
    store.writer.commit(Commit(scope=SCOPE, changes=(created(first),), staged=(a_staged(),)))
    stale = replace(moved_on(a_staged()), version=3, status="promoted")
    with pytest.raises(VersionConflict, match="stg_1"):
        store.writer.commit(
            Commit(
                scope=SCOPE,
                changes=(changed(first, confidence=0.5), created(other)),
                runs=(RUN,),
                staged=(a_staged("stg_2"), stale),
            )
        )
    assert (store.memories.get(SCOPE, "m1"), store.memories.get(SCOPE, "m2")) == (first, None)
    assert (store.learnings.run(SCOPE, RUN.run_id), listed(store)) == (None, ["stg_1"])
    assert (len(store.history.of(SCOPE, "m1")), counts(store)) == (1, (1, 0, 0, 0))


def test_a_conflict_over_a_memory_undoes_the_learnings(store: RecordStore) -> None:
    stage(store, a_staged())
    promoted = decided(a_staged(), memory_id="m1")
    gone = changed(a_memory(SCOPE))
    with pytest.raises(VersionConflict, match="m1"):
        store.writer.commit(Commit(scope=SCOPE, changes=(gone,), runs=(RUN,), staged=(promoted,)))
    assert store.learnings.staged(SCOPE, ["stg_1"]) == {"stg_1": a_staged()}
    assert (store.learnings.run(SCOPE, RUN.run_id), counts(store)) == (None, (1, 0, 0, 0))


def test_a_conflict_over_a_run_undoes_its_learnings(store: RecordStore) -> None:
    store.writer.commit(Commit(scope=SCOPE, runs=(RUN,), staged=(a_staged(),)))
    with pytest.raises(VersionConflict, match="is stored already"):
        store.writer.commit(
            Commit(scope=SCOPE, runs=(RUN,), staged=(a_staged("stg_2"),), unstaged=(a_staged(),))
        )
    assert listed(store) == ["stg_1"]


def test_one_of_many_fails_alone(store: RecordStore) -> None:
    stage(store, a_staged())
    commits = [Commit(scope=SCOPE, staged=(a_staged(f"stg_{number}"),)) for number in range(4)]
    errors = store.writer.commit_each(commits)
    assert [type(error) for error in errors] == [type(None), VersionConflict, type(None), type(None)]
    assert listed(store) == ["stg_0", "stg_1", "stg_2", "stg_3"]


# ---- pages and counts


def test_runs_are_listed_newest_first_then_by_id(store: RecordStore) -> None:
    ids = ["a", "a b", "a#", "a!", "b", "B", "é", "\U0001f600", "zz", "z"]
    runs = [
        replace(RUN, run_id=id, received_at=START + timedelta(seconds=number // 4))
        for number, id in enumerate(ids)
    ]
    store.writer.commit(Commit(scope=SCOPE, runs=tuple(runs)))
    expected = sorted(runs, key=lambda run: (run.received_at, run.run_id), reverse=True)
    for limit in (1, 3, 5, 10, 11):
        found, after = [], None
        while True:
            page = store.learnings.runs(SCOPE, after=after, limit=limit)
            found += page.runs
            if page.next_key is None:
                break
            assert after is None or page.next_key < after, "the next page begins where this one did"
            assert len(page.runs) == limit
            after = page.next_key
        assert found == expected


def some_staged() -> list[StagedLearning]:
    """Of every persona; ids in another order than times, and three of each time."""
    rows = []
    for number in range(SOME):
        staged = a_staged(
            f"stg_{number * 7 % SOME:02}",
            staged_at=START + timedelta(microseconds=number // 3),
            persona=(None, "coder", "reviewer")[number % 3],
        )
        rows.append(staged)
    return rows


def test_pages_are_full_in_order_and_of_the_statuses_asked_for(store: RecordStore) -> None:
    """Falls without the order by time and id, the cursor, or the filter by status."""
    first = some_staged()
    stage(store, *first)
    now = [
        moved_on(item, status=EVERY_STATUS[number % 4], decided_at=START) for number, item in enumerate(first)
    ]
    stage(store, *now)
    ordered = sorted(now, key=lambda item: (item.staged_at, item.id))
    for statuses in (EVERY_STATUS, ("pending",), ("rejected", "validated"), ("promoted", "promoted"), ()):
        expected = [item for item in ordered if item.status in statuses]
        for limit in (1, 4, 6, SOME):
            pages = list(all_pages(store, statuses, EVERYONE, limit))  # type: ignore[arg-type]
            assert [item for page in pages for item in page.staged] == expected
            assert [len(page.staged) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert counts(store) == (SOME // 4,) * 4


def test_a_page_and_its_counts_are_of_what_the_viewer_may_see(store: RecordStore) -> None:
    """Falls without the look at the persona, in lists or in counts."""
    rows = some_staged()
    stage(store, *rows)
    ordered = sorted(rows, key=lambda item: (item.staged_at, item.id))
    for viewer in (
        *(NOBODY_IN_PARTICULAR, CODER, Viewer.of("reviewer"), Viewer.of("-"), EVERYONE),
        Viewer.of("coder", "reviewer"),
    ):
        visible = [item.id for item in ordered if viewer.may_see(item.persona)]
        assert listed(store, viewer=viewer, limit=5) == visible
        assert counts(store, viewer) == (len(visible), 0, 0, 0)


def test_a_change_of_status_shows_at_once_and_in_one_place(store: RecordStore) -> None:
    stage(store, a_staged())
    current = a_staged()
    for number, status in enumerate(("validated", "rejected", "pending", "promoted")):
        current = moved_on(current, status=status, decided_at=START)
        stage(store, current)
        assert [listed(store, (one,)) for one in EVERY_STATUS if one != status] == [[], [], []]
        assert listed(store, (status,)) == ["stg_1"], number
        assert sum(counts(store)) == 1


# ---- tenants and projects


def test_no_project_sees_anothers_runs_and_learnings(store: RecordStore) -> None:
    """Falls if a key leaves the tenant or the project out."""
    places = [SCOPE, Scope("acme", "api"), Scope("beta", "web")]
    for number, scope in enumerate(places):
        commit = Commit(
            scope=scope,
            runs=(replace(RUN, iterations=number),),
            staged=(a_staged(run_id=f"run {number}"), a_staged(f"stg_of_{number}")),
        )
        store.writer.commit(commit)
    for number, scope in enumerate(places):
        run = store.learnings.run(scope, RUN.run_id)
        assert run is not None
        assert run.iterations == number
        assert store.learnings.runs(scope, after=None, limit=9).runs == (run,)
        assert listed(store, scope=scope) == ["stg_1", f"stg_of_{number}"]
        found = store.learnings.staged(scope, ["stg_1", "stg_of_0", "stg_of_1", "stg_of_2"])
        assert [item.run_id for item in found.values()] == [f"run {number}", RUN.run_id]
        assert counts(store, scope=scope) == (2, 0, 0, 0)
    store.writer.commit(Commit(scope=SCOPE, unstaged=(a_staged(),)))
    assert [len(listed(store, scope=scope)) for scope in places] == [1, 2, 2]


# ---- what was decided goes


@pytest.fixture
def after_a_month(store: RecordStore, clock: StandingClock) -> list[str]:
    """What is listed once the time of what was decided is over; something is staged then, as it is all the time."""
    rows = [a_staged(f"stg_{number}") for number in range(6)]
    stage(store, *rows)
    store.writer.commit_each(
        [
            Commit(scope=SCOPE, staged=(one,))
            for one in (
                decided(rows[0]),
                decided(rows[1], "rejected"),
                moved_on(rows[2], status="rejected", validated_at=START),  # by a rule
                decided(rows[3], decided_at=START + timedelta(microseconds=1)),
                moved_on(rows[4], status="validated", validated_at=START),
            )
        ]
    )
    clock.advance(days=STAGED_DAYS)
    stage(store, a_staged("stg_9", staged_at=clock.now()))
    return listed(store)


def test_what_was_decided_a_month_ago_is_gone(store: RecordStore, after_a_month: list[str]) -> None:
    """Falls without the deletion (SQLite), or if the deletion by TTL is waited for (DynamoDB: nothing deletes here)."""
    assert after_a_month == ["stg_3", "stg_4", "stg_5", "stg_9"]
    assert list(store.learnings.staged(SCOPE, [f"stg_{number}" for number in range(6)])) == [
        "stg_3",
        "stg_4",
        "stg_5",
    ]
    assert counts(store) == (2, 1, 0, 1)


def test_what_is_gone_has_no_version(
    store: RecordStore, after_a_month: list[str], clock: StandingClock
) -> None:
    """Falls if the conditions overlook that a learning which waits for its deletion is gone."""
    gone = decided(a_staged("stg_0"))
    with pytest.raises(VersionConflict):
        stage(store, moved_on(gone, status="promoted"))
    with pytest.raises(VersionConflict):
        store.writer.commit(Commit(scope=SCOPE, unstaged=(gone,)))
    anew = a_staged("stg_0", staged_at=clock.now())
    stage(store, anew)
    assert store.learnings.staged(SCOPE, ["stg_0"]) == {"stg_0": anew}
    assert listed(store) == [*after_a_month[:-1], "stg_0", "stg_9"]
    assert counts(store) == (3, 1, 0, 1)


def a_feedback() -> ImplicitFeedback:
    entry = FeedbackEntry(voice="ada", reporter="ada", task_type="bug-fix", worked=1.0, runs=1, at=START)
    return ImplicitFeedback(memory="web/m1", entries=(entry,), updated_at=START)


def test_settings_tell_of_feedback(store: RecordStore) -> None:
    """Falls where a project with feedback says that it has none: its lists would explore nothing."""
    store.writer.commit(Commit(scope=SCOPE, feedback=(a_feedback(),)))
    assert store.projects.recall_settings(SCOPE).has_feedback


@EMBEDDED_ONLY
def test_settings_tell_that_there_is_no_feedback(open_backend: Callable[..., EmbeddedBackend]) -> None:
    """Falls where the feedback of another project counts."""
    store = open_backend().ports.store
    store.writer.commit(Commit(scope=Scope(SCOPE.tenant, "other"), feedback=(a_feedback(),)))
    assert not store.projects.recall_settings(SCOPE).has_feedback
