"""Segments: what is written is read back or refused, what is gone is named nowhere, and a project has few of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from memory_layer.adapters.aws.segments import manifest as manifests
from memory_layer.adapters.aws.segments.compaction import compacted, counts_of
from memory_layer.adapters.aws.segments.manifest import SEGMENTS_MAX, Manifest, SegmentEntry, tail_to_merge
from memory_layer.adapters.aws.segments.segment_form import DamagedSegment, decoded, encoded, name_of
from memory_layer.adapters.aws.segments.segment_rows import SegmentRows, WholeRecord, merged, rows_of
from memory_layer.adapters.project_index.filter_columns import LABELS, SCORES, TEXTS
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.candidates import identity_of
from memory_layer.ports.commit import Vectors
from tests.index_examples import DIMENSIONS, MODEL, index_rows, memory, unit_vectors

VECTORS = unit_vectors(40)

ADA = memory("m1", "use WAL mode for SQLite", tags=("sqlite", "wal"), persona="tess", context="after a crash")
BEN = memory(
    "m2", "Node.js needs max_connections", tags=("node",), entities=("urn:repo:web",), session_id="s-9"
)
CAT = memory("m3", "deploy on Fridays?", status="stale", tier="cold", tags=("deploy",), use_count=3)


def rows(*memories: Memory) -> SegmentRows:
    found = [
        WholeRecord(memory=one, vectors=Vectors(VECTORS[n], VECTORS[n + 20]), said_bytes=len(one.content))
        for n, one in enumerate(memories)
    ]
    return rows_of(found, MODEL, DIMENSIONS)


def again(found: SegmentRows) -> SegmentRows:
    body = encoded(found)
    return decoded(body, name_of(body, "t"))


def test_a_segment_has_what_a_feed_from_rows_has() -> None:
    """Held against the columns that the tests make of records by formulas of their own."""
    found = again(rows(ADA, BEN)).batch
    expected = index_rows(
        [(identity_of(one.ref), one) for one in (ADA, BEN)],
        [VECTORS[0], VECTORS[1]],
        [VECTORS[20], VECTORS[21]],
    )
    assert list(found.ids) == ["m1", "m2"]
    for name in ("keys", "positions", "facts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name in ("content_terms", "context_terms", "mentions"):
        for part in ("hashes", "counts", "sizes"):
            one, other = (getattr(getattr(batch, name), part) for batch in (found, expected))
            np.testing.assert_array_equal(one, other)
    for name in ("content_vectors", "context_vectors"):
        np.testing.assert_array_equal(getattr(found, name).vectors, getattr(expected, name).vectors)
    for name in TEXTS:
        one, other = found.filters.texts[name], expected.filters.texts[name]
        assert [one.values[row] for row in one.rows] == [other.values[row] for row in other.rows]
    for name in LABELS:
        one, other = found.filters.labels[name], expected.filters.labels[name]  # type: ignore[assignment]
        assert [tuple(one.values[row]) for row in one.rows] == [
            tuple(other.values[row]) for row in other.rows
        ]  # type: ignore[arg-type]
    for name in SCORES:
        np.testing.assert_array_equal(found.filters.scores[name], expected.filters.scores[name])


def test_what_is_out_of_recall_is_kept_without_words_and_vectors() -> None:
    found = again(rows(ADA, CAT))
    assert found.is_searched.tolist() == [True, False]
    assert found.batch.content_terms.sizes[1] == 0
    assert found.batch.content_vectors.records.tolist() == [0]


def test_every_changed_bit_is_noticed() -> None:
    """Falls without the comparison with the name in `decoded`."""
    body = encoded(rows(ADA, BEN, CAT))
    name, random = name_of(body, "t"), Random(1)
    for _ in range(200):
        damaged = bytearray(body)
        damaged[random.randrange(len(body))] ^= 1 << random.randrange(8)
        with pytest.raises(DamagedSegment):
            decoded(bytes(damaged), name)
    with pytest.raises(DamagedSegment):
        decoded(body[:-1], name)


def test_every_changed_bit_of_a_manifest_is_noticed() -> None:
    """Falls without the digest of `encoded`: a persona's count would be another."""
    manifest = Manifest((SegmentEntry("a-1", 2, 300),), 1, {"": (2, 1)}, {MODEL: 2})
    body = manifests.encoded(manifest)
    assert manifests.decoded(body) == manifest
    for place in range(len(body)):
        damaged = bytearray(body)
        damaged[place] ^= 1
        with suppress(DamagedSegment):
            assert manifests.decoded(bytes(damaged)) == manifest  # a blank, or how a letter is escaped


