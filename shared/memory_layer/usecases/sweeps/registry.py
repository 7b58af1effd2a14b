"""Steps of all sweeps, by name: those that manifest/sweeps.py declares."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.manifest.sweeps import DECLARED_SWEEPS, Sweep
from memory_layer.usecases.sweeps.step import Step


def _step_of(sweep: Sweep) -> Step:
    module, _, name = sweep.step.rpartition(".")
    step: Step = getattr(import_module(f"{__package__}.{module}"), name)
    return step


SWEEPS: Final[Mapping[SweepName, Step]] = {name: _step_of(sweep) for name, sweep in DECLARED_SWEEPS.items()}
