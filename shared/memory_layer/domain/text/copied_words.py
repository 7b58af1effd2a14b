"""Copied words: runs of words that a text has in common with a known one, and what it says beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Final

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.repeated_question import TEXTS_KEPT, words_of

RUN_WORDS: Final = 4
"""Words side by side from which on a run is copied: shorter ones are phrases that anybody uses."""

COPIED_SHARE: Final = 0.4
FEWEST_COPIED: Final = 6
"""Share of the known text's words that makes a text a copy of it, and the fewest words (ADR-0028)."""

_WORD_BITS: Final = 64 // RUN_WORDS

_SLOTS: Final = 65_521
"""Remainders by which most runs are told to be in no text that is looked at; a prime, so that all words count."""


@kept_by_text(TEXTS_KEPT)
def _runs_in(text: str) -> frozenset[str]:
    """Runs of a text, each as a line: through thousands of tuples every garbage collection would look."""
    return frozenset(_runs(words_of(text)))


def _runs(words: Sequence[str]) -> Iterator[str]:
    return map(" ".join, zip(*(words[at:] for at in range(RUN_WORDS)), strict=False))


def rest_beside_copy(text: str, known: str) -> str | None:
    """Words of a text beside those that it copies from a known one; None: it copies too little to be a copy."""
    shared = _runs_in(known) & _runs_in(text)
    if not shared:
        return None
    own = _beside(text, shared)
    copied = len(words_of(text)) - len(own)
    return " ".join(own) if copied >= _fewest_copied(len(words_of(known))) else None


def _fewest_copied(words: int) -> float:
    """Words that a copy has at least of a known text with so many."""
    return max(FEWEST_COPIED, COPIED_SHARE * words)


def _beside(text: str, runs: Set[str]) -> list[str]:
    """Words of a text beside those that stand in these runs."""
    words = words_of(text)
    is_copied = [False] * len(words)
    for at, run in enumerate(_runs(words)):
        if run in runs:
            is_copied[at : at + RUN_WORDS] = [True] * RUN_WORDS
    return [word for word, copied in zip(words, is_copied, strict=True) if not copied]


def _coded(
    texts: Sequence[Sequence[str]], number_of: Callable[[str], int]
) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Codes of the runs of texts that have no word of number 0, and the text that each stands in.

    Equal runs have equal codes; others as well, where there are so many words that their numbers overlap.
    """
    sizes = list(map(len, texts))
    numbers = np.fromiter(map(number_of, chain.from_iterable(texts)), np.uint64, sum(sizes))
    places = np.repeat(np.arange(len(texts)), sizes)
    last = RUN_WORDS - 1
    is_run = places[last:] == places[:-last]
    codes = np.zeros(len(is_run), np.uint64)
    for at in range(RUN_WORDS):
        word = numbers[at : at + len(codes)]
        is_run &= word > 0
        codes = (codes << _WORD_BITS) ^ word
    return codes[is_run], places[: len(codes)][is_run]


@dataclass(frozen=True)
class CopiedTexts:
    """Texts whose words others may copy."""

    texts: Sequence[str] = ()

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return list(map(words_of, self.texts))

    @cached_property
    def _known(self) -> tuple[Mapping[str, int], NDArray[np.uint64], NDArray[np.intp]]:
        """Number of each word, from 1; the codes of all runs, and the place of the text that each stands in."""
        numbers = defaultdict[str, int](count(1).__next__)
        return numbers, *_coded(self._words, numbers.__getitem__)

    def _sharing(self, texts: Sequence[str]) -> list[NDArray[np.intp]]:
        """Places of the known texts that share a run with each text, one for each of the text's runs."""
        numbers, known, places = self._known
        codes, of_text = _coded(list(map(words_of, texts)), lambda word: numbers.get(word, 0))
        is_met = np.zeros(_SLOTS, np.bool_)
        is_met[codes % _SLOTS] = True
        rows = true_rows(is_met[known % _SLOTS])
        rows = rows[known[rows].argsort(kind="stable")]
        known, places = known[rows], places[rows]
        is_new = np.ones(len(rows), np.bool_)
        is_new[1:] = (known[1:] != known[:-1]) | (places[1:] != places[:-1])
        known, places = known[is_new], places[is_new]
        starts, ends = known.searchsorted(codes), known.searchsorted(codes, side="right")
        is_shared = ends > starts
        found: list[list[NDArray[np.intp]]] = [[places[:0]] for _ in texts]
        columns = (column[is_shared].tolist() for column in (of_text, starts, ends))
        for at, start, end in zip(*columns, strict=True):
            found[at].append(places[start:end])
        return list(map(np.concatenate, found))

    def rests_of(self, texts: Sequence[str]) -> list[str | None]:
        """Words of each text beside those of the known one that leaves the fewest; None: it is a copy of none."""
        if not self.texts:
            return [None] * len(texts)
        fewest = np.array([_fewest_copied(len(words)) for words in self._words])
        return [
            self._rest(text, true_rows(RUN_WORDS * np.bincount(places, minlength=len(fewest)) >= fewest))
            for text, places in zip(texts, self._sharing(texts), strict=True)
        ]

    def _rest(self, text: str, places: NDArray[np.intp]) -> str | None:
        """Fewest words of a text beside a copy. Args: places: of the known texts with enough of its runs."""
        rests = (rest_beside_copy(text, self.texts[at]) for at in places.tolist())
        return min((rest for rest in rests if rest is not None), key=len, default=None)

    def beside(self, text: str) -> str:
        """A text without the runs of words that it copies of any known one, be they ever so few."""
        (places,) = self._sharing([text]) if self.texts else ([],)
        known = frozenset[str]().union(*(_runs_in(self.texts[at]) for at in set(places)))
        shared = known & _runs_in(text) if known else known
        return " ".join(_beside(text, shared)) if shared else text
