"""Build of the int8 model: weights to graph to quantized file, checked and put in place whole."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memory_layer.adapters.onnx import artifact, weights
from memory_layer.adapters.onnx.session import disable_telemetry, embed_one, open_session, open_tokenizer
from memory_layer.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from onnx import ModelProto

MIN_COSINE = 0.97
"""Least agreement with float32 that a build may have; .98 to .996 is usual."""
CHECK_SENTENCES = (
    "The connection pool is exhausted after thirty seconds.",
    "When did the reviewer approve the migration?",
    "SQLite in WAL mode allows one writer and many readers at the same time, on one machine.",
)


class ModelBuildFailed(EmbedderUnavailable):
    """Error of a quantized model that does not agree with the float32 one on this machine."""


def build_model(target_dir: Path, progress: weights.Progress) -> artifact.ModelFiles:
    """Builds the model unless a whole one is there; a killed build leaves the folder as it was.

    Args:
        target_dir: `model_dir(root)`; created, or replaced if what is in it is damaged.
        progress: called with one sentence a step.

    Raises:
        WeightsUnavailable: the weights are neither installed nor downloadable.
        WeightsCorrupt: the weights do not have their pinned hash.
        ModelBuildFailed: the int8 model does not agree with the float32 one.
    """
    target_dir.parent.mkdir(parents=True, exist_ok=True)
    with _one_builder(target_dir.parent):
        existing = _whole(target_dir)
        if existing:
            progress(f"The model in {target_dir} is whole: nothing to build.")
            return existing
        with _staged(target_dir) as stage:
            _build(stage, progress)
        megabytes = (target_dir / artifact.MODEL_FILE).stat().st_size / 1e6
        progress(f"The model is ready in {target_dir} ({megabytes:.1f} MB).")
        return artifact.verified_model_files(target_dir)


def _build(stage: Path, progress: weights.Progress) -> None:
    from memory_layer.adapters.onnx.graph import build_graph  # onnx takes half a second to import

    with weights.upstream_folder(progress) as upstream:
        progress("Building the graph from the weights.")
        float32 = build_graph(weights.read_safetensors(upstream / weights.WEIGHTS_FILE))
        shutil.copyfile(upstream / artifact.TOKENIZER_FILE, stage / artifact.TOKENIZER_FILE)
    progress("Quantizing to int8.")
    quantize(float32, stage / artifact.MODEL_FILE)
    progress("Comparing the int8 model with the float32 one.")
    _check_agreement(float32, stage)
    artifact.write_manifest(stage, weights.UPSTREAM_SHA256)


def quantize(float32: ModelProto, target: Path) -> None:
    """Writes the model with int8 weights, a scale per output channel; activations are quantized as they come."""
    with _quiet_root_logger():
        from onnx import TensorProto

        disable_telemetry()
        from onnxruntime.quantization import QuantType, quantize_dynamic

        # Shape inference stops at the fused operators, so the quantizer must be told the type behind them.
        types = {"DefaultTensorType": TensorProto.FLOAT}
        quantize_dynamic(float32, target, per_channel=True, weight_type=QuantType.QInt8, extra_options=types)


def _check_agreement(float32: ModelProto, stage: Path) -> None:
    tokenizer = open_tokenizer(stage / artifact.TOKENIZER_FILE)
    exact, small = open_session(float32.SerializeToString()), open_session(stage / artifact.MODEL_FILE)
    pairs = ((embed_one(exact, tokenizer, s), embed_one(small, tokenizer, s)) for s in CHECK_SENTENCES)
    worst = min(float(a @ b) for a, b in pairs)
    if worst < MIN_COSINE:
        raise ModelBuildFailed(
            f"the int8 model agrees with the float32 one only to a cosine of {worst:.3f} on this processor "
            f"(at least {MIN_COSINE} is needed); update onnxruntime and run: mem model build"
        )


@contextmanager
def _one_builder(folder: Path) -> Iterator[None]:
    """Lock of one builder: server and command line may start together, and the second finds the model built."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _staged(target_dir: Path) -> Iterator[Path]:
    """Folder that becomes `target_dir` in one rename, or nothing; deletes the files of a killed build first."""
    stage = target_dir.with_name(f".{target_dir.name}.building")
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    try:
        yield stage
        shutil.rmtree(target_dir, ignore_errors=True)
        os.replace(stage, target_dir)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _whole(folder: Path) -> artifact.ModelFiles | None:
    try:
        return artifact.verified_model_files(folder)
    except EmbedderUnavailable:
        return None


@contextmanager
def _quiet_root_logger() -> Iterator[None]:
    """Silences the root logger: the quantizer configures it at import, with warnings that do not fit this graph."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = [logging.NullHandler()]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
