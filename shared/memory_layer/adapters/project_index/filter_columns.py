"""Columns of the filtered fields: a query's filters become one boolean per slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.coded_column import CodedColumn, CodeDictionary, CodedValues
from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.label_column import LabelColumn
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import EQUALITIES, OVERLAPS, VISIBLE_STATUSES, Filters, LabelField
from memory_layer.domain.memory import ENDED_STATUSES
from memory_layer.domain.outcome import ARCHIVE_BELOW_SCORE
from memory_layer.domain.retrieval.facts import NEVER, microseconds

TEXTS = (*EQUALITIES, "complexity")
SCORES = ("confidence", "relevance_score", "success_rate", "outcome_score")
INSTANTS = ("created_at", "updated_at", "expires_at")
LABELS = OVERLAPS

NO_SCORE = -32_768

_OPEN_TEXTS = ("persona", "created_by", "session_id", "complexity")
"""Texts with any number of distinct values; those of the others are declared in domain.memory, and few."""
_WORST_OUTCOME = round(ARCHIVE_BELOW_SCORE * 1000)
"""Least outcome score that is recalled, in thousandths: below it, a record is hidden even before it is archived."""
_CACHED_MASKS = 4
_CACHED_VIEWERS = 16

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRows:
    """The filtered fields of m records, column by column.

    Args:
        texts: by the names in TEXTS; None where a record has none.
        scores: by the names in SCORES, in thousandths; NO_SCORE where it has none.
        instants: by the names in INSTANTS, microseconds since 1970; NEVER for what does not expire.
        labels: by the names in LABELS.
    """

    texts: Mapping[str, CodedValues[str | None]]
    scores: Mapping[str, NDArray[np.int16]]
    instants: Mapping[str, NDArray[np.int64]]
    labels: Mapping[str, CodedValues[Sequence[str]]]

    def take(self, records: NDArray[np.intp]) -> FilterRows:
        """The fields of some of the records."""
        return FilterRows(
            texts={name: texts.take(records) for name, texts in self.texts.items()},
            scores={name: scores[records] for name, scores in self.scores.items()},
            instants={name: instants[records] for name, instants in self.instants.items()},
            labels={name: labels.take(records) for name, labels in self.labels.items()},
        )


@dataclass(frozen=True, slots=True)
class StandingView:
    """View of the scores of every slot that its standing is made of, in thousandths."""

    confidence: NDArray[np.int16]
    relevance: NDArray[np.int16]

    def of(self, slots: NDArray[Any]) -> NDArray[np.int32]:
        """confidence × relevance_score of some slots, in millionths."""
        standing: NDArray[np.int32] = self.confidence[slots].astype(np.int32) * self.relevance[slots]
        return standing


@dataclass(frozen=True, slots=True)
class _CachedMask:
    """Mask with the time in which it holds: nothing expires from `since` until before `until`."""

    accepted: Mask
    since: int
    until: int

    def holds_at(self, moment: int) -> bool:
        return self.since <= moment < self.until


class FilterColumns:
    """Every filtered field of every slot, and the mask of live slots.

    Args:
        hides_failures: the worst outcomes keep records from recalls, not from lists.
    """

    def __init__(self, *, hides_failures: bool = True) -> None:
        self._hides_failures = hides_failures
        self._texts = {name: CodedColumn(np.int32 if name in _OPEN_TEXTS else np.int8) for name in TEXTS}
        self._scores: dict[str, GrowingArray[np.int16]] = {name: GrowingArray(np.int16) for name in SCORES}
        self._instants: dict[str, GrowingArray[np.int64]] = {
            name: GrowingArray(np.int64) for name in INSTANTS
        }
        self._labels = {name: LabelColumn() for name in LABELS}
        self._live: GrowingArray[np.bool_] = GrowingArray(np.bool_)
        self._cache: dict[tuple[Filters, Viewer], _CachedMask] = {}
        self._last: tuple[Filters, Viewer, _CachedMask] | None = None
        self._trusted_tags: dict[Viewer, tuple[range, set[str]]] = {}

    def __len__(self) -> int:
        return len(self._live)

    @property
    def live(self) -> Mask:
        return self._live.rows

    @property
    def nbytes(self) -> int:
        labels = sum(column.nbytes for column in self._labels.values())
        return sum(array.nbytes for array in self._arrays()) + labels + len(self) * len(self._cache)

    @property
    def is_mostly_dropped(self) -> bool:
        return any(column.is_mostly_dropped for column in self._labels.values())

    def reserve(self, records: int) -> None:
        for array in self._arrays():
            array.reserve(records)

    def extend(self, rows: FilterRows) -> None:
        """Appends the records of the next slots."""
        for name, texts in self._texts.items():
            texts.codes.extend(texts.encode(rows.texts[name]))
        for name, scores in self._scores.items():
            scores.extend(rows.scores[name])
        for name, instants in self._instants.items():
            instants.extend(rows.instants[name])
        for name, labels in self._labels.items():
            labels.extend(rows.labels[name])
        self._live.extend(np.ones(len(rows.instants["created_at"]), np.bool_))
        self._forget_masks()

    def replace(self, slots: NDArray[np.int32], rows: FilterRows) -> None:
        """Replaces the records of these slots by what they are now."""
        for name, texts in self._texts.items():
            texts.codes.rows[slots] = texts.encode(rows.texts[name])
        for name, scores in self._scores.items():
            scores.rows[slots] = rows.scores[name]
        for name, instants in self._instants.items():
            instants.rows[slots] = rows.instants[name]
        for name, labels in self._labels.items():
            labels.replace(slots, rows.labels[name])
        self._forget_masks()

    def kill(self, slots: NDArray[np.int32]) -> None:
        self._live.rows[slots] = False
        for labels in self._labels.values():
            labels.clear(slots)
        self._forget_masks()

    def renumber(self, new_slots: NDArray[np.int32]) -> None:
        """Follows a compaction: the new slot of each old one, -1 where it is gone."""
        for array in self._arrays():
            array.keep(new_slots >= 0)
        for labels in self._labels.values():
            labels.renumber(new_slots)
        self._forget_masks()

    def _forget_masks(self) -> None:
        self._cache.clear()
        self._trusted_tags.clear()
        self._last = None

    def labels(self, field: LabelField) -> set[str]:
        return self._labels[field].labels()

    def tags_among(self, trusted: Mask, viewer: Viewer, now: datetime) -> set[str]:
        """Tags of the trusted slots that a viewer finds, kept until a record changes or expires."""
        moment = microseconds(now)
        held, tags = self._trusted_tags.get(viewer, (range(0), set[str]()))
        if moment not in held:
            found = self._compute(Filters(), viewer, moment)
            held, tags = range(moment, found.until), self._labels["tags"].labels(trusted & found.accepted)
            if len(self._trusted_tags) >= _CACHED_VIEWERS:
                del self._trusted_tags[next(iter(self._trusted_tags))]
            self._trusted_tags[viewer] = held, tags
        return tags

    def is_text(self, name: str) -> bool:
        return name in self._texts

    def is_score(self, name: str) -> bool:
        return name in self._scores

    def text(self, name: str) -> tuple[CodeDictionary, NDArray[Any]]:
        """Codes of a column's texts, in their order, and the code of every slot."""
        column = self._texts[name]
        return column.dictionary, column.codes.rows

    def has_text(self, name: str, wanted: str) -> Mask:
        return self._texts[name].mask([wanted])

    def score(self, name: str) -> NDArray[np.int16]:
        """Thousandths of every slot, NO_SCORE where it has none."""
        return self._scores[name].rows

    def instant(self, name: str) -> NDArray[np.int64]:
        """Microseconds of every slot, NEVER where it has none."""
        return self._instants[name].rows

    @property
    def standing(self) -> StandingView:
        return StandingView(self._scores["confidence"].rows, self._scores["relevance_score"].rows)

    def mask(self, filters: Filters, viewer: Viewer, now: datetime) -> Mask:
        """Mask of the slots with a live record that is asked for and that the viewer may see; read-only."""
        moment, last = microseconds(now), self._last
        if last is not None and last[0] is filters and last[1] is viewer and last[2].holds_at(moment):
            return last[2].accepted
        cached = self._cache.get((filters, viewer))
        if cached is None or not cached.holds_at(moment):
            cached = self._compute(filters, viewer, moment)
            if len(self._cache) >= _CACHED_MASKS:
                del self._cache[next(iter(self._cache))]
            self._cache[filters, viewer] = cached
        self._last = filters, viewer, cached
        return cached.accepted

    def _arrays(self) -> list[GrowingArray[Any]]:
        codes = [texts.codes for texts in self._texts.values()]
        return [*codes, *self._scores.values(), *self._instants.values(), self._live]

    def _compute(self, filters: Filters, viewer: Viewer, now: int) -> _CachedMask:
        expires_at = self._instants["expires_at"].rows
        has_expired = expires_at <= now
        until = expires_at.min(where=~has_expired, initial=NEVER)
        accepted = self.live.copy()
        for mask in (
            *self._equalities(filters),
            *self._overlaps(filters),
            *self._bounds(filters),
            *self._visibility(viewer),
            *self._status(filters.status, has_expired),
        ):
            accepted &= mask
        return _CachedMask(accepted, now, int(until))

    def _equalities(self, filters: Filters) -> Iterator[Mask]:
        for name, column in self._texts.items():
            if name != "status" and (wanted := getattr(filters, name)):
                yield column.mask(wanted)

    def _overlaps(self, filters: Filters) -> Iterator[Mask]:
        for name, column in self._labels.items():
            if wanted := getattr(filters, name):
                yield column.mask(wanted, len(self))

    def _bounds(self, filters: Filters) -> Iterator[Mask]:
        for name, bound in (
            ("confidence", filters.min_confidence),
            ("success_rate", filters.min_success_rate),
        ):
            if bound is not None:
                yield self._scores[name].rows >= _thousandths_reaching(bound)
        for name in ("created_at", "updated_at"):
            stem = name.removesuffix("_at")
            after, before = getattr(filters, f"{stem}_after"), getattr(filters, f"{stem}_before")
            if after is not None:
                yield self._instants[name].rows > microseconds(after)
            if before is not None:
                yield self._instants[name].rows < microseconds(before)

    def _visibility(self, viewer: Viewer) -> Iterator[Mask]:
        if not viewer.sees_all_personas:
            yield self._texts["persona"].mask({None, *viewer.personas})

    def _status(self, wanted: tuple[str, ...], has_expired: Mask) -> Iterator[Mask]:
        """Masks of the wanted statuses; an expired record counts as archived, whether or not the sweep has come by."""
        status = self._texts["status"]
        if wanted and has_expired.any():
            is_lapsed = has_expired & ~status.mask(ENDED_STATUSES)
            mask = status.mask(wanted)
            yield mask | is_lapsed if "archived" in wanted else mask & ~is_lapsed
        elif wanted:
            yield status.mask(wanted)
        if wanted == VISIBLE_STATUSES and self._hides_failures:
            yield self._scores["outcome_score"].rows >= _WORST_OUTCOME


def _thousandths_reaching(bound: float) -> int:
    """The least number of thousandths that is at least the bound, compared as floats as the domain does."""
    near = ceil(bound * 1000)
    return next(score for score in range(near - 1, near + 2) if score / 1000 >= bound)
