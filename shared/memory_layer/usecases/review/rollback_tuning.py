"""Tuning of context assembly in a rollback: as all feedback but that of the excluded principals would have it."""

from collections.abc import Sequence
from functools import partial

from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.tuning_replay import retuned
from memory_layer.domain.memory import Scope
from memory_layer.domain.rollback.exclusions import Exclusion, is_excluded
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict


def settle_tuning(
    ports: Ports,
    scope: Scope,
    were: Sequence[Exclusion],
    shall: Sequence[Exclusion],
    by: str,
    why: str,
    *,
    is_dry_run: bool,
) -> bool:
    """Writes the tuning as it is without the excluded principals; tells if it differs.

    Args:
        were: those that it is without already.

    Raises:
        VersionConflict: somebody tunes all the time.
    """

    def attempt() -> bool:
        before = _tuning(ports, scope)
        now = ports.clock.now()
        after = retuned(
            before, partial(is_excluded, were), partial(is_excluded, shall), at=now, by=by, why=why
        )
        if after.version == before.version:
            return False
        if not is_dry_run:
            ports.store.writer.commit(Commit(scope=scope, assembly=after))
        return True

    return retry_on_conflict(attempt)


def _tuning(ports: Ports, scope: Scope) -> AssemblyPolicy:
    (settings,) = ports.store.projects.context_settings([scope])
    return settings.tuning(scope.project)
