"""Implicit feedback: who is blamed, what is compared, what fades, and that runs judge nothing that they may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from memory_layer.domain.learning import implicit_feedback as feedback
from memory_layer.domain.learning.judged_run import feedback_of_runs, judged_run, with_reporters
from memory_layer.domain.learning.run import RunRecord, ShownList, ShownMemory
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.learning.verdict_counts import NO_COUNTS, VerdictCounts
from tests.given import START

HOUR = timedelta(hours=1)


def run_record(number: int, ids: Sequence[str], **changed: Any) -> RunRecord:
    listed = ShownList(f"rcl_{number}", START, tuple(ShownMemory("web", id, 1) for id in ids))
    told: dict[str, Any] = {
        "run_id": f"run-{number}",
        "fingerprint": "",
        "objective": "Fix the login",
        "status": "completed",
        "outcome": "worked",
        "task_type": "bug-fix",
        "iterations": 1,
        "mode": "auto",
        "memories_used": (),
        "staged_ids": (),
        "created_by": "agent-7",
        "persona": None,
        "received_at": START + number * HOUR,
        "result": {},
        "shown": (listed,),
    }
    return RunRecord(**{**told, **changed})


def counts(rows: dict[str, feedback.ImplicitFeedback], id: str) -> tuple[float, float]:
    (entry,) = rows[f"web/{id}"].entries
    return entry.worked, entry.failed


FAILED = {"outcome": "failed", "status": "failed"}


def test_success_counts_for_all_alike() -> None:
    rows = feedback_of_runs([run_record(1, "abc")])
    assert {counts(rows, id) for id in "abc"} == {(1.0, 0.0)}


def test_failure_blames_what_has_served_well_less() -> None:
    """`a` has served five times; `b`, unknown, bears nearly all of the failure."""
    served = [run_record(number, "a") for number in range(5)]
    rows = feedback_of_runs([*served, run_record(9, "ab", **FAILED)])
    (_, of_a), (_, of_b) = counts(rows, "a"), counts(rows, "b")
    assert of_b > 5 * of_a
    assert of_a + of_b == pytest.approx(2.0, abs=0.01)


def test_a_failure_alone_moves_a_memory_by_no_more_than_its_bound() -> None:
    good = [run_record(number, "abcdefghyz") for number in range(8)]
    rows = feedback_of_runs([*good, run_record(9, "abcdefghi", **FAILED)])
    assert counts(rows, "i")[1] <= feedback.BLAME_MAX


def test_runs_that_differ_in_one_memory_are_compared() -> None:
    """Falls without contrast: `c` and `d` would be told apart by one verdict each."""
    alone = feedback_of_runs([run_record(1, "abc"), run_record(2, "xyz", **FAILED)])
    rows = feedback_of_runs([run_record(1, "abc"), run_record(2, "abd", **FAILED)])
    assert counts(rows, "c")[0] == counts(alone, "c")[0] + feedback.CONTRAST_WEIGHT
    assert counts(rows, "d")[1] > feedback.CONTRAST_WEIGHT


@pytest.mark.parametrize(
    ("shown", "changed"),
    [("ade", {}), ("xyc", {}), ("abd", {"task_type": "feature"}), ("abd", {"created_by": "agent-8"})],
)
def test_runs_of_other_tasks_or_agents_are_not_compared(shown: str, changed: dict[str, Any]) -> None:
    rows = feedback_of_runs([run_record(1, "abc"), run_record(2, shown, **FAILED, **changed)])
    assert all(entry.worked <= 1.0 for row in rows.values() for entry in row.entries)


def test_old_verdicts_fade_by_those_that_follow() -> None:
    rows = feedback_of_runs([run_record(number, "abc") for number in range(100)])
    assert counts(rows, "a")[0] < 1 / (1 - feedback.FORGETTING) + 0.01


def test_old_verdicts_fade_by_time() -> None:
    (entry,) = feedback_of_runs([run_record(0, "a")])["web/a"].entries
    assert feedback.decayed(entry, START + timedelta(days=90)).worked == 0.5


def passed_over(*lists: str, **changed: Any) -> tuple[float, float]:
    """Counts of `e`, which `abcde` showed, after runs that were shown these lists."""
    runs = [run_record(1, "abcde"), *(run_record(9 + at, ids, **changed) for at, ids in enumerate(lists))]
    return counts(feedback_of_runs(runs), "e")


def test_where_what_is_shown_fails_less_is_known_of_what_was_passed_over() -> None:
    """Falls without `_passed_over`: what failed once would not be tried anew before months are over."""
    left = feedback.PASSED_OVER_LEFT + feedback.CONTRAST_WEIGHT  # and the two runs differ in it alone
    assert passed_over("abcdf", **FAILED)[0] == pytest.approx(left, abs=0.01)
    assert passed_over("abcdf")[0] == 1.0


@pytest.mark.parametrize("ids", ["vwxyz", "axyzw", "abxyz", "abcxy"])
def test_failures_of_another_question_leave_all_that_is_known(ids: str) -> None:
    """Falls without SAME_TASK_SHARE: a question that is often asked would make others forget what they learned."""
    assert passed_over(*[ids] * 30, **FAILED)[0] == 1.0


@pytest.mark.parametrize("changed", [{"created_by": "agent-8"}, {"task_type": "feature"}])
def test_failures_of_others_and_of_other_kinds_leave_all_that_is_known(changed: dict[str, Any]) -> None:
    runs = [run_record(1, "abcde"), *(run_record(n, "abcdf", **FAILED, **changed) for n in range(2, 9))]
    entries = feedback_of_runs(runs)["web/e"].entries
    assert [(entry.reporter, entry.worked) for entry in entries] == [("agent-7", 1.0)]


def test_credit_flows_to_what_a_memory_was_written_from() -> None:
    shown = ShownList("rcl_1", START, (ShownMemory("web", "a", 1),), {"web/a": ("web/x", "web/y")})
    rows = feedback_of_runs([run_record(1, "", shown=(shown,))])
    assert counts(rows, "x") == counts(rows, "y") == (feedback.SOURCE_SHARE / 2, 0.0)
    assert rows["web/x"].entries[0].runs == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"memories_used": ("a",)},
        {"status": "crashed"},
        {**FAILED, "result": {"failed_by": "network"}},
        {"shown": ()},
    ],
)
def test_a_run_that_cites_crashed_or_failed_by_its_tools_judges_nothing(changed: dict[str, Any]) -> None:
    """Falls without `RunRecord.verdict`: failures of tools would move good memories."""
    assert judged_run(run_record(1, "abc", **changed)) is None


def test_each_run_counts_once() -> None:
    run = judged_run(run_record(1, "abc"))
    assert run is not None
    rows = feedback.learned_from_run({}, run)
    assert feedback.is_counted(rows.values(), run)


def test_a_reporters_entries_are_made_anew_and_those_of_others_stay() -> None:
    both = [run_record(1, "ab"), run_record(2, "ab", created_by="agent-8", **FAILED)]
    stored = feedback_of_runs(both)
    left = feedback_of_runs([])
    row = with_reporters(stored["web/a"], {"agent-8"}, left.get("web/a"))
    assert row is not None
    assert [entry.reporter for entry in row.entries] == ["agent-7"]
    assert row.version == stored["web/a"].version + 1
    back = with_reporters(row, {"agent-8"}, feedback_of_runs(both[1:])["web/a"])
    assert back is not None
    assert {e.key: e for e in back.entries} == {e.key: e for e in stored["web/a"].entries}
    assert with_reporters(back, {"agent-8"}, feedback_of_runs(both[1:])["web/a"]) is None


KINDS = ("Write tests", "Implement it", "Refactor it", "Fix the bug", "Document it", "Optimize speed")
CLIENTS = [f"agent:client-{number}:bob@acme.test" for number in range(8)]
FLOOD = [
    run_record(10 + number, "a", created_by=by, task_type=detect_task_type(kind))
    for number, (by, kind) in enumerate(product(CLIENTS, KINDS))
]


def test_one_token_pushes_nobody_elses_evidence_out_whatever_its_clients_are_called() -> None:
    """Falls if all entries of a memory share one limit: eight names at six kinds of task are more than all places."""
    honest = [run_record(1, "a"), run_record(2, "a", created_by="agent-8")]
    entries = feedback_of_runs([*honest, *FLOOD])["web/a"].entries
    assert {"agent-7", "agent-8"} <= {entry.reporter for entry in entries}
    assert sum(entry.voice == "agent:bob@acme.test" for entry in entries) == feedback.VOICE_ENTRIES_MAX


def test_beyond_all_places_the_voice_with_most_entries_loses_its_oldest() -> None:
    crowd = [run_record(100 + number, "a", created_by=f"agent-{number}") for number in range(30)]
    entries = feedback_of_runs([*FLOOD, *crowd])["web/a"].entries
    assert len(entries) == feedback.ENTRIES_MAX
    assert {f"agent-{number}" for number in range(30)} < {entry.reporter for entry in entries}


def test_what_a_reporters_entries_pushed_out_comes_back_without_them() -> None:
    """Falls if only the reporter's entries are rebuilt: one agent of many had lost its place to it."""
    crowd = [run_record(number, "a", created_by=f"agent-{number}") for number in range(feedback.ENTRIES_MAX)]
    late = run_record(99, "a", created_by="late")
    stored = feedback_of_runs([*crowd, late])["web/a"]
    assert "agent-0" not in {entry.reporter for entry in stored.entries}
    before = feedback_of_runs(crowd)["web/a"]
    row = with_reporters(stored, {"late"}, before)
    assert row is not None
    assert row.entries == before.entries


