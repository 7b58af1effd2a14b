"""`mem context`, `mem feedback`, `mem tuning`: as people use them on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_cli import Mem, added, answer, mem, problem

__all__ = ["mem"]

INTENT = "how long does the queue keep messages?"


@pytest.fixture
def known(mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    return added(mem, "The queue keeps messages for four days.")


def test_a_context_is_a_page_and_what_it_cost(mem: Mem, known: str) -> None:
    shown = mem("context", INTENT, "--tokens", "200", "--request-id", "r1").stdout
    assert f"[{known}] The queue keeps messages for four days." in shown
    assert "(wordpiece)" in shown
    assert "mem feedback r1" in shown
    document = answer(mem("context", INTENT, "--tokens", "200", "--json"))
    assert [part["id"] for part in document["fragments"]] == [known]
    assert 0 < document["metadata"]["total_tokens"] <= 200


def test_feedback_tunes_and_a_reset_takes_it_back(mem: Mem, known: str) -> None:
    assert known
    mem("context", INTENT, "--request-id", "r1")
    assert "nothing has tuned it yet" in mem("tuning").stdout
    first = answer(mem("feedback", "r1", "--completeness", "0.2", "--json"))
    assert first["counted"]
    assert first["tuning"]["entity_share"] == 0.35
    assert "it counts once" in mem("feedback", "r1", "--completeness", "0.1").stdout
    assert "entity_share 0.35" in mem("tuning").stdout
    assert answer(mem("tuning", "--reset", "--json"))["entity_share"] == 0.3
    assert "reset to the defaults" in mem("tuning").stdout


def test_what_is_not_there_is_said_in_words(mem: Mem, known: str) -> None:
    assert known
    assert (
        "there is no tokenizer 'bpe'"
        in problem(mem("context", INTENT, "--tokenizer", "bpe", "--json"))["detail"]
    )
    assert "no such source" in problem(mem("context", INTENT, "--source", "L5", "--json"))["detail"]
    unknown = problem(mem("feedback", "r9", "--completeness", "0.2", "--json"))
    assert (unknown["status"], "request_id r9" in unknown["detail"]) == (404, True)
