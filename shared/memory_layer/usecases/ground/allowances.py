"""Allowances of an hour: how much one principal may do in a project, so that nobody crowds others out (SPEC 4.32).

Reviewers have no limits: they set them.
"""

from datetime import datetime

from memory_layer.domain.access import Principal, agent_voice
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Limits
from memory_layer.ports.commit import HourlyUse

HELD_BACK = ("pending", "quarantined")


def use_of_writes(
    principal: Principal, memory: Memory, limits: Limits, now: datetime, before: Memory | None = None
) -> tuple[HourlyUse, ...]:
    """Use of a write, and of a text that comes to wait for a person. Args: before: the memory that changes."""
    writes = _use("writes", limits.writes_per_principal_hour, principal, memory.scope, 1, now)
    was_held = before is not None and before.status in HELD_BACK
    if memory.status not in HELD_BACK or was_held:
        return writes
    return writes + _use("held-back", limits.held_back_per_principal_hour, principal, memory.scope, 1, now)


def use_of_proposals(
    principal: Principal, scope: Scope, limits: Limits, now: datetime
) -> tuple[HourlyUse, ...]:
    """Use of a proposal in a trusted memory's place: a write that waits for a person, though it is recalled."""
    writes = _use("writes", limits.writes_per_principal_hour, principal, scope, 1, now)
    return writes + _use("held-back", limits.held_back_per_principal_hour, principal, scope, 1, now)


def use_of_learnings(
    principal: Principal, scope: Scope, limits: Limits, now: datetime, count: int
) -> tuple[HourlyUse, ...]:
    """Use of as many writes as a run teaches: each learning becomes a memory, or waits to.

    A run that teaches more than an hour allows uses a whole hour: it would be refused for ever otherwise. What runs
    leave for a person to decide counts as written alone; `held-back` is for single texts.
    """
    limit = limits.writes_per_principal_hour
    return _use("writes", limit, principal, scope, min(count, limit), now)


def use_of_citations(
    principal: Principal, scope: Scope, limits: Limits, now: datetime, count: int
) -> tuple[HourlyUse, ...]:
    return _use("citations", limits.citations_per_principal_hour, principal, scope, count, now)


def use_of_events(
    principal: Principal, scope: Scope, limits: Limits, now: datetime, count: int
) -> tuple[HourlyUse, ...]:
    return _use("events", limits.events_per_principal_hour, principal, scope, count, now)


_SUBJECTS = {
    "writes": "writes of",
    "held-back": "texts that wait for a person by",
    "citations": "citations by runs of",
    "events": "entity events of",
}


def _use(
    what: str, limit: int, principal: Principal, scope: Scope, count: int, now: datetime
) -> tuple[HourlyUse, ...]:
    """Use of an allowance, counted for each project; none of a reviewer, and none of nothing."""
    if principal.is_reviewer or count == 0:
        return ()
    key = f"{what}:{scope.project}:{agent_voice(principal.name)}"
    return (HourlyUse(key, count, limit, now, f"{_SUBJECTS[what]} {principal.name}"),)
