"""Records in use: found under the seal of their row alone, with the accesses of now, and no more of them than said."""

from datetime import UTC, datetime

from memory_layer.adapters.embedded.store.records_in_use import ProvenCells, RecordsInUse
from memory_layer.domain.memory import Scope
from tests.index_examples import SCOPE, memory

SEAL, NEVER = b"1" * 16, (0, None)


def in_use(records_max: int = 2048) -> RecordsInUse:
    """Records in use whose cells of accesses are the accesses themselves."""
    return RecordsInUse(lambda counted: (counted[0], counted[1]), records_max)


def test_a_record_is_found_while_its_row_has_the_same_seal() -> None:
    records, one = in_use(), memory("m1")
    records.keep(one, SEAL, NEVER)
    assert records.find(SCOPE, "m1", SEAL, NEVER) is one
    assert records.find(Scope(SCOPE.tenant, "other"), "m1", SEAL, NEVER) is None
    assert records.find(SCOPE, "m1", b"2" * 16, NEVER) is None


def test_a_row_that_is_older_than_seals_is_never_kept() -> None:
    records = in_use()
    records.keep(memory("m1"), None, NEVER)
    assert records.find(SCOPE, "m1", None, NEVER) is None


def test_it_has_the_accesses_of_now_and_nothing_else_changed() -> None:
    records, one = in_use(), memory("m1")
    records.keep(one, SEAL, NEVER)
    found = records.find(SCOPE, "m1", SEAL, (3, "2026-03-01T12:00:00.000000Z"))
    assert found is not None
    assert (found.access_count, found.last_accessed_at) == (3, datetime(2026, 3, 1, 12, tzinfo=UTC))
    again = records.find(SCOPE, "m1", SEAL, NEVER)
    assert again == one


def test_the_one_longest_unused_goes_first() -> None:
    records = in_use(records_max=2)
    for id in ("m1", "m2"):
        records.keep(memory(id), SEAL, NEVER)
    records.find(SCOPE, "m1", SEAL, NEVER)
    records.keep(memory("m3"), SEAL, NEVER)
    assert [records.find(SCOPE, id, SEAL, NEVER) is not None for id in ("m1", "m2", "m3")] == [
        True,
        False,
        True,
    ]


def test_cells_are_proven_as_they_were_and_no_other() -> None:
    proven, cells = ProvenCells(most=2), (1, "words", None, b"digest")
    proven.add(cells)
    assert proven.has(cells)
    assert not proven.has((1, "wordz", None, b"digest"))
    for number in (2, 3):
        proven.add((number,))
    assert not proven.has(cells)


def test_accesses_are_read_off_their_cells_only_when_these_have_changed() -> None:
    read: list[tuple[int, None]] = []

    def accesses_of(counted: tuple[int, None]) -> tuple[int, None]:
        read.append(counted)
        return counted

    records = RecordsInUse(accesses_of)
    records.keep(memory("m1"), SEAL, NEVER)
    for count in (0, 2, 2):
        records.find(SCOPE, "m1", SEAL, (count, None))
    assert read == [(2, None)]
