"""The environment variables that this product reads, all of them. Standard library only."""

from __future__ import annotations

from typing import Final

DATA_DIR: Final = "MEMORY_LAYER_DATA"
"""The embedded backend's data folder; default ~/.memory-layer."""

MODEL_DIR: Final = "MEMORY_LAYER_MODEL_DIR"
"""The folder of the embedding model; default ~/.cache/memory-layer/models."""

PROJECT: Final = "MEMORY_LAYER_PROJECT"
"""The command line's project; default: a slug of the current folder's name."""
