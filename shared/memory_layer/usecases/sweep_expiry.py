"""Archive what has expired: reads show it so already, this makes it last (SPEC 7.9)."""

from __future__ import annotations

from memory_layer.domain.lifecycle import expired
from memory_layer.usecases.sweep_due import over_due
from memory_layer.usecases.sweep_step import Step
from memory_layer.usecases.taken_out import EXPIRED

expire_due: Step = over_due(expired, lambda _: EXPIRED)
"""What is due for another reason stays as it is."""
