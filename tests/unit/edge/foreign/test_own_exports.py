"""Records come back from every form of an export to the byte."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import content_hash
from memory_layer.edge.foreign.own_exports import record_lines
from memory_layer.usecases.transfer.export_forms import FORMS, ExportFormat, record_line
from tests.records_at_bounds import fields_of_records, record

MANIFEST = {"exported_at": "2026-03-01T12:00:00.000000Z", "sha256": "0" * 64, "records": 2, "format": "x"}

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)
awkward = st.sampled_from(
    (
        "---\nmemory_layer: 1\nid: x\n---\n\nNot a page.",
        "\\memory_layer: 1\n\\\\memory_layer: 1",
        "ends in lines\n\n",
        "\n\nbegins with lines",
        "a\r\nb\rc\u2028d\x85e",
        "---\n\n---",
        "null",
    )
)
details = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=6,
)
written = st.fixed_dictionaries(
    {
        "content": texts | awkward,
        "summary": st.none() | texts | awkward,
        "context": st.none() | texts,
        "detail": st.dictionaries(texts, details, max_size=3),
        "session_id": st.none() | texts,
        "created_by": texts,
    }
)


def document(format: ExportFormat, memories: list[Any]) -> str:
    form = FORMS[format]
    parts = [form.write(memory) for memory in memories]
    rows, late = (form.between.join(getattr(part, name) for part in parts) for name in ("row", "late"))
    return f"{form.head}{rows}{form.middle}{late}{form.end(MANIFEST)}"


@pytest.mark.parametrize("format", ["mif", "markdown"])
@given(
    fields=st.lists(fields_of_records(), min_size=1, max_size=3),
    said=st.lists(written, min_size=3, max_size=3),
)
def test_records_come_back_to_the_byte(format: ExportFormat, fields: Any, said: Any) -> None:
    memories = []
    for number, (one, words) in enumerate(zip(fields, said, strict=False)):
        memory = replace(record(one, f"m:{number}"), **words)
        memories.append(replace(memory, content_hash=content_hash(memory.content)))
    *lines, manifest = record_lines(format, document(format, memories)) or []
    assert lines == [record_line(memory) for memory in memories]
    assert json.loads(manifest) == {"manifest": MANIFEST}
