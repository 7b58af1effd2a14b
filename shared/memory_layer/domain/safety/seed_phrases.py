"""Recogniser of seed phrases of wallets: twelve or more words of the list of BIP-39."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from memory_layer.domain.safety.secret_spans import SecretSpan
from memory_layer.domain.safety.seed_words import SEED_WORDS

_NUMBERS = {word: number for number, word in enumerate(SEED_WORDS.split())}
_WORD = re.compile(r"[A-Za-z]+")
_LENGTHS = (24, 21, 18, 15, 12)
"""Numbers of words that a phrase may have. Source: BIP-39."""

_BLANK = r"[\s\d,;.|()\[\]\"'`>*-]"
_BETWEEN = re.compile(rf"{_BLANK}{{1,16}}")
_TWELVE = re.compile(
    rf"{_BLANK}(?<=[A-Za-z]{{3}}.)(?<![A-Za-z]{{9}}.){_BLANK}{{0,15}}+[A-Za-z]{{3,8}}+(?![A-Za-z])"
    rf"(?:{_BLANK}{{1,16}}+[A-Za-z]{{3,8}}+(?![A-Za-z])){{10}}",
    re.DOTALL,
)
"""Twelve words as long as those of the list, which few sentences have in a row; looked for from behind the first."""

_ANNOUNCED = re.compile(r"(?i)\b(?:seed|mnemonic|wallet|recovery|bip-?39|wiederherstellungs\w{0,12})\b")


def seed_phrases(text: str) -> Iterator[SecretSpan]:
    """Finds phrases whose checksum holds, which prose has by chance never; announced ones without it."""
    if _TWELVE.search(text) is None:
        return
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if words and not _goes_on(words[-1], word):
            yield from _phrases(words)
            words = []
        if word[0].lower() in _NUMBERS:
            words.append(word)
    yield from _phrases(words)


def _goes_on(last: re.Match[str], word: re.Match[str]) -> bool:
    if word[0].lower() not in _NUMBERS:
        return False
    return _BETWEEN.fullmatch(word.string, last.end(), word.start()) is not None


def _phrases(words: Sequence[re.Match[str]]) -> Iterator[SecretSpan]:
    """Finds phrases in a run of listed words; the longest at each word."""
    if len(words) < _LENGTHS[-1]:
        return
    start, head = 0, words[0].string[max(0, words[0].start() - 80) : words[0].start()]
    if _ANNOUNCED.search(head):
        yield SecretSpan(words[0].start(), words[-1].end(), "seed_phrase")
        return
    numbers = [_NUMBERS[word[0].lower()] for word in words]
    while start + _LENGTHS[-1] <= len(words):
        length = next((n for n in _LENGTHS if checksum_holds(numbers[start : start + n], n)), 0)
        if length:
            yield SecretSpan(words[start].start(), words[start + length - 1].end(), "seed_phrase")
        start += length or 1


def checksum_holds(numbers: Sequence[int], length: int) -> bool:
    """Validates the last bits of a phrase: the first bits of the hash of the others.

    Source: BIP-39, "Generating the mnemonic".
    """
    if len(numbers) != length:
        return False
    check_bits = length // 3
    bits = 0
    for number in numbers:
        bits = bits << 11 | number
    entropy = (bits >> check_bits).to_bytes(check_bits * 4, "big")
    return sha256(entropy).digest()[0] >> (8 - check_bits) == bits & ((1 << check_bits) - 1)
