"""Tables of memories: ours and anybody's."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text.csv_cells import csv_row, record_row
from memory_layer.edge.foreign.csv_table import exported_records, read_csv
from memory_layer.errors import Invalid, Malformed, MemoryLayerError

RECORD = {
    **{"id": "mem_1", "content": "=SUM(A1)", "summary": "'quoted", "context": "", "tags": ["a,b", "c"]},
    **{"detail": {"x": -1.5}, "confidence": 0.5, "pinned": False, "version": 3, "persona": None},
    **{"content_hash": "0" * 64, "created_at": "2026-03-01T12:00:00.000000Z", "active": True},
}


def export(*records: dict[str, object]) -> str:
    return csv_row(RECORD) + "".join(record_row(record) for record in records)


def test_a_table_needs_no_more_than_what_was_learned() -> None:
    file = read_csv('content\nUse tabs\n\n"Say ""no"",\ntwice"\n')
    assert [(memory.where, dict(memory.fields)) for memory in file.memories] == [
        ("line 2", {"content": "Use tabs"}),
        ("line 5", {"content": 'Say "no",\ntwice'}),
    ]


def test_every_kind_of_cell_is_read() -> None:
    header = "content,tags,entities,detail,confidence,pinned,expires_at,relations,task_type"
    cells = [
        '"a, b"',
        '"[""urn:x""]"',
        '"{""n"": 1}"',
        "0.5",
        "TRUE",
        "2027-01-01T00:00:00Z",
        "[]",
        "feature",
    ]
    (memory,) = read_csv(f"{header}\nText,{','.join(cells)}\n").memories
    fields = dict(memory.fields)
    assert str(fields.pop("expires_at")) == "2027-01-01 00:00:00+00:00"
    assert fields == {
        **{"content": "Text", "tags": ("a", "b"), "entities": ("urn:x",), "detail": {"n": 1}},
        **{"confidence": 0.5, "pinned": True, "relations": (), "task_type": "feature"},
    }


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_mark_between_cells_is_found(mark: str) -> None:
    (memory,) = read_csv(f"\ufefftags{mark}content\r\nx{mark}Use tabs\r\n").memories
    assert dict(memory.fields) == {"content": "Use tabs", "tags": ("x",)}


def test_cells_that_were_defused_are_restored_and_apostrophes_stay() -> None:
    file = read_csv("content\n'=1+1\n'-x\n'tis the season\n")
    assert [memory.fields["content"] for memory in file.memories] == ["=1+1", "-x", "'tis the season"]


@pytest.mark.parametrize(
    ("header", "pointer", "words"),
    [
        ("text,tags", "/content", "no column named content"),
        ("content,colour", "/colour", "is no field of a memory"),
        ("content,status", "/status", "is set by the store"),
        ("content,tags,tags", "/tags", "there twice"),
        ("content,on_duplicate", "/on_duplicate", "is no field of a memory"),
        ("", "/content", "no column named content"),
    ],
)
def test_columns_without_a_place_are_refused_by_name(header: str, pointer: str, words: str) -> None:
    with pytest.raises(Invalid, match=words) as refused:
        read_csv(f"{header}\n")
    assert refused.value.violations[0].pointer == pointer


def test_a_row_that_makes_no_memory_is_refused_by_its_line() -> None:
    file = read_csv("content,confidence,detail\nfine,,\n,0.5,\nx,2,\nx,NaN,\nx,much,\nx,,[1]\n")
    assert len(file.memories) == 1
    told = {refused.where: refused.problem for refused in file.refused}
    assert set(told) == {"line 3", "line 4", "line 5", "line 6", "line 7"}
    assert "at most 1" in told["line 4"]
    assert told["line 5"] == "confidence: 'NaN' is no JSON: NaN is no number that JSON knows"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("content,tags\nx\n", "line 2: 1 cells under 2 columns"),
        ('content\n"x', "line 2: the table cannot be read: unexpected end of data"),
        (f"content\n{'x' * 200_000}\n", "line 2: the table cannot be read: field larger"),
    ],
)
def test_what_is_no_table_says_where(table: str, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        read_csv(table)


def test_our_own_export_is_read_back_whole() -> None:
    """Falls where the apostrophe that defuses a cell is not taken off again, or off once too often."""
    lines = exported_records(export(RECORD, {**RECORD, "content": "''"}))
    assert lines is not None
    assert [json.loads(line) for line in lines] == [RECORD, {**RECORD, "content": "''"}]


def test_a_cell_of_our_export_that_was_changed_says_where() -> None:
    with pytest.raises(Malformed, match="line 2: confidence: 'high' is no JSON"):
        exported_records(export(RECORD, RECORD).replace("0.5", "high", 1))


def test_other_tables_are_no_export_of_ours() -> None:
    assert exported_records("id,content\n") is None


@given(st.text() | st.text(alphabet=st.sampled_from("content,tags;\n\r\t\"'=[]{}1é")))
def test_any_text_is_read_or_refused(text: str) -> None:
    for table in (text, f"content,detail,tags\n{text}", export() + text):
        for read in (read_csv, exported_records):
            with suppress(MemoryLayerError):
                read(table)
