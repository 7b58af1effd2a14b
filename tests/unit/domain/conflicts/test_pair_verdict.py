"""What two memories are to each other, what is kept of it, and what no sweep may retire."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.conflicts.pair import pair_id
from memory_layer.domain.conflicts.pair_verdict import (
    differs_from_stored,
    is_in_force,
    is_kept_both,
    judge_pair,
    open_pair,
    precedence_obstacle,
)
from memory_layer.domain.conflicts.sameness import PLAIN_COSINE
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory, Scope
from tests.given import START, a_memory, new_scope

SCOPE = new_scope()
MOMENT = timedelta(microseconds=1)
POOL_20, POOL_30 = "The pool holds 20 connections.", "The pool holds 30 connections."
HERONS = "Herons nest in the reeds of the northern lake."


def one(id: str = "a", content: str = POOL_20, scope: Scope = SCOPE, **fields: Any) -> Memory:
    said = {
        "category": "convention",
        "source": "run",
        "position": None,
        "session_id": None,
        "expires_at": None,
    }
    return a_memory(scope, id, **{**said, "content": content, **fields})


@pytest.mark.parametrize(
    "loser",
    [
        {"approved_by": "rita", "approved_at": START},
        {"source": "human"},
        {"pinned": True},
        {"id": f"{LEARNING_ID_PREFIX}1"},
        {"scope": Scope(SCOPE.tenant, SHARED_PROJECT)},
        {"persona": "clara"},
    ],
)
def test_what_no_sweep_supersedes(loser: dict[str, Any]) -> None:
    """Each falls without its line in `precedence_obstacle`."""
    assert precedence_obstacle(one("b", POOL_30), one()) is None
    assert precedence_obstacle(one("b", POOL_30), one(**loser)) is not None


def test_a_winner_supersedes_one() -> None:
    assert "supersedes x already" in (precedence_obstacle(one("b", supersedes="x"), one()) or "")


def test_pairs_are_the_same_in_both_orders() -> None:
    a, b = one(), one("b", POOL_30)
    assert judge_pair(a, b, 0.9) == judge_pair(b, a, 0.9)
    finding = judge_pair(a, b, 0.9)
    assert finding is not None
    assert (finding.id, finding.kind) == (pair_id("b", "a", "conflict"), "conflict")
    assert pair_id("a", "b", "conflict") != pair_id("a", "b", "duplicate")


def test_what_says_the_same_in_other_words_is_a_duplicate() -> None:
    a, b = one(content=HERONS), one("b", "In the reeds of the northern lake herons are nesting.")
    assert judge_pair(a, b, PLAIN_COSINE - 1e-4) is None
    found = judge_pair(a, b, PLAIN_COSINE)
    assert found is not None
    assert (found.kind, found.reason) == ("duplicate", "they say the same in other words")
    assert judge_pair(a, one("b", HERONS.replace("lake", "lakeside")), 0.99) is None, "another place"
    assert judge_pair(a, replace(b, persona="clara"), 0.99) is None


def test_no_pair_spans_two_personas() -> None:
    a, b = one(persona="clara"), one("b", POOL_30, persona="ben")
    assert judge_pair(a, b, 0.9) is None
    found = judge_pair(a, replace(b, persona=None), 0.9)
    assert found is not None
    assert open_pair(found, None, START).persona == "clara"


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "stale"},
        {"position": 3, "session_id": "talk"},
        {"expires_at": START},
        {"valid_from": START + MOMENT},
        {"valid_to": START},
        {"content_hash": "0" * 64},
    ],
)
def test_what_says_nothing_of_now_is_not_judged(fields: dict[str, Any]) -> None:
    """Each falls without its line in `is_in_force`."""
    sound = one(expires_at=START + MOMENT, valid_from=START, valid_to=START + MOMENT)
    assert is_in_force(sound, START)
    assert not is_in_force(replace(sound, **fields), START)


def test_what_was_decided_holds_for_the_same_texts_only() -> None:
    found = judge_pair(one(), one("b", POOL_30), 0.9)
    assert found is not None
    first = open_pair(found, None, START)
    later = START + timedelta(days=7)
    again = open_pair(found, first, later)
    assert (again.version, again.found_at, differs_from_stored(again, first)) == (2, START, False)
    kept = replace(first, status="resolved", resolution="kept_both", version=2)
    hashes = open_pair(found, kept, later).content_hashes
    assert is_kept_both([None, kept], hashes)
    assert not is_kept_both([kept], (hashes[0], "another")), "one of them says something else by now"
    settled = replace(kept, resolution="precedence")
    assert not is_kept_both([settled], hashes), "both are held: it was taken back"
    assert differs_from_stored(open_pair(found, settled, later), settled)
    other = judge_pair(one(content="The pool holds 25 connections."), one("b", POOL_30), 0.9)
    assert other is not None
    anew = open_pair(other, kept, later)
    assert (anew.version, anew.found_at, anew.status, differs_from_stored(anew, kept)) == (
        3,
        later,
        "open",
        True,
    )
