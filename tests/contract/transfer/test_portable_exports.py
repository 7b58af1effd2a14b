"""A project that leaves as MIF or as Markdown comes back as it was, and other tools can read it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import mif
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Relation
from memory_layer.edge.foreign.own_exports import record_lines
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.export_forms import ExportFormat
from memory_layer.usecases.transfer.export_project import export_lines, export_parts
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import PROJECT, StandingClock

FORMATS = pytest.mark.parametrize("format", ["mif", "markdown"])
CONTENTS = (
    "SQLite takes one writer at a time.",
    "---\nmemory_layer: 1\nid: x\n---\n\nNo page of its own.",
    "Two lines\r\nwith ends of another system\n\n",
    "Café index 登录服务 \u2028 \U0001f42f",
)


@pytest.fixture
def filled(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> EmbeddedBackend:
    """Project with a chain of corrections, an archived memory, relations and awkward texts."""
    asked = [
        RememberRequest(
            fields={
                "content": content,
                "tags": ("src/*.py", "a, b"),
                "entities": ("urn:service:billing",),
                "detail": {"n": 1, "share": 0.5, "text": 'quo"te'},
                "session_id": f"s-{number}",
            },
            on_duplicate="create",
        )
        for number, content in enumerate(CONTENTS)
    ]
    results = remember_many(backend.ports, admin, PROJECT, asked)
    first, second, *_ = (one.memory.id for one in results if isinstance(one, StoredMemory))
    clock.advance(days=1)
    said = {
        "content": "SQLite takes one writer; wait for it 5 s.",
        "relations": (Relation("extends", second),),
    }
    supersede_memory(backend.ports, admin, PROJECT, first, said)
    archive_memory(backend.ports, admin, PROJECT, second)
    return backend


def exported(backend: EmbeddedBackend, who: Principal, format: ExportFormat, project: str = PROJECT) -> str:
    return "".join(export_lines(backend.ports, who, project, format))


@FORMATS
def test_a_project_comes_back_as_it_was(
    filled: EmbeddedBackend, admin: Principal, format: ExportFormat
) -> None:
    lines = record_lines(format, exported(filled, admin, format))
    assert lines is not None
    report = import_lines(filled.ports, admin, "copy", lines)
    assert (report.imported, report.records) == (len(CONTENTS) + 1, len(CONTENTS) + 1)
    before, after = (
        exported(filled, admin, "ndjson", project).replace(f'"project":"{project}"', "").split("\n")[:-2]
        for project in (PROJECT, "copy")
    )
    assert after == before


@FORMATS
def test_each_part_of_a_large_export_is_whole(
    filled: EmbeddedBackend, admin: Principal, format: ExportFormat
) -> None:
    parts = list(export_parts(filled.ports, admin, PROJECT, format, max_bytes=4_500))
    assert len(parts) > 1
    for part in parts:
        lines = record_lines(format, part.body.decode())
        assert lines is not None
        import_lines(filled.ports, admin, "copy", lines)
    assert len(exported(filled, admin, "ndjson", "copy").split("\n")) - 1 == len(CONTENTS) + 2


def test_mif_is_valid_and_says_all_that_the_format_has_words_for(
    filled: EmbeddedBackend, admin: Principal
) -> None:
    text = exported(filled, admin, "mif")
    assert mif.validate(text) == (True, [])
    document = mif.load(text)
    newest = next(one for one in document.memories if one.content.endswith("5 s."))
    first = next(one for one in document.memories if one.content == CONTENTS[0])
    second = next(one for one in document.memories if one.content == CONTENTS[1])
    assert newest.parent_id == first.id
    assert newest.related_memory_ids == [second.id]
    assert first.tags == ["src/*.py", "a, b"]
    assert [(one.name, one.entity_type) for one in first.entities] == [("urn:service:billing", "service")]
    assert first.source is not None
    assert (first.source.source_type, first.source.agent_name, first.source.session_id) == (
        "human",
        admin.name,
        "s-0",
    )


def test_mif_comes_back_as_it_was_out_of_another_tool(filled: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a field lies where another tool need not keep it."""
    text = mif.dump(mif.load(exported(filled, admin, "mif")))
    assert record_lines("mif", text) == record_lines("mif", exported(filled, admin, "mif"))


@FORMATS
def test_words_that_were_changed_are_refused_or_taken_without_their_approval(
    filled: EmbeddedBackend, admin: Principal, format: ExportFormat
) -> None:
    """Falls without the check of each content, or where an approval goes on to other words."""
    changed = exported(filled, admin, format).replace("one writer at a time", "two writers at a time")
    with pytest.raises(Invalid, match="were changed since they were exported"):
        record_lines(format, changed)
    lines = record_lines(format, changed, allow_unsealed=True)
    assert lines is not None
    import_lines(filled.ports, admin, "copy", lines, allow_unsealed=True)
    (edited,) = (one for one in _records(filled, admin) if "two writers" in one["content"])
    assert (edited["summary"], edited["approved_by"]) == ("SQLite takes two writers at a time.", None)


@FORMATS
def test_a_record_that_is_missing_or_was_changed_breaks_the_seal(
    filled: EmbeddedBackend, admin: Principal, format: ExportFormat
) -> None:
    for old, new in (("urn:service:billing", "urn:service:refunds"), ("src/*.py", "src/*.js")):
        lines = record_lines(format, exported(filled, admin, format).replace(old, new))
        assert lines is not None
        with pytest.raises(Invalid, match="nothing was imported"):
            import_lines(filled.ports, admin, "copy", lines)
        with pytest.raises(Invalid, match="nothing was imported"):
            import_lines(filled.ports, admin, "copy", lines[1:])
    assert list(_records(filled, admin)) == []


def _records(backend: EmbeddedBackend, who: Principal) -> Iterator[dict[str, object]]:
    lines = exported(backend, who, "ndjson", "copy").split("\n")[:-2]
    return map(json.loads, lines)
