"""Files of a built model: their place, and the proof that they are whole."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_layer.errors import EmbedderUnavailable

MODEL_ID = "all-MiniLM-L6-v2-int8"
"""Id stored beside every vector; a change to the graph or its quantization takes a new id."""
DIMENSIONS = 384
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MANIFEST_FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Folder whose files agree with its manifest."""

    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / MODEL_FILE

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER_FILE


def model_dir(root: Path | None = None) -> Path:
    """Folder of the built model.

    Args:
        root: folder of all models; None: `~/.cache/memory-layer/models`.
    """
    return (root or Path.home() / ".cache" / "memory-layer" / "models") / MODEL_ID


def verified_model_files(folder: Path) -> ModelFiles:
    """Files of a complete build, so that a torn or foreign model never makes a vector.

    Raises:
        EmbedderUnavailable: the folder is missing, of another model, or damaged.
    """
    manifest = _manifest(folder)
    if manifest.get("model") != MODEL_ID:
        raise unusable_model(folder, f"its manifest names {manifest.get('model')!r}, not {MODEL_ID!r}")
    for name in (MODEL_FILE, TOKENIZER_FILE):
        if _sha256_or_none(folder / name) != manifest.get("files", {}).get(name):
            raise unusable_model(folder, f"{name} is missing or does not match its manifest")
    return ModelFiles(folder)


def write_manifest(folder: Path, sources: Mapping[str, str]) -> None:
    """Writes the manifest of a build: the hashes of its files and of their sources.

    Args:
        folder: holds the finished model and tokenizer.
        sources: SHA-256 by file name of the upstream weights.
    """
    files = {name: sha256(folder / name) for name in (MODEL_FILE, TOKENIZER_FILE)}
    manifest = {"model": MODEL_ID, "dimensions": DIMENSIONS, "files": files, "sources": dict(sources)}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unusable_model(folder: Path, reason: str) -> EmbedderUnavailable:
    """Error for every way in which a model can be unusable, with the remedy."""
    return EmbedderUnavailable(
        f"the embedding model in {folder} cannot be used: {reason}; run: mem model build"
    )


def _manifest(folder: Path) -> Mapping[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise EmbedderUnavailable(f"there is no embedding model in {folder}; run: mem model build") from error
    except (OSError, ValueError) as error:
        raise unusable_model(folder, f"its manifest cannot be read ({error})") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files", {}), dict):
        raise unusable_model(folder, "its manifest has the wrong shape")
    return manifest


def _sha256_or_none(path: Path) -> str | None:
    return sha256(path) if path.is_file() else None
