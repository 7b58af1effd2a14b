"""Steps of all sweeps, by name."""

from collections.abc import Mapping
from typing import Final

from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.usecases.sweeps.backfill import backfill
from memory_layer.usecases.sweeps.consolidate import consolidate
from memory_layer.usecases.sweeps.expire_and_decay import decay_due, expire_due
from memory_layer.usecases.sweeps.mark_stale import sweep_staleness
from memory_layer.usecases.sweeps.reconcile import reconcile
from memory_layer.usecases.sweeps.snapshot import snapshot_projects
from memory_layer.usecases.sweeps.step import Step
from memory_layer.usecases.sweeps.tiering import move_tiers
from memory_layer.usecases.sweeps.verify_stored import verify_stored

SWEEPS: Final[Mapping[SweepName, Step]] = {
    "expiry": expire_due,
    "decay": decay_due,
    "staleness": sweep_staleness,
    "backfill": backfill,
    "reconcile": reconcile,
    "consolidate": consolidate,
    "tiering": move_tiers,
    "snapshot": snapshot_projects,
    "verify": verify_stored,
}
