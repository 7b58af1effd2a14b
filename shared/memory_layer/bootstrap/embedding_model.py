"""Wiring of the embedding model of a data folder: the one chosen for it, beside those that memories still have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import Embedder, Reranker
from memory_layer.settings import EmbeddedSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_layer.adapters.embedded.files.model_choice import ModelChoice


def chosen_embedder(settings: EmbeddedSettings, named: Callable[[], Collection[str]]) -> Embedder:
    """Embedder of a data folder: by the model chosen, and for questions also by those that its memories have.

    Args:
        named: ids of the models that memories of the folder name; asked where another model was ever chosen.

    Raises:
        StoreUnavailable: the choice cannot be read.
    """
    from memory_layer.adapters.embedded.files.model_choice import read_choice
    from memory_layer.adapters.onnx.artifact import MODEL_ID

    choice = read_choice(settings.data_dir)
    current = _embedder_of(settings.model_dir, choice, choice.model)
    if not choice.dimensions:
        return current
    others = [model for model in (*choice.dimensions, MODEL_ID) if model != current.model]
    still = named()
    earlier = [
        _embedder_of(settings.model_dir, choice, None if model == MODEL_ID else model)
        for model in others
        if model in still
    ]
    return _together(current, earlier)


def _together(current: Embedder, earlier: Sequence[Embedder]) -> Embedder:
    from memory_layer.adapters.onnx.several_models import SeveralModels

    return SeveralModels(current, earlier) if earlier else current


def _embedder_of(models: Path, choice: ModelChoice, model: str | None) -> Embedder:
    from memory_layer.adapters.onnx.artifact import model_dir
    from memory_layer.adapters.onnx.embedder import OnnxEmbedder

    if model is None:
        return OnnxEmbedder(model_dir(models))
    try:
        return encoder_in(models, model)
    except EmbedderUnavailable as error:
        return LostEncoder(model, choice.dimensions[model], error)


def encoder_in(models: Path, model: str) -> Embedder:
    """Encoder of this id in the folder of models. Raises: EmbedderUnavailable: it is not there, or damaged."""
    from memory_layer.adapters.onnx.artifact import model_dir
    from memory_layer.adapters.onnx.encoder import EncoderEmbedder
    from memory_layer.adapters.onnx.encoder_files import read_encoder
    from memory_layer.adapters.onnx.vocabulary import WordRanks

    return EncoderEmbedder(
        read_encoder(folder_of_model(models, model)), rank=WordRanks(model_dir(models)).rank
    )


def folder_of_model(models: Path, model: str) -> Path:
    """Folder of an encoder, beside that of the product's own model."""
    from memory_layer.adapters.onnx.artifact import model_dir

    return model_dir(models).with_name(model)


class LostEncoder:
    """The `Embedder` port of a model that is not there any more: nothing is embedded, recall goes by words."""

    def __init__(self, model: str, dimensions: int, error: EmbedderUnavailable) -> None:
        self.model, self.dimensions = model, dimensions
        self._error = error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raises: EmbedderUnavailable: always, with what is wrong."""
        del texts
        raise self._error


def chosen_reranker(settings: EmbeddedSettings) -> Reranker | None:
    """Reranker of a data folder; None: none was chosen. Raises: StoreUnavailable: the choice cannot be read."""
    from memory_layer.adapters.embedded.files.reranker_choice import read_reranker

    choice = read_reranker(settings.data_dir)
    if choice is None:
        return None
    from memory_layer.adapters.onnx.cross_encoder import CrossEncoder

    return CrossEncoder(folder_of_model(settings.model_dir, choice.model), choice.first)
