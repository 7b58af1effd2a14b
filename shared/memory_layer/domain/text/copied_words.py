"""Copied words: runs of words that a text has in common with a known one, and what it says beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, pairwise
from typing import Final

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.text.repeated_question import words_of

RUN_WORDS: Final = 4
"""Words side by side from which on a run is copied: shorter ones are phrases that anybody uses."""

COPIED_SHARE: Final = 0.4
FEWEST_COPIED: Final = 6
"""Share of the known text's words that makes a text a copy of it, and the fewest words (ADR-0028)."""

_WORD_BITS: Final = 64 // RUN_WORDS
"""Bits of a word's number in the code of a run."""

_SLOTS: Final = 65_521
"""Remainders by which most runs are told to be in no text that is looked at; a prime, so that all words count."""


@dataclass(frozen=True)
class CopiedTexts:
    """Texts whose words others may copy; of all their words the first 65,535, so that a run has a code of its own."""

    texts: Sequence[str] = ()

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return list(map(words_of, self.texts))

    @cached_property
    def _fewest(self) -> NDArray[np.float64]:
        """Words that a copy of each text has at least of it."""
        return np.maximum(FEWEST_COPIED, COPIED_SHARE * np.array(list(map(len, self._words))))

    @cached_property
    def _known(self) -> tuple[Mapping[str, int], NDArray[np.uint64], NDArray[np.intp]]:
        """Number of each word, from 1; the codes of all runs, and the place of the text that each stands in."""
        numbers = defaultdict[str, int](count(1).__next__)
        codes, places, _ = _coded(self._words, numbers)
        return numbers, codes, places

    def rests_of(self, texts: Sequence[str]) -> list[str | None]:
        """Words of each text beside those of the known one that leaves the fewest; None: it is a copy of none."""
        if not self.texts:
            return [None] * len(texts)
        said = list(map(words_of, texts))
        return [self._rest(*each) for each in zip(said, *self._shared(said), strict=True)]

    def beside(self, text: str) -> str:
        """A text without the runs of words that it copies of any known one, be they ever so few."""
        if not self.texts:
            return text
        words = words_of(text)
        ((starts,), _) = self._shared([words])
        return " ".join(_beside(words, starts)) if len(starts) else text

    def _rest(self, words: tuple[str, ...], starts: NDArray[np.intp], places: NDArray[np.intp]) -> str | None:
        runs = np.bincount(places, minlength=len(self.texts))
        rests = list[str]()
        for place in true_rows(RUN_WORDS * runs >= self._fewest).tolist():
            own = _beside(words, starts[places == place])
            if len(words) - len(own) >= self._fewest[place]:
                rests.append(" ".join(own))
        return min(rests, key=len, default=None)

    def _shared(
        self, texts: Sequence[tuple[str, ...]]
    ) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
        """Runs of each text that stand in known ones: where each begins, and the places of these, side by side."""
        numbers, known, places = self._known
        codes, of_text, starts = _coded(texts, defaultdict(int, numbers))
        is_met = np.zeros(_SLOTS, np.bool_)
        is_met[codes % _SLOTS] = True
        rows = true_rows(is_met[known % _SLOTS])
        rows = rows[known[rows].argsort(kind="stable")]
        known, places = known[rows], places[rows]
        is_first = np.ones(len(rows), np.bool_)  # in its text
        is_first[1:] = (known[1:] != known[:-1]) | (places[1:] != places[:-1])
        known, places = known[is_first], places[is_first]
        lows, highs = known.searchsorted(codes), known.searchsorted(codes, side="right")
        rows = true_rows(highs > lows)
        ends = of_text[rows].searchsorted(np.arange(len(texts) + 1)).tolist()
        of_each = [rows[first:end] for first, end in pairwise(ends)]
        begun = [starts[each].repeat((highs - lows)[each]) for each in of_each]
        return begun, [_slices(places, lows[each].tolist(), highs[each].tolist()) for each in of_each]


def _slices(places: NDArray[np.intp], lows: Sequence[int], highs: Sequence[int]) -> NDArray[np.intp]:
    found = [places[low:high] for low, high in zip(lows, highs, strict=True)]
    return np.concatenate(found) if found else places[:0]


def _coded(
    texts: Sequence[tuple[str, ...]], numbers: defaultdict[str, int]
) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp]]:
    """Codes of the runs of texts that have no word of number 0, the text of each, and where in it each begins."""
    sizes = list(map(len, texts))
    said = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.uint64, sum(sizes))
    of_text = np.repeat(np.arange(len(texts)), sizes)
    at = np.arange(len(said)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    last = RUN_WORDS - 1
    is_run = of_text[last:] == of_text[:-last]
    codes = np.zeros(len(is_run), np.uint64)
    for step in range(RUN_WORDS):
        word = said[step : step + len(codes)]
        is_run &= (word > 0) & (word < 1 << _WORD_BITS)
        codes = codes << np.uint64(_WORD_BITS) | word
    return codes[is_run], of_text[: len(codes)][is_run], at[: len(codes)][is_run]


def _beside(words: tuple[str, ...], starts: NDArray[np.intp]) -> list[str]:
    """Words beside the runs that begin there."""
    is_copied = np.zeros(len(words), np.bool_)
    for step in range(RUN_WORDS):
        is_copied[starts + step] = True
    return [words[at] for at in true_rows(~is_copied).tolist()]
