"""What hangs together with hits: answers follow questions, subjects are asked about, rare names lead on."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval import graph_expansion
from memory_layer.domain.retrieval.blending import QUESTION_FACTOR
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.facts import is_about as are_about
from memory_layer.domain.retrieval.graph_expansion import (
    RARE_MAX,
    REPLY_SHARE,
    TIE_SHARE,
    is_rare,
    keys_in_question,
    raise_toward_one,
    shares_of,
)
from tests.index_examples import memory


def turn(id: str, content: str, position: int, session: str = "s") -> Memory:
    return memory(id, content, session_id=session, position=position)


def with_answers(relevance: list[float], memories: list[Memory], asking_factor: float) -> list[float]:
    return graph_expansion.with_answers(np.array(relevance), facts_of(memories), asking_factor).tolist()


def is_about(one: Memory, names: Collection[str]) -> bool:
    return bool(are_about(facts_of([one]), names)[0])


def test_the_turn_after_a_question_gets_half_of_what_it_lacks() -> None:
    asks, tells = turn("q", "Ada: Where do you live?", 3), turn("a", "Bob: In Rome.", 4)
    before = [0.8 * QUESTION_FACTOR, 0.2]
    after = with_answers(before, [asks, tells], QUESTION_FACTOR)
    assert after == [before[0], 0.2 + REPLY_SHARE * (0.8 - 0.2)]


def test_only_the_very_next_turn_of_the_same_session_answers() -> None:
    asks = turn("q", "Where do you live?", 3)
    others = [turn("a", "In Rome.", 5), turn("b", "In Oslo.", 4, "another"), memory("c", "In Bern.")]
    before = [0.8, 0.2, 0.2, 0.2]
    assert with_answers(before, [asks, *others], QUESTION_FACTOR) == before


def test_what_asks_nothing_hands_on_nothing_and_no_answer_loses() -> None:
    tells, next_ = turn("t", "I live in Rome.", 3), turn("n", "Nice.", 4)
    assert with_answers([0.8, 0.2], [tells, next_], 1.0)[1] == 0.2
    asks, better = turn("q", "Where?", 3), turn("a", "In Rome.", 4)
    assert with_answers([0.2, 0.8], [asks, better], 1.0)[1] == 0.8


def test_a_memory_is_about_its_subject_and_not_about_what_it_mentions() -> None:
    assert is_about(memory(content="Melanie: we met Ada"), {"melanie", "camp"})
    assert not is_about(memory(content="Ada: we met Melanie"), {"melanie"})
    assert not is_about(memory(content="we met Melanie"), {"melanie"})


def test_a_question_looks_up_what_it_names_exactly() -> None:
    keys = keys_in_question("Why does Ada read urn:table:orders in src/a.py by max_rows?", ["urn:x:y"])
    assert keys == dict.fromkeys(["u:urn:x:y", "u:urn:table:orders", "p:src/a.py", "i:max_rows"], 1.0)


def test_the_more_are_tied_to_a_thing_the_less_it_adds() -> None:
    """Falls where a hub adds as much to each of a thousand as something rare to each of two."""
    shares = shares_of(np.array([1.0, 0.5, 1.0]), np.array([4, 1, 10_000]))
    assert shares[:2].tolist() == [TIE_SHARE / 2, TIE_SHARE / 2]
    assert shares[2] < TIE_SHARE / 99
    assert is_rare(np.array([1, 2, RARE_MAX, RARE_MAX + 1])).tolist() == [False, True, True, False]


def test_raising_never_leaves_the_scale() -> None:
    raised = raise_toward_one(np.array([0.5, 1.0, 0.5]), np.array([0.0, 0.3, 0.3]))
    assert raised.tolist() == pytest.approx([0.5, 1.0, 0.65])
