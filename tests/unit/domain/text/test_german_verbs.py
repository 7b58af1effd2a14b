"""German verbs are known in the forms of questions: in parts, as participles, and with a changed root."""

from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.question_words import asked_words
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.german import in_english, whole_words
from memory_layer.domain.text.synonyms import by_key, expanded

NO_SYNONYMS = by_key({})


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Womit rollen wir das aus", "ausrollen"),
        ("Wann schaltet ihr den Server ab", "abschalten"),
        ("Ab wann nimmt der Dienst Daten an", "annehmen"),
        ("Schalten wir das Zertifikat ab", "abschalten"),
        ("Worauf weicht er aus wenn der Cache fehlt", "ausweichen"),
        ("Wann schicken wir die Mahnung raus", None),
        ("Wie heisst der Ordner", None),
    ],
)
def test_a_verb_and_the_prefix_at_the_end_of_its_clause_come_together(
    question: str, whole: str | None
) -> None:
    """Falls where the parts of a verb are looked up one by one."""
    words = question.split()
    found = set(whole_words(tuple(words))) - set(words) - {""}
    assert found == ({whole} if whole else set())


def test_the_parts_of_a_verb_are_searched_as_one() -> None:
    assert expanded("Womit rollen wir den Dienst aus?", NO_SYNONYMS).split()[:2] == ["deployment", "deploy"]
    (verb, _) = asked_words("Womit rollen wir den Dienst aus?", None, NO_SYNONYMS)
    assert verb.word == "rollen"
    assert verb.credit(frozenset(analyze("deployed by a script"))) > 0.5


@pytest.mark.parametrize(
    ("form", "english"),
    [
        ("abgeschaltet", "disable"),
        ("abgeschalteten", "disable"),
        ("abzuschalten", "disable"),
        ("umgestellt", "migrate"),
        ("ausgewichen", "fall back"),
        ("geleert", "empty"),
        ("verwirft", "discard"),
        ("zusammengestellt", "put together"),
        ("ausgelagert", "move out"),
    ],
)
def test_a_form_of_a_verb_is_said_as_its_infinitive(form: str, english: str) -> None:
    """Falls without participles, infinitives with zu, or the verbs that change their root."""
    assert english in " ".join(in_english(form, is_surely_german=True))


def test_a_verb_with_an_unknown_prefix_is_said_without_it() -> None:
    """Falls where what is left of a word stands in the search as a word."""
    assert in_english("umgepackt", is_surely_german=True) == in_english("packen", is_surely_german=True) != ()
