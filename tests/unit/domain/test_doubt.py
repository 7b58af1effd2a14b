"""What agents say against a trusted memory: who is a witness, as a voice and by a run of its own."""

from __future__ import annotations

import pytest

from memory_layer.domain.doubt import doubt_failure
from memory_layer.domain.memory import Memory, Scope
from tests.given import START, a_memory

TRUSTED = a_memory(Scope("acme", "web"), "rule", source="human")


def failed_for(*said: tuple[str, str | None]) -> Memory:
    """A trusted memory that failed. Args: said: each by whom, and in which run."""
    memory = TRUSTED
    for by, run in said:
        memory = doubt_failure(memory, by=by, at=START, run=run)
    return memory


def test_a_run_is_its_reporters_whoever_named_it_before() -> None:
    """Falls without `is_reported`: who guesses what CI calls its next run would keep CI from being a witness."""
    named = failed_for(("wren", "r1"))
    reported, other = (
        doubt_failure(named, by="tern", at=START, run="r1", reported_by=reporter).doubted
        for reporter in ("tern", "wren")
    )
    assert (reported and reported.witnesses, other and other.witnesses) == (("wren", "tern"), ("wren",))


@pytest.mark.parametrize(
    ("said", "witnesses"),
    [
        ([("wren", "r1"), ("tern", "r2")], ("wren", "tern")),
        ([("wren", "r1"), ("tern", "r1")], ("wren",)),
        ([("wren", "r1"), ("tern", None)], ("wren",)),
        ([("agent:one:ann@acme.test", "r1"), ("agent:two:ann@acme.test", "r2")], ("agent:one:ann@acme.test",)),
    ],
    ids=["two", "one run", "no run", "one token"],
)  # fmt: skip
def test_witnesses_are_voices_in_runs_of_their_own(
    said: list[tuple[str, str | None]], witnesses: tuple[str, ...]
) -> None:
    doubted = failed_for(*said).doubted
    assert doubted is not None
    assert doubted.witnesses == witnesses
