"""`mem model`: the model in use, another encoder, a reranker, and the way back."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tests.encoders import write_cross_encoder, write_export
from tests.unit.cli.conftest import Mem, added, answer, problem

SHIP = ("A release goes out after two colleagues agreed.", "Who approves shipping?")
OWN = "all-MiniLM-L6-v2-int8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_export(tmp_path / "small", SHIP, dimensions=64)


def found(mem: Mem) -> list[str]:
    shown = answer(mem("search", SHIP[1], "--strategy", "semantic", "--json"))
    return [one["content"] for one in shown["memories"]]


def test_an_encoder_is_used_and_left_again(mem: Mem, folder: Path) -> None:
    shown = answer(mem("model", "show", "--json"))
    assert (shown["model"], shown["memories"], shown["brought"], shown["reranker"]) == (OWN, 0, [], None)
    chosen = answer(mem("model", "use", str(folder), "--json"))
    assert (chosen["before"], chosen["dimensions"], chosen["pooling"]) == (OWN, 64, "mean")
    added(mem, SHIP[0])
    assert found(mem) == [SHIP[0]]
    told = answer(mem("model", "show", "--json"))
    assert (told["model"], told["memories"], told["embedded"]) == (chosen["model"], 1, 1)
    assert told["brought"] == [chosen["model"]]
    assert answer(mem("model", "use", "--own", "--json"))["model"] == OWN
    back = answer(mem("model", "use", chosen["model"], "--json"))
    assert (back["before"], back["embedded"]) == (OWN, 1)


def test_what_a_person_reads_says_what_waits(mem: Mem, folder: Path) -> None:
    added(mem, SHIP[0])
    said = mem("model", "use", str(folder)).stdout
    assert "before: all-MiniLM-L6-v2-int8" in said
    assert "1 of 1 memories have no vector of it yet" in said
    assert "mem sweep backfill" in said
    shown = mem("model")
    assert "64 dimensions" in shown.stdout
    assert "0 of 1 memories have its vectors" in shown.stdout


def test_options_go_before_what_the_export_says(mem: Mem, folder: Path) -> None:
    said = ("--pooling", "max", "--pieces", "32", "--question-prefix", "q: ", "--dimensions", "16")
    chosen = answer(mem("model", "use", str(folder), *said, "--json"))
    options = ("pooling", "pieces_max", "question_prefix", "memory_prefix", "dimensions")
    assert [chosen[name] for name in options] == ["max", 32, "q: ", "", 16]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("use",), "name one model"),
        (("use", "nowhere"), "no encoder of this id"),
        (("use", "--own", "--pooling", "cls"), "no options"),
        (("rerank",), "name a folder, or --off"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(mem: Mem, asked: tuple[str, ...], says: str) -> None:
    assert says in problem(mem("model", *asked, "--json"))["detail"]
    assert answer(mem("model", "show", "--json"))["model"] == OWN


def test_an_unknown_pooling_is_refused_with_those_there_are(mem: Mem, folder: Path) -> None:
    told = problem(mem("model", "use", str(folder), "--pooling", "median", "--json"))["detail"]
    assert "mean, cls, max, last, none" in told


def test_beside_a_running_server_nothing_is_chosen(mem: Mem, folder: Path, tmp_path: Path) -> None:
    """Its backfill would embed again by the model before, and the two would never end."""
    added(mem, SHIP[0])
    lock = os.open(tmp_path / "data" / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        useless = mem("model", "use", str(folder.parent), "--json")
        assert "tokenizer.json" in problem(useless)["detail"]
        for asked in (("use", str(folder)), ("use", "--own"), ("rerank", "--off")):
            assert "a server runs" in problem(mem("model", *asked, "--json"))["detail"]
    finally:
        os.close(lock)
    assert answer(mem("model", "use", str(folder), "--json"))["before"] == OWN


def test_a_damaged_encoder_is_named_where_it_lies(mem: Mem, folder: Path) -> None:
    """Falls where the answer names the copy, which is gone by then."""
    (graph,) = folder.rglob("*.onnx")
    graph.write_bytes(b"no graph")
    for act in ("use", "rerank"):
        said = problem(mem("model", act, str(folder), "--json"))["detail"]
        assert str(graph) in said
        assert ".bringing-" not in said


def test_an_agent_chooses_no_model(mem: Mem, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that it reads could have it do so: all memories would be found by another's idea of likeness."""
    monkeypatch.setenv("MEMORY_LAYER_AGENT", "codex")
    for asked in (("use", str(folder)), ("rerank", "--off")):
        assert mem("model", *asked).exit_code == 1
    assert answer(mem("model", "show", "--json"))["model"] == OWN


def test_a_reranker_is_used_and_left_again(mem: Mem, tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "cross", prefers="zebra")
    chosen = answer(mem("model", "rerank", str(folder), "--first", "5", "--json"))["reranker"]
    assert chosen["first"] == 5
    for name in ("warehouse", "printer", "zebra", "bank"):
        added(mem, f"The gateway waits for an answer of the {name}.", "--on-duplicate", "create")
    shown = answer(mem("search", "gateway answer", "--json"))["memories"]
    assert "zebra" in shown[0]["content"]
    assert chosen["model"] in mem("model").stdout
    assert answer(mem("model", "rerank", "--off", "--json")) == {"reranker": None}
    assert answer(mem("model", "show", "--json"))["reranker"] is None


def test_the_doctor_knows_an_encoder_that_is_gone(mem: Mem, folder: Path, tmp_path: Path) -> None:
    model = answer(mem("model", "use", str(folder), "--json"))["model"]
    added(mem, SHIP[0])
    (tmp_path / "models" / model).rename(tmp_path / "away")
    told = mem("doctor", "--json")
    assert "mem model use FOLDER" in told.stdout
    (tmp_path / "away").rename(tmp_path / "models" / model)
    assert f"model {model}" in mem("doctor", "--json").stdout
