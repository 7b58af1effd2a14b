"""How long a text is to a model: what every token counter offers, and the one that needs no vocabulary."""

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """Counts many texts at once, so that a vocabulary is gone through once."""

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        """Tokens of each text, >= 0, in their order."""


def chars4(texts: Sequence[str]) -> list[int]:
    """Four ASCII characters a token, every other character a token of its own; rounded up.

    On the safe side of byte-pair vocabularies for prose, whose words have 4 to 5 characters a token; code and
    identifiers may take more tokens than this says, so name the model's own tokenizer where it matters.
    """
    return [-(-(len(text) + 3 * _foreign(text)) // 4) for text in texts]


def _foreign(text: str) -> int:
    return 0 if text.isascii() else sum(character > "\x7f" for character in text)
