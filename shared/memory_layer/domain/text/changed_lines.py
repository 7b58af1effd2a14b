"""Lines of an edited file beside those that are gone from it: which of them says a gone one in other words."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

CHANGED_LINE_SIMILARITY = 0.55
"""From here on a new line under the heading of a gone one is its new wording."""

_COMPARED_CHARS = 600
_WORD = re.compile(r"\w+")

PlacedLine = tuple[str, str]
"""Content of a line, and its place: the headings over it."""


def paired_lines(new: Sequence[PlacedLine], gone: Sequence[PlacedLine]) -> dict[int, int]:
    """Positions of new lines with those of the gone lines that they replace: most similar first, each once.

    Under another heading a line replaces one of the same words, whatever the two headings say before them.
    """
    by_place: dict[str, list[int]] = {}
    for position, (_, place) in enumerate(gone):
        by_place.setdefault(place, []).append(position)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, fresh, old in sorted(_likely(new, gone, by_place)):
        if fresh not in pairs and old not in taken:
            pairs[fresh] = old
            taken.add(old)
    return pairs


def _likely(
    new: Sequence[PlacedLine], gone: Sequence[PlacedLine], by_place: Mapping[str, Sequence[int]]
) -> Iterable[tuple[float, int, int]]:
    for fresh, (content, place) in enumerate(new):
        for old in by_place.get(place, ()):
            similarity = line_similarity(_ungoverned(content, place), _ungoverned(gone[old][0], place))
            if similarity >= CHANGED_LINE_SIMILARITY:
                yield -similarity, fresh, old
    by_words: dict[str, list[int]] = {}
    for old, (content, place) in enumerate(gone):
        by_words.setdefault(_ungoverned(content, place).strip(), []).append(old)
    for fresh, (content, place) in enumerate(new):
        for old in by_words.get(_ungoverned(content, place).strip(), ()):
            yield 0.0, fresh, old  # after all of the same place


def _ungoverned(content: str, place: str) -> str:
    """Words of a line without the headings that govern it, which all lines under them share."""
    titles, mark, words = content.partition(":")
    return words if mark and set(titles.split(" > ")) <= set(place.split(" > ")) else content


def line_similarity(one: str, other: str) -> float:
    """Likeness of two lines, 0 to 1: the mean of their common words and their common characters.

    Short lines share a verb by chance (`Use npm`, `Use tabs`), so words alone do not tell; long ones share letters.
    """
    one, other = one[:_COMPARED_CHARS].lower(), other[:_COMPARED_CHARS].lower()
    words, others = Counter(_WORD.findall(one)), Counter(_WORD.findall(other))
    total = words.total() + others.total()
    common = 2 * (words & others).total() / total if total else 0.0
    return (common + SequenceMatcher(None, one, other, autojunk=False).ratio()) / 2
