"""Codes of one letter at a time: Morse, words of a spelling alphabet, places in the alphabet."""

import re

from memory_layer.domain.safety import other_letters as letters

MORSE_RUN = re.compile(
    r"(?:[.\-\u2013\u2212\u00b7\u2022_]{1,6}[\s/|]+){12,}[.\-\u2013\u2212\u00b7\u2022_]{1,6}"
)
SPELLED_RUN = re.compile(
    rf"\b(?:(?:{letters.SPELLING_WORDS.replace(' ', '|')})\b[\s,./-]*){{10,}}", re.IGNORECASE
)
PLACES_RUN = re.compile(
    r"(?<![\w.-])(?:\d{1,2}(?:[-.,]\d{1,2})*[\s/|]+){4,}\d{1,2}(?:[-.,]\d{1,2})*(?![\w-])"
)


def from_morse(run: str) -> str:
    """Text of Morse code; words are told from each other by a slash or a wide gap."""
    plain = run.translate(str.maketrans("\u2013\u2212\u00b7\u2022_", "--..-"))
    words = re.split(r"\s*[/|]\s*|\s{2,}", plain)
    return " ".join("".join(letters.MORSE.get(letter, "") for letter in word.split()) for word in words)


def from_places(run: str) -> str:
    """Text of places in the alphabet, 1 to 26; words are told from each other by a blank or a slash."""
    words = [re.split("[-.,]", word) for word in re.split(r"[\s/|]+", run)]
    if not all(1 <= int(place) <= 26 for word in words for place in word):
        return ""
    return " ".join("".join(chr(ord("a") + int(place) - 1) for place in word) for word in words)


def from_spelled(run: str) -> str:
    return "".join(word[0].lower() for word in re.findall(r"[A-Za-z]+", run))
