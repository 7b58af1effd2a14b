"""Steps of all sweeps, by name: those that manifest/sweeps.py declares."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from memory_layer.usecases.sweeps.step import ProjectStep, RecordsStep, Step


def _named(step: str) -> Any:
    module, _, name = step.rpartition(".")
    return getattr(import_module(f"{__package__}.{module}"), name)


SWEEPS: Final[Mapping[SweepName, Step]] = {
    name: _named(sweep.step) for name, sweep in DECLARED_SWEEPS.items()
}

PROJECT_STEPS: Final[Mapping[SweepName, ProjectStep]] = {
    name: _named(sweep.project_step)
    for name, sweep in DECLARED_SWEEPS.items()
    if sweep.project_step is not None
}
"""Steps of those sweeps that are queued project by project."""

RECORDS_STEPS: Final[Mapping[SweepName, RecordsStep]] = {
    name: _named(sweep.records_step)
    for name, sweep in DECLARED_SWEEPS.items()
    if sweep.records_step is not None
}
"""Steps of those sweeps that are queued by the records that are due."""
