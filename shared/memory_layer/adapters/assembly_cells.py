"""How a project assembles its contexts, as its cell has it: what cannot be read was never tuned, and is logged."""

from __future__ import annotations

import logging

from memory_layer.domain.context.policy import AssemblyPolicy, assembly_policy_of
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedPolicy

_log = logging.getLogger(__name__)


def assembly_of(scope: Scope, text: str | None, version: int = 0) -> AssemblyPolicy:
    """
    Args:
        version: of the cell, as far as it is known beside it.
    """
    try:
        return assembly_policy_of(text)
    except DamagedPolicy as error:
        _log.error("the tuning of contexts of %s is damaged (%s); the defaults hold", scope.project, error)
        return AssemblyPolicy(version=version)
