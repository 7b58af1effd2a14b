"""Reconciliation of the search index with the record store (SPEC 7.13)."""

from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.backfill import embed_again
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, over_projects


def reconcile_page(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    found = ports.index.reconcile(scope, after=walk.cursor, is_dry_run=walk.is_dry_run)
    lost = found.without_vectors
    again = embed_again(ports, walk, scope, lost, lost=lost) if lost else StepReport()
    return StepReport(
        found.next_cursor,
        found.looked_at,
        {**found.counts, **again.did},
        (*found.left, *again.failed),
    )


reconcile: Step = over_projects(reconcile_page)
