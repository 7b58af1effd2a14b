"""Reads and writes of a recall that need not wait for one another, side by side where the store is far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from memory_layer.domain.memory import Scope
from memory_layer.domain.ranking import RankedMemory
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Ports
from memory_layer.ports.project_settings import RecallSettings
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.recall.find_candidates import Unseen, recalled_scopes, unseen_in


class FirstReads(NamedTuple):
    """Result of the first reads: what the recall goes by, and records that the index has not seen."""

    settings: RecallSettings
    unseen: Unseen


def first_reads(ports: Ports, scope: Scope, *, reads_unseen: bool) -> FirstReads:
    """Reads the settings of a project beside the logs of all that it recalls from.

    Args:
        reads_unseen: False: the index is not searched, or need not know the newest writes.

    Raises:
        DamagedSettings
    """
    read_settings = partial(ports.store.projects.recall_settings, scope)
    if not reads_unseen:
        return FirstReads(read_settings(), unseen=None)
    unseen, settings = ports.together.both(lambda: _unseen(ports, scope), read_settings)
    return FirstReads(settings, unseen)


def _unseen(ports: Ports, scope: Scope) -> Unseen:
    try:
        return unseen_in(ports, recalled_scopes(scope))
    except IndexUnavailable as error:
        return error


def note_and_count(
    ports: Ports, shown: Sequence[RankedMemory], receipt: RecallReceipt
) -> tuple[RankedMemory, ...]:
    """Stores the receipt, and returns the hits with the access counts of their memories, before this recall."""
    memories = [hit.memory for hit in shown]
    counted, _ = ports.together.both(
        lambda: ports.store.memories.counted(memories), lambda: ports.store.receipts.note(receipt)
    )
    each = zip(shown, counted, strict=True)
    return tuple(hit if memory is hit.memory else replace(hit, memory=memory) for hit, memory in each)
