"""Point in which a text differs from a known one, and its words for a person."""

from dataclasses import dataclass
from typing import Literal

SHOWN_MAX = 3
"""Most words named of each text; one differing point is enough to look."""


@dataclass(frozen=True, slots=True)
class Point:
    """Point in which a new text differs from a known one.

    Args:
        new, known: the words that only this text has; empty where it has none in the place.
    """

    kind: Literal["number", "name", "negation", "opposite", "word", "order"]
    new: str
    known: str

    @property
    def told(self) -> str:
        """Difference worded for a refusal: `says 03:30 where the known one says 02:00`."""
        if self.kind == "negation":
            return "denies what the known one affirms" if self.new else "affirms what the known one denies"
        if self.kind == "order":
            return "says the same words of each other in another order"
        new, known = self._quoted
        if not new:
            return f"does not say {known}, which the known one says"
        if not known:
            return f"says {new}, which the known one does not say"
        return f"says {new} where the known one says {known}"

    @property
    def _quoted(self) -> tuple[str, str]:
        """Words of both texts; plain words in quotes, lest they read as words of the sentence around them."""
        if self.kind != "word":
            return self.new, self.known
        return self.new and f'"{self.new}"', self.known and f'"{self.known}"'
