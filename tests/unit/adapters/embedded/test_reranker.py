"""A reranker of the user's own: it reorders the first hits of a recall, and nothing else changes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_layer.adapters.onnx.cross_encoder import CrossEncoder
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.bootstrap.model_choice import brought_encoders, model_status, use_reranker
from memory_layer.domain.access import Principal
from memory_layer.errors import EmbedderUnavailable, Invalid
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import EmbeddedSettings
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.recall.rerank import stepped_down
from tests.encoders import write_cross_encoder, write_export
from tests.given import ADMIN, AGENT, PROJECT, remembered

QUESTION = "how long does the gateway wait for an answer?"
LINES = (
    "The gateway waits thirty seconds for an answer of the warehouse.",
    "The gateway waits five seconds for an answer of the printer.",
    "The gateway waits a minute for an answer of the zebra.",
    "The gateway waits two minutes for an answer of the bank.",
)


class Prefers:
    """Reranker that likes one word, and keeps the texts that it read in `asked`."""

    model = "prefers"

    def __init__(self, word: str, first: int = 20) -> None:
        self.word, self.first = word, first
        self.asked: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        assert question == QUESTION
        self.asked += texts
        return [float(self.word in text) for text in texts]


class Broken:
    model, first = "broken", 20

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        del question, texts
        raise EmbedderUnavailable("the reranker is gone; run: mem model rerank --off")


def told(ports: Ports, by: Principal = ADMIN, lines: Sequence[str] = LINES) -> None:
    for line in lines:
        remembered(ports, by, line, on_duplicate="create")


def asked(ports: Ports, **given: object) -> RecallResult:
    return recall(ports, ADMIN, PROJECT, RecallRequest(query=QUESTION, **given))  # type: ignore[arg-type]


def contents(found: RecallResult) -> list[str]:
    return [item.memory.content for item in found.memories]


def test_by_default_there_is_none(backend: EmbeddedBackend) -> None:
    assert backend.ports.reranker is None


@pytest.mark.parametrize("word", ["printer", "zebra", "bank", "warehouse"])
def test_what_it_likes_comes_first_and_the_list_is_the_same(backend: EmbeddedBackend, word: str) -> None:
    """Scores keep their values and change their owners: abstention and chances mean what they did."""
    told(backend.ports)
    before = asked(backend.ports)
    after = asked(replace(backend.ports, reranker=Prefers(word)))
    assert word in contents(after)[0]
    assert sorted(contents(after)) == sorted(contents(before))
    assert (after.abstained, after.degraded) == (False, False)


def test_it_reads_the_first_of_a_list_and_no_more(backend: EmbeddedBackend) -> None:
    told(backend.ports)
    before = contents(asked(backend.ports))
    reranker = Prefers("bank", first=2)
    after = contents(asked(replace(backend.ports, reranker=reranker)))
    assert sorted(reranker.asked) == sorted(before[:2])
    assert after[2:] == before[2:]


def test_it_lifts_nothing_unreviewed_above_what_people_vouch_for(backend: EmbeddedBackend) -> None:
    """It comes before the order of trust: a text that pleases a model gains no standing by it."""
    told(backend.ports, lines=LINES[:2])
    told(backend.ports, AGENT, LINES[2:3])
    after = asked(replace(backend.ports, reranker=Prefers("zebra")))
    assert [item.memory.is_trusted for item in after.memories][:2] == [True, True]


def test_one_that_fails_costs_the_order_and_says_so(backend: EmbeddedBackend) -> None:
    told(backend.ports)
    before = contents(asked(backend.ports))
    after = asked(replace(backend.ports, reranker=Broken()))
    assert contents(after) == before
    assert after.degraded
    assert "mem model rerank --off" in (after.note or "")


@pytest.fixture
def settings(tmp_path: Path) -> EmbeddedSettings:
    return EmbeddedSettings(tmp_path / "data", tmp_path / "models")


@pytest.mark.parametrize("classes", [1, 2])
def test_a_cross_encoder_of_a_folder_is_used_until_it_is_switched_off(
    settings: EmbeddedSettings, tmp_path: Path, embedder: Embedder, classes: int
) -> None:
    folder = write_cross_encoder(tmp_path / "cross", classes=classes, prefers="zebra")
    chosen = use_reranker(settings, folder, 10)
    assert chosen is not None
    shutil.rmtree(folder)
    with closing(open_embedded(settings, embedder=embedder)) as backend:
        told(backend.ports)
        assert "zebra" in contents(asked(backend.ports))[0]
    assert model_status(settings)["reranker"] == chosen
    assert brought_encoders(settings) == []
    assert use_reranker(settings, None, 10) is None
    with closing(open_embedded(settings, embedder=embedder)) as backend:
        assert backend.ports.reranker is None


def test_what_is_no_cross_encoder_is_refused(settings: EmbeddedSettings, tmp_path: Path) -> None:
    wrong = {
        "vector a piece": write_export(tmp_path / "encoder"),
        "64 numbers": write_export(tmp_path / "pooled", dimensions=64, is_pooled=True),
        "no higher": write_cross_encoder(tmp_path / "fallen", sign=-1.0),
    }
    for says, folder in wrong.items():
        with pytest.raises(Invalid, match=says):
            use_reranker(settings, folder, 10)
    assert model_status(settings)["reranker"] is None
    assert not settings.model_dir.exists() or list(settings.model_dir.iterdir()) == []


def test_changed_files_score_nothing(settings: EmbeddedSettings, tmp_path: Path) -> None:
    chosen = use_reranker(settings, write_cross_encoder(tmp_path / "cross"), 10)
    assert chosen is not None
    folder = settings.model_dir / chosen["model"]
    assert len(CrossEncoder(folder, 5).scores("what?", ["a", "b"])) == 2
    (folder / "model.onnx").write_bytes(b"torn")
    with pytest.raises(EmbedderUnavailable, match="mem model rerank"):
        CrossEncoder(folder, 5).scores("what?", ["a", "b"])


@pytest.mark.parametrize("n", [1, 2, 20])
@pytest.mark.parametrize("least", [0.0, 0.5, 1.0])
def test_equal_hits_are_told_apart_and_fall_behind_no_other(n: int, least: float) -> None:
    """Falls where equal relevances are exchanged as they are: then the order is that of merits, or of ids."""
    steps = stepped_down(np.full(n, 1.0), least)
    assert steps[0] == 1.0
    assert (np.diff(steps) < 0.0).all()
    assert steps.min() >= least - 1e-4
    already = np.array([0.9, 0.5, 0.1])
    np.testing.assert_array_equal(stepped_down(already, 0.05), already)
