"""Exports of other systems come in whole, with where they come from, and without their junk, of which all is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.edge.foreign.detected_format import ForeignFormat
from memory_layer.edge.foreign.read_foreign import Reading, read_foreign
from memory_layer.errors import Forbidden
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_files import import_files, placed_in
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.transfer.memory_import import MemoryImport
from memory_layer.usecases.write import unseen_contents
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import FOREIGN_FILES, PROJECT, SCOPE, remembered

PLANTED = (FOREIGN_FILES / "mem0-planted.json").read_text()
ECHOED = "The warehouse answers slowly on Mondays, so retry after ten seconds"


def brought(
    backend: EmbeddedBackend,
    who: Principal,
    text: str = PLANTED,
    format: ForeignFormat = "mem0",
    *,
    is_dry_run: bool = False,
    **reading: Any,
) -> ForeignTally:
    file = read_foreign(format, text, Reading(**reading))
    return import_foreign(backend.ports, who, PROJECT, file, is_dry_run=is_dry_run)


def records(backend: EmbeddedBackend) -> dict[str, Memory]:
    return {memory.content: memory for memory in every_record(backend.ports.store.memories, SCOPE)}


def recalled(backend: EmbeddedBackend, who: Principal) -> None:
    """Stores a memory, and recalls it, so that its words coming back are an echo."""
    remembered(backend.ports, who, content=f"{ECHOED}.")
    backend.drain()
    recall(backend.ports, who, PROJECT, RecallRequest(query="warehouse slow on Mondays", min_score=0.0))
    backend.drain()


def test_every_item_that_is_not_stored_is_told_with_its_reason(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    told = brought(backend, admin)
    assert {part.where: part.reason for part in told.left_out} == {
        "/results/1": "says the same as /results/0",
        "/results/4": "a mere status, which teaches nothing",
        "/results/5": "it says nothing",
        "/results/8": "a page of recalled memories, which are known where they come from",
    }
    assert [(part.where, part.problem) for part in told.refused] == [("/results/7", "its words are no text")]
    assert [(part.where, part.kinds) for part in told.redacted] == [("/results/2", ("url_password",))]
    assert [part.where for part in told.held] == ["/results/6"]
    assert (told.stored, told.quarantined, told.skipped) == (5, 1, 1)


def test_words_that_a_recall_returned_are_an_echo(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where extracted words are taken for a person's: they would be new evidence for what was recalled."""
    recalled(backend, admin)
    told = brought(backend, admin)
    reasons = {part.where: part.reason for part in told.left_out}
    assert (
        "says this already" in reasons["/results/3"]
        or "repeats what a recall returned" in reasons["/results/3"]
    )
    assert told.stored == 4


def test_a_dry_run_tells_the_same_and_stores_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    recalled(backend, admin)
    before = records(backend)
    foreseen = brought(backend, admin, is_dry_run=True)
    assert records(backend) == before
    assert brought(backend, admin) == replace(foreseen, is_dry_run=False)


def test_where_it_comes_from_is_kept(backend: EmbeddedBackend, admin: Principal) -> None:
    brought(backend, admin)
    memory = records(backend)["Prefers pnpm to npm in every repository"]
    assert memory.detail["imported_from"] == {
        "system": "mem0",
        "id": "0a7b0c8e-6f0e-4a55-9a5e-1d2c3b4a5f01",
        "metadata": {"category": "preference", "tags": ["node"]},
        "categories": ["technology"],
        "created_at": "2025-06-01T10:00:00-07:00",
        "user_id": "alex",
    }
    assert memory.said_at == datetime(2025, 6, 1, 17, tzinfo=UTC)
    assert (memory.category, memory.tags, memory.created_by) == ("preference", ("technology", "node"), "alex")


