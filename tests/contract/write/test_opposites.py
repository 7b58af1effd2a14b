"""What is much like a memory and says the opposite is no duplicate to be merged."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Contradicts
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember

KNOWN = "Run the linter before every commit."


@pytest.mark.parametrize("on_duplicate", ["ask", "merge"])
def test_an_opposite_is_told_and_never_merged(
    backend: EmbeddedBackend, admin: Principal, on_duplicate: str
) -> None:
    """Falls where likeness alone decides: the longer of the two would stand for both."""
    known = remember(backend.ports, admin, "web", RememberRequest(fields={"content": KNOWN}))
    backend.drain()
    asked = RememberRequest(
        fields={"content": "Do not run the linter before every commit."},
        on_duplicate=on_duplicate,  # type: ignore[arg-type]
    )
    with pytest.raises(Contradicts, match="says otherwise") as refused:
        remember(backend.ports, admin, "web", asked)
    assert isinstance(known, StoredMemory)
    assert refused.value.twin.id == known.memory.id
    assert backend.ports.store.memories.get(admin.scope("web"), known.memory.id) == known.memory


def test_an_agreeing_twin_is_merged_still(backend: EmbeddedBackend, admin: Principal) -> None:
    remember(backend.ports, admin, "web", RememberRequest(fields={"content": KNOWN}))
    backend.drain()
    asked = RememberRequest(fields={"content": "Run the linter before every commit!!"}, on_duplicate="merge")
    merged = remember(backend.ports, admin, "web", asked)
    assert isinstance(merged, StoredMemory)
    assert not merged.is_new
