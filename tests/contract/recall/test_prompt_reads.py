"""A prompt reads the records that it shows, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import TaskProfile
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.contract.conftest import EMBEDDED_ONLY

PLACES = ("river", "harbour", "forest", "station", "market", "bridge", "tower", "school", "mill", "garden")
DOINGS = ("closes at noon", "floods in April", "hires a guard", "sells maps", "needs new paint")


@EMBEDDED_ONLY
def test_a_prompt_reads_what_it_shows(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: the index's facts go with the candidates, in `candidates.joined` too, where no scope is asked for."""
    ports = open_backend().ports
    batch = [
        RememberRequest(fields={"content": f"The {place} {doing}.", "confidence": 0.9})
        for place in PLACES
        for doing in DOINGS
    ]
    remember_many(ports, admin, "web", batch)
    read: list[Ref] = []
    whole = HitReader._read

    def noted(reader: HitReader, refs: list[Ref]) -> dict[Ref, Memory]:
        read.extend(refs)
        return whole(reader, refs)

    monkeypatch.setattr(HitReader, "_read", noted)
    found = compose_prompt(ports, admin, "web", "paint the bridge", TaskProfile(), limit=5)
    assert len(found.memories) == 5
    assert {memory.ref for memory in found.memories} == set(read)
