"""Encoders that a user brings: their export is read, what cannot be used is refused, cosines are calibrated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from memory_layer.adapters.onnx.bring_encoder import bring_encoder
from memory_layer.adapters.onnx.calibration_texts import ANSWERED, NEARLY_SAID
from memory_layer.adapters.onnx.encoder import EncoderEmbedder
from memory_layer.adapters.onnx.encoder_files import EncoderFiles, read_encoder
from memory_layer.adapters.onnx.export_folder import EncoderOptions, SaidOptions, read_export
from memory_layer.adapters.onnx.vocabulary import WordRanks
from memory_layer.domain.retrieval.vector_calibration import OWN_SCALE, KnownTexts, fitted
from memory_layer.errors import EmbedderUnavailable, Invalid
from memory_layer.ports.process import Embedder
from tests.encoders import POOLED_BY_CLS, WITH_PROMPTS, write_export

TEXTS = ("The deploy waits for two approvals.", "Who has to agree before we ship?")


def brought(folder: Path, models: Path, **said: object) -> EncoderFiles:
    return bring_encoder(folder, models, lambda _: None, SaidOptions(**said))  # type: ignore[arg-type]


def test_what_the_export_says_is_read(tmp_path: Path) -> None:
    configs = {
        **WITH_PROMPTS,
        **POOLED_BY_CLS,
        "sentence_bert_config.json": {"max_seq_length": 128},
        "config.json": {"max_position_embeddings": 514},
        "tokenizer_config.json": {"model_max_length": 1000000000000000019884624838656},
    }
    export = read_export(write_export(tmp_path / "e", configs=configs))
    assert export.graph == tmp_path / "e" / "onnx" / "model.onnx"
    assert export.options == EncoderOptions(
        pooling="cls", pieces_max=128, question_prefix="query: ", memory_prefix="passage: "
    )


def test_what_a_person_says_goes_before_the_export(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "e", configs=WITH_PROMPTS)
    said = SaidOptions(pooling="max", pieces_max=64, question_prefix="", memory_prefix="m: ", dimensions=16)
    assert read_export(folder, said).options == EncoderOptions(
        pooling="max", pieces_max=64, question_prefix="", memory_prefix="m: ", dimensions=16
    )


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
        (lambda folder: (folder / "onnx" / "model.onnx").unlink(), r"no \*.onnx"),
        (lambda folder: (folder / "onnx" / "model.onnx").write_bytes(b"not a graph"), "does not load"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "does not load"),
        (
            lambda folder: (
                (folder / "onnx" / "model.onnx").rename(folder / "a.onnx").with_name("b.onnx").touch()
            ),
            "--graph",
        ),
        (lambda folder: (folder / "config.json").write_text("{"), "config.json cannot be read"),
    ],
    ids=["no tokenizer", "no graph", "torn graph", "torn tokenizer", "two graphs", "torn config"],
)
def test_a_folder_that_is_no_export_is_refused_and_leaves_nothing(
    tmp_path: Path, spoil: object, says: str
) -> None:
    folder, models = write_export(tmp_path / "e"), tmp_path / "models"
    spoil(folder)  # type: ignore[operator]
    with pytest.raises(Invalid, match=says):
        brought(folder, models)
    assert not models.exists() or list(models.iterdir()) == []


def test_a_graph_that_asks_for_more_than_text_is_refused(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "e", inputs=("input_ids", "pixel_values"))
    with pytest.raises(Invalid, match="pixel_values"):
        brought(folder, tmp_path / "models")


def test_an_encoder_that_says_the_same_of_all_texts_is_refused(tmp_path: Path) -> None:
    """Pooling by the first piece makes one vector of all texts here: every piece stands for itself alone."""
    folder = write_export(tmp_path / "e", configs=POOLED_BY_CLS)
    with pytest.raises(Invalid, match="same vector"):
        brought(folder, tmp_path / "models")


@pytest.mark.parametrize("is_pooled", [False, True])
@pytest.mark.parametrize("index_type", [TensorProto.INT64, TensorProto.INT32])
def test_vectors_are_those_of_the_graph(tmp_path: Path, is_pooled: bool, index_type: int) -> None:
    """Mean over the pieces, also where the graph pools itself; unit length; the tokenizer's frame is of zeros."""
    folder = write_export(tmp_path / "e", TEXTS, is_pooled=is_pooled, index_type=index_type)
    embedder = EncoderEmbedder(brought(folder, tmp_path / "models"))
    vectors = embedder.embed([TEXTS[0], "two approvals", TEXTS[0]])
    assert vectors.shape == (3, 32)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert embedder.embed([]).shape == (0, 32)
    again = EncoderEmbedder(read_encoder(tmp_path / "models" / embedder.model), threads=1)
    np.testing.assert_array_equal(again.embed([TEXTS[0]])[0], vectors[0])


def uncalibrated(files: EncoderFiles) -> EncoderEmbedder:
    return EncoderEmbedder(replace(files, calibration=replace(files.calibration, share=0.0)))


