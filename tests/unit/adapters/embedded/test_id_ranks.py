"""First ids of many slots by kept ranks, against sorting all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.adapters.project_index import id_column, id_ranks
from memory_layer.adapters.project_index.id_column import IdColumn, IdView

IDS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=20),
    st.integers(0, 99_999).map("mem_{:032x}".format),
)
BATCHES = st.lists(st.lists(IDS, max_size=30, unique=True), max_size=6)


def first_by_sorting(view: IdView, slots: list[int], k: int) -> list[str]:
    return sorted(view.of(np.array(slots, np.int64)), reverse=view.is_backwards)[:k]


@given(BATCHES, st.integers(1, 12), st.sampled_from([0, 1_000_000]), st.data())
def test_first_slots_are_those_of_a_sort_at_every_moment(
    batches: list[list[str]], k: int, renewed_above: int, data: st.DataObject
) -> None:
    """Safeguards: `IdRanks.kept` and `renew` make new arrays, so that earlier views keep theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_ranks, "_FEWEST_RENEWED", renewed_above)
        _check_every_moment(batches, k, data)


def _check_every_moment(batches: list[list[str]], k: int, data: st.DataObject) -> None:
    column, count, views = IdColumn(), 0, []
    for batch in batches:
        column.extend(batch)
        count += len(batch)
        if data.draw(st.booleans()) and count:
            kept = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
            column.keep(kept)
            count = int(np.count_nonzero(kept))
        slots = [slot for slot in range(count) if data.draw(st.booleans())]
        views += [(column.view, slots), (column.view.backwards, slots)]
        column.view.first_slots(np.arange(count), 1)
    for view, slots in views:
        first = first_by_sorting(view, slots, k)
        assert view.first(np.array(slots, np.int64), k) == first
        are_first = view.are_first(np.array(slots, np.int64), k)
        assert sorted(view.of(np.array(slots, np.int64)[are_first])) == sorted(first)


def test_ids_in_order_are_ranked_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: `IdRanks.extend`; without it the ids of all slots are compared each time."""

    def compared(*_: object) -> None:
        raise AssertionError("ids were compared")

    column = IdColumn()
    for start in range(0, 10_000, 1_000):
        column.extend([f"mem_{number:032x}" for number in range(start, start + 1_000)])
    monkeypatch.setattr(id_column.IdView, "_words", compared)
    assert column.view.first(np.arange(17, 10_000), 2) == [f"mem_{number:032x}" for number in (17, 18)]


def test_ids_in_no_order_are_ranked_when_they_are_many() -> None:
    """Safeguard: `IdRanks.is_due`; without it every question would compare them again."""
    column, numbers = IdColumn(), np.random.default_rng(1).permutation(10_000)
    column.extend([f"m{number:05}" for number in numbers[:100]])
    column.extend([f"m{number:05}" for number in numbers[100:]])
    view = column.view
    assert view.first(np.arange(10_000), 3) == ["m00000", "m00001", "m00002"]
    assert (view.ranks.of_first(10_000) == numbers).all()
