"""Tokens that a question names exactly, beside the texts that would answer it: those said, and the share missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from memory_layer.domain.retrieval.question_words import AskedWord
from memory_layer.domain.retrieval.specific_tokens import SpecificToken, compared_text, is_version
from memory_layer.domain.text.analyzer import words_in


@dataclass(frozen=True, slots=True)
class SaidTokens:
    """Tokens of a question with the texts that say each. Args: said: by token and text."""

    tokens: Sequence[SpecificToken]
    said: Sequence[Sequence[bool]]

    @property
    def missed(self) -> list[SpecificToken]:
        """Tokens that no text says."""
        return [token for token, by_text in zip(self.tokens, self.said, strict=True) if not any(by_text)]

    def credits(
        self, words: Sequence[AskedWord], credits: Sequence[Sequence[float]]
    ) -> list[Sequence[float]]:
        """Share of each word that each text says, by text, where what belongs to a token is said with it or not.

        A text on another version says nothing of a version, though they have numbers in common.

        Args:
            credits: as `question_words.credits_of`.
        """
        found = [list(of_text) for of_text in credits]
        for token, by_text in zip(self.tokens, self.said, strict=True):
            inside = set(words_in(token.text))
            for at in (place for place, word in enumerate(words) if word.word in inside):
                for of_text, is_said in zip(found, by_text, strict=True):
                    of_text[at] = 1.0 if is_said else 0.0 if is_version(token) else of_text[at]
        return list(found)

    def share_missed(self, words: Sequence[AskedWord]) -> float:
        """Share of the question that is tokens which no text says, 0..1; a token weighs as much as the rarest word."""
        missed = len(self.missed)
        inside = {word for token in self.tokens for word in words_in(token.text)} if missed else set()
        rest = fsum(word.weight for word in words if word.word not in inside) if missed else 0.0
        return missed / (len(self.tokens) + rest) if missed else 0.0


def said_tokens(tokens: Sequence[SpecificToken], texts: Sequence[str]) -> SaidTokens:
    """Finds which texts say which tokens."""
    compared = [compared_text(text) for text in texts]
    return SaidTokens(tokens, [[token.is_said_in(text) for text in compared] for token in tokens])