def test_prefixes_go_before_questions_and_memories(tmp_path: Path) -> None:
    """Falls where one of the two is left out, or both get the same."""
    folder = write_export(tmp_path / "e", TEXTS, ("query passage",))
    plain = uncalibrated(brought(folder, tmp_path / "models"))
    said = {"question_prefix": "query ", "memory_prefix": "passage "}
    both = uncalibrated(brought(folder, tmp_path / "models", **said))
    assert plain.model != both.model
    asked, told = both.embed_question(TEXTS[0]), both.embed([TEXTS[0]])[0]
    np.testing.assert_array_equal(asked, plain.embed_question(f"query {TEXTS[0]}"))
    np.testing.assert_array_equal(told, plain.embed([f"passage {TEXTS[0]}"])[0])
    assert not np.array_equal(asked, told)


def test_first_dimensions_are_kept_where_that_is_said(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "e", TEXTS)
    embedder = EncoderEmbedder(brought(folder, tmp_path / "models", dimensions=8))
    assert embedder.embed([TEXTS[0]]).shape == (1, 8)
    with pytest.raises(Invalid, match="32 dimensions; 64"):
        brought(folder, tmp_path / "models", dimensions=64)


def test_the_same_encoder_is_brought_once_and_another_takes_another_id(tmp_path: Path) -> None:
    models = tmp_path / "models"
    one = brought(write_export(tmp_path / "e", TEXTS), models)
    assert brought(tmp_path / "e", models).model == one.model
    other = brought(write_export(tmp_path / "f" / "e", TEXTS, seed=2), models)
    assert (one.model[:2], other.model[:2]) == ("e-", "e-")
    assert sorted(path.name for path in models.iterdir()) == sorted([one.model, other.model])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json"])
def test_an_encoder_whose_files_changed_makes_no_vector(tmp_path: Path, name: str) -> None:
    """A torn or swapped file would make other vectors under the same id; bringing it again mends it."""
    files = brought(write_export(tmp_path / "e", TEXTS), tmp_path / "models")
    whole = (files.folder / name).read_bytes()
    (files.folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(EmbedderUnavailable, match="mem model use"):
        EncoderEmbedder(read_encoder(files.folder)).embed([TEXTS[0]])
    mended = brought(tmp_path / "e", tmp_path / "models")
    assert EncoderEmbedder(mended).embed([TEXTS[0]]).shape == (1, 32)


def test_our_own_model_needs_no_calibration(embedder: Embedder) -> None:
    """The scale in the code is that of the model; else every other encoder would be fitted to a wrong one."""
    near = (
        embedder.embed([one for one, _ in NEARLY_SAID]),
        embedder.embed([other for _, other in NEARLY_SAID]),
    )
    texts = KnownTexts(
        questions=embedder.embed([question for question, _ in ANSWERED]),
        answers=embedder.embed([answer for _, answer in ANSWERED]),
        near=near,
    )
    assert texts.scale().distance(OWN_SCALE) < 0.01
    assert fitted(texts).share == 0.0


def test_a_cone_is_opened(tmp_path: Path) -> None:
    """Two texts on different things have a cosine of .7 in the raw space of this encoder, as in that of real ones."""
    files = brought(write_export(tmp_path / "narrow", cone=16.0, dimensions=256), tmp_path / "models")
    assert files.raw_scale.apart > 0.6
    assert files.raw_scale.unasked > 0.6
    assert files.calibration.share > 0.5
    for name in ("apart", "unasked"):
        assert abs(getattr(files.scale, name) - getattr(OWN_SCALE, name)) < 0.2
    assert files.scale.answer - files.scale.unasked > files.raw_scale.answer - files.raw_scale.unasked


def test_words_weigh_by_our_own_vocabulary(tmp_path: Path, model_dir: Path, embedder: Embedder) -> None:
    """That of another encoder is in no order of frequency."""
    ranks = WordRanks(model_dir)
    encoder = EncoderEmbedder(brought(write_export(tmp_path / "e", TEXTS), tmp_path / "m"), rank=ranks.rank)
    assert encoder.rank("the") is None  # nothing was embedded yet
    encoder.embed([TEXTS[0]])
    embedder.embed(["ready"])
    assert [encoder.rank(word) for word in ("the", "deploy", "xyzzyx")] == [
        embedder.rank(word)  # type: ignore[attr-defined]
        for word in ("the", "deploy", "xyzzyx")
    ]
    assert WordRanks(tmp_path / "nowhere").rank("the") is None


def test_a_manifest_says_what_the_vectors_depend_on(tmp_path: Path) -> None:
    files = brought(write_export(tmp_path / "my encoder!", TEXTS), tmp_path / "models")
    said = json.loads((files.folder / "manifest.json").read_text())
    assert files.model.startswith("my-encoder-")
    assert set(said["files"]) == {"model.onnx", "tokenizer.json"}
    assert (said["dimensions"], said["options"]["pooling"]) == (32, "mean")
