"""One judgement of sameness, by its grades."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.sameness import Sameness, sameness, says_all
from memory_layer.domain.duplicates import DUPLICATE_COSINE

KNOWN = "The pump stops at 02:00. Ask Mara first."


@pytest.mark.parametrize(
    ("new", "cosine", "grade"),
    [
        (KNOWN, 0.1, Sameness.EQUAL),
        ("Please note: the pump stops at `02:00`!", 0.95, Sameness.SAYS_ALL),
        ("The pump stops at 02:00.", DUPLICATE_COSINE, Sameness.OTHER),
        ("Ask Mara first: the pump halts at 02:00.", 0.9, Sameness.PARAPHRASE),
        ("The pump stops at 03:30. Ask Mara first.", 0.99, Sameness.OTHER),
        ("The pump stops at 02:00. Ask Mara first. See the manual.", 0.99, Sameness.OTHER),
    ],
)
def test_grades(new: str, cosine: float, grade: Sameness) -> None:
    assert sameness(new, KNOWN, cosine) is grade


def test_another_wording_loses_nothing_in_a_merge() -> None:
    assert says_all(
        "Jobs that fail are retried 3 times by the pump.", "The pump retries failed jobs three times."
    )
    assert not says_all("Jobs that fail are retried 3 times.", "The pump retries failed jobs three times.")
    assert not says_all("The mill has a pump.", "The mill has a pump in the yard.")
