"""Exports of other systems: what each of them becomes, and what a file that lies about its format is told."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import DETAIL_MAX_BYTES
from memory_layer.edge.foreign.detected_format import ForeignFormat, detected_format
from memory_layer.edge.foreign.exported_item import moment_text
from memory_layer.edge.foreign.own_exports import record_lines
from memory_layer.edge.foreign.read_foreign import Reading, read_foreign
from memory_layer.errors import Invalid, Malformed, MemoryLayerError

RECORD = {
    "memoryRecordId": "mem-0123456789012345678901234567890123456789",
    "content": {"text": "The user lives in Lyon"},
    "memoryStrategyId": "semantic-x",
    "namespaces": ["/strategies/semantic-x/actors/alex"],
    "createdAt": 1748772000.0,
}
EVENT = {
    "memoryId": "m-1234567890",
    "actorId": "alex",
    "sessionId": "s1",
    "eventId": "0000001#a",
    "eventTimestamp": "2025-06-01T10:00:00+00:00",
    "payload": [
        {"conversational": {"content": {"text": "We moved to Lyon."}, "role": "USER"}},
        {"blob": "AAAA"},
        {"conversational": {"content": {"text": "ok"}, "role": "ASSISTANT"}},
    ],
}
MIF = {
    "mif_version": "2.0",
    "generator": {"name": "shodh-memory", "version": "0.1"},
    "memories": [
        {
            "id": "123e4567-e89b-12d3-a456-426614174000",
            "content": "Deploys run on Mondays",
            "created_at": "2026-01-15T10:30:00Z",
            "memory_type": "decision",
            "tags": ["ops"],
            "entities": [{"name": "Jenkins"}, {"name": "urn:service:deploy"}],
            "source": {"source_type": "user", "session_id": "s-4"},
            "embeddings": {"model": "m", "dimensions": 2, "vector": [0.1, 0.2]},
        }
    ],
    "knowledge_graph": {"entities": [{"id": "e", "name": "x"}], "relationships": []},
    "vendor_extensions": {
        "shodh-memory": {"memory_metadata": {"123e4567-e89b-12d3-a456-426614174000": {"importance": 0.8}}}
    },
}
STORE = {
    "data": [
        {
            "type": "memory",
            "id": "mem_1",
            "path": "/rules.md",
            "content": "# Tests\n\n- Run them with -n 2.\n",
            "updated_at": "2026-02-01T00:00:00Z",
        },
        {"type": "memory_prefix", "id": "p", "path": "/old/"},
        {"type": "memory", "id": "mem_2", "path": "/b.md", "content": None},
    ]
}
FILES: dict[ForeignFormat, Any] = {
    "mem0": [{"id": "1", "memory": "Likes tea", "user_id": "alex"}],
    "zep": {"facts": ["Kendra likes Puma shoes"]},
    "agentcore": {"memoryRecordSummaries": [RECORD], "events": [EVENT]},
    "mif": MIF,
    "memory-store": STORE,
}


def fields_of(format: ForeignFormat, document: Any, **reading: Any) -> list[dict[str, Any]]:
    file = read_foreign(format, json.dumps(document), Reading(**reading))
    return [dict(memory.fields) for memory in file.memories]


@pytest.mark.parametrize("format", FILES)
def test_what_a_file_is_its_content_tells(format: ForeignFormat) -> None:
    document = FILES[format]
    assert detected_format(json.dumps(document)) == format
    assert detected_format("\ufeff \n" + json.dumps(document, indent=1)) == format
    if isinstance(document, list):
        assert detected_format("\n".join(json.dumps(one) for one in [*document, *document])) == format


@pytest.mark.parametrize("said", [*FILES, "csv", "markdown", "agent-notes", "ralph"])
@pytest.mark.parametrize("format", FILES)
def test_a_file_that_is_called_something_else_is_told_what_it_is(
    format: ForeignFormat, said: ForeignFormat
) -> None:
    if said == format:
        return
    with pytest.raises(Invalid, match=f"read it as {format}, or let its content tell"):
        read_foreign(said, json.dumps(FILES[format]))


@pytest.mark.parametrize("text", ["content\nA.\n", "# Rules\n\n- A.\n"])
def test_what_is_no_json_is_told_what_it_is(text: str) -> None:
    with pytest.raises(Invalid, match=r"is (a table|Markdown) and not an export of mem0"):
        read_foreign("mem0", text)


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("share", [0.03, 0.5, 0.9])
def test_half_a_file_is_refused_in_a_sentence(format: ForeignFormat, share: float) -> None:
    whole = json.dumps(FILES[format])
    with pytest.raises(MemoryLayerError) as refused:
        read_foreign(format, whole[: int(share * len(whole))])
    assert "\n" not in refused.value.detail


@pytest.mark.parametrize("opening", ["[", '{"memories":', '{"mif_version":"2.0","memories":[{"metadata":'])
def test_a_file_that_is_nested_without_end_is_refused(opening: str) -> None:
    for text in (opening * 100_000, opening * 100_000 + "1" + "]" * 100_000):
        with pytest.raises(Malformed):
            detected_format(text)


def test_deep_metadata_stays_in_the_file() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    item = {"id": "1", "memory": "Likes tea", "metadata": {"deep": deep, "long": "x" * DETAIL_MAX_BYTES}}
    file = read_foreign("mem0", json.dumps([item]))
    assert file.memories[0].fields["detail"]["imported_from"] == {"system": "mem0", "id": "1", "is_cut": True}
    assert [part.where for part in file.left_out] == ["/0"]


MEMBERS = (
    *(
        "memory",
        "results",
        "facts",
        "fact",
        "uuid",
        "mif_version",
        "memories",
        "content",
        "data",
        "events",
        "payload",
    ),
    *(
        "eventId",
        "created_at",
        "user_id",
        "metadata",
        "type",
        "path",
        "id",
        "memoryRecordId",
        "namespaces",
        "edges",
    ),
    *(
        "vendor_extensions",
        "memory-layer",
        "manifest",
        "memory_metadata",
        "entities",
        "knowledge_graph",
        "nodes",
    ),
    *(
        "external_id",
        "said_at",
        "content_hash",
        "memoryRecordSummaries",
        "conversational",
        "relations",
        "generator",
    ),
)
documents = st.recursive(
    st.none() | st.text(max_size=3) | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), one, max_size=4),
    max_leaves=20,
)


@given(documents, st.booleans())
def test_any_document_is_read_or_refused(document: Any, is_mif: bool) -> None:
    """Falls where a member of another kind than expected is taken for granted."""
    if is_mif:
        document = {
            "memories": [document],
            **(document if isinstance(document, dict) else {}),
            "mif_version": "2.0",
        }
    text = json.dumps(document)
    for format in FILES:
        with suppress(MemoryLayerError):  # nothing else may be raised
            read_foreign(format, text, Reading(users="together" if format in ("mem0", "zep") else None))
    ours = {"vendor_extensions": {"memory-layer": {"manifest": document, "memory_metadata": document}}}
    for allow_unsealed in (False, True):
        with suppress(MemoryLayerError):
            record_lines("mif", json.dumps({"memories": [document], **ours}), allow_unsealed=allow_unsealed)


def test_a_record_of_agentcore_and_the_words_of_its_events() -> None:
    file = read_foreign("agentcore", json.dumps(FILES["agentcore"]))
    record, turn = (dict(memory.fields) for memory in file.memories)
    assert (record["content"], record["created_by"], record["source"]) == (
        "The user lives in Lyon",
        "alex",
        "learning",
    )
    assert str(record["said_at"]) == "2025-06-01 10:00:00+00:00"
    assert (turn["session_id"], turn["source"], turn["created_by"]) == ("s1", "run", "alex")
    assert {part.where: part.reason for part in file.left_out} == {
        "/events/0/payload/1": "a blob, which has no words of its own",
        "/events/0/payload/2": "a mere status, which teaches nothing",
    }


def test_a_preference_of_agentcore_says_its_words_and_not_its_json() -> None:
    said = {"context": "asked for a hotel", "preference": "Prefers quiet rooms", "categories": ["travel"]}
    (fields,) = fields_of(
        "agentcore", {"memoryRecordSummaries": [{**RECORD, "content": {"text": json.dumps(said)}}]}
    )
    assert (fields["content"], fields["context"], fields["tags"], fields["category"]) == (
        "Prefers quiet rooms",
        "asked for a hotel",
        ("travel",),
        "preference",
    )


def test_a_document_of_mif_keeps_what_others_say_of_a_memory() -> None:
    (fields,) = fields_of("mif", MIF)
    origin = fields["detail"]["imported_from"]
    assert (fields["category"], fields["tags"], fields["entities"]) == (
        "decision",
        ("ops", "Jenkins"),
        ("urn:service:deploy",),
    )
    assert (origin["generator"], origin["extensions"]) == (
        "shodh-memory",
        {"shodh-memory": {"importance": 0.8}},
    )
    assert "embeddings" not in origin


def test_files_of_a_store_are_notes_of_an_agent() -> None:
    file = read_foreign("memory-store", json.dumps(STORE))
    (memory,) = file.memories
    assert (memory.where, memory.fields["content"], memory.fields["source"]) == (
        "/data/0: line 3",
        "Run them with -n 2.",
        "run",
    )
    assert [part.where for part in file.left_out] == ["/data/1", "/data/2"]


def test_memories_of_many_users_are_not_mixed_unasked() -> None:
    """Falls where one user's memories are shown to another because nobody said anything."""
    items = [{"memory": "Likes tea", "user_id": name} for name in ("alex", "sam", "kim", "lou")]
    with pytest.raises(Invalid, match=r"memories of 4 users \(alex, sam, kim and 1 more\)"):
        fields_of("mem0", items)
    assert {fields["persona"] for fields in fields_of("mem0", items, users="apart")} == {
        "alex",
        "sam",
        "kim",
        "lou",
    }
    assert not any("persona" in fields for fields in fields_of("mem0", items, users="together"))


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2025-06-01T10:00:00-07:00", "2025-06-01T17:00:00+00:00"),
        ("2025-06-01 10:00:00", "2025-06-01T10:00:00+00:00"),
        (1748772000, "2025-06-01T10:00:00+00:00"),
        (1748772000000, "2025-06-01T10:00:00+00:00"),
        *((other, None) for other in ("soon", "", None, True, [], 1e300, -1e300)),
    ],
)
def test_times_are_read_as_systems_write_them(said: Any, moment: str | None) -> None:
    assert moment_text(said) == moment
