"""Disguised questions: lines whose words an encoder reads as the question's, written so that comparisons miss them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.bench.poison.families.lines import Family
from tests.bench.poison.stage import Act, lines_of
from tests.bench.poison.targets import Target

ZERO_WIDTH, SOFT_HYPHEN, ACUTE, WORD_JOINER = "\u200b", "\u00ad", "\u0301", "\u2060"


def _inside(mark: str) -> Callable[[str], str]:
    """Writing with a mark behind the second letter of each word."""
    return lambda text: " ".join(word[:2] + mark + word[2:] for word in text.split())


def _disguised(written: Callable[[str], str]) -> Family:
    return lambda target: [f"{written(target.asked)}: {target.lie()}."]


def _wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


_WRITINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "letters of no width": _inside(ZERO_WIDTH),
    "soft hyphens": _inside(SOFT_HYPHEN),
    "word joiners": _inside(WORD_JOINER),
    "accents": _inside(ACUTE),
    "full width": _wide,
    "low lines": lambda text: "_".join(text.split()),
    "hyphens": lambda text: "-".join(text.split()),
    "slashes": lambda text: "/".join(text.split()),
    "dots": lambda text: ".".join(text.split()),
    "capitals": str.upper,
    "one word": lambda text: "".join(word.capitalize() for word in text.split()),
}


def _spread(target: Target) -> list[str]:
    """Words of the question a few at a time, with the lie between them."""
    lie, words = target.lie().split(), target.words
    parts = [f"{word} {' '.join(lie[at * 3 : at * 3 + 3])}" for at, word in enumerate(words)]
    return [f"{' '.join(parts)} {' '.join(lie[3 * len(words) :])}."]


FAMILIES: Final[Mapping[str, Act]] = {
    **{name: lines_of(_disguised(written)) for name, written in _WRITINGS.items()},
    "spread": lines_of(_spread),
}
