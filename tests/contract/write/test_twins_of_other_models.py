"""Vectors of two models are never compared: their likeness means nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Duplicate
from memory_layer.ports.process import Embedder, Ports
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many
from tests.given import PROJECT

KNOWN = "The gateway waits thirty seconds for an answer of the warehouse."
NEW = "The gateway waits thirty seconds for the answer of a warehouse."


class OtherModel:
    """The same vectors under another name: what is told apart is the model alone."""

    model = "another-model"

    def __init__(self, real: Embedder) -> None:
        self._real, self.dimensions = real, real.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._real.embed(texts)


def created(ports: Ports, by: Principal, content: str) -> Result:
    return remember_many(ports, by, PROJECT, [RememberRequest(fields={"content": content})])[0]


@pytest.mark.parametrize("is_same_model", [True, False])
def test_a_near_text_of_another_model_is_no_twin(
    backend: EmbeddedBackend, admin: Principal, is_same_model: bool
) -> None:
    """Falls where a record that the index has not seen is measured without a look at its model."""
    assert isinstance(created(backend.ports, admin, KNOWN), StoredMemory)
    ports = backend.ports
    if not is_same_model:
        ports = replace(ports, embedder=OtherModel(ports.embedder))
    second = created(ports, admin, NEW)
    is_told = isinstance(second, Duplicate) or (isinstance(second, StoredMemory) and bool(second.similar))
    assert is_told is is_same_model
