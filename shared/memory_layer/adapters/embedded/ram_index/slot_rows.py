"""Rows of candidate tables that are slots of a project in RAM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.hash_lists import HashListView
from memory_layer.adapters.embedded.ram_index.id_column import IdView
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.candidates import MentionHash, RecordTable

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts


@dataclass(frozen=True, slots=True)
class SlotRows:
    """View of the columns that tell of records: appends and compactions leave it alone."""

    scope: Scope
    keys: NDArray[np.int64]
    facts: Facts
    id_view: IdView
    mentions: HashListView

    def ids(self, handles: NDArray[np.int64]) -> list[str]:
        return self.id_view.of(handles)

    def mention_hashes(self, handles: NDArray[np.int64]) -> list[list[MentionHash]]:
        return [self.mentions.of(slot) for slot in handles.tolist()]

    def table(self, slots: NDArray[Any]) -> RecordTable:
        """Table of the records in these slots, in their order."""
        return RecordTable(
            (self.scope,),
            (self,),
            np.zeros(len(slots), np.int8),
            slots.astype(np.int64),
            self.keys[slots],
            self.facts.take(slots),
        )
