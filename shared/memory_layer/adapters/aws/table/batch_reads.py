"""Strongly consistent reads of many items: a hundred in one round trip, the hundreds side by side."""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import chain

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.commit import Vectors


class BatchReads:
    """Reads of known keys, in batches."""

    def __init__(self, table: RecordsTable, executor: Executor) -> None:
        self._table = table
        self._executor = executor

    def items(self, wanted: Sequence[Key], names: Sequence[str] = ()) -> Iterator[record_items.Item]:
        """Reads the items that exist, in any order. Args: wanted: no key twice."""
        chunks = [wanted[start : start + READ_CHUNK] for start in range(0, len(wanted), READ_CHUNK)]
        if len(chunks) == 1:
            return iter(self._table.get_chunk(chunks[0], names))
        return chain.from_iterable(self._executor.map(partial(self._table.get_chunk, names=names), chunks))

    def memories(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, Memory]:
        """Reads the records that exist and are not erased, in the order asked for."""
        return {
            ref: record_items.memory_of(item)
            for ref, item in self._records(tenant, refs, record_items.MEMORY_ATTRIBUTES).items()
        }

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        """Reads records as `memories` does, with their vectors: a part of an item costs as much as all of it."""
        found = self._records(
            tenant, refs, (*record_items.MEMORY_ATTRIBUTES, *record_items.VECTOR_ATTRIBUTES)
        )
        return {
            ref: (record_items.memory_of(item), record_items.vectors_of(item)) for ref, item in found.items()
        }

    def _records(
        self, tenant: str, refs: Collection[Ref], names: Sequence[str]
    ) -> dict[Ref, record_items.Item]:
        wanted = {ref: keys.record_key(Scope(tenant, ref.project), ref.id) for ref in refs}
        items = self.items(list(wanted.values()), names)
        found = {keys.ref_of(item): item for item in items if record_items.is_memory(item)}
        return {ref: found[ref] for ref in wanted if ref in found}
