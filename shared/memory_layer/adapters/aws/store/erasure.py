"""What lies in the table beside a record, how much of it there is, and how it is forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Final

from memory_layer.adapters.aws.store.listing import PARTITIONS
from memory_layer.adapters.aws.store.sessions import Sessions
from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import Reading
from memory_layer.adapters.aws.table.keys import AFTER_HASH, ANSWER_BODY, VERDICT, VERSION
from memory_layer.adapters.aws.table.record_items import VECTOR_ATTRIBUTES, is_memory, text_of
from memory_layer.adapters.aws.table.records_table import Range, Table
from memory_layer.adapters.aws.verdict_notes import forget_notes_on
from memory_layer.domain.memory import POSITION_MAX, Scope
from memory_layer.manifest.tables import BY_AGE

_STORES: Final = {"version": "versions", "verdict": "verdicts", "answer": "answers", "pair": "pairs"}
"""By how a sort key begins."""


class ErasedBeside:
    """What erasures forget beside records, of all projects."""

    def __init__(self, table: Table, reading: Reading, sessions: Sessions, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._sessions = sessions
        self._executor = executor

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        """As stores.ErasureStore.traces; a query for each id, side by side."""
        wanted = list(dict.fromkeys(ids))
        counts = dict(
            zip(wanted, self._executor.map(lambda id: self._counted(scope, id), wanted), strict=True)
        )
        names = ("pk", *VECTOR_ATTRIBUTES)
        for item in self._reading.items([keys.record_key(scope, id) for id in wanted], names):
            counts[keys.id_of(item)]["vectors"] = sum(name in item for name in VECTOR_ATTRIBUTES)
        return {id: dict(found) for id, found in counts.items()}

    def _counted(self, scope: Scope, id: str) -> Counter[str]:
        end = f"{max(VERSION, VERDICT)[:-1]}{AFTER_HASH}"
        part = Range(keys.record_partition(scope, id), ANSWER_BODY, end, names=("sk",))
        kinds = (item["sk"]["S"].partition("#")[0] for item in self._table.whole(part))
        return Counter(_STORES[kind] for kind in kinds if kind in _STORES)

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        part = Range(keys.receipts_partition(scope), " ", "~", names=("pk", "sk", "principal"))
        found = [
            {"pk": item["pk"], "sk": item["sk"]}
            for item in self._table.whole(part)
            if principal is None or text_of(item, "principal") == principal
        ]
        self._table.delete_each(found)
        return len(found)

    def forget_notes(self, scope: Scope, principal: str) -> int:
        """A query for each record of the project, side by side: no list has verdicts by who said them."""
        forget = partial(forget_notes_on, self._table, scope, principal=principal)
        return sum(self._executor.map(forget, sorted(self.ids(scope))))

    def forget_answers(self, scope: Scope) -> int:
        """Bodies of answers lie beside their record; those of none, beside none."""
        end = f"{ANSWER_BODY[:-1]}{AFTER_HASH}"
        part = Range(keys.record_partition(scope, ""), ANSWER_BODY, end, names=("pk", "sk"))
        found = [{"pk": item["pk"], "sk": item["sk"]} for item in self._table.whole(part)]
        self._table.delete_each(found)
        return len(found)

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        left = [id for id in session_ids if not self._sessions.turns(scope, id, 0, POSITION_MAX)]
        return self._delete_there([keys.positions_key(scope, id) for id in left])

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        """All that is in the table."""
        return {
            "settings": self._delete_there([keys.policy_key(scope), lifecycle_keys.assembly_key(scope)]),
            "pairs": self._forget_pairs(scope),
        }

    def ids(self, scope: Scope) -> set[str]:
        """Of all records that are there, whatever the table's index knows of them yet."""
        lately = Range(keys.log_partition(scope), " ", "~", names=("id",))
        found = {entry["id"]["S"] for entry in self._table.whole(lately)}
        names = (BY_AGE.partition_key, BY_AGE.sort_key)
        for partition in PARTITIONS:
            part = Range(keys.age_partition(scope, partition), " ", "~", index=BY_AGE.name, keys=names)
            found |= {keys.id_of(item) for item in self._table.whole(part)}
        known = self._reading.items([keys.record_key(scope, id) for id in sorted(found)], ("pk", "kind"))
        return {keys.id_of(item) for item in known if is_memory(item)}

    def _forget_pairs(self, scope: Scope) -> int:
        """Those whose records are gone already, and took no pair along."""
        entries = list(self._table.whole(Range(lifecycle_keys.pairs_partition(scope), " ", "~")))
        pairs = [lifecycle_keys.pair_key(scope, id) for id in {entry["id"]["S"] for entry in entries}]
        count = self._delete_there(pairs)
        self._table.delete_each([{"pk": entry["pk"], "sk": entry["sk"]} for entry in entries])
        return count

    def _delete_there(self, wanted: list[keys.Key]) -> int:
        there = len(list(self._reading.items(wanted, ("pk",))))
        self._table.delete_each(wanted)
        return there
