"""Reads of many items by their keys: a hundred in one round trip, the hundreds side by side."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import chain

from memory_layer.adapters.aws.table import record_items
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable


class BatchReads:
    """Reads of known keys, in batches."""

    def __init__(self, table: RecordsTable, executor: Executor) -> None:
        self._table = table
        self._executor = executor

    def items(
        self, wanted: Sequence[Key], names: Sequence[str] = (), *, is_consistent: bool = True
    ) -> Iterator[record_items.Item]:
        """Reads the items that exist, in any order.

        Args:
            wanted: no key twice.
            is_consistent: False: at half the price, and maybe as they were a second ago.
        """
        read = partial(self._table.get_chunk, names=names, is_consistent=is_consistent)
        chunks = [wanted[start : start + READ_CHUNK] for start in range(0, len(wanted), READ_CHUNK)]
        if len(chunks) == 1:
            return iter(read(chunks[0]))
        return chain.from_iterable(self._executor.map(read, chunks))
