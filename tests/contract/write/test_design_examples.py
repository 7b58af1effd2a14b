"""Examples that the design documents give, held against the product (docs/sources.md, Outcome-Ranked Engine)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.errors import Duplicate
from memory_layer.ports.process import Ports
from tests.given import ADMIN, remembered

KNOWN = "use snake_case"
AGAIN = "always use snake_case for Python"


@pytest.fixture
def ports(open_backend: Callable[..., EmbeddedBackend]) -> Ports:
    return open_backend().ports


def test_the_designs_own_duplicate_is_below_its_threshold(ports: Ports) -> None:
    """Falls where the two are refused as one: by the document's own figure they are not."""
    one, other = ports.embedder.embed([KNOWN, AGAIN])
    assert 0.85 < float(np.dot(one, other)) < 0.87 < DUPLICATE_COSINE
    assert remembered(ports, ADMIN, KNOWN).id != remembered(ports, ADMIN, AGAIN).id


def test_above_the_threshold_the_writer_is_asked(ports: Ports) -> None:
    remembered(ports, ADMIN, "Always use snake_case for Python functions.")
    with pytest.raises(Duplicate):
        remembered(ports, ADMIN, "Use snake_case always for Python functions.")
