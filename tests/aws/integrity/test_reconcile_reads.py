"""What a reconcile reads: of equal records keys and versions, of others those that differ; never a body or a vector
of what is as it should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_layer.adapters.aws.integrity import reconciliation as reconcile
from memory_layer.adapters.aws.integrity.index_digest import BUCKET_WIDTH
from memory_layer.adapters.aws.integrity.index_entries import IndexEntryReader
from memory_layer.domain.memory import Scope
from tests.aws.integrity.index_reading import Reads, fill, lose, reconciliation
from tests.aws.search_domain import Domain, open_domain
from tests.given import new_scope
from tests.index_examples import MODEL

pytestmark = pytest.mark.engines

FEW, MANY = 200, 2_000
BUCKETS = 2**31 // BUCKET_WIDTH
KEY_ATTRIBUTES = {"pk", "version"}
UNIT_BYTES = 8_192
"""What one unit of an eventually consistent read takes in. Source: DynamoDB developer guide, read capacity."""


@pytest.fixture(scope="module")
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint, dimensions=384, model=MODEL) as opened:
        yield opened


@pytest.fixture(scope="module")
def filled(table: tuple[Any, str], domain: Domain) -> dict[int, Scope]:
    scopes = {FEW: new_scope(), MANY: new_scope()}
    for records, scope in scopes.items():
        fill(*table, domain, scope, records)
    return scopes


def reads_of(table: tuple[Any, str], domain: Domain, scope: Scope, *, expected: dict[str, int]) -> Reads:
    reads = Reads()
    found = reconciliation(*table, domain, reads).run(scope, after=None, is_dry_run=False)
    assert (dict(found.counts), found.left, found.next_cursor) == (expected, (), None)
    return reads


@pytest.mark.parametrize("records", [FEW, MANY])
def test_equal_records_cost_their_keys(
    records: int, table: tuple[Any, str], domain: Domain, filled: dict[int, Scope]
) -> None:
    """A record of 1 kB with its vector costs 0.25 units by itself; by the index by age some forty cost one.

    Falls without the version in that index, and without the digests by bucket.
    """
    reads = reads_of(table, domain, filled[records], expected={})
    assert set(reads.items) == {"query"}, "no record is read"
    assert reads.items["query"] == records
    assert reads.attributes == KEY_ATTRIBUTES
    assert reads.units["query"] <= 9 * 0.5 + records / 25
    assert (reads.searches, reads.hits) == (1, 0)


def test_what_differs_costs_its_bucket(
    table: tuple[Any, str], domain: Domain, filled: dict[int, Scope]
) -> None:
    scope = filled[MANY]
    lose(domain, scope, (1, 2, 3))
    reads = reads_of(table, domain, scope, expected={"missing": 3})
    assert reads.items["batch_get_item"] == 3
    assert reads.items["query"] == 2 * MANY
    assert reads.hits < 3 * 20, "the others of three buckets"
    assert reads.fields <= {"id", "version", "is_tombstone"}
    reads_of(table, domain, scope, expected={})


def test_what_differs_a_lot_is_brought_right_in_parts(
    table: tuple[Any, str], domain: Domain, filled: dict[int, Scope], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a project's documents were lost: a call takes so many, and says where the next one goes on."""
    monkeypatch.setattr(reconcile, "ENTRIES_MAX", 50)
    scope = filled[FEW]
    lose(domain, scope, range(FEW))
    at_work = reconciliation(*table, domain, Reads())
    counts, cursor, calls = 0, None, 0
    while calls == 0 or cursor is not None:
        found = at_work.run(scope, after=cursor, is_dry_run=False)
        assert found.looked_at == (FEW if calls == 0 else 0)
        assert found.missing <= 50
        counts, cursor, calls = counts + found.missing, found.next_cursor, calls + 1
    assert (counts, calls >= 4) == (FEW, True)
    reads_of(table, domain, scope, expected={})


def test_the_last_bucket_is_asked_for_as_any_other(domain: Domain, filled: dict[int, Scope]) -> None:
    """Falls if a bucket's end is that of the next one: behind the last there is no integer that OpenSearch takes."""
    found = list(IndexEntryReader(domain.names).of(filled[FEW], range(BUCKETS)))
    assert len(found) == len({entry.id for entry in found}) == FEW
