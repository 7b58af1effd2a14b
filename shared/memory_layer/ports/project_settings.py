"""Settings of a project with what goes beside them, read together: for recalls and for contexts."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.policy import Policy


class RecallSettings(NamedTuple):
    """What a recall goes by in a project.

    Args:
        active_at: time of the last activity; None: nobody watches the project.
        has_feedback: False: no run that cites nothing was ever shown a memory of it; True: one may have been.
    """

    policy: Policy
    active_at: datetime | None
    has_feedback: bool = True


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Settings of a project that contexts depend on. Args: active_at: last activity (None: nobody watches it)."""

    policy: Policy
    active_at: datetime | None
    assembly: AssemblyPolicy

    @property
    def assembly_in_force(self) -> AssemblyPolicy:
        """Assembly policy with the weights that the settings say: these stand, whatever feedback has tuned.

        Where the settings say any, nothing that was learned corrects them.
        """
        said = self.policy.context_weights
        learned = replace(self.assembly.learned, is_set_aside=bool(said))
        return replace(self.assembly, weights={**self.assembly.weights, **said}, learned=learned)
