"""The costs are computed from counts: docs/costs.md from docs/cloud-counts.json, and both tell of every call."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from tools.cloud_costs import COUNTS, DEPLOYED, DOCUMENT, KINDS, Counts, month, text, usd_of_call


@pytest.fixture(scope="module")
def counts() -> Counts:
    found: Counts = json.loads(COUNTS.read_text("utf-8"))
    return found


def test_the_document_is_what_the_counts_give(counts: Counts) -> None:
    """Run `make costs` after counting anew."""
    assert DOCUMENT.read_text("utf-8") == text(counts)


def test_every_call_and_every_sweep_was_counted(counts: Counts) -> None:
    behind = f"recall, {int(counts['corpus']['lag'])} changes behind"
    sweeps = {f"sweep {name}" for name in DECLARED_SWEEPS}
    assert counts.keys() == {"corpus", behind, *KINDS, *(f"{kind}, later" for kind in KINDS), *sweeps}


def test_another_count_is_another_price(counts: Counts) -> None:
    dearer = {**counts, "recall": {**counts["recall"], "WCU": counts["recall"]["WCU"] + 28}}
    assert usd_of_call(dearer, "recall") == pytest.approx(usd_of_call(counts, "recall") + 28 * 0.625e-6)
    assert text(dearer) != text(counts)
    for deployed in DEPLOYED:
        assert month(dearer, deployed)["calls"] > month(counts, deployed)["calls"]


def test_a_recall_writes_its_receipt_and_an_index_behind_costs_it_little(counts: Counts) -> None:
    """As counted: 29 write units before, and 1,081 read units at 500 changes."""
    assert counts["recall"]["WCU"] == 1.0
    behind = counts[f"recall, {int(counts['corpus']['lag'])} changes behind"]
    assert behind["RCU"] < counts["recall"]["RCU"] + 110


@pytest.mark.parametrize(("kind", "rounds"), [("recall", 5), ("create", 7), ("outcome", 5)])
def test_rounds_are_those_that_the_tests_of_rounds_count(counts: Counts, kind: str, rounds: int) -> None:
    """As tests/aws/test_rounds.py has them: neither goes by a clock, so that no machine counts others."""
    assert counts[kind]["rounds"] == rounds


def test_reads_of_what_is_not_there_are_in_the_table(counts: Counts) -> None:
    """Falls where they are left out: a recall reads feedback for each candidate."""
    assert counts["recall"]["empty_keys"] > 20
    assert all(one["RCU"] >= one["empty_keys"] + one["empty_queries"] for one in _counted(counts))


def _counted(counts: Counts) -> list[Mapping[str, float]]:
    return [one for name, one in counts.items() if name != "corpus"]
