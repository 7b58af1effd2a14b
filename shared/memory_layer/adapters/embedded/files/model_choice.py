"""Choice of the embedding model of a data folder, in a file beside its database, and the models before it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memory_layer.errors import StoreUnavailable

CHOICE_NAME: Final = "embedding-model.json"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Models of a data folder.

    Args:
        model: id of the one in use; None: the one that the product builds.
        dimensions: of the vectors of each encoder that was ever in use here, by its id.
    """

    model: str | None = None
    dimensions: Mapping[str, int] = field(default_factory=dict)

    def switched(self, model: str | None, dimensions: int) -> ModelChoice:
        """Choice of another model. Args: dimensions: of its vectors."""
        return ModelChoice(
            model, self.dimensions if model is None else {**self.dimensions, model: dimensions}
        )


def read_choice(folder: Path) -> ModelChoice:
    """Reads the choice of a data folder; the product's own model where nothing was ever chosen.

    Raises:
        StoreUnavailable: the file cannot be read: under a guess all memories would be embedded again.
    """
    path = folder / CHOICE_NAME
    try:
        document = json.loads(path.read_text("utf-8"))
        known = {str(model): int(length) for model, length in document["dimensions"].items()}
        model = document["model"]
        if model is not None and model not in known:
            raise ValueError(f"it names {model!r} and not the dimensions of its vectors")
        return ModelChoice(model, known)
    except (FileNotFoundError, NotADirectoryError):  # the opening of the folder tells of the latter
        return ModelChoice()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreUnavailable(
            f"{path} cannot be read ({error}); choose the model again: mem model use FOLDER, or --own"
        ) from error


def write_choice(folder: Path, choice: ModelChoice) -> None:
    """Writes the choice of a data folder, whole or not at all.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    document = {"model": choice.model, "dimensions": dict(choice.dimensions)}
    write_whole(folder / CHOICE_NAME, json.dumps(document) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Writes a file of a data folder, whole or not at all.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be written: {error.strerror}") from error
