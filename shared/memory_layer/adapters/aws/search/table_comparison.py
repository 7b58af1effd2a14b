"""Comparison of the index with the table, as the index is handed it: it needs both."""

from typing import Protocol

from memory_layer.domain.integrity.index_comparison import ReconcileReport
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable


class ReconcileIndex(Protocol):
    """Comparison, as `Reconciliation.run`."""

    def __call__(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport: ...


def without_table(scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
    """Refuses a comparison in a process that does not know the table. Raises: IndexUnavailable: always."""
    del after, is_dry_run
    raise IndexUnavailable(
        f"project {scope.project} cannot be compared: this process does not know the table"
    )
