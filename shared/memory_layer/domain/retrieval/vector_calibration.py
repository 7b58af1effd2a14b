"""Calibration of an encoder: its vectors less what they all have in common, so that its cosines mean what ours do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from memory_layer.domain.arrays import NDArray, np

_Rows: TypeAlias = "NDArray[np.float32]"


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineScale:
    """Cosines that an encoder gives to pairs of known texts, -1..1: the scale on which all thresholds stand.

    Args:
        apart, apart_high: of two texts on different things, median and 95th percentile.
        unasked, unasked_high: of a question and what does not answer it, the same two.
        answer: of a question and its answer, median.
        near: of two texts that say the same in nearly the same words, median.
    """

    apart: float
    apart_high: float
    unasked: float
    unasked_high: float
    answer: float
    near: float

    def distance(self, other: CosineScale) -> float:
        """Greatest difference of the two scales at any of their points."""
        return max(abs(float(getattr(self, name) - getattr(other, name))) for name in self.__slots__)


OWN_SCALE: Final = CosineScale(
    apart=0.066, apart_high=0.242, unasked=0.044, unasked_high=0.196, answer=0.423, near=0.983
)
"""Scale of all-MiniLM-L6-v2 (int8) on the calibration texts, on which every threshold was fitted (ADR-0045)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTexts:
    """Vectors of the calibration texts, as an encoder gives them; unit rows.

    Args:
        questions, answers: row by row; shape (n, dimensions).
        near: pairs that say the same; two arrays of shape (m, dimensions).
    """

    questions: _Rows
    answers: _Rows
    near: tuple[_Rows, _Rows]

    def scale(self) -> CosineScale:
        """Scale of these vectors."""
        among, asked = self.answers @ self.answers.T, self.questions @ self.answers.T
        is_other = ~np.eye(len(asked), dtype=np.bool_)
        apart = among[np.triu_indices(len(among), 1)]
        one, other = self.near
        return CosineScale(
            apart=_share(apart, 50),
            apart_high=_share(apart, 95),
            unasked=_share(asked[is_other], 50),
            unasked_high=_share(asked[is_other], 95),
            answer=_share(np.diagonal(asked), 50),
            near=_share(np.einsum("ij,ij->i", one, other), 50),
        )


def _share(values: _Rows, percent: float) -> float:
    return float(np.percentile(values, percent))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Correction of an encoder's vectors.

    Args:
        share: of the mean vectors that is taken off, 0..1; 0: vectors stay as they are.
        question_mean, memory_mean: mean vectors of questions and of texts, shape (dimensions,).
    """

    share: float
    question_mean: _Rows
    memory_mean: _Rows

    def questions(self, rows: _Rows) -> _Rows:
        """Corrected unit vectors of questions; shape as given."""
        return _less(rows, self.share * self.question_mean) if self.share else rows

    def memories(self, rows: _Rows) -> _Rows:
        """Corrected unit vectors of memories; shape as given."""
        return _less(rows, self.share * self.memory_mean) if self.share else rows

    def applied(self, texts: KnownTexts) -> KnownTexts:
        """Corrected vectors of the calibration texts."""
        one, other = texts.near
        near = self.memories(one), self.memories(other)
        return KnownTexts(
            questions=self.questions(texts.questions), answers=self.memories(texts.answers), near=near
        )


def _less(rows: _Rows, common: _Rows) -> _Rows:
    """Unit rows less a vector; what is that vector alone stays as it was."""
    left = rows - common
    length = np.linalg.norm(left, axis=-1, keepdims=True)
    return np.where(length > 1e-6, left / np.maximum(length, 1e-6), rows).astype(np.float32)


SHARES: Final[Sequence[float]] = tuple(step / 50 for step in range(51))
"""Shares that are tried; of equally good ones the least."""


def fitted(texts: KnownTexts, own: CosineScale = OWN_SCALE) -> Calibration:
    """Calibration under which an encoder's scale is nearest to our own.

    Encoders that are trained with a low temperature place all texts in a narrow cone: two that have nothing to do with
    each other have a cosine of .7 to .8. What all vectors have in common tells nothing; without it the cone opens.

    Source: Mu and Viswanath, All-but-the-Top (2018), the mean alone; ADR-0045 has what it does to a real encoder.
    """
    question_mean, memory_mean = texts.questions.mean(axis=0), texts.answers.mean(axis=0)
    tried = [Calibration(share, question_mean, memory_mean) for share in SHARES]
    return min(tried, key=lambda each: each.applied(texts).scale().distance(own))
