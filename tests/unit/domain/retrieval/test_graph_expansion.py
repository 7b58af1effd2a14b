"""What hangs together with hits: answers follow questions, subjects are asked about, rare names lead on."""

from __future__ import annotations

from memory_layer.domain.memory import Memory, Ref, Relation
from memory_layer.domain.retrieval.blending import QUESTION_FACTOR
from memory_layer.domain.retrieval.graph_expansion import (
    RARE_MAX,
    REPLY_SHARE,
    TIE_SHARE,
    is_about,
    is_rare,
    keys_in_question,
    keys_of_hits,
    raise_toward_one,
    shares_of,
    with_answers,
)
from tests.index_examples import memory


def turn(id: str, content: str, position: int, session: str = "s") -> Memory:
    return memory(id, content, session_id=session, position=position)


def test_the_turn_after_a_question_gets_half_of_what_it_lacks() -> None:
    asks, tells = turn("q", "Ada: Where do you live?", 3), turn("a", "Bob: In Rome.", 4)
    before = {asks.ref: 0.8 * QUESTION_FACTOR, tells.ref: 0.2}
    after = with_answers(before, [asks, tells], QUESTION_FACTOR)
    assert after == {asks.ref: before[asks.ref], tells.ref: 0.2 + REPLY_SHARE * (0.8 - 0.2)}


def test_only_the_very_next_turn_of_the_same_session_answers() -> None:
    asks = turn("q", "Where do you live?", 3)
    others = [turn("a", "In Rome.", 5), turn("b", "In Oslo.", 4, "another"), memory("c", "In Bern.")]
    before = {one.ref: 0.8 if one is asks else 0.2 for one in (asks, *others)}
    assert with_answers(before, [asks, *others], QUESTION_FACTOR) == before


def test_what_asks_nothing_hands_on_nothing_and_no_answer_loses() -> None:
    tells, next_ = turn("t", "I live in Rome.", 3), turn("n", "Nice.", 4)
    assert with_answers({tells.ref: 0.8, next_.ref: 0.2}, [tells, next_], 1.0)[next_.ref] == 0.2
    asks, better = turn("q", "Where?", 3), turn("a", "In Rome.", 4)
    assert with_answers({asks.ref: 0.2, better.ref: 0.8}, [asks, better], 1.0)[better.ref] == 0.8


def test_a_memory_is_about_its_subject_and_not_about_what_it_mentions() -> None:
    assert is_about(memory(content="Melanie: we met Ada"), {"melanie", "camp"})
    assert not is_about(memory(content="Ada: we met Melanie"), {"melanie"})
    assert not is_about(memory(content="we met Melanie"), {"melanie"})


def test_a_question_looks_up_what_it_names_exactly() -> None:
    keys = keys_in_question("Why does Ada read urn:table:orders in src/a.py by max_rows?", ["urn:x:y"])
    assert keys == dict.fromkeys(["u:urn:x:y", "u:urn:table:orders", "p:src/a.py", "i:max_rows"], 1.0)


def test_the_best_hits_look_up_what_they_speak_of() -> None:
    hits = [
        memory("a", "met Ada Lovelace", relations=(Relation("about", "urn:x:y"),)),
        memory("b", "met Ada Lovelace again"),
        memory("c", "met Bob"),
        memory("d", "met Carl"),
    ]
    relevances = {Ref("shop", id): score for id, score in zip("abcd", (0.9, 0.8, 0.7, 0.6), strict=True)}
    assert keys_of_hits(hits, relevances) == {"u:urn:x:y": 0.9, "n:ada lovelace": 0.9, "n:bob": 0.7}


def test_the_more_are_tied_to_a_thing_the_less_it_adds() -> None:
    """Falls where a hub adds as much to each of a thousand as something rare to each of two."""
    one = Ref("shop", "a")
    assert shares_of(1.0, 4, [one]) == {one: TIE_SHARE / 2}
    assert shares_of(0.5, 1, [one]) == {one: TIE_SHARE / 2}
    assert shares_of(1.0, 10_000, [one])[one] < TIE_SHARE / 99
    assert [is_rare(total) for total in (1, 2, RARE_MAX, RARE_MAX + 1)] == [False, True, True, False]


def test_raising_never_leaves_the_scale() -> None:
    assert raise_toward_one(0.5, 0.0) == 0.5
    assert raise_toward_one(1.0, 0.3) == 1.0
    assert 0.5 < raise_toward_one(0.5, 0.3) < 1.0
