"""Visibility of a record in a recall, by the settings of the record's own project, not of the one that asks."""

from collections.abc import Mapping
from datetime import datetime

from memory_layer.domain.access import Viewer
from memory_layer.domain.lifecycle import hidden_because
from memory_layer.domain.memory import Memory, Scope, Standing
from memory_layer.domain.policy import Policy
from memory_layer.ports.records import ProjectStore


class Visibility:
    """Judge of visibility for one viewer at one moment; each project's settings are read once, if it has a record.

    Args:
        known: settings that were read before.
        standing: the only one that is asked for; None: either.
    """

    def __init__(
        self,
        projects: ProjectStore,
        viewer: Viewer,
        now: datetime,
        *,
        include_stale: bool = False,
        known: Mapping[Scope, Policy] | None = None,
        standing: Standing | None = None,
    ) -> None:
        self._projects = projects
        self._viewer = viewer
        self._now = now
        self._include_stale = include_stale
        self._policies = dict(known or {})
        self._standing = standing

    def policy_of(self, scope: Scope) -> Policy:
        if scope not in self._policies:
            self._policies[scope] = self._projects.policy(scope)
        return self._policies[scope]

    def shows(self, memory: Memory) -> bool:
        reason = hidden_because(
            memory,
            viewer=self._viewer,
            now=self._now,
            policy=self.policy_of(memory.scope),
            include_stale=self._include_stale,
        )
        return reason is None and (self._standing is None or self._standing == memory.standing)
