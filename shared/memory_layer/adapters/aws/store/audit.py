"""Reads of the audit log in the table: the port ports.audit.AuditStore."""

from collections.abc import Iterator
from itertools import repeat
from typing import Final

from memory_layer.adapters.aws.table import audit_items
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.audit import AuditHead, AuditLink
from memory_layer.domain.memory import Scope
from memory_layer.ports.audit import AuditFilter, AuditPage, sound_page

LOOKED_AT: Final = 5
"""Pages of a thousand entries that one answer looks at: a filter may be met by none of them."""


class AuditItems:
    """Audit logs of all projects, as far as the projector has chained them: seconds behind the commits."""

    def __init__(self, table: RecordsTable) -> None:
        self._table = table

    def page(self, scope: Scope, asked: AuditFilter, *, before: int | None, limit: int) -> AuditPage:
        last = audit_items.LAST_POSITION if before is None else f"{before - 1:020d}"
        part = KeyRange(audit_items.audit_partition(scope), "0", last, newest_first=True)
        size = limit + 1 if asked == AuditFilter() else 1_000
        found: list[AuditLink] = []
        for number, items in enumerate(self._table.pages(part, repeat(size)), 1):
            links = [audit_items.link_of(item) for item in items]
            found += filter(asked.meets, links)
            if len(found) > limit:
                return sound_page(found[:limit], found[limit - 1].position)
            if number == LOOKED_AT and links:
                return sound_page(found, links[-1].position)
        return sound_page(found, None)

    def links(self, scope: Scope, *, after: int) -> Iterator[AuditLink]:
        part = KeyRange(audit_items.audit_partition(scope), f"{after + 1:020d}", audit_items.LAST_POSITION)
        for page in self._table.pages(part, repeat(1_000)):
            yield from map(audit_items.link_of, page)

    def head(self, scope: Scope) -> AuditHead:
        return audit_items.head_of(self._table.get(audit_items.head_key(scope)))

    def settled_head(self, scope: Scope) -> AuditHead:
        return audit_items.head_of(self._table.get_settled(audit_items.head_key(scope)))