def test_words_that_a_system_extracted_are_unreviewed_unless_an_admin_vouches(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    brought(backend, admin)
    assert {memory.standing for memory in records(backend).values()} == {"unreviewed"}
    brought(backend, admin, '[{"memory": "Invoices are sent on the first of a month"}]', source="human")
    assert records(backend)["Invoices are sent on the first of a month"].standing == "trusted"


def test_nobody_but_an_admin_imports(backend: EmbeddedBackend, agent: Principal) -> None:
    with pytest.raises(Forbidden):
        brought(backend, agent)


def test_users_are_kept_apart_under_their_personas(backend: EmbeddedBackend, admin: Principal) -> None:
    text = '[{"memory": "Likes tea", "user_id": "alex"}, {"memory": "Likes coffee", "user_id": "sam"}]'
    brought(backend, admin, text, users="apart")
    assert {memory.persona for memory in records(backend).values()} == {"alex", "sam"}


def test_a_fact_that_is_over_is_stored_with_its_end(backend: EmbeddedBackend, admin: Principal) -> None:
    text = """{"edges": [{"uuid": "e1", "fact": "Kendra wears Adidas shoes", "name": "WEARS",
      "source_node_uuid": "n1", "target_node_uuid": "n2", "created_at": "2025-01-01T00:00:00Z",
      "valid_at": "2024-12-01T00:00:00Z", "invalid_at": "2025-02-01T00:00:00Z"}],
      "nodes": [{"uuid": "n1", "name": "Kendra"}, {"uuid": "n2", "name": "Adidas shoes"}]}"""
    brought(backend, admin, text, "zep")
    memory = records(backend)["Kendra wears Adidas shoes"]
    assert (memory.valid_from, memory.valid_to) == (
        datetime(2024, 12, 1, tzinfo=UTC),
        datetime(2025, 2, 1, tzinfo=UTC),
    )
    assert (memory.detail["imported_from"]["source"], memory.detail["imported_from"]["target"]) == (
        "Kendra",
        "Adidas shoes",
    )


@EMBEDDED_ONLY
@pytest.mark.parametrize(("files", "at"), [(1, 8), (2, 11)])
def test_an_error_in_the_middle_leaves_nothing(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, files: int, at: int
) -> None:
    """Falls where an export comes in part by part, or the files of a folder one by one."""
    file = read_foreign("mem0", PLANTED)
    counting = MemoryImport._count
    calls = iter(range(100))

    def failing(self: MemoryImport, *given: Any) -> None:
        counting(self, *given)
        if (
            next(calls) == at
        ):  # in the transaction: five memories are rehearsed first, and one of the second file
            raise OSError("the disk is gone")

    monkeypatch.setattr(MemoryImport, "_count", failing)
    rules = read_foreign("markdown", "- One rule.\n", Reading(name="A.md"))
    with pytest.raises(OSError, match="disk"):
        import_files(backend.ports, admin, PROJECT, [file, rules][:files])
    assert records(backend) == {}


def test_files_of_a_folder_are_told_with_their_paths(backend: EmbeddedBackend, admin: Principal) -> None:
    files = [
        placed_in(read_foreign("markdown", f"- {text}\n\n[a](b)\n", Reading(name=name)), name)
        for name, text in (("A.md", "Use tabs."), ("b/B.md", "Deploy on Mondays."))
    ]
    told = import_files(backend.ports, admin, PROJECT, files)
    assert (told.read, told.stored) == (2, 2)
    assert [part.where for part in told.left_out] == ["A.md: line 3", "b/B.md: line 3"]


@pytest.mark.parametrize("compared", [300, 1])
def test_files_of_a_folder_may_say_nearly_the_same(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    """Falls where a line is refused for what it was compared with, or where that is not read."""
    monkeypatch.setattr(unseen_contents, "UNSEEN_COMPARED", compared)
    said = "The nightly deploy job of the billing service in the cluster in Frankfurt is stopped after {} minutes."
    others = "- Use tabs in every file of the shop.\n- Never import from a service into the common folder.\n"
    texts = {f"{name}.md": f"- {said.format(minutes)}\n{others}" for name, minutes in (("A", 30), ("B", 45))}
    files = [
        placed_in(read_foreign("markdown", text, Reading(name=name)), name) for name, text in texts.items()
    ]
    told = import_files(backend.ports, admin, PROJECT, files)
    assert {said.format(30), said.format(45)} <= records(backend).keys()
    assert (told.stored, told.skipped) == (4, 0)
