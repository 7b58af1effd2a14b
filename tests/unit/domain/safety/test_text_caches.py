"""Tables of words: each word is looked at once, until texts are to be forgotten or the table is full."""

from __future__ import annotations

from memory_layer.domain.safety.text_caches import WordTable, forget_texts


def test_a_word_is_made_once_until_texts_are_forgotten() -> None:
    made: list[str] = []

    def length(word: str) -> int:
        made.append(word)
        return len(word)

    table = WordTable(length, 8)
    assert [table["tea"], table["tea"], table["milk"]] == [3, 3, 4]
    assert made == ["tea", "milk"]
    forget_texts()
    assert (len(table), table["tea"], made) == (0, 3, ["tea", "milk", "tea"])


def test_a_full_table_begins_anew() -> None:
    table = WordTable(len, 3)
    lengths = [table[word] for word in ("a", "bb", "ccc", "dddd", "a")]
    assert lengths == [1, 2, 3, 4, 1]
    assert len(table) <= 3


def test_two_tables_of_the_same_words_are_both_forgotten() -> None:
    """Falls where the caches are told apart by what they keep."""
    tables = [WordTable(len, 3) for _ in range(2)]
    for table in tables:
        table["a"] = 1
    forget_texts()
    assert tables == [{}, {}]


def test_a_long_word_is_not_kept() -> None:
    """Safeguard: the longest word that a table keeps."""
    table = WordTable(len, 3, longest=4)
    assert [table[word] for word in ("four", "fives")] == [4, 5]
    assert set(table) == {"four"}
