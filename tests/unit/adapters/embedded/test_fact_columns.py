"""Columns in RAM are those of the rows: of facts, filters, ties and ids, whatever befell the records in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import hidden_because
from memory_layer.domain.memory import BODY_MIN_BYTES, Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.retrieval.candidates import MentionHash, RecordTable
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.mentions import mention_keys
from memory_layer.domain.retrieval.visible_rows import visible_rows
from memory_layer.domain.text.analyzer import term_hash
from memory_layer.ports.commit import Change, Commit, Erasure
from tests.fuzzing import examples
from tests.given import BlobsInMemory, new_scope
from tests.index_examples import DIMENSIONS, MODEL
from tests.records_at_bounds import (
    CONTENTS,
    NOW,
    fields_of_records,
    filters,
    huge,
    presents,
    record,
    viewers,
)

EVERYONE = Viewer(sees_all_personas=True)
LONG = ("Melanie: it came up on 3 May. " * 60).strip() + " Was it so?"
assert len(LONG) > BODY_MIN_BYTES


class Backend:
    """A store to write with, and an index to ask."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.store = open_record_store(self.database, Bodies(BlobsInMemory()))
        self.index = self.new_index()
        self._versions: Counter[tuple[Scope, str]] = Counter()

    def new_index(self) -> EmbeddedIndex:
        return EmbeddedIndex(self.database.reader, model=MODEL, dimensions=DIMENSIONS)

    def write(self, memory: Memory) -> None:
        """Writes a record over what is there, or one that was erased anew."""
        before = self.store.memories.get(memory.scope, memory.id, with_body=False)
        self._versions[memory.scope, memory.id] += 1
        written = replace(memory, version=self._versions[memory.scope, memory.id])
        change = Change(written, 0 if before is None else before.version, "written", "ada", NOW)
        self.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))

    def erase(self, scope: Scope, id: str) -> None:
        before = self.store.memories.get(scope, id, with_body=False)
        if before is not None:
            self._versions[scope, id] += 1
            self.store.writer.commit(Commit(scope=scope, erasures=(Erasure(id, before.version),)))


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    database = Database(None)
    yield Backend(database)
    database.close()


def everything(index: EmbeddedIndex, scope: Scope) -> RecordTable:
    """Table of all live rows of a project."""
    return index.standing((scope,), Filters(status=()), EVERYONE, now=NOW, k=1_000)


fields = fields_of_records(
    content=st.sampled_from((*CONTENTS, LONG)),
    tier=st.sampled_from(("hot", "hot", "warm", "cold")),
    **huge,
)
writes = st.lists(st.tuples(st.sampled_from(("m0", "m1", "m2", "m3")), st.none() | fields), max_size=10)
"""Each an id and its next state, a new one, a change, a correction or a restoration; None: it is erased."""


def befall(backend: Backend, scope: Scope, written: Sequence[tuple[str, dict[str, Any] | None]]) -> None:
    for id, state in written:
        if state is None:
            backend.erase(scope, id)
        else:
            backend.write(record(state, id, scope))


def check(backend: Backend, index: EmbeddedIndex, scope: Scope) -> None:
    """Holds each row against the record that the store reads."""
    table = everything(index, scope)
    if not len(table):
        table = replace(table, facts=facts_of([]))
    assert table.facts is not None
    ids = [ref.id for ref in table.refs()]
    stored = [backend.store.memories.get(scope, id, with_body=False) for id in ids]
    lying = [memory for memory in stored if memory is not None]
    assert len(lying) == len(ids) == len(set(ids))
    for own, memory, row in zip(table.facts, lying, facts_of(lying), strict=True):
        assert own == row, memory
    check_ties(backend, index, scope, dict(zip(ids, table.mention_hashes(), strict=True)))


def check_ties(
    backend: Backend, index: EmbeddedIndex, scope: Scope, hashes: Mapping[str, list[MentionHash]]
) -> None:
    """Holds the ties of each record against its words, and the records of each tie against these."""
    whole = {id: backend.store.memories.get(scope, id) for id in hashes}
    keys = {id: set(mention_keys(memory)) for id, memory in whole.items() if memory is not None}
    assert hashes == {id: sorted(map(term_hash, of_one)) for id, of_one in keys.items()}
    asked = sorted(set().union(*keys.values()))
    rows = index.mentioning((scope,), asked, Filters(status=()), EVERYONE, now=NOW, k=1_000)
    found = [(one.total, {ref.id for ref in one.refs}) for one in rows.by_entity()]
    tied = [{id for id in keys if key in keys[id]} for key in asked]
    assert found == [(len(ids), ids) for ids in tied]


@given(st.lists(writes, min_size=1, max_size=3))
@settings(max_examples=examples(60))
def test_columns_of_the_feed_are_those_read_off_the_records(
    backend: Backend, batches: list[list[tuple[str, dict[str, Any] | None]]]
) -> None:
    """Falls without any one column of the feed; read at once, and caught up after each batch of writes."""
    scope = new_scope()
    for written in batches:
        befall(backend, scope, written)
        check(backend, backend.index, scope)
    check(backend, backend.new_index(), scope)


@given(fields, writes, filters, viewers, presents, st.booleans())
@settings(max_examples=examples(120))
def test_columns_show_what_the_rows_show(
    backend: Backend,
    state: dict[str, Any],
    written: list[tuple[str, dict[str, Any] | None]],
    asked: Filters,
    viewer: Viewer,
    now: datetime,
    include_stale: bool,
) -> None:
    """Falls without any one filter on the columns, and without any one condition of `visible_rows`."""
    scope, policy = new_scope(), Policy(review_sources=("run",))
    befall(backend, scope, [("m9", state), *written])
    table = backend.index.standing((scope,), asked, viewer, now=now, k=1_000)
    assert table.facts is not None
    shown = visible_rows(
        table.facts,
        now=now,
        include_stale=include_stale,
        filters=asked,
        review_sources=policy.review_sources,
    )
    found = {ref.id for ref, is_shown in zip(table.refs(), shown.tolist(), strict=True) if is_shown}
    stored = (backend.store.memories.get(scope, id) for id in {"m9", *(id for id, _ in written)})
    expected = {
        memory.id
        for memory in stored
        if memory is not None
        and asked.accept(memory)
        and not hidden_because(memory, viewer=viewer, now=now, policy=policy, include_stale=include_stale)
    }
    assert found == expected
