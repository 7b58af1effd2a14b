"""`mem` before and after there is a model: what was stored without it is found, and gets its vector by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, added, answer

SNAKE_CASE = "Always use snake_case for Python functions"


def test_a_command_that_has_the_model_embeds_what_waits(
    mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where only `mem sweep backfill` makes vectors: the second question shares no word with the memory."""
    id = added(mem, SNAKE_CASE)
    assert answer(mem("stats", "--json"))["index_coverage"] == 0.0
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    by_words = answer(mem("search", "how do we name our python functions and classes", "--json"))
    assert [one["id"] for one in by_words["memories"]] == [id]
    assert answer(mem("stats", "--json"))["index_coverage"] == 1.0
    by_meaning = answer(mem("search", "naming conventions", "--json"))
    assert [one["id"] for one in by_meaning["memories"]] == [id]


def test_a_command_that_needs_no_model_does_not_load_it(
    mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(mem, SNAKE_CASE)
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    mem("list", "--json")
    assert answer(mem("stats", "--json"))["index_coverage"] == 0.0
