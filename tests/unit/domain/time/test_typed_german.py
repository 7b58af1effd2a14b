from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memory_layer.domain.retrieval.asked_period import period_in
from memory_layer.domain.time.resolve_times import resolve_times
from memory_layer.domain.time.typed_german import with_german_letters

SAID = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "words", "first", "last"),
    [
        ("Wir haben uebermorgen Abnahme.", "uebermorgen", date(2026, 12, 2), date(2026, 12, 2)),
        ("Der Test: naechste Woche ziehen wir um.", "naechste Woche", date(2026, 12, 7), date(2026, 12, 13)),
        ("Anfang Maerz haben wir gewechselt.", "Anfang Maerz", date(2026, 3, 1), date(2026, 3, 31)),
        (
            "Frueher war es so, letzten Maerz fiel er aus.",
            "letzten Maerz",
            date(2026, 3, 1),
            date(2026, 3, 31),
        ),
    ],
)
def test_words_typed_without_german_letters_are_resolved_and_kept_as_they_are(
    typed: str, words: str, first: date, last: date
) -> None:
    """Falls where the words are cut out of the text at the places that they have with the letters."""
    assert [(one.words, one.from_, one.to) for one in resolve_times(typed, SAID)] == [(words, first, last)]


def test_a_question_names_its_period_without_german_letters() -> None:
    plain, typed = (period_in(f"Was ist im {month} passiert?", SAID) for month in ("M\u00e4rz", "Maerz"))
    assert plain is not None
    assert typed is not None
    assert typed.days == plain.days


@pytest.mark.parametrize("text", ["It is due on Tuesday in June", "Was war im April?", ""])
def test_another_text_stays_as_it_is(text: str) -> None:
    written, place = with_german_letters(text)
    assert (written, place(5)) == (text, 5)
