"""Tuning of a project's context assembly by feedback, and its reset by an admin."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.feedback_tuning import (
    Feedback,
    as_one_change,
    learn_from_page,
    reset_to_defaults,
    tune_by_feedback,
)
from memory_layer.domain.context.learned_priority import judged_page
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.domain.remedies import omit
from memory_layer.errors import Invalid, NotFound, TooMany
from memory_layer.ports.commit import Commit, Quota
from memory_layer.ports.process import Ports
from memory_layer.ports.project_settings import ContextSettings
from memory_layer.ports.records import NEVER_WRITTEN
from memory_layer.usecases.context.assembled_page import request_receipt_id
from memory_layer.usecases.ground.change_record import require_admin, retry_on_conflict

FEEDBACK_WINDOW_S: Final = 30 * 24 * 3600
"""Time for which feedback counts once: as long as the request's receipt is kept."""


@dataclass(frozen=True, slots=True)
class TuningResult:
    """Assembly policy in force after feedback. Args: was_counted: False: there was feedback on this context before."""

    policy: AssemblyPolicy
    was_counted: bool


def give_feedback(
    ports: Ports,
    principal: Principal,
    project: str,
    request_id: str,
    feedback: Feedback,
    useful: Sequence[int] | None = None,
) -> TuningResult:
    """Tunes assembly by the feedback of a context's requester: on the last one under this id, once for each.

    An agent's voice moves each number by one step in all, and agents together half the way to the bounds (SPEC 9.16).

    Args:
        useful: numbers on the page of the fragments that were; None: not said. The priority is learned from them.

    Raises:
        Invalid: a number is not on the page.
        NotFound: the caller never requested a context under this id, or did more than 30 days ago.
        DamagedSettings

    Source: Context Assembly, memory quality feedback.
    """
    scope = principal.scope(project)
    _refuse_unwritten(ports, scope)
    named = request_receipt_id(principal, request_id)
    answered = ports.store.receipts.get(scope, named)
    if answered is None:
        raise NotFound(
            f"no context was assembled for you as {request_id} in the last 30 days; take the id that came with one"
        )

    _check_useful(useful or (), len(answered.signals), request_id)

    def attempt() -> TuningResult:
        now, settings = ports.clock.now(), _settings(ports, scope)
        before = settings.tuning(project)
        page = (
            judged_page(answered.signals, useful, by=principal.name, at=now, is_agent=principal.is_agent)
            if useful is not None
            else None
        )
        once = Quota(
            f"context-feedback:{project}:{named}:{rfc3339(answered.at)}",
            1,
            FEEDBACK_WINDOW_S,
            now,
            f"feedback on {request_id}",
        )
        after = tune_by_feedback(
            before,
            feedback,
            at=now,
            by=principal.name,
            is_agent=principal.is_agent,
            request_id=request_id,
        )
        if page is not None:
            after = learn_from_page(after, page)
        after = as_one_change(before, after)
        change = None if after.version == before.version else after
        try:
            ports.store.writer.commit(Commit(scope=scope, assembly=change, quotas=(once,)))
        except TooMany:
            return TuningResult(settings.assembly_in_force, was_counted=False)
        return TuningResult(replace(settings, assembly=after).assembly_in_force, was_counted=True)

    return retry_on_conflict(attempt)


def _check_useful(useful: Sequence[int], count: int, request_id: str) -> None:
    if beyond := [ref for ref in useful if not 1 <= ref <= count]:
        named = ", ".join(map(str, beyond))
        there = f"it has 1 to {count}" if count else "nothing is known of its fragments"
        raise Invalid.at("/useful", f"{named}: not on the page of {request_id}; {there}", omit("/useful"))


def get_tuning(ports: Ports, principal: Principal, project: str) -> AssemblyPolicy:
    """Returns the assembly policy of a project as it is in force, with its history. Raises: DamagedSettings."""
    settings = _settings(ports, principal.scope(project))
    settings.tuning(project)
    return settings.assembly_in_force


def reset_tuning(ports: Ports, principal: Principal, project: str) -> AssemblyPolicy:
    """Resets the assembly policy to the defaults, a damaged one too, and notes it in the history.

    Raises:
        Forbidden: the caller is no admin.
        NotFound: nothing was ever written in the project.
    """
    require_admin(principal, f"resetting how contexts of project {project} are assembled")
    scope = principal.scope(project)
    _refuse_unwritten(ports, scope)

    def attempt() -> AssemblyPolicy:
        after = reset_to_defaults(_settings(ports, scope).assembly, at=ports.clock.now(), by=principal.name)
        ports.store.writer.commit(Commit(scope=scope, assembly=after))
        return after

    return retry_on_conflict(attempt)


def _settings(ports: Ports, scope: Scope) -> ContextSettings:
    (settings,) = ports.store.projects.context_settings([scope])
    return settings


def _refuse_unwritten(ports: Ports, scope: Scope) -> None:
    if ports.store.projects.write_versions([scope]) == (NEVER_WRITTEN,):
        raise NotFound(f"project {scope.project} has no memories yet: there is nothing to tune")
