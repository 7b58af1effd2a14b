from __future__ import annotations

import pytest

from memory_layer.domain.text.bridged_terms import stem_term
from memory_layer.domain.text.german import in_english, is_german
from memory_layer.domain.text.spelling_variants import (
    head_of,
    in_one,
    is_in_two,
    is_mistyped,
    spelled_otherwise,
    with_variants,
)


@pytest.mark.parametrize(
    ("first", "second", "written"),
    [
        ("log", "in", ("login",)),
        ("Logged", "in", ("loggedin", "login")),
        ("lock", "files", ("lockfiles",)),
        ("up", "time", ("uptime",)),
        ("e", "mail", ("email",)),
        ("back", "up", ("backup",)),
        ("over", "in", ()),
        ("in", "active", ()),
        ("in", "secure", ()),
        ("in", "the", ()),
        ("log", "the", ()),
        ("v2", "files", ()),
        ("Text", "Datei", ("textdatei", "textsdatei", "textndatei", "textendatei")),
    ],
)
def test_two_words_are_written_in_one(first: str, second: str, written: tuple[str, ...]) -> None:
    assert in_one(first, second) == written


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("authorise", "authorize"),
        ("Initialisation", "initialization"),
        ("behaviours", "behaviors"),
        ("analysed", "analyzed"),
        ("cancelled", "canceled"),
        ("catalogue", "catalog"),
        ("licence", "license"),
    ],
)
def test_a_word_is_spelled_as_elsewhere(british: str, american: str) -> None:
    assert american in spelled_otherwise(british)
    assert british.lower() in spelled_otherwise(american)


@pytest.mark.parametrize(
    "word", ["deploy", "cache", "led", "ise", "token", "does", "due", "value", "queue", "neuere"]
)
def test_most_words_have_one_spelling(word: str) -> None:
    assert spelled_otherwise(word) == ()


@pytest.mark.parametrize(
    ("typed", "word"),
    [("loesche", "losche"), ("Zugaenge", "zugange"), ("Strasse", "straße"), ("groesse", "große")],
)
def test_german_is_typed_without_its_letters(typed: str, word: str) -> None:
    assert word in spelled_otherwise(typed)
    assert stem_term(typed) == stem_term(word)
    assert "quue" not in "".join(spelled_otherwise("queue"))


def test_german_typed_without_its_letters_is_translated_and_known_for_german() -> None:
    """Falls where words are looked up with their letters alone."""
    assert in_english("loeschen", is_surely_german=True) == in_english("loschen", is_surely_german=True) != ()
    assert is_german(["waehrend", "deploy"])


def test_a_question_is_searched_with_its_variants_and_a_long_one_is_not() -> None:
    """Falls where the neighbours are not those of the question: `Datei` and `System` are none in English."""
    question = "log in to the centre"
    assert with_variants(question, question) == f"{question} login center"
    assert "loeschen" in with_variants("l\u00f6schen", "l\u00f6schen").split()
    assert "dateisystem" in with_variants("file System Datei", "Datei System").split()
    long = " ".join(["lock file"] * 17)
    assert with_variants(long, long) == long


@pytest.mark.parametrize(
    ("word", "head"),
    [("Login", "log"), ("rollback", "roll"), ("again", ""), ("login's", ""), ("main", ""), ("in", "")],
)
def test_a_word_that_ends_in_a_particle_is_searched_without_it(word: str, head: str) -> None:
    assert head_of(word) == head


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("Reviwer", "reviewers approve it", True),
        ("reveiwer", "a reviewer approves it", True),
        ("reviewwer", "a reviewer approves it", True),
        ("reviewir", "a reviewer approves it", True),
        ("rivieewr", "a reviewer approves it", False),
        ("vite", "the rite", False),
        ("pnpm2", "the pnpm3", False),
        ("unicorn", "the acorn", False),
    ],
)
def test_a_word_has_one_letter_wrong(word: str, text: str, is_there: bool) -> None:
    assert is_mistyped(word, text) is is_there


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("Login", "to log in, use the key", True),
        ("readonly", "the ledger is read-only.", True),
        ("email", "an e-mail is sent", True),
        ("login", "the catalog in use", False),
        ("login", "the login page", False),
        ("into", "in to", False),
    ],
)
def test_a_text_writes_a_word_in_two(word: str, text: str, is_there: bool) -> None:
    assert is_in_two(word, text) is is_there
