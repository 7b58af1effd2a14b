"""What is named as broken, case by case; and what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.integrity.verification import StoredDigest, StoredRecord, StoredVersion, broken_parts
from memory_layer.domain.memory import Memory, content_hash
from tests.given import START

MEMORY = Memory(
    id="m",
    tenant="acme",
    project="web",
    content="Use WAL.",
    content_hash=content_hash("Use WAL."),
    created_by="ada",
    embedding_model="mini",
    version=3,
    created_at=START,
    updated_at=START,
)
SOUND = StoredDigest("a", "a")
UNIT = np.eye(1, 4, dtype=np.float32)[0]
LINES = (
    StoredVersion(2, 0, "1", SOUND),
    StoredVersion(3, 2, "7", SOUND, memory_to_json(MEMORY)),
)
KEPT = StoredRecord(
    id="m",
    is_there=True,
    memory=MEMORY,
    place="7",
    seal=SOUND,
    content_vector=UNIT,
    vectors_seal=SOUND,
    versions=LINES,
)


def broken(kept: StoredRecord) -> list[tuple[str, int | None]]:
    return [(one.part, one.version) for one in broken_parts(kept, model="mini", dimensions=4)]


def test_nothing_is_wrong_with_what_is_whole() -> None:
    assert broken(KEPT) == []
    assert not KEPT.is_unsealed


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"seal": StoredDigest("a", "b")}, [("record", 3)]),
        ({"memory": replace(MEMORY, content="Use WAL!")}, [("content", 3), ("version", 3)]),
        ({"memory": replace(MEMORY, tags=("x",))}, [("version", 3)]),
        ({"erased_at": 3}, [("tombstone", 3)]),
        ({"erased_at": 1}, []),
        ({"place": "8"}, [("record", 3)]),
        ({"vectors_seal": StoredDigest("a", "b")}, [("vectors", 3)]),
        ({"content_vector": None}, [("vectors", 3)]),
        ({"content_vector": UNIT[:3]}, [("vectors", 3)]),
        ({"content_vector": UNIT * 1.02}, [("vectors", 3)]),
        ({"content_vector": UNIT * np.float32("nan")}, [("vectors", 3)]),
        ({"content_vector": UNIT * 1.001}, []),
        ({"context_vector": UNIT}, [("vectors", 3)]),
        ({"memory": replace(MEMORY, context="so"), "versions": ()}, [("vectors", 3), ("version", 3)]),
        ({"versions": (replace(LINES[0], seal=StoredDigest("a", "b")), LINES[1])}, [("version", 2)]),
        ({"versions": LINES[1:]}, [("version", 2)]),
        ({"versions": LINES[:1]}, [("version", 3)]),
        ({"versions": (*LINES, StoredVersion(4, 3, "9", SOUND))}, [("version", 4)]),
        ({"versions": (StoredVersion(1, 0, "0", SOUND), *LINES)}, [("version", 1)]),
        ({"first_version": 2}, []),
        ({"first_version": 1}, [("version", 2)]),
        (
            {"is_there": False, "memory": None, "seal": None, "vectors_seal": None},
            [("version", 2), ("version", 3)],
        ),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], found: list[tuple[str, int]]) -> None:
    assert broken(replace(KEPT, **change)) == found


def test_versions_may_leap_where_an_import_brought_them() -> None:
    leapt = replace(MEMORY, version=9)
    newest = StoredVersion(9, 2, "7", SOUND, memory_to_json(leapt))
    assert broken(replace(KEPT, memory=leapt, versions=(LINES[0], newest))) == []


def test_lines_older_than_digests_are_taken_as_they_come() -> None:
    old = tuple(replace(line, before=None, place=None, seal=StoredDigest(None, "x")) for line in LINES)
    kept = replace(KEPT, versions=old)
    assert (broken(kept), kept.is_unsealed) == ([], True)


def test_the_words_of_an_erased_neighbour_may_be_missing_from_a_history() -> None:
    heard = replace(MEMORY, context="before it was erased", embedding_model=None)
    line = replace(LINES[1], document=memory_to_json(replace(heard, context=None)))
    kept = replace(KEPT, memory=heard, versions=(LINES[0], line), content_vector=None, vectors_seal=None)
    assert broken(kept) == []


def test_being_recalled_is_no_difference() -> None:
    assert broken(replace(KEPT, memory=replace(MEMORY, access_count=4, last_accessed_at=START))) == []


def test_an_earlier_programs_line_says_the_same_without_the_newer_fields() -> None:
    document = memory_to_json(MEMORY)
    del document["pinned"], document["unseconded"]
    assert broken(replace(KEPT, versions=(LINES[0], replace(LINES[1], document=document)))) == []
    del document["content"]
    assert broken(replace(KEPT, versions=(LINES[0], replace(LINES[1], document=document)))) == [
        ("version", 3)
    ]


def test_a_digest_is_that_of_the_record_however_zero_is_written() -> None:
    assert record_digest(replace(MEMORY, success_rate=-0.0)) == record_digest(
        replace(MEMORY, success_rate=0.0)
    )
    assert record_digest(replace(MEMORY, success_rate=1)) == record_digest(replace(MEMORY, success_rate=1.0))
    assert record_digest(replace(MEMORY, success_rate=0.1 + 0.2)) == record_digest(
        replace(MEMORY, success_rate=0.3)
    )
    assert record_digest(replace(MEMORY, success_rate=0.0)) != record_digest(
        replace(MEMORY, success_rate=None)
    )