def test_the_newest_row_of_a_record_holds() -> None:
    newer = replace(ADA, version=2, tags=("wal",))
    found = merged([rows(ADA, BEN), rows(newer)])
    assert sorted(zip(found.batch.ids, found.batch.positions.tolist(), strict=True)) == [("m1", 2), ("m2", 1)]
    tags = found.batch.filters.labels["tags"]
    assert sorted(tags.values) == [("node",), ("wal",)]


def test_what_is_gone_is_named_by_no_dictionary() -> None:
    """Falls without `_of_used`: the erased tag and persona would stay in the dictionaries."""
    found = rows(ADA, BEN).without(np.array([identity_of(ADA.ref)], np.int64))
    named = [value for column in found.batch.filters.texts.values() for value in column.values]
    named += [
        label
        for column in found.batch.filters.labels.values()
        for labels in column.values
        for label in labels
    ]
    assert not {"tess", "sqlite", "wal"} & set(named)
    assert list(found.batch.ids) == ["m2"]
    assert found.batch.content_terms.sizes.tolist() == [len(found.batch.content_terms.hashes)]


def test_an_erasure_leaves_no_older_row_behind_a_newer_one() -> None:
    """Falls if a purge rewrites the newest segment alone."""
    held = [rows(ADA, BEN), rows(replace(ADA, version=2))]
    made = compacted(held, rows(), np.array([identity_of(ADA.ref)], np.int64))
    assert made is not None
    assert made.written is not None
    assert (made.kept, made.is_purge, list(made.written.batch.ids)) == (0, True, ["m2"])


def test_what_is_held_already_is_not_written_again() -> None:
    held = [rows(ADA), rows(replace(BEN, version=3))]
    assert compacted(held, rows(ADA, BEN), np.empty(0, np.int64)) is None
    made = compacted(held, rows(ADA, replace(BEN, version=4)), np.empty(0, np.int64))
    assert made is not None
    assert made.written is not None


def test_counts_are_of_the_newest_rows() -> None:
    counts = counts_of([rows(ADA, BEN), rows(replace(ADA, version=2, status="archived"), CAT)])
    assert counts.by_persona == {"tess": (1, 0), "": (2, 1)}
    assert counts.embedded == {MODEL: 3}


def test_there_are_few_segments_and_none_is_written_anew_often() -> None:
    sizes: list[int] = []
    random, written, added = Random(7), 0, 0
    for _ in range(3_000):
        new = random.randint(1, 20)
        tail = tail_to_merge(sizes, new)
        sizes[len(sizes) - tail :] = [sum(sizes[len(sizes) - tail :]) + new]
        written, added = written + sizes[-1], added + new
        assert len(sizes) <= SEGMENTS_MAX
    assert written < 60 * added


def test_vectors_of_a_model_that_is_gone_are_left_behind() -> None:
    old = rows(ADA)
    newer = WholeRecord(
        memory=replace(BEN, embedding_model="new"), vectors=Vectors(np.ones(4, np.float32) / 2), said_bytes=9
    )
    found = merged([old, rows_of([newer], "new", 4)])
    assert found.batch.content_vectors.records.tolist() == [1]
    assert found.is_of("new").tolist() == [False, True]
