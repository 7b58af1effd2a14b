"""Files of an encoder that a user brought, in the folder of models: with its options, hashes and calibration."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memory_layer.adapters.onnx.artifact import MANIFEST_FILE, MODEL_FILE, TOKENIZER_FILE, sha256
from memory_layer.adapters.onnx.export_folder import EncoderOptions, Export
from memory_layer.domain.arrays import np
from memory_layer.domain.retrieval.vector_calibration import Calibration, CosineScale
from memory_layer.errors import EmbedderUnavailable, Invalid

ID_MAX_CHARS: Final = 64
_HASH_CHARS: Final = 8
_NOT_IN_IDS: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_VECTOR_DIGITS: Final = 6
_DATA_SUFFIXES: Final = ("_data", ".data")
"""Ends of the files in which large graphs keep their weights, beside the graph's own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderFiles:
    """Encoder in the folder of models, as its manifest says.

    Args:
        model: its id, stored beside every vector: other files, options or calibration take another id.
        dimensions: of its vectors.
        scale: of its vectors as they are stored; `raw_scale`: as the graph gives them.
    """

    folder: Path
    model: str
    dimensions: int
    options: EncoderOptions
    calibration: Calibration
    scale: CosineScale
    raw_scale: CosineScale

    @property
    def graph(self) -> Path:
        return self.folder / MODEL_FILE

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER_FILE


def copied_files(export: Export, stage: Path) -> dict[str, str]:
    """Copies the files of an export, the graph as model.onnx, and returns their hashes.

    Raises:
        Invalid: a file cannot be copied.
    """
    wanted = {MODEL_FILE: export.graph, TOKENIZER_FILE: export.tokenizer, **_data_files(export.graph)}
    try:
        for name, source in wanted.items():
            shutil.copyfile(source, stage / name)
    except OSError as error:
        raise Invalid(f"{error.filename} cannot be copied: {error.strerror}") from error
    return {name: sha256(stage / name) for name in wanted}


def _data_files(graph: Path) -> dict[str, Path]:
    """Files of weights beside a graph, which names them by their own names."""
    beside = (path for path in graph.parent.iterdir() if path.is_file() and path != graph)
    return {path.name: path for path in beside if path.name.endswith(_DATA_SUFFIXES)}


def encoder_id(folder: Path, facts: Mapping[str, Any]) -> str:
    """Id of an encoder: the name of its folder, and a digest of all that its vectors depend on."""
    name = _NOT_IN_IDS.sub("-", folder.resolve().name).strip("-.") or "encoder"
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:_HASH_CHARS]
    return f"{name[: ID_MAX_CHARS - _HASH_CHARS - 1]}-{digest}"


def manifest_facts(
    files: Mapping[str, str], dimensions: int, options: EncoderOptions, calibration: Calibration
) -> dict[str, Any]:
    """All that the vectors of an encoder depend on, as JSON values."""
    means = {
        "question_mean": _rounded(calibration.question_mean),
        "memory_mean": _rounded(calibration.memory_mean),
    }
    return {
        "files": dict(files),
        "dimensions": dimensions,
        "options": asdict(options),
        "calibration": {"share": calibration.share, **means},
    }


def _rounded(vector: Any) -> list[float]:
    return [round(float(value), _VECTOR_DIGITS) for value in vector]


def write_encoder_manifest(
    stage: Path, model: str, facts: Mapping[str, Any], raw: CosineScale, scale: CosineScale
) -> None:
    """Writes the manifest of an encoder beside its files."""
    document = {"model": model, **facts, "raw_scale": asdict(raw), "scale": asdict(scale)}
    (stage / MANIFEST_FILE).write_text(json.dumps(document) + "\n", encoding="utf-8")


def read_encoder(folder: Path) -> EncoderFiles:
    """Reads the manifest of an encoder; its files are held against their hashes when it is loaded.

    Raises:
        EmbedderUnavailable: there is none, or it is damaged.
    """
    try:
        document = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
        said = document["calibration"]
        return EncoderFiles(
            folder=folder,
            model=str(document["model"]),
            dimensions=int(document["dimensions"]),
            options=EncoderOptions(**document["options"]),
            calibration=Calibration(
                float(said["share"]),
                np.array(said["question_mean"], np.float32),
                np.array(said["memory_mean"], np.float32),
            ),
            scale=CosineScale(**document["scale"]),
            raw_scale=CosineScale(**document["raw_scale"]),
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unusable_encoder(folder, f"its manifest cannot be read ({error!r})") from error


def check_files(folder: Path) -> None:
    """Holds the files of an encoder against the hashes in its manifest.

    Raises:
        EmbedderUnavailable: one is missing or was changed.
    """
    try:
        files = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))["files"]
        wrong = [
            name
            for name, digest in files.items()
            if not (folder / name).is_file() or sha256(folder / name) != digest
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise unusable_encoder(folder, f"its manifest cannot be read ({error!r})") from error
    if wrong:
        raise unusable_encoder(folder, f"{wrong[0]} is missing or does not match its manifest")


def unusable_encoder(folder: Path, reason: str) -> EmbedderUnavailable:
    """Error for every way in which an encoder can be unusable, with the remedy."""
    return EmbedderUnavailable(
        f"the encoder in {folder} cannot be used: {reason}; bring it again: mem model use FOLDER, "
        "or go back: mem model use --own"
    )
