from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.retrieval.question_words import (
    PREFIX_MIN,
    RAREST,
    AskedWord,
    Ranks,
    asked_words,
    coverage,
    credits_of,
    rarity,
    terms_begun,
)
from memory_layer.domain.text.analyzer import analyze

VOCABULARY = [
    "config",
    "configured",
    "max_connections",
    "db",
    "database",
    "rollback",
    "revert",
    "数据库",
    "Queue",
]

RANKS = {"the": 1_996, "time": 2_051, "deploy": 21_296, "python": 18_750}


def covered(query: str, text: str, ranks: Ranks | None = None, **own: tuple[str, ...]) -> float:
    words = asked_words(query, ranks, own)
    return coverage(words, credits_of(words, [frozenset(analyze(text))])[0])


def names(query: str) -> list[str]:
    return [word.word for word in asked_words(query, RANKS.get, {}) if word.is_name]


def test_words_count_once_and_stop_words_do_not() -> None:
    assert [word.word for word in asked_words("What is the pool size of the pool?", None, {})] == [
        "pool",
        "size",
    ]
    assert asked_words("what is it?", None, {}) == ()
    assert coverage((), ()) == 0.0


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("pool size", "the pool sizes of today", 1.0),
        ("pool size", "pool", 0.5),
        ("max_connections", "max_connections is 40", 1.0),
        ("max_connections", "at most 40 connections", 0.25),
        ("max_connections", "the max of connections", 0.5),
        ("conv", "a convention", 0.5),
        ("auth", "JWT in a cookie", 0.7),
        ("k8s", "the pods restart", 0.7),
        ("queue", "the gateway", 0.0),
        ("cat", "the category", 0.0),
    ],
)
def test_a_word_is_covered_whole_in_parts_or_otherwise_said(query: str, text: str, share: float) -> None:
    assert covered(query, text) == pytest.approx(share)


def test_rare_words_weigh_more() -> None:
    """Falls where the rank of a word is not asked for."""
    query = "deploy time"
    assert covered(query, "time", RANKS.get) < 0.2 < 0.8 < covered(query, "deploy", RANKS.get)
    assert covered(query, "time") == covered(query, "deploy") == 0.5


@given(one=st.integers(1, RAREST), other=st.integers(1, RAREST))
def test_the_rarer_a_word_the_more_it_weighs(one: int, other: int) -> None:
    assert 0.0 < rarity(min(one, other)) <= rarity(max(one, other)) <= rarity(None) == 1.0


def test_a_projects_own_synonyms_cover() -> None:
    """Falls where the settings' synonyms are not looked up."""
    assert covered("falcon", "the billing service") == 0.0
    assert covered("falcon", "the billing service", falcon=("billing",)) == pytest.approx(0.7)


def test_german_questions_are_about_their_nouns() -> None:
    words = asked_words("Wie sichern wir die Datenbank?", None, {})
    assert [word.word for word in words] == ["sichern", "Datenbank"]
    assert covered("Wie zwitschert die Datenbank?", "the database is called orders") == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("How does Grafana store dashboards?", ["Grafana"]),
        ("Python time", []),
        ("Grafana dashboards", ["Grafana"]),
        ("what does the iPhone do", ["iPhone"]),
        ("Wie sichern wir die Datenbank?", []),
    ],
)
def test_names_are_capitals_within_a_question(query: str, found: list[str]) -> None:
    """Falls where the first word, or a German noun, counts as a name."""
    assert names(query) == found


def test_characters_without_blanks_are_covered_in_part() -> None:
    (word,) = asked_words("\u6771\u4eac\u90fd", None, {})
    assert isinstance(word, AskedWord)
    assert word.credit({word.terms[0]}) == 0.5


SHORT_TERMS = st.text("abc", min_size=1, max_size=7)


@given(st.lists(SHORT_TERMS, max_size=6), st.frozensets(SHORT_TERMS, max_size=30))
def test_terms_that_a_word_begins_are_those_of_comparing_each(terms: list[str], said: frozenset[str]) -> None:
    def begins(term: str, other: str) -> bool:
        if len(term) < PREFIX_MIN or term[:PREFIX_MIN] != other[:PREFIX_MIN]:
            return False
        return other.startswith(term) or (len(other) > PREFIX_MIN and term.startswith(other))

    assert terms_begun(terms, said) == [
        frozenset(other for other in said if begins(term, other)) for term in terms
    ]


@given(st.lists(st.sampled_from(VOCABULARY), max_size=8), st.lists(st.lists(st.sampled_from(VOCABULARY))))
def test_credits_are_those_of_each_word_and_text(asked: list[str], texts: list[list[str]]) -> None:
    words = asked_words(" ".join(asked), None, {})
    said = [frozenset(analyze(" ".join(text))) for text in texts]
    begun = terms_begun([word.terms[0] for word in words], frozenset().union(*said))
    assert credits_of(words, said) == [
        [word.credit(text, of_word) for word, of_word in zip(words, begun, strict=True)] for text in said
    ]
