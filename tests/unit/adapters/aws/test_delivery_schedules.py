"""Whatever the stream does, the index ends as the table is, and nothing that was erased comes back."""

from __future__ import annotations

import os

import pytest

from tests.unit.adapters.aws.delivery_schedules import Outcome, Safeguard, Schedule

SCHEDULES = int(os.environ.get("MEMORY_LAYER_TEST_SCHEDULES", "10000"))
"""100,000 take a minute."""

CHUNKS = 4


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Indexes are too busy many thousand times."""
    caplog.set_level("CRITICAL")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_schedule_of_deliveries_converges(chunk: int) -> None:
    """Reordered, duplicated, redriven, interleaved with rebuilds, with hard deletes and re-creations."""
    for seed in range(chunk, SCHEDULES, CHUNKS):
        assert Schedule(seed).run() == Outcome(), f"schedule {seed}"


@pytest.mark.parametrize(
    ("safeguard", "symptom"),
    [
        ("tombstones", "resurrected"),
        ("versions", "resurrected"),
        ("versions", "diverged"),
        ("rebuild hears live events", "diverged"),
        ("log entries wait for the index", "unseen"),
    ],
)
def test_without_a_safeguard_schedules_do_not_converge(safeguard: Safeguard, symptom: str) -> None:
    """The test above can fail: it does when any of these is taken out."""
    outcomes = [Schedule(seed, without=safeguard).run() for seed in range(300)]
    assert sum(getattr(outcome, symptom) for outcome in outcomes) > 0
