"""Visibility of records by their facts: `lifecycle.hidden_because` and the filters that no index applies, on columns.

An index keeps other personas, colder tiers and what the filters refuse out of its answer; the record that is shown is
checked itself.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.filters import Filters
from memory_layer.domain.outcome import ARCHIVE_BELOW_SCORE
from memory_layer.domain.retrieval import facts as columns

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts

_WORST_OUTCOME = round(ARCHIVE_BELOW_SCORE * 1000)


def visible_rows(
    facts: Facts,
    *,
    now: datetime,
    include_stale: bool,
    filters: Filters,
    review_sources: Collection[str],
) -> NDArray[np.bool_]:
    """Tests which records a recall may show.

    Args:
        facts: of the records that an index found; shape (n,).
        include_stale: stale records may be shown.
        review_sources: sources that need approval in the records' project.
    """
    moment, flags = columns.microseconds(now), facts["flags"]
    shown = columns.IS_ACTIVE | (columns.IS_STALE if include_stale else 0)
    is_visible = (
        (flags & shown != 0)
        & (facts["outcome_score"] >= _WORST_OUTCOME)
        & (facts["expires_at"] > moment)
        & (facts["valid_from"] <= moment)
        & (facts["valid_to"] > moment)
    )
    if review_sources:
        waits = np.isin(facts["source"], [columns.source_code(source) for source in review_sources])
        is_visible &= ~waits | (flags & columns.IS_APPROVED != 0)
    for wanted, flag in (
        (filters.is_approved, columns.IS_APPROVED),
        (filters.is_doubted, columns.IS_DOUBTED),
        (filters.pinned, columns.IS_PINNED),
    ):
        if wanted is not None:
            is_visible &= (flags & flag != 0) == wanted
    if filters.standing is not None:
        is_visible &= columns.is_trusted(facts) == (filters.standing == "trusted")
    return np.asarray(is_visible)
