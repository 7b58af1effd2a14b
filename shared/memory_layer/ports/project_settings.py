"""Settings of a project with what goes beside them, read together: for recalls and for contexts."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.learning.author_records import NO_RECORDS, AuthorRecords
from memory_layer.domain.policy import Policy
from memory_layer.errors import DamagedSettings


class RecallSettings(NamedTuple):
    """What a recall goes by in a project.

    Args:
        active_at: time of the last activity; None: nobody watches the project.
        has_feedback: False: no run that cites nothing was ever shown a memory of it; True: one may have been.
    """

    policy: Policy
    active_at: datetime | None
    has_feedback: bool = True
    authors: AuthorRecords = NO_RECORDS


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Settings of a project that contexts depend on.

    Args:
        active_at: last activity; None: nobody watches the project.
        assembly: as it is tuned; the defaults where that is damaged.
    """

    policy: Policy
    active_at: datetime | None
    assembly: AssemblyPolicy
    is_tuning_damaged: bool = False
    authors: AuthorRecords = NO_RECORDS

    def tuning(self, project: str) -> AssemblyPolicy:
        """Assembly policy for those who tell of it, or tune it on. Raises: DamagedSettings."""
        if self.is_tuning_damaged:
            raise DamagedSettings(project, self.assembly.version, damaged_tuning(project))
        return self.assembly

    @property
    def assembly_in_force(self) -> AssemblyPolicy:
        """Assembly policy with the weights that the settings say: these stand, whatever feedback has tuned.

        Where the settings say any, nothing that was learned corrects them.
        """
        said = self.policy.context_weights
        learned = replace(self.assembly.learned, is_set_aside=bool(said))
        return replace(self.assembly, weights={**self.assembly.weights, **said}, learned=learned)


def damaged_tuning(project: str) -> str:
    """Sentence about tuning that is damaged, with the way back."""
    return (
        f"how contexts of project {project} are assembled is damaged, and the defaults hold; "
        "an admin sets it back to them: DELETE /context/tuning"
    )
