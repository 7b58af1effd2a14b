"""Pairs of a stored memory and a known one that says otherwise: opened at once, for a person to decide."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeAlias

from memory_layer.domain.conflicts.pair_verdict import PairFinding, is_in_force, is_kept_both, open_pair
from memory_layer.domain.memory import Memory
from memory_layer.ports.process import Ports
from memory_layer.usecases.write.near_verdicts import NearDuplicate, contradiction_with

StoredBeside: TypeAlias = tuple[Memory, Sequence[NearDuplicate]]
"""Memory that is stored now, and those near to it."""


def open_contradictions(ports: Ports, stored: Sequence[StoredBeside], now: datetime) -> None:
    """Opens a pair for each memory that was stored beside one that says otherwise."""
    findings = [finding for memory, near in stored for finding in _findings(memory, near, now)]
    if not findings:
        return
    ids = [id for finding in findings for id in finding.decision_ids]
    before = ports.store.pairs.get_many(findings[0].one.scope, ids)
    ports.store.pairs.put(
        [
            pair
            for finding in findings
            for pair in [open_pair(finding, before.get(finding.id), now)]
            if not is_kept_both(map(before.get, finding.decision_ids), pair.content_hashes)
        ]
    )


def _findings(memory: Memory, near: Sequence[NearDuplicate], now: datetime) -> Iterator[PairFinding]:
    for twin in near:
        if twin.says_otherwise is not None and is_in_force(memory, now) and is_in_force(twin.memory, now):
            yield contradiction_with(memory, twin)
