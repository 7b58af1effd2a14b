"""Choice of a reranker for a data folder, in a file beside its database; without the file there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_layer.adapters.embedded.files.model_choice import write_whole
from memory_layer.errors import StoreUnavailable

RERANKER_NAME: Final = "reranker.json"


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """Reranker of a data folder. Args: first: how many texts of a list it reads."""

    model: str
    first: int


def read_reranker(folder: Path) -> RerankerChoice | None:
    """Reads the choice of a data folder; None: there is none.

    Raises:
        StoreUnavailable: the file cannot be read.
    """
    path = folder / RERANKER_NAME
    try:
        document = json.loads(path.read_text("utf-8"))
        return RerankerChoice(str(document["model"]), int(document["first"]))
    except (FileNotFoundError, NotADirectoryError):  # the opening of the folder tells of the latter
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreUnavailable(
            f"{path} cannot be read ({error}); choose again: mem model rerank FOLDER, or --off"
        ) from error


def write_reranker(folder: Path, choice: RerankerChoice | None) -> None:
    """Writes the choice of a data folder, or removes it.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    path = folder / RERANKER_NAME
    if choice is not None:
        return write_whole(path, json.dumps({"model": choice.model, "first": choice.first}) + "\n")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be removed: {error.strerror}") from error