def test_one_memory_keeps_the_latest_entries_alone() -> None:
    runs = [run_record(number, "a", created_by=f"agent-{number}") for number in range(40)]
    entries = feedback_of_runs(runs)["web/a"].entries
    assert len(entries) == feedback.ENTRIES_MAX
    assert {entry.reporter for entry in entries} == {f"agent-{number}" for number in range(8, 40)}


def test_a_posterior_without_evidence_knows_nothing() -> None:
    assert NO_COUNTS.mean == 0.5
    assert NO_COUNTS.deviation == pytest.approx(1 / 12**0.5)
    assert VerdictCounts(9.0, 1.0).deviation < VerdictCounts(2.0, 1.0).deviation


def test_a_version_goes_up_with_every_run() -> None:
    row = feedback_of_runs([run_record(1, "a"), run_record(2, "a")])["web/a"]
    assert (row.version, row.updated_at) == (2, START + 2 * HOUR)
    assert replace(row, version=1).entries[0].recent == ("run-1", "run-2")


def test_all_that_a_run_moves_fits_one_transaction() -> None:
    """Falls without the bounds: the cloud refuses a transaction of more than 100 actions."""
    ids = [f"m{number}" for number in range(60)]
    sources = {f"web/{id}": tuple(f"web/{id}-{place}" for place in range(5)) for id in ids}
    shown = ShownList("rcl_1", START, tuple(ShownMemory("web", id, 1) for id in ids), sources)
    earlier = [run_record(number, [*ids[:39], f"x{number}"], **FAILED) for number in range(30)]
    rows = feedback_of_runs(earlier)
    run = judged_run(run_record(99, "", shown=(shown,)))
    assert run is not None
    compared = [one for record in earlier if (one := judged_run(record)) is not None]
    named = feedback.runs_to_compare(rows.values(), run)
    told = [one for one in compared if one.run_id in named]
    assert 50 < len(feedback.learned_from_run(rows, run, told)) <= 95


def test_a_failure_leaves_less_of_few_of_those_passed_over() -> None:
    """Falls without PASSED_OVER_MAX: one run would move more than one transaction holds."""
    ids = [f"m{number}" for number in range(40)]
    runs = [run_record(n, [*ids[:28], *(f"y{n}-{at}" for at in range(12))]) for n in range(8)]
    rows = feedback_of_runs(runs)
    after = feedback_of_runs([*runs, run_record(99, ids, **FAILED)])
    passed = rows.keys() - {f"web/{id}" for id in ids}
    assert len(passed) == 96
    assert sum(after[name] != rows[name] for name in passed) == feedback.PASSED_OVER_MAX
