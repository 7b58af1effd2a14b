"""Lists in another order than that of age, cut to fields, and counted, as a client meets them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.list_order import ORDER_FIELDS
from tests.answer_schemas import checked
from tests.e2e.conftest import running

MEMORIES = "/v1/projects/web/memories"
USES = {"m0": 2, "m1": 0, "m2": 5, "m3": 2, "m4": 1}


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=60.0) as client,
    ):
        yield checked(client)


ORDERS = [f"{sign}{field}" for field in ORDER_FIELDS for sign in ("", "-")]


def _filled(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    """Five memories with different uses, of which two have a persona and one an expiry."""
    for number, (id, uses) in enumerate(USES.items()):
        said: dict[str, Any] = {"id": id, "content": f"Rule {number}: close file {number} after use."}
        if number < 2:
            said["persona"] = f"team-{number}"
        assert http.post(MEMORIES, json=said).status_code == 201
        for run in range(uses):
            verdict = {"result": "worked", "run_id": f"run-{id}-{run}"}
            assert http.post(f"{MEMORIES}/{id}/outcome", json=verdict).status_code == 200
    backend.drain()


def _listed(http: httpx2.Client, **asked: Any) -> list[str]:
    """Ids of all pages."""
    found: list[str] = []
    while True:
        page = http.get(MEMORIES, params=asked)
        assert page.status_code == 200, page.text
        found += [one["id"] for one in page.json().get("rows") or page.json()["memories"]]
        asked["cursor"] = page.json()["next_cursor"]
        if asked["cursor"] is None:
            return found


def test_a_list_has_the_parameters_of_the_design(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    """By type, active ones unless others are asked for, by tags with commas between them, fifty a page."""
    made = [{"content": f"Rule {number}: close file {number} after use."} for number in range(54)]
    told: list[dict[str, Any]] = [{**one, "id": f"m{number}"} for number, one in enumerate(made)]
    told[0] |= {"type": "warning", "tags": ["red"]}
    told[1] |= {"type": "warning", "tags": ["blue"]}
    told[2] |= {"tags": ["green"]}
    for one in told:
        assert http.post(MEMORIES, json={**one, "on_duplicate": "create"}).status_code == 201
    assert http.delete(f"{MEMORIES}/m3").status_code == 200
    backend.drain()
    first = http.get(MEMORIES).json()
    assert (len(first["memories"]), first["next_cursor"] is None) == (50, False)
    assert {one["id"] for one in told} - set(_listed(http)) == {"m3"}
    assert set(_listed(http, active="true")) == set(_listed(http))
    assert _listed(http, active="false") == ["m3"]
    assert set(_listed(http, type="warning")) == {"m0", "m1"}
    assert set(_listed(http, tags="red,blue")) == {"m0", "m1"}
    assert _listed(http, tags="red,green", type="warning") == ["m0"]


def test_a_list_is_ordered_by_uses_equal_ones_by_id_over_pages(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    _filled(http, backend)
    assert _listed(http, sort="-use_count", limit=2) == ["m2", "m0", "m3", "m4", "m1"]
    assert _listed(http, sort="use_count", limit=2) == ["m1", "m4", "m0", "m3", "m2"]
    assert _listed(http, sort="-worth", limit=3)[-1] == "m1"


def test_what_has_no_key_comes_last_in_either_direction(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    _filled(http, backend)
    assert _listed(http, sort="persona", limit=1) == ["m0", "m1", "m2", "m3", "m4"]
    assert _listed(http, sort="-persona", limit=3) == ["m1", "m0", "m2", "m3", "m4"]


def test_each_order_is_read_backwards_from_its_end(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    """Also the rows that are equal, and those without a key, which come first then."""
    _filled(http, backend)
    for sort in ORDERS:
        assert _listed(http, sort=sort, from_end=True, limit=2) == _listed(http, sort=sort)[::-1], sort


def test_each_order_lists_every_memory_once(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    _filled(http, backend)
    for sort in ORDERS:
        assert sorted(_listed(http, sort=sort, limit=2)) == sorted(USES), sort


def test_rows_hold_the_fields_asked_for_and_the_total_counts_all_pages(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    _filled(http, backend)
    page = http.get(MEMORIES, params={"fields": ["content", "standing"], "count": True, "limit": 2}).json()
    assert page["memories"] == []
    assert [sorted(row) for row in page["rows"]] == [["content", "id", "standing", "version"]] * 2
    assert page["total"] == 5
    assert http.get(MEMORIES, params={"count": True, "persona": "team-1"}).json()["total"] == 1
    assert _listed(http, fields="content", limit=2) == ["m4", "m3", "m2", "m1", "m0"]


def test_an_order_reads_records_again_and_leaves_out_what_no_longer_fits(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    """Falls if the index decides: it is not told of the archive before the list is read."""
    _filled(http, backend)
    assert http.delete(f"{MEMORIES}/m2").status_code == 200
    assert _listed(http, sort="-use_count") == ["m0", "m3", "m4", "m1"]
    assert _listed(http, sort="-use_count", status="archived") in (["m2"], [])


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"sort": "content"}, "/query/sort"),
        ({"sort": "--use_count"}, "/query/sort"),
        ({"fields": "colour"}, "/query/fields"),
        ({"sort": "use_count", "as_of": "2026-01-01T00:00:00Z"}, "/query/sort"),
        ({"from_end": "true", "as_of": "2026-01-01T00:00:00Z"}, "/query/from_end"),
    ],
)
def test_an_unknown_order_or_field_is_refused_by_name(
    asked: dict[str, str], pointer: str, http: httpx2.Client
) -> None:
    answer = http.get(MEMORIES, params=asked)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


def test_a_cursor_fits_its_own_order_alone(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    _filled(http, backend)
    cursor = http.get(MEMORIES, params={"sort": "-use_count", "limit": 2}).json()["next_cursor"]
    assert http.get(MEMORIES, params={"sort": "use_count", "limit": 2, "cursor": cursor}).status_code == 400
    assert http.get(MEMORIES, params={"limit": 2, "cursor": cursor}).status_code == 400
    backwards = {"sort": "-use_count", "from_end": True, "limit": 2, "cursor": cursor}
    assert http.get(MEMORIES, params=backwards).status_code == 400
