"""Pairs of memories: kept once, listed in order for who may see both, and gone with either of their records."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.adapters.embedded.sqlite.row_digests import DIGESTED_CELLS
from memory_layer.adapters.stored_form.pair_fields import PAIRS
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus, pair_id
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Commit, Erasure
from memory_layer.ports.record_store import RecordStore
from memory_layer.settings import DATABASE_NAME
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import START, a_memory, created, put_records

ALL = Viewer(sees_all_personas=True)


def records(store: RecordStore, scope: Scope, *ids: str) -> None:
    put_records(store, *(a_memory(scope, id) for id in ids))


def a_pair(scope: Scope, one: str = "a", other: str = "b", kind: PairKind = "conflict", **said: Any) -> Pair:
    return Pair(
        **{
            "id": pair_id(one, other, kind),
            "tenant": scope.tenant,
            "project": scope.project,
            "kind": kind,
            "ids": (one, other),
            "content_hashes": ("1" * 64, "2" * 64),
            "similarity": 0.917,
            "severity": 0.35 if kind == "conflict" else 0.0,
            "reason": "one says 20, the other 30 — über",
            "found_at": START,
            **said,
        }
    )


def resolved(pair: Pair, **said: Any) -> Pair:
    how: dict[str, Any] = {"status": "resolved", "resolution": "kept_both", "resolved_by": "ada"}
    return replace(
        pair, **{**how, "resolved_at": START + timedelta(days=1), "version": pair.version + 1, **said}
    )


def listed(
    store: RecordStore,
    scope: Scope,
    kind: PairKind = "conflict",
    status: PairStatus = "open",
    viewer: Viewer = ALL,
    limit: int = 100,
) -> list[str]:
    found: list[str] = []
    after: tuple[str, str] | None = None
    while True:
        page = store.pairs.page(scope, kind, status, viewer, after=after, limit=limit)
        assert len(page.pairs) <= limit
        found += [pair.id for pair in page.pairs]
        if page.next_key is None:
            return found
        assert after is None or page.next_key > after, "the next page begins where this one did"
        after = page.next_key


def test_rows_hold_every_field() -> None:
    split = {"ids": ("first_id", "second_id"), "content_hashes": ("first_hash", "second_hash")}
    names = [name for field in fields(Pair) for name in split.get(field.name, (field.name,))]
    assert {*names} == {*PAIRS.fields, "tenant", "project"}
    assert DIGESTED_CELLS["pairs"] == ("project_key", *PAIRS.fields)


def test_every_field_comes_back(store: RecordStore, scope: Scope) -> None:
    records(store, scope, "a", "b")
    pair = a_pair(scope, persona="clara", found_at=START - timedelta(days=3, microseconds=1))
    assert store.pairs.put([pair]) == [True]
    assert store.pairs.get(scope, pair.id) == pair
    decided = resolved(pair)
    assert store.pairs.put([decided]) == [True]
    assert store.pairs.get_many(scope, [pair.id, "par_none"]) == {pair.id: decided}
    assert store.pairs.get(scope, "par_none") is None
    assert store.pairs.get_many(scope, []) == {}
    assert store.pairs.put([]) == []


def test_a_pair_is_written_over_the_version_before_only(store: RecordStore, scope: Scope) -> None:
    """Falls where `put_pairs` does not go by the version."""
    records(store, scope, "a", "b")
    pair = a_pair(scope)
    assert store.pairs.put([pair, replace(pair, reason="again")]) == [True, False]
    assert store.pairs.put([resolved(pair, version=3)]) == [False]
    assert store.pairs.put([resolved(pair)]) == [True]
    assert store.pairs.put([resolved(pair, resolution="merge")]) == [False]
    assert (store.pairs.get(scope, pair.id) or pair).resolution == "kept_both"


def test_of_many_at_once_one_is_written(store: RecordStore, scope: Scope) -> None:
    records(store, scope, "a", "b")
    pair = a_pair(scope)
    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(lambda n: store.pairs.put([replace(pair, reason=str(n))]), range(8)))
    assert sum(each == [True] for each in written) == 1


def test_a_pair_of_a_record_that_is_gone_is_not_kept(store: RecordStore, scope: Scope) -> None:
    """It would quote what was erased: falls without the look at both records in either store."""
    records(store, scope, "a", "b")
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("b", 1),)))
    pairs = [a_pair(scope), a_pair(scope, "a", "never"), a_pair(replace_project(scope))]
    assert store.pairs.put(pairs) == [False, False, False]
    assert listed(store, scope) == []


def replace_project(scope: Scope) -> Scope:
    return Scope(scope.tenant, f"{scope.project}-x")


def test_lists_are_by_kind_and_status_in_the_order_of_finding(store: RecordStore, scope: Scope) -> None:
    names = [f"m{number}" for number in range(8)]
    records(store, scope, *names)
    pairs = [
        a_pair(scope, "m0", name, found_at=START + timedelta(seconds=number % 3))
        for number, name in enumerate(names[1:])
    ]
    twins = a_pair(scope, "m1", "m2", "duplicate")
    assert all(store.pairs.put([*pairs, twins]))
    in_order = [pair.id for pair in sorted(pairs, key=lambda pair: (pair.found_at, pair.id))]
    for limit in (1, 3, 7, 100):
        assert listed(store, scope, limit=limit) == in_order
    assert listed(store, scope, "duplicate") == [twins.id]
    closed = next(pair for pair in pairs if pair.id == in_order[2])
    store.pairs.put([resolved(closed)])
    assert listed(store, scope) == [id for id in in_order if id != closed.id]
    assert listed(store, scope, status="resolved") == [closed.id]
    again = replace(closed, version=3, found_at=START + timedelta(days=9))
    assert store.pairs.put([again]) == [True]
    assert listed(store, scope) == [*(id for id in in_order if id != closed.id), closed.id]
    assert listed(store, scope, status="resolved") == []
    assert listed(store, replace_project(scope)) == []


def test_who_may_not_see_a_persona_sees_no_pair_of_it(store: RecordStore, scope: Scope) -> None:
    records(store, scope, "a", "b", "c")
    shared, claras = (
        a_pair(scope),
        a_pair(scope, "a", "c", persona="clara", found_at=START + timedelta(days=1)),
    )
    store.pairs.put([claras, shared])
    for viewer in (Viewer.of("clara"), Viewer.of("ben", "clara")):
        assert listed(store, scope, viewer=viewer, limit=1) == [shared.id, claras.id]
    for viewer in (Viewer(), Viewer.of("ben")):
        assert listed(store, scope, viewer=viewer, limit=1) == [shared.id]


@pytest.mark.parametrize("erased", [("a",), ("b",), ("a", "b")])
def test_a_record_takes_its_pairs_along(store: RecordStore, scope: Scope, erased: tuple[str, ...]) -> None:
    """Their reasons quote it. Falls without the deletion in `_erase`, without the links in `remaining_keys`."""
    records(store, scope, "a", "b", "c")
    gone = a_pair(scope), a_pair(scope, kind="duplicate")
    kept = a_pair(scope, "b", "c") if erased == ("a",) else a_pair(scope, "a", "c")
    store.pairs.put([*gone, kept] if len(erased) == 1 else gone)
    store.pairs.put([resolved(gone[0])])
    assert store.erasures.traces(scope, ["a"])["a"]["pairs"] == (
        2 if kept.ids[0] == "b" or len(erased) == 2 else 3
    )
    store.writer.commit(Commit(scope=scope, erasures=tuple(Erasure(id, 1) for id in erased)))
    assert store.pairs.get_many(scope, [pair.id for pair in gone]) == {}
    for status in ("open", "resolved"):
        assert listed(store, scope, status=status) == ([kept.id] * (len(erased) == 1 and status == "open"))
    for id in erased:
        version = store.memories.last_versions(scope, [id])[id] + 1
        change = replace(created(a_memory(scope, id, version=version)), before=0)
        store.writer.commit(Commit(scope=scope, changes=(change,)))
    assert all(found.get("pairs", 0) == 0 for found in store.erasures.traces(scope, erased).values())


def test_what_is_kept_is_sound(store: RecordStore, scope: Scope) -> None:
    records(store, scope, "a", "b")
    pair = a_pair(scope)
    store.pairs.put([pair, a_pair(scope, kind="duplicate")])
    store.pairs.put([resolved(pair)])
    assert [found.broken for found in store.integrity.beside(scope) if found.broken] == []
    kept = store.integrity.kept_under(scope, ["a", "b"])
    assert [flaw for each in kept for flaw in each.flaws] == []
    assert store.erasures.forget_project(scope)["pairs"] == 2
    assert listed(store, scope, status="resolved") == []


@EMBEDDED_ONLY
def test_a_damaged_pair_is_named_and_keeps_no_other_from_its_list(
    open_backend: Callable[..., EmbeddedBackend], scope: Scope, tmp_path: Any
) -> None:
    store = open_backend().ports.store
    records(store, scope, "a", "b", "c")
    odd, unreadable, sound = a_pair(scope), a_pair(scope, "a", "c"), a_pair(scope, "b", "c")
    store.pairs.put([odd, unreadable, sound])
    with sqlite3.connect(tmp_path / "data" / DATABASE_NAME) as connection:
        connection.execute("UPDATE pairs SET severity = 1000 WHERE id = ?", (odd.id,))
        connection.execute("UPDATE pairs SET resolved_at = 'x' WHERE id = ?", (unreadable.id,))
    connection.close()
    broken = [found.broken for found in store.integrity.beside(scope) if found.broken]
    assert {(one.id, one.part) for one in broken} == {(odd.id, "pair"), (unreadable.id, "pair")}
    assert {*listed(store, scope)} == {sound.id}
    assert store.pairs.get(scope, odd.id) is None
    assert store.pairs.get(scope, unreadable.id) is None
