"""A column of few distinct texts: an integer code per slot and one dictionary."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray

V = TypeVar("V")

_FEW = 4
"""Codes that are compared one by one; a table of all codes takes as long as that."""


@dataclass(frozen=True, slots=True)
class CodedValues(Generic[V]):
    """A column of m records by its distinct values, of which record i has values[rows[i]]."""

    values: Sequence[V]
    rows: NDArray[np.intp]

    def take(self, records: NDArray[np.intp]) -> CodedValues[V]:
        """The column of some of the records."""
        return CodedValues(self.values, self.rows[records])


def uncoded_values(values: Sequence[V]) -> CodedValues[V]:
    """A column whose records hardly share a value."""
    return CodedValues(values, np.arange(len(values)))


class CodeDictionary(dict[str | None, int]):
    """Dictionary that gives every new text the next code; None has code 0."""

    def __init__(self) -> None:
        super().__init__({None: 0})

    def __missing__(self, text: str | None) -> int:
        code = self[text] = len(self)
        return code


class CodedColumn:
    """Column of one text, or None, for every slot."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._dtype = dtype
        self.dictionary = CodeDictionary()
        self.codes: GrowingArray[Any] = GrowingArray(dtype)

    def encode(self, texts: CodedValues[str | None]) -> NDArray[Any]:
        codes = map(self.dictionary.__getitem__, texts.values)
        return np.fromiter(codes, self._dtype, len(texts.values))[texts.rows]

    def mask(self, wanted: Collection[str | None]) -> NDArray[np.bool_]:
        """Mask of the slots that have one of these texts."""
        codes = [code for text in wanted if (code := self.dictionary.get(text)) is not None]
        mask: NDArray[np.bool_]
        if 0 < len(codes) <= _FEW:
            mask = self.codes.rows == codes[0]
            for code in codes[1:]:
                mask |= self.codes.rows == code
        else:
            is_wanted = np.zeros(len(self.dictionary), np.bool_)
            is_wanted[codes] = True
            mask = is_wanted[self.codes.rows]
        return mask
