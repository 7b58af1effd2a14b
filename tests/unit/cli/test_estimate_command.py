"""Estimate of a memory on the command line, for people and for programs."""

from __future__ import annotations

from tests.unit.cli.conftest import Mem, added, answer


def test_an_estimate_reads_as_words_and_not_as_a_notation(mem: Mem) -> None:
    id = added(mem, "Run the importer with mode=ro.")
    shown = mem("estimate", id).stdout
    assert "worked 0.0, failed 0.0" in shown
    assert not {"{", "[", "'"} & set(shown)
    assert answer(mem("estimate", id, "--json"))["own"] == {"worked": 0.0, "failed": 0.0}
