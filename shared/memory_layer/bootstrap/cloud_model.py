"""Wiring of the cloud's embedding model: our own in the layer, a brought encoder beside it, or one on Bedrock."""

from __future__ import annotations

from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import Embedder
from memory_layer.settings import AwsSettings

BEDROCK, ENCODER = "bedrock:", "encoder:"


def cloud_embedder(settings: AwsSettings) -> Embedder:
    """Embedder as the deployment names it; nothing is loaded or asked before the first text.

    Raises:
        EmbedderUnavailable: the name is none.
    """
    named = settings.embedding_model
    if not named:
        from memory_layer.adapters.onnx.artifact import model_dir
        from memory_layer.adapters.onnx.embedder import OnnxEmbedder

        return OnnxEmbedder(model_dir(settings.model_dir))
    if named.startswith(BEDROCK):
        from memory_layer.adapters.aws.services.bedrock_embedder import BedrockEmbedder
        from memory_layer.adapters.aws.services.boto_clients import bedrock

        model = named.removeprefix(BEDROCK)
        return BedrockEmbedder(bedrock(None, settings.endpoint), model, settings.embedding_dimensions)
    if named.startswith(ENCODER):
        return _encoder(settings, named.removeprefix(ENCODER))
    raise EmbedderUnavailable(f"{named} names no embedding model; deploy with bedrock:ID or encoder:ID")


def _encoder(settings: AwsSettings, model: str) -> Embedder:
    """Encoder in the layer; a function without the layer knows its id and its dimensions, by which indexes are made."""
    from memory_layer.bootstrap.embedding_model import LostEncoder, encoder_in

    try:
        found = encoder_in(settings.model_dir, model)
    except EmbedderUnavailable as error:
        return LostEncoder(model, settings.embedding_dimensions, error)
    if found.dimensions != settings.embedding_dimensions:
        said = f"{model} has {found.dimensions} dimensions, and the deployment says {settings.embedding_dimensions}"
        return LostEncoder(model, settings.embedding_dimensions, EmbedderUnavailable(said))
    return found
