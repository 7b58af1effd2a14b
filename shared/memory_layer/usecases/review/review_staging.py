"""Management of the staging area by people: list, validate, promote, reject and clear staged learnings."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus, reject_learning
from memory_layer.domain.memory import Scope
from memory_layer.errors import Conflict, Forbidden, NotFound
from memory_layer.ports.collections import StagedPage
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.learn import promote_learnings

PAGE = 100
EVERY_STATUS: tuple[StagedStatus, ...] = ("pending", "validated", "rejected", "promoted")


@dataclass(frozen=True, slots=True)
class StagingPage:
    """Page of the staging area, with the count of each status in the whole of it."""

    page: StagedPage
    counts: Mapping[StagedStatus, int]


def list_staging(
    ports: Ports,
    principal: Principal,
    project: str,
    statuses: Collection[StagedStatus],
    *,
    after: tuple[str, str] | None,
    limit: int,
) -> StagingPage:
    """Lists staged learnings in any of these statuses that this caller may see, oldest first."""
    scope, viewer = principal.scope(project), review_viewer_of(principal)
    page = ports.store.learnings.staged_page(scope, statuses, viewer, after=after, limit=limit)
    return StagingPage(page, ports.store.learnings.staged_counts(scope, viewer))


def validate_staging(ports: Ports, principal: Principal, project: str) -> promote_learnings.ValidationReport:
    """Validates or rejects every pending learning.

    Raises:
        Forbidden: the caller is no reviewer.
    """
    _require_reviewer(principal)
    scope = principal.scope(project)
    judgements = [
        promote_learnings.validate_all(ports, scope, page)
        for page in _pages(ports, principal, scope, ["pending"])
    ]
    return promote_learnings.ValidationReport(
        sum(one.validated for one in judgements), sum(one.rejected for one in judgements)
    )


def promote_staging(
    ports: Ports, principal: Principal, project: str, *, judges_first: bool, clears_after: bool
) -> promote_learnings.PromotionReport:
    """Promotes every validated learning.

    Args:
        judges_first: pending learnings are judged before.
        clears_after: promoted learnings do not stay in the staging area.

    Raises:
        Forbidden: the caller is no reviewer.
    """
    _require_reviewer(principal)
    scope = principal.scope(project)
    if judges_first:
        validate_staging(ports, principal, project)
    done = [
        promote_learnings.promote_all(ports, principal, scope, page)
        for page in _pages(ports, principal, scope, ["validated"])
    ]
    if clears_after:
        clear_staging(ports, principal, project, ["promoted"])
    return promote_learnings.PromotionReport(
        sum(one.promoted for one in done), sum(one.merged for one in done), sum(one.skipped for one in done)
    )


def promote_one(ports: Ports, principal: Principal, project: str, id: str) -> StagedLearning:
    """Promotes one learning, and judges it before if nobody has.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound: as `_get`.
        Conflict: the learning was rejected, by a rule or a person.
    """
    _require_reviewer(principal)
    scope = principal.scope(project)
    staged = _get(ports, principal, scope, id)
    promote_learnings.validate_all(ports, scope, [staged])
    promote_learnings.promote_all(ports, principal, scope, [_get(ports, principal, scope, id)])
    after = _get(ports, principal, scope, id)
    if after.status != "promoted":
        raise Conflict(
            f"{id} is {after.status}: {after.rejection_reason or 'it changed meanwhile; try again'}"
        )
    return after


def reject_one(
    ports: Ports, principal: Principal, project: str, id: str, reason: str | None
) -> StagedLearning:
    """Rejects one learning for good: no run that says it again makes a memory of it.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound: as `_get`.
        Conflict: the learning was promoted already; the memory is to be rejected instead.
    """
    _require_reviewer(principal)
    scope = principal.scope(project)
    admitted = admit_reason(principal, reason, ports.store.projects.policy(scope))

    def attempt() -> StagedLearning:
        before = _get(ports, principal, scope, id)
        why = admitted or f"rejected by {principal.name}"
        after, problem = reject_learning(before, why, by=principal.name, at=ports.clock.now())
        if problem is not None:
            raise Conflict(problem)
        if after is not before:
            kept_out = promote_learnings.block_learning(ports, principal, scope, after, why)
            changes = () if kept_out is None else (kept_out,)
            ports.store.writer.commit(Commit(scope=scope, staged=(after,), changes=changes))
        return after

    return retry_on_conflict(attempt)


def clear_staging(
    ports: Ports, principal: Principal, project: str, statuses: Collection[StagedStatus] = EVERY_STATUS
) -> int:
    """Deletes the staged learnings in these statuses, and returns how many there were.

    Raises:
        Forbidden: the caller is no reviewer.
    """
    _require_reviewer(principal)
    scope, cleared = principal.scope(project), 0
    for page in _pages(ports, principal, scope, statuses):
        errors = ports.store.writer.commit_each([Commit(scope=scope, unstaged=(item,)) for item in page])
        cleared += sum(error is None for error in errors)
    return cleared


def _pages(
    ports: Ports, principal: Principal, scope: Scope, statuses: Collection[StagedStatus]
) -> Iterator[tuple[StagedLearning, ...]]:
    """Reads all learnings in these statuses, page by page; each page may leave them before the next is read."""
    after: tuple[str, str] | None = None
    while True:
        page = ports.store.learnings.staged_page(
            scope, statuses, review_viewer_of(principal), after=after, limit=PAGE
        )
        yield page.staged
        after = page.next_key
        if after is None:
            return


def _get(ports: Ports, principal: Principal, scope: Scope, id: str) -> StagedLearning:
    """Reads a staged learning. Raises: NotFound: there is none of this id, or none that this caller may see."""
    staged = ports.store.learnings.staged(scope, [id]).get(id)
    if staged is None or not review_viewer_of(principal).may_see(staged.persona):
        raise NotFound(
            f"no staged learning {id} in project {scope.project}; list the staged ones to find its id"
        )
    return staged


def _require_reviewer(principal: Principal) -> None:
    if not principal.is_reviewer:
        raise Forbidden("staged learnings are promoted, rejected and cleared by a reviewer")
