"""Copied words: runs of words that a text has in common with a known one, and what it says beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Final

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.text.repeated_question import words_of

RUN_WORDS: Final = 4
"""Words side by side from which on a run is copied: shorter ones are phrases that anybody uses."""

COPIED_SHARE: Final = 0.4
FEWEST_COPIED: Final = 6
"""Share of the known text's words that makes a text a copy of it, and the fewest words (ADR-0028)."""

_FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
"""Odd factors, one for each word of a run, by which the same words in another order have another code."""

_SLOTS: Final = 65_521
"""Remainders by which most runs are told to be in no text that is looked at; a prime, so that all words count."""


@dataclass(frozen=True)
class CopiedTexts:
    """Texts whose words others may copy. Runs are told apart by codes of 64 bits, which nobody outside can foresee."""

    texts: Sequence[str] = ()

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return list(map(words_of, self.texts))

    @cached_property
    def _fewest(self) -> NDArray[np.float64]:
        """Words that a copy of each text has at least of it."""
        return np.maximum(FEWEST_COPIED, COPIED_SHARE * np.array(list(map(len, self._words))))

    @cached_property
    def _known(self) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        """Codes of all runs, and the place of the text that each stands in."""
        return _coded(self._words)[:2]

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
        known, places = self._known
        codes, of_text, starts = _coded(texts)
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
    texts: Sequence[tuple[str, ...]],
) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp]]:
    """Codes of the runs of texts, the text of each, and where in it each begins."""
    sizes = list(map(len, texts))
    words = np.fromiter(map(hash, chain.from_iterable(texts)), np.int64, sum(sizes)).view(np.uint64)
    of_text = np.repeat(np.arange(len(texts)), sizes)
    first_words = np.repeat(np.cumsum([0, *sizes[:-1]], dtype=np.intp)[: len(sizes)], sizes)
    rows = true_rows(of_text[RUN_WORDS - 1 :] == of_text[: 1 - RUN_WORDS])
    codes = np.zeros(len(rows), np.uint64)
    for step, factor in enumerate(_FACTORS):
        codes += words[rows + step] * np.uint64(factor)
    return codes, of_text[rows], rows - first_words[rows]


def _beside(words: tuple[str, ...], starts: NDArray[np.intp]) -> list[str]:
    """Words beside the runs that begin there."""
    is_copied = np.zeros(len(words), np.bool_)
    for step in range(RUN_WORDS):
        is_copied[starts + step] = True
    return [words[at] for at in true_rows(~is_copied).tolist()]
