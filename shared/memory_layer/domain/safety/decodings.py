"""Decodings of a text: what it says in other letters, codes or orders, each tried only where its shape is there.

Every decoder takes time linear in the length of the text. What they return is judged and thrown away.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote

from memory_layer.domain.safety import encoded_bytes, letter_codes, separators, shifted_letters
from memory_layer.domain.safety import other_letters as letters
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text_rules import LOOKALIKES

Decoder = Callable[[str], str]

RUNS_MAX: Final = 32
"""Runs of code of one kind that are decoded in a text."""

COMMON: Final = frozenset(
    word
    for line in (
        "the and you your all to of is are not now from this that with ignore previous instructions system",
        "prompt send secret password always never what must will have new rules",
    )
    for word in line.split()
)
"""Words of which every order has some: a text that has more of them in another order or alphabet is written in it."""

_WORD = re.compile(r"[a-z]+")
_LEET_WORD = re.compile(rf"[A-Za-z][{letters.LEET_DIGITS}]|[{letters.LEET_DIGITS}][A-Za-z]")
_LETTERS_APART = re.compile(r"(?<![^\W_])[^\W_](?:[^\n0-9A-Za-z\u00c0-\uffff]{1,3}[^\W_](?![^\W_])){7,}")
_MARKED_LETTER = re.compile(r"[^\W_](?=[^\w\s]|_)")
_LETTERS_ON_LINES = re.compile(r"(?:^[^\w\n]{0,3}\w[^\w\n]{0,3}\n){8,}", re.MULTILINE)
_WIDE_GAP = re.compile(r"\s{2,}|\s*[/|]\s*")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[^%\s]{0,24}){2,}")
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-fA-F]{2,5}|[A-Za-z]{2,8});")
_ESCAPE = re.compile(
    r"\\u\{([0-9a-fA-F]{1,6})\}|[\\%]u([0-9a-fA-F]{4,5})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})"
    r"|\\(0{2,4}[0-9a-fA-F]{2,4})\s?|\\([0-7]{3})|U\+([0-9A-F]{4,5})\s?"
)
_OCTAL: Final = 6
"""Group of the pattern whose digits are octal; those of the others are hex."""

_ORDER_TURNED = re.compile(
    r"\b(?:instructions?|prompts?|rules|guidelines|directives)\W+(?:previous|prior|earlier|above|system|your|the|all)\b",
    re.IGNORECASE,
)
_SPELLING_WORDS: Final = frozenset(letters.SPELLING_WORDS.split())
_LAST_ONES = re.compile(r"(?<=[A-Za-z0-9])1+(?![A-Za-z0-9])")
_DOUBLES = re.compile(r"(?:([A-Za-z])\1)+")
_DOUBLED = re.compile(r"(?:([A-Za-z])\1){4}")


def decodings(text: str) -> Iterator[tuple[str, str]]:
    """Yields what a text says otherwise written: the kind of writing, and the text in plain letters."""
    for kind, is_there, decode in _DECODERS:
        if is_there(text):
            decoded = decode(text)[: encoded_bytes.DECODED_MAX]
            if decoded and decoded != text:
                yield kind, decoded


def _letters_joined(text: str) -> str:
    """Joins letters that stand apart; words are told from each other by a wider gap, or by a blank among marks."""

    def joined(match: re.Match[str]) -> str:
        is_marked = len(_MARKED_LETTER.findall(match[0])) * 3 > len(match[0])
        words = match[0].split() if is_marked else _WIDE_GAP.split(match[0])
        return " ".join("".join(letter for letter in word if letter.isalnum()) for word in words)

    on_one_line = _LETTERS_ON_LINES.sub(lambda match: match[0].replace("\n", " ") + "\n", text)
    return _LETTERS_APART.sub(joined, on_one_line)


def _leet_by_place(text: str) -> str:
    """Digits as letters, where 1 is an l at the end of a word and an i elsewhere, and 6 a b."""
    return _LAST_ONES.sub(lambda ones: "l" * len(ones[0]), text).replace("6", "b").translate(letters.LEET)


def _of_runs(pattern: re.Pattern[str], decode: Callable[[str], str]) -> Decoder:
    """Decoder of the runs of code in a text, with the words between them left out."""

    def decoded(text: str) -> str:
        found = (match[0] for _, match in zip(range(RUNS_MAX), pattern.finditer(text), strict=False))
        return "\n".join(filter(None, map(decode, found)))

    return decoded


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        digits = match[match.lastindex or 0]
        code = int(digits, 8 if match.lastindex == _OCTAL else 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""

    return _ESCAPE.sub(character, text)


def _read(decode: Decoder) -> Callable[[str], bool]:
    """Test for a text of which more common words are read once they are decoded. Args: decode: one word."""
    written = frozenset(map(decode, COMMON))

    def is_better(text: str) -> bool:
        words = _words(text)
        return len(written & words) > max(1, len(COMMON & words))

    return is_better


@kept_by_text(4)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[: encoded_bytes.DECODED_MAX].lower()))


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


def _has_letters_of(table: dict[int, str]) -> Callable[[str], bool]:
    one_of_them = re.compile(f"[{''.join(map(re.escape, map(chr, table)))}]")
    return lambda text: not text.isascii() and one_of_them.search(text) is not None


@kept_by_text(4)
def _has_leet(text: str) -> bool:
    """Tests for digits inside words, with which more common words are read than without."""
    if _LEET_WORD.search(text) is None:
        return False
    plain = frozenset(_WORD.findall(text[: encoded_bytes.DECODED_MAX].lower().translate(letters.LEET)))
    return len(COMMON & plain) > len(COMMON & _words(text))


PLAIN_FROM: Final = 4
"""Common words from which on a text is no cipher of letters."""


def _shift(text: str) -> shifted_letters.Shift | None:
    words = _words(text)
    plain = len(COMMON & words)
    return None if plain >= PLAIN_FROM else shifted_letters.shift_of(words, COMMON, plain)


def _unshifted(text: str) -> str:
    shift = _shift(text)
    return "" if shift is None else shift.undone(text)


def _is_rot47(text: str) -> bool:
    plain = len(COMMON & _words(text))
    return plain < PLAIN_FROM and shifted_letters.is_rot47(text, COMMON, plain)


def _has_percents(text: str) -> bool:
    return ("%" in text and _PERCENT.search(text) is not None) or text.count("+") > 2


def _has_spelled(text: str) -> bool:
    return len(_SPELLING_WORDS & _words(text)) > 4


def _rot13(text: str) -> str:
    return text.translate(letters.ROT13)


def _atbash(text: str) -> str:
    return text.lower().translate(letters.ATBASH)


def _turned_round(text: str) -> str:
    return text[::-1]


_TURNED_LETTERS: Final = {code: letter for code, letter in letters.UPSIDE_DOWN.items() if code > 127}


def _turned(text: str) -> str:
    return text[::-1].translate(letters.UPSIDE_DOWN)


def _words_turned(text: str) -> str:
    return re.sub(r"[A-Za-z]+", lambda match: match[0][::-1], text)


def _lookalikes(text: str) -> str:
    return normalize("NFKC", text).translate(LOOKALIKES)


_DECODERS: Final[tuple[tuple[str, Callable[[str], bool], Decoder], ...]] = (
    ("letters that look Latin", _has_letters_of(LOOKALIKES), _lookalikes),
    ("letters under marks", separators.are_over_letters, separators.without_those_over_letters),
    ("enclosed letters", _has_letters_of(letters.ENCLOSED), lambda text: text.translate(letters.ENCLOSED)),
    (
        "Braille",
        _has_letters_of(letters.BRAILLE),
        lambda text: text.translate(letters.BRAILLE).replace("\u2800", " "),
    ),
    ("digits for letters", _has_leet, lambda text: text.translate(letters.LEET)),
    ("digits for letters", _has_leet, lambda text: text.translate(letters.LEET_WITH_L)),
    ("digits for letters", _has_leet, _leet_by_place),
    ("marks between letters", separators.are_there, separators.without_marks),
    (
        "letters apart",
        lambda text: bool(_LETTERS_APART.search(text) or _LETTERS_ON_LINES.search(text)),
        _letters_joined,
    ),
    ("marks between words", _has(separators.MARKED_WORDS), separators.unmarked_words),
    ("doubled letters", _has(_DOUBLED), lambda text: _DOUBLES.sub(lambda pairs: pairs[0][::2], text)),
    ("words apart", separators.has_words_apart, separators.words_together),
    ("joined words", encoded_bytes.among_long_words(separators.JOINED_WORDS), separators.words_unjoined),
    ("numbered words", _has(separators.NUMBERED_WORDS), separators.unnumbered_words),
    ("words in reverse order", _has(_ORDER_TURNED), lambda text: " ".join(text.split()[::-1])),
    ("one long name", encoded_bytes.among_long_words(separators.LONG_NAME), separators.words_of_name),
    ("rot13", _read(_rot13), _rot13),
    ("shifted letters", lambda text: _shift(text) is not None, _unshifted),
    ("rot47", _is_rot47, shifted_letters.rot47),
    (
        "places in the alphabet",
        encoded_bytes.among_digits(letter_codes.PLACES_RUN),
        _of_runs(letter_codes.PLACES_RUN, letter_codes.from_places),
    ),
    ("Atbash", _read(_atbash), _atbash),
    ("reversed text", _read(_turned_round), _turned_round),
    ("reversed words", _read(_turned_round), _words_turned),
    ("text upside down", _has_letters_of(_TURNED_LETTERS), _turned),
    (
        "base64",
        encoded_bytes.among_coded_words(encoded_bytes.BASE64),
        _of_runs(encoded_bytes.BASE64, encoded_bytes.from_base64),
    ),
    (
        "base64 of words",
        encoded_bytes.among_coded_words(encoded_bytes.BASE64_OF_WORDS),
        _of_runs(encoded_bytes.BASE64_OF_WORDS, encoded_bytes.from_base64_of_words),
    ),
    (
        "base64 in pieces",
        encoded_bytes.among_long_words(encoded_bytes.BASE64_IN_PIECES),
        _of_runs(encoded_bytes.BASE64_IN_PIECES, encoded_bytes.from_base64_in_pieces),
    ),
    (
        "base85",
        encoded_bytes.among_long_words(encoded_bytes.BASE85),
        _of_runs(encoded_bytes.BASE85, encoded_bytes.from_base85),
    ),
    ("uuencode", _has(encoded_bytes.UU), _of_runs(encoded_bytes.UU, encoded_bytes.from_uu)),
    ("UTF-7", _has(encoded_bytes.UTF7), encoded_bytes.from_utf7),
    (
        "base32",
        encoded_bytes.among_long_words(encoded_bytes.BASE32),
        _of_runs(encoded_bytes.BASE32, encoded_bytes.from_base32),
    ),
    ("Ascii85", _has(encoded_bytes.ASCII85), _of_runs(encoded_bytes.ASCII85, encoded_bytes.from_ascii85)),
    (
        "hex",
        encoded_bytes.among_digits(encoded_bytes.HEX),
        _of_runs(encoded_bytes.HEX, encoded_bytes.from_hex),
    ),
    (
        "binary digits",
        encoded_bytes.among_digits(encoded_bytes.BINARY),
        _of_runs(encoded_bytes.BINARY, encoded_bytes.from_binary),
    ),
    (
        "character codes",
        encoded_bytes.among_digits(encoded_bytes.NUMBERS),
        _of_runs(encoded_bytes.NUMBERS, encoded_bytes.from_numbers),
    ),
    (
        "character codes",
        encoded_bytes.among_digits(encoded_bytes.CALLS),
        _of_runs(encoded_bytes.CALLS, encoded_bytes.from_numbers),
    ),
    ("URL encoding", _has_percents, lambda text: unquote(text.replace("+", " "))),
    ("HTML entities", _has(_ENTITY), html.unescape),
    ("escaped characters", _has(_ESCAPE), _unescaped),
    ("quoted-printable", _has(encoded_bytes.QUOTED), encoded_bytes.from_quoted),
    ("Morse code", _has(letter_codes.MORSE_RUN), _of_runs(letter_codes.MORSE_RUN, letter_codes.from_morse)),
    ("a spelling alphabet", _has_spelled, _of_runs(letter_codes.SPELLED_RUN, letter_codes.from_spelled)),
)
"""Writing by kind: its name for the reviewer, the test for its shape, and its decoder."""
