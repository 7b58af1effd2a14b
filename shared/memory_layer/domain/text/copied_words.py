"""Copied words: runs of words that a text has in common with a known one, and what it says beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.repeated_question import TEXTS_KEPT, words_of

RUN_WORDS: Final = 4
"""Words side by side from which on a run is copied: shorter ones are phrases that anybody uses."""

COPIED_SHARE: Final = 0.4
FEWEST_COPIED: Final = 6
"""Share of the known text's words that makes a text a copy of it, and the fewest words (ADR-0028)."""


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
    if copied < max(FEWEST_COPIED, COPIED_SHARE * len(words_of(known))):
        return None
    return " ".join(own)


def _beside(text: str, runs: Set[str]) -> list[str]:
    """Words of a text beside those that stand in these runs."""
    words = words_of(text)
    is_copied = [False] * len(words)
    for at, run in enumerate(_runs(words)):
        if run in runs:
            is_copied[at : at + RUN_WORDS] = [True] * RUN_WORDS
    return [word for word, copied in zip(words, is_copied, strict=True) if not copied]


@dataclass(frozen=True)
class CopiedTexts:
    """Texts whose words others may copy."""

    texts: Sequence[str] = ()

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """Places of the texts in which each run stands."""
        places = defaultdict[str, list[int]](list)
        for place, text in enumerate(self.texts):
            for run in _runs_in(text):
                places[run].append(place)
        return places

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(chain.from_iterable(map(words_of, self.texts)))

    def _may_share_run(self, text: str) -> bool:
        """False where so many words side by side are none of the known texts', in whatever order: as in most texts."""
        side_by_side = 0
        for word in words_of(text):
            side_by_side = side_by_side + 1 if word in self._words else 0
            if side_by_side == RUN_WORDS:
                return True
        return False

    def rest_of(self, text: str) -> str | None:
        """Words of a text beside those of the known one that leaves the fewest; None: it is a copy of none."""
        if not self.texts or not self._may_share_run(text):
            return None
        places = {place for run in self._places.keys() & _runs_in(text) for place in self._places[run]}
        rests = (rest_beside_copy(text, self.texts[place]) for place in sorted(places))
        return min((rest for rest in rests if rest is not None), key=len, default=None)

    def beside(self, text: str) -> str:
        """A text without the runs of words that it copies of any known one, be they ever so few."""
        shared = self._places.keys() & _runs_in(text) if self.texts else set[str]()
        return " ".join(_beside(text, shared)) if shared else text
