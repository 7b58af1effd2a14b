"""A mark at each project that every write changes: whoever keeps what was made of its records compares it.

Writes of one project meet at it, so it is no part of their transactions: it is put anew once they are done, and
before they are acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import Reading
from memory_layer.adapters.aws.table.record_items import sealed, text_of, texts
from memory_layer.adapters.aws.table.records_table import Table
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import NEVER_WRITTEN


class WriteMarks:
    """The marks of all projects.

    Args:
        new_token: never the same twice.
    """

    def __init__(self, table: Table, reading: Reading, new_token: Callable[[], str]) -> None:
        self._table = table
        self._reading = reading
        self._new_token = new_token

    def renew(self, scopes: Iterable[Scope]) -> None:
        """Contexts that were assembled before are out of date.

        Raises:
            StoreUnavailable: they may be taken for good for as long as they are kept: a minute.
        """
        for scope in dict.fromkeys(scopes):
            named = texts({"kind": "write_mark", "token": self._new_token()})
            self._table.put(sealed({**lifecycle_keys.write_mark_key(scope), **named}))

    def of(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        """In one round trip, strongly consistent."""
        wanted = {lifecycle_keys.write_mark_key(scope)["pk"]["S"]: scope for scope in scopes}
        found = self._reading.items([lifecycle_keys.write_mark_key(scope) for scope in wanted.values()])
        marks = {wanted[item["pk"]["S"]]: text_of(item, "token") for item in found}
        return tuple(marks.get(scope) or NEVER_WRITTEN for scope in scopes)
