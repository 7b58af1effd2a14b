"""What a context stands on: what was written last, what the projects have decided; or a context that was kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.ports.process import Deadline, Ports
from memory_layer.ports.records import ContextSettings


@dataclass(frozen=True, slots=True)
class ContextGround:
    """Read in this order, so that no write between two reads is taken for seen.

    Args:
        versions: the projects' write versions before anything else was read.
        kept: all that is needed, if there is one.
    """

    versions: tuple[str, ...]
    kept: AssembledContext | None = None
    settings: Mapping[Scope, ContextSettings] = field(default_factory=dict)

    @property
    def policies(self) -> Mapping[Scope, Policy]:
        return {scope: settings.policy for scope, settings in self.settings.items()}


def read_ground(
    ports: Ports, scopes: tuple[Scope, ...], *, key: str, now: datetime, deadline: Deadline
) -> ContextGround:
    """
    Args:
        scopes: the project, and what its tenant shares.

    Raises:
        Late: the deadline is over.
        Unavailable: the record store does not answer, or settings are damaged.
    """
    versions = ports.store.write_versions(scopes)
    kept = ports.contexts.kept.find(key, versions, now)
    if kept is not None:
        return ContextGround(versions, kept)
    deadline.check()
    settings = ports.store.context_settings(scopes)
    return ContextGround(versions, None, dict(zip(scopes, settings, strict=True)))
