"""Corrections that lead back to where they began."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.correction_cycles import records_in_cycles

Pairs = list[tuple[str, str]]


def test_a_chain_has_an_end() -> None:
    assert records_in_cycles([]) == set()
    assert records_in_cycles([("a", "b"), ("b", "c"), ("a", "c"), ("a", "b")]) == set()


def test_a_ring_is_named_without_what_hangs_on_it() -> None:
    assert records_in_cycles([("a", "a")]) == {"a"}
    assert records_in_cycles([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "y")]) == {"a", "b", "c"}


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_it_is_a_ring_where_a_walk_comes_back(pairs: Pairs) -> None:
    rings = {node for node in "abcdef" if node in _reached(pairs, node)}
    found = records_in_cycles(pairs)
    assert rings <= found
    assert bool(found) == bool(rings)


def _reached(pairs: Pairs, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [new for old, new in pairs if old == start]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [new for old, new in pairs if old == node]
    return seen
