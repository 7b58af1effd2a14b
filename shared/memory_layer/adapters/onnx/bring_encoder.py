"""Bringing of an encoder: its export is read, tried, calibrated, and put in the folder of models as a whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, TypeAlias

from memory_layer.adapters.onnx.artifact import MODEL_FILE, TOKENIZER_FILE
from memory_layer.adapters.onnx.calibration_texts import ANSWERED, NEARLY_SAID
from memory_layer.adapters.onnx.encoder_files import (
    EncoderFiles,
    check_files,
    copied_files,
    encoder_id,
    manifest_facts,
    read_encoder,
    write_encoder_manifest,
)
from memory_layer.adapters.onnx.export_folder import EncoderOptions, Export, SaidOptions, read_export
from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.retrieval.vector_calibration import KnownTexts, fitted
from memory_layer.errors import EmbedderUnavailable, Invalid

Progress: TypeAlias = Callable[[str], None]
Encode: TypeAlias = "Callable[[str], NDArray[np.float32]]"

DIMENSIONS_MAX: Final = 4_096


def bring_encoder(
    folder: Path, models: Path, progress: Progress, said: SaidOptions | None = None
) -> EncoderFiles:
    """Copies an encoder into the folder of models, unless the very same is there.

    Args:
        models: folder of all models.
        said: options that a person says; else the export says them.

    Raises:
        Invalid: it is no encoder that can be used; the text says what is wrong and what to say or export.
    """
    export = read_export(folder, said)
    models.mkdir(parents=True, exist_ok=True)
    stage = Path(mkdtemp(prefix=".bringing-", dir=models))
    try:
        progress(f"Copying the encoder from {folder}.")
        files = copied_files(export, stage)
        progress(f"Calibrating it on {len(ANSWERED)} questions and answers.")
        target = models / _finished(export, stage, files)
        _put(stage, target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return read_encoder(target)


def _finished(export: Export, stage: Path, files: dict[str, str]) -> str:
    """Tries and calibrates the staged encoder, writes its manifest, and returns its id."""
    texts = _known_texts(_opened(stage, export), export.options)
    calibration = fitted(texts)
    dimensions = texts.answers.shape[1]
    facts = manifest_facts(files, dimensions, export.options, calibration)
    model = encoder_id(export.folder, facts)
    write_encoder_manifest(stage, model, facts, texts.scale(), calibration.applied(texts).scale())
    return model


def _put(stage: Path, target: Path) -> None:
    """Renames the stage to its place; what is there under the same id and whole stays."""
    if target.exists():
        try:
            check_files(target)
            return
        except EmbedderUnavailable:
            shutil.rmtree(target)
    os.replace(stage, target)


def _opened(stage: Path, export: Export) -> Encode:
    """Opens a staged encoder. Raises: Invalid: it does not load, or is no encoder of texts."""
    from memory_layer.adapters.onnx.encoder_session import encoded, graph_shape
    from memory_layer.adapters.onnx.session import open_session, open_tokenizer, pieces_of

    options = export.options
    try:
        session = open_session(stage / MODEL_FILE)
        tokenizer = open_tokenizer(stage / TOKENIZER_FILE, options.pieces_max)
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
        told = export.in_own_paths(str(error), stage)
        raise Invalid(f"the encoder in {export.folder} does not load: {told}") from error
    shape = graph_shape(session)

    def encode(text: str) -> NDArray[np.float32]:
        try:
            return encoded(session, shape, options, pieces_of(tokenizer, text, options.pieces_max))
        except Invalid:
            raise
        except Exception as error:  # onnxruntime's own, for instance pieces beyond the graph's vocabulary
            raise Invalid(f"the encoder in {export.folder} fails on a plain sentence: {error}") from error

    return encode


def _known_texts(encode: Encode, options: EncoderOptions) -> KnownTexts:
    def memories(texts: list[str]) -> NDArray[np.float32]:
        return np.stack([encode(options.memory_prefix + text) for text in texts])

    questions = np.stack([encode(options.question_prefix + question) for question, _ in ANSWERED])
    _check_vectors(questions, options)
    near = memories([one for one, _ in NEARLY_SAID]), memories([other for _, other in NEARLY_SAID])
    return KnownTexts(questions=questions, answers=memories([answer for _, answer in ANSWERED]), near=near)


def _check_vectors(rows: NDArray[np.float32], options: EncoderOptions) -> None:
    """Refuses vectors that tell nothing. Raises: Invalid."""
    if not 4 <= rows.shape[1] <= DIMENSIONS_MAX:
        raise Invalid(
            f"its vectors have {rows.shape[1]} dimensions; from 4 to {DIMENSIONS_MAX:,} are searched"
        )
    if options.dimensions is not None and rows.shape[1] != options.dimensions:
        raise Invalid(
            f"its vectors have {rows.shape[1]} dimensions; {options.dimensions} cannot be kept of them"
        )
    if float(np.ptp(rows, axis=0).max()) < 1e-4:
        raise Invalid("it gives all texts the same vector; it may need another --pooling, or another graph")
