"""One line of a memory, what it says, and its facts: each says less or more than the one before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.levels_of_detail import (
    ALL_TERMS_SHARE,
    FACTS_MAX,
    FACTS_MAX_CHARS,
    LINE_MAX_CHARS,
    SOME_TERMS_SHARE,
    SUMMARY_SHARE,
    excerpt,
    facts,
    levels,
    line_worth,
    nearest_sentence,
)
from memory_layer.domain.context.priority import EntityMatcher, _whole
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.classification import first_sentence
from tests.unit.domain.plain_memories import plain_memory

PLAIN = plain_memory("m1", "We deploy on Tuesdays.")
WANTED = analyze("when do we deploy")


def test_a_short_memory_has_one_level() -> None:
    assert levels(PLAIN, WANTED) == {"micro": "We deploy on Tuesdays."}


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("Good morning! We deploy on Tuesdays. Bye.", "We deploy on Tuesdays."),
        ("Ann: Hi! How are you? We deployed it yesterday.", "Ann: We deployed it yesterday."),
        ("Hello there. Nice weather. Goodbye.", "Hello there."),
        ("First line\nthe deploy runs at noon\nlast line", "the deploy runs at noon"),
        ("Deploy once. Deploy twice.", "Deploy once."),
    ],
)
def test_the_nearest_sentence_stands_for_a_text(content: str, line: str) -> None:
    assert nearest_sentence(content, WANTED) == line


TALK = "Ann: Hi! We deploy on Tuesdays. The sun is out. A deploy takes an hour. Bye."


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.01, "Ann: We deploy on Tuesdays."),
        (0.6, "Ann: We deploy on Tuesdays."),
        (0.8, "Ann: We deploy on Tuesdays. A deploy takes an hour."),
        (0.9, "Ann: Hi! We deploy on Tuesdays. A deploy takes an hour."),
    ],
)
def test_an_excerpt_has_the_nearest_sentences_in_their_order(share: float, told: str) -> None:
    assert excerpt(TALK, WANTED, share) == told


@given(st.text(alphabet="ab .\nA:", max_size=300), st.floats(0.01, 1.0))
def test_an_excerpt_is_no_longer_than_its_share_or_its_nearest_sentence(content: str, share: float) -> None:
    nearest = nearest_sentence(content, WANTED)
    told = excerpt(content, WANTED, share)

    assert told == nearest or len(told) <= share * len(content)


def test_the_line_of_a_memory_has_the_share_that_it_is_given() -> None:
    memory = replace(PLAIN, content=TALK, summary="Tuesdays")

    assert levels(memory, WANTED)["macro"] == "Tuesdays"
    assert levels(memory, WANTED, 0.8)["macro"] == excerpt(TALK, WANTED, 0.8)
    assert "macro" not in levels(PLAIN, WANTED, 1.0)


def test_a_summary_that_is_only_the_beginning_gives_way_to_the_nearest_sentence() -> None:
    memory = replace(PLAIN, content="Good morning all. We deploy on Tuesdays.")

    assert (
        levels(replace(memory, summary=first_sentence(memory.content)), WANTED)["macro"]
        == "We deploy on Tuesdays."
    )
    assert levels(replace(memory, summary="Tuesdays"), WANTED)["macro"] == "Tuesdays"


@given(st.text(min_size=1, max_size=2_000), st.text(max_size=50))
def test_one_line_is_one_line_and_not_long(content: str, intent: str) -> None:
    line = nearest_sentence(content, analyze(intent))

    assert len(line.splitlines()) <= 1
    assert len(line) <= LINE_MAX_CHARS


def test_facts_are_told_by_their_paths_in_the_order_of_names() -> None:
    detail = {
        "suggested_actions": ["add an index", "retry"],
        "effectiveness": 0.80,
        "is_known": True,
        "costs": {"max": 3, "unit": "s"},
        "nothing": None,
        "none": [],
        "merged_ids": ["m2"],
    }

    assert facts(detail) == (
        "costs.max: 3; costs.unit: s; effectiveness: 0.8; is_known: yes; suggested_actions: add an index, retry"
    )


def test_facts_are_bounded_in_number_and_length() -> None:
    assert facts({f"f{n:03}": n for n in range(200)}).count(";") == FACTS_MAX - 1
    assert len(facts({f"f{n:03}": "x" * 300 for n in range(40)})) <= FACTS_MAX_CHARS


def test_what_holds_nothing_worth_telling_has_no_facts() -> None:
    assert "atomic" not in levels(replace(PLAIN, detail={"merged_ids": ["m2"]}), WANTED)


@pytest.mark.parametrize(
    ("entity", "is_named"),
    [
        ("urn:table:ledger", True),
        ("urn:li:dataset:(urn:li:platform:x,prod.Ledger)", False),
        ("ledger", True),
        ("urn:table:ledge", False),
        ("urn:other:thing", True),
        ("urn:table:on", False),
        ("  ", False),
    ],
)
def test_a_memory_names_an_entity_by_its_own_or_by_a_whole_word(entity: str, is_named: bool) -> None:
    memory = replace(PLAIN, content="The Ledger is written on Mondays", entities=("urn:other:thing",))

    assert bool(EntityMatcher([entity]).of(memory)) is is_named


def test_entities_that_a_memory_does_not_name_cost_no_expression() -> None:
    """Safeguard: the plain search in `_says`; 64 expressions for a request take 20 ms to make."""
    _whole.cache_clear()
    mentions = EntityMatcher([f"urn:table:unheard{number}" for number in range(64)])
    assert mentions.of(replace(PLAIN, content="The Ledger is written on Mondays")) == []
    assert _whole.cache_info().misses == 0


def test_a_line_is_worth_more_where_no_other_has_further_terms_of_the_intent() -> None:
    """Falls where every line counts the same: half an answer kept whole answers off the page."""
    whole = plain_memory("m1", "We deploy on Tuesdays. Ann bakes bread.")
    half = plain_memory("m2", "We deploy by hand. On Fridays when nobody looks we wait.")
    wanted = frozenset(analyze("when do we deploy on Fridays"))

    assert line_worth(whole, wanted) == ALL_TERMS_SHARE
    assert line_worth(half, wanted) == SOME_TERMS_SHARE
    assert line_worth(whole, frozenset(analyze("zebra"))) == SOME_TERMS_SHARE
    assert line_worth(replace(half, summary="Deploys: by hand, never on Fridays"), wanted) == SUMMARY_SHARE


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("Close the pool of the connections when the\nloop ends, so that the package is free.", "whole"),
        ("Install the package:\n```sh\npip install parcel\n```", "`pip install parcel`"),
        ("Install by hand.\n```sh\npip install parcel\npip check\n```", "Install by hand."),
        ("```\npip install parcel\npip check\n```", "`pip install parcel`"),
        ("Steps\n- Unpack it\n- Install the package", "- Install the package"),
    ],
)
def test_a_line_ends_where_a_sentence_does_and_opens_no_block_of_code(content: str, line: str) -> None:
    """Falls where a page breaks off at a margin, or in a block of code that it opened."""
    wanted = frozenset(analyze("pip install package parcel"))
    told = {nearest_sentence(content, wanted), excerpt(content, wanted, 0.01)}
    assert told == {" ".join(content.split()) if line == "whole" else line}


def test_an_abbreviation_ends_no_sentence_and_a_lead_has_its_first_item() -> None:
    """Falls where every full stop ends one: half a sentence stands for a memory on its page."""
    text = (
        "A red check is real unless the logs say so (e.g. `The operation was canceled`). Read the logs first."
    )
    assert nearest_sentence(text, {"red", "canceled"}) == text.partition(" Read")[0]
    assert nearest_sentence(text, {"read"}) == "Read the logs first."
    lead = "Check the template of the pod such as:\n- its priority\n- its limits"
    assert nearest_sentence(lead, {"templat"}) == "Check the template of the pod such as: - its priority"
    assert nearest_sentence(lead, {"limit"}) == "- its limits"
