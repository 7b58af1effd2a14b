from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.question_words import asked_words
from memory_layer.domain.retrieval.release_questions import (
    asked_release,
    is_of_kind,
    kinds_asked,
    searched_words,
    words_beside_release,
)
from memory_layer.domain.retrieval.said_tokens import said_tokens
from memory_layer.domain.retrieval.specific_tokens import specific_tokens


def missed(question: str, *texts: str) -> float:
    tokens = specific_tokens(question)
    words = words_beside_release(asked_words(question, None, {}), tokens)
    return said_tokens(tokens, texts).share_missed(words)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which bugs were fixed in v2.4.0?", ["2.4.0", "v2.4.0"]),
        ("Was the memory leak fixed in 2.4.0?", ["memory", "leak", "2.4.0", "v2.4.0"]),
    ],
)
def test_a_release_is_searched_by_its_version_and_by_what_is_of_no_release(
    question: str, words: list[str]
) -> None:
    searched = searched_words(question)
    assert searched is not None
    assert set(words) <= set(searched.split())
    assert {"bugs", "fixed", "Which", "Was"}.isdisjoint(searched.split())


@pytest.mark.parametrize("question", ["Does it run on Python 3.12?", "Which bugs were fixed?", "who is Anna"])
def test_other_questions_are_searched_whole(question: str) -> None:
    assert searched_words(question) is None


@pytest.mark.parametrize(
    "question", ["What changed in 2.4.0?", "release notes 2.4.0", "What does --no-sync do?"]
)
def test_what_names_nothing_else_is_missed_whole(question: str) -> None:
    """Falls where the words that ask of any release count beside its version."""
    assert missed(question) == 1.0


def test_what_is_named_beside_another_subject_is_a_part_of_the_question() -> None:
    assert missed("How do I redact headers of the access log in version 2.4.0?") < 0.4


def test_nothing_is_missed_where_one_text_says_it() -> None:
    assert missed("What changed in 2.4.0?", "2.3.0", "2.4.0") == 0.0


@pytest.mark.parametrize(
    ("question", "versions"),
    [
        ("What changed in 2.4.0?", ["2.4.0"]),
        ("Which bugs were fixed in axum 0.7.2?", ["0.7.2"]),
        ("Was wurde in v1.2.3 behoben?", ["v1.2.3"]),
        ("Was the memory leak fixed in 2.4.0?", []),
        ("What changed since 2.3.0?", []),
        ("What is new between 2.3.0 and 2.4.0?", []),
        ("Does it run on Python 3.12?", []),
        ("Which bugs were fixed?", []),
    ],
)
def test_a_release_is_asked_for_where_nothing_else_is(question: str, versions: list[str]) -> None:
    assert [token.text for token in asked_release(question)] == versions


def test_the_kind_of_news_is_read_from_label_and_headings() -> None:
    kinds = kinds_asked("What was fixed in 2.4.0?")
    assert is_of_kind(kinds, "**fixed:** Reject trailing characters", "2.4.0")
    assert is_of_kind(kinds, "Reject trailing characters", "2.4.0 > Bug fixes")
    assert not is_of_kind(kinds, "**added:** a way to reject trailing characters, as a fix", "2.4.0")
    assert is_of_kind(kinds_asked("What is new in 2.4.0?"), "**fixed:** Reject trailing characters", "2.4.0")
