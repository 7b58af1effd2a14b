"""Reader of an encoder's export: a folder as sentence-transformers writes it, with an ONNX graph and tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from memory_layer.adapters.onnx.artifact import MODEL_FILE, TOKENIZER_FILE
from memory_layer.errors import Invalid

Pooling = Literal["mean", "cls", "max", "last", "none"]
POOLINGS: Final = get_args(Pooling)

PIECES_MAX: Final = 8_192
DEFAULT_PIECES: Final = 512
"""Pieces that most encoders of sentences read, where the export names no number."""

_PREFERRED: Final = ("onnx/model.onnx", "model.onnx")
_NO_LIMIT: Final = 1_000_000
"""Lengths in a tokenizer's configuration from which on they mean that there is none."""

_POOLING_KEYS: Final[Mapping[str, Pooling]] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
"""Keys of 1_Pooling/config.json. Source: sentence_transformers.models.Pooling."""

_QUESTION_PROMPTS: Final = ("query", "search_query", "question")
_MEMORY_PROMPTS: Final = ("passage", "document", "search_document", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderOptions:
    """Reading of a text by an encoder.

    Args:
        pooling: how the vectors of pieces become one; `none`: the graph does it.
        pieces_max: pieces that it reads of a text, 1 to 8,192.
        question_prefix, memory_prefix: put before what is asked, and before what is remembered.
        dimensions: how many of its first dimensions are kept (Matryoshka); None: all.
    """

    pooling: Pooling
    pieces_max: int = DEFAULT_PIECES
    question_prefix: str = ""
    memory_prefix: str = ""
    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class SaidOptions:
    """Options that a person says instead of what the export says; None: as the export says."""

    graph: str | None = None
    pooling: Pooling | None = None
    pieces_max: int | None = None
    question_prefix: str | None = None
    memory_prefix: str | None = None
    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """Files of an export, with the options that it says."""

    folder: Path
    graph: Path
    tokenizer: Path
    options: EncoderOptions

    def in_own_paths(self, text: str, stage: Path) -> str:
        """Text about the files of a stage, which is gone once it is read, as one about the files of the export."""
        for name, source in ((MODEL_FILE, self.graph), (TOKENIZER_FILE, self.tokenizer), ("", self.folder)):
            text = text.replace(str(stage / name), str(source))
        return text


def read_export(folder: Path, said: SaidOptions | None = None) -> Export:
    """Reads an export.

    Raises:
        Invalid: a file is missing, or says what cannot be done; the text names the option that helps.
    """
    said = said or SaidOptions()
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder}; name the folder of an encoder exported to ONNX")
    tokenizer = folder / TOKENIZER_FILE
    if not tokenizer.is_file():
        raise Invalid(f"{folder} has no {TOKENIZER_FILE}; export the fast tokenizer beside the model")
    options = EncoderOptions(
        pooling=said.pooling or _pooling(folder),
        pieces_max=said.pieces_max or _pieces_max(folder),
        question_prefix=_said_or(said.question_prefix, lambda: _prompt(folder, _QUESTION_PROMPTS)),
        memory_prefix=_said_or(said.memory_prefix, lambda: _prompt(folder, _MEMORY_PROMPTS)),
        dimensions=said.dimensions,
    )
    return Export(folder, _graph(folder, said.graph), tokenizer, options)


def _said_or(said: str | None, read: Any) -> str:
    return str(read()) if said is None else said


def _graph(folder: Path, named: str | None) -> Path:
    if named is not None:
        if not (folder / named).is_file():
            raise Invalid(f"{folder} has no {named}; name a file below the folder with --graph")
        return folder / named
    for name in _PREFERRED:
        if (folder / name).is_file():
            return folder / name
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx"))
    if len(found) != 1:
        what = (
            f"has {', '.join(found)}; name one with --graph" if found else "has no *.onnx; export the model"
        )
        raise Invalid(f"{folder} {what}")
    return folder / found[0]


def _pooling(folder: Path) -> Pooling:
    """Pooling as 1_Pooling/config.json says; `mean`, the commonest, where there is no such file."""
    config = _json(folder / "1_Pooling" / "config.json")
    said = [pooling for key, pooling in _POOLING_KEYS.items() if config.get(key) is True]
    if len(said) > 1:
        raise Invalid(f"{folder} pools by {' and '.join(said)} at once; say one with --pooling")
    return said[0] if said else "mean"


def _pieces_max(folder: Path) -> int:
    positions = _json(folder / "config.json").get("max_position_embeddings")
    lengths = (
        _json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        positions,
    )
    said = [length for length in lengths if isinstance(length, int) and 0 < length < _NO_LIMIT]
    return min(*said, PIECES_MAX, PIECES_MAX) if said else DEFAULT_PIECES


def _prompt(folder: Path, names: tuple[str, ...]) -> str:
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts")
    said = prompts if isinstance(prompts, dict) else {}
    return next((str(said[name]) for name in names if said.get(name)), "")


def _json(path: Path) -> Mapping[str, Any]:
    """A JSON object; empty where there is no such file. Raises: Invalid: it cannot be read."""
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Invalid(f"{path} cannot be read: {error}") from error
    return document if isinstance(document, dict) else {}
