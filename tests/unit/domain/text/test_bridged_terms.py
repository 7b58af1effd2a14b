"""German texts answer English questions and German ones in other forms; English texts have their own terms alone."""

from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.question_words import asked_words, coverage, credits_of
from memory_layer.domain.text.analyzer import distinct_terms
from memory_layer.domain.text.bridged_terms import GERMAN_TEXT, bridged_terms, german_share


def covered(question: str, text: str) -> float:
    words = asked_words(question, None, {})
    return coverage(words, credits_of(words, [bridged_terms(text)])[0])


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Kostet der Tausch der Leitungen etwas?", "Die Leitung und ihr Tausch sind kostenfrei."),
        ("Wo liegen die gespeicherten Protokolle?", "Das Protokoll wird im Archiv abgespeichert."),
        ("may I delete a branch", "Nicht den Branch l\u00f6schen ohne R\u00fcckfrage"),
    ],
)
def test_a_german_text_is_known_in_other_forms_and_in_english(question: str, text: str) -> None:
    """Falls where words count by their letters alone."""
    words = asked_words(question, None, {})
    assert coverage(words, credits_of(words, [distinct_terms(text)])[0]) < 0.6 <= covered(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wie gie\u00dfe ich Orchideen?", "Das Protokoll wird im Archiv abgespeichert."),
        ("who waters the orchids", "Nicht den Branch l\u00f6schen ohne R\u00fcckfrage"),
    ],
)
def test_what_a_german_text_does_not_say_it_does_not_answer(question: str, text: str) -> None:
    assert covered(question, text) == 0.0


@pytest.mark.parametrize("text", ["Restart the gateway after every change.", "REST API (port 3000)", ""])
def test_other_texts_have_the_terms_that_they_had(text: str) -> None:
    assert bridged_terms(text) == distinct_terms(text)


def test_the_share_of_german_texts() -> None:
    german, english = map(bridged_terms, ("Der Dienst ist nicht erreichbar.", "The service is down."))
    assert GERMAN_TEXT in german
    assert [german_share(texts) for texts in ((), (english,), (german, english), (german,))] == [0, 0, 0.5, 1]
