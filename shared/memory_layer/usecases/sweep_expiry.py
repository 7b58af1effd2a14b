"""Archive what has expired: reads show it so already, this makes it last (SPEC 7.9)."""

from __future__ import annotations

from memory_layer.domain.lifecycle import expired
from memory_layer.usecases.ground.archival_cause import EXPIRED
from memory_layer.usecases.sweeps.expire_and_decay import over_due
from memory_layer.usecases.sweeps.step import Step

expire_due: Step = over_due(expired, lambda _: EXPIRED)
"""What is due for another reason stays as it is."""
