"""German questions are searched in English, in every form of their words and in compounds; English ones stay."""

from __future__ import annotations

import re

import pytest

from memory_layer.domain.retrieval.question_words import TRANSLATION_CREDIT, asked_words, coverage, credits_of
from memory_layer.domain.text.analyzer import analyze, words_in
from memory_layer.domain.text.german import entries, in_english, is_german
from memory_layer.domain.text.synonyms import by_key, expanded
from tests.given import REPOSITORY

NO_SYNONYMS = by_key({})


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("datei", {"file"}),
        ("dateien", {"file"}),
        ("geloschte", {"delete"}),
        ("warteschlangen", {"queue"}),
        ("installierte", {"install"}),
        ("verbindungspool", {"connection", "pool"}),
        ("konfigurationsdatei", {"configuration", "file"}),
        ("abhangigkeitsgruppen", {"dependency", "group"}),
        ("debug-meldung", {"debug", "message"}),
        ("bilder", {"image"}),
        ("pfade", {"path"}),
        ("sichere", {"safe", "backup"}),
        ("kaninchen", set()),
    ],
)
def test_a_german_word_is_said_in_english_in_all_its_forms(word: str, english: set[str]) -> None:
    """Falls without the endings, the letters that link the parts of a compound, or the rest beside a known part."""
    said = " ".join(in_english(word, is_surely_german=True))
    assert english <= set(re.findall(r"[a-z-]+", said)), said
    assert bool(said) is bool(english)


@pytest.mark.parametrize(
    ("question", "german"),
    [
        ("Wie lege ich eine Tabelle an?", True),
        ("Kann ich YAML verwenden?", True),
        ("Bilder verkleinern", True),
        ("image sizes", False),
        ("Where was Anna in May, so that the hat is mine?", False),
        ("die in an accident", False),
        ("timeout", False),
    ],
)
def test_a_german_question_is_known_by_its_function_words_or_by_a_word_of_the_table(
    question: str, german: bool
) -> None:
    assert is_german(words_in(question)) is german


def test_a_german_question_is_searched_in_english_with_its_own_words_behind() -> None:
    """Falls where function words, which a model of English takes for noise, go into the search."""
    text = expanded("Wie sichern wir die Datenbanken von ORDERS_DB?", NO_SYNONYMS)
    assert text == "backup database ORDERS_DB sichern Datenbanken"


def test_a_projects_words_come_first_in_german_too() -> None:
    own = by_key({"Kladde": ("orders ledger",)})
    assert "orders ledger" in expanded("Wo liegt die Kladde?", own)


def test_english_text_has_no_german_word() -> None:
    """Falls where a key is an English word as well: its questions would be searched with what it means in German."""
    pages = "\n".join(page.read_text("utf-8") for page in REPOSITORY.glob("docs/**/*.md"))
    words = {word.lower() for word in words_in(pages) if word.isascii() and word.isalpha()}
    german = {key for key, _ in entries()}
    assert len(german) > 800
    quoted = {
        "datum",
        "fehlen",
        "sitzung",
        "verzeichnis",
        "falsch",
        "laufen",
        "lauscht",
        "rollen",
        "freitag",
        "geschlossen",
        "loschen",
        "nutzer",
    }
    assert words & german <= quoted, words & german


def test_a_text_in_english_covers_a_german_question() -> None:
    """Falls where the words of a question are looked for as they are typed."""
    asked = asked_words("Wie lange behält die Warteschlange ihre Nachrichten?", lambda _: 20_000, NO_SYNONYMS)
    covering = frozenset(analyze("The queue keeps messages for four days."))
    foreign = frozenset(analyze("Prices are integers of cents."))
    of_covering, of_foreign = credits_of(asked, [covering, foreign])
    assert coverage(asked, of_covering) > TRANSLATION_CREDIT / 2
    assert coverage(asked, of_foreign) == 0.0


def test_a_compound_is_covered_by_each_of_its_parts() -> None:
    (word,) = asked_words("Wo ist die Verbindungsgrenze?", None, NO_SYNONYMS)
    assert word.credit(frozenset(analyze("a limit"))) < word.credit(
        frozenset(analyze("a limit of connections"))
    )


def test_a_compound_weighs_as_its_parts_do() -> None:
    """Falls where the rarest part alone counts: a verb would weigh as much as what is asked about."""
    compound, part = (
        asked_words(f"Wo ist die {word}?", lambda _: 2_020, NO_SYNONYMS)[0].weight
        for word in ("Verbindungsgrenze", "Grenze")
    )
    assert compound == pytest.approx(2 * part)


def test_a_very_long_word_is_not_taken_apart() -> None:
    assert in_english("datei" * 500, is_surely_german=True) == ()
