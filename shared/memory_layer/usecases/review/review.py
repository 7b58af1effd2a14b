"""Review queue: the items that wait for a person, and the decisions on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.learning.staging import STAGED_ID_PREFIX, StagedLearning, StagedStatus
from memory_layer.domain.memory import AWAITING_STATUSES, Memory
from memory_layer.domain.remedies import omit
from memory_layer.errors import InFlight, Invalid, MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.idempotency import (
    IdempotentRequest,
    answered_once,
    earlier_answer,
    earlier_answers,
)
from memory_layer.usecases.review.approve import approve_memory, put_aside, reject_memory
from memory_layer.usecases.review.list_pairs import OpenPair, list_pairs
from memory_layer.usecases.review.review_staging import promote_one, reject_one

AWAITING = AWAITING_STATUSES
STAGED_AWAITING: tuple[StagedStatus, ...] = ("pending", "validated")
PAIRS_AWAITING: tuple[PairKind, ...] = ("conflict", "duplicate")

Awaiting = Memory | StagedLearning | OpenPair
"""Item of the review queue: a memory, a staged learning, or two memories that should not both stand."""


class ReviewDecision(Protocol):
    """Reviewer's decision on one item."""

    @property
    def id(self) -> str: ...
    @property
    def decision(self) -> Literal["approve", "reject", "archive"]: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def version(self) -> int | None:
        """Version that the reviewer has looked at; None: any."""

    @property
    def seen_versions(self) -> Mapping[str, int] | None:
        """Versions of the memories in whose place an approval puts it, by id, as looked at; None: any."""


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Page of the review queue, oldest first, with the key of the next page (None: this was the last)."""

    items: tuple[Awaiting, ...]
    next_key: tuple[str, str] | None
    damaged: tuple[str, ...] = ()
    """Ids of what is left out because it cannot be read as it was written."""


def awaiting_review(
    ports: Ports, principal: Principal, project: str, *, after: tuple[str, str] | None, limit: int
) -> ReviewPage:
    """Reads a page of the review queue, oldest first.

    Pending, quarantined and stale memories, active ones that agents speak against or that recalls hide until
    approved, staged learnings that nobody has promoted or rejected yet, and memories that contradict each other or say
    the same.
    """
    scope, now = principal.scope(project), ports.clock.now()
    held = ports.store.projects.policy(scope).review_sources
    kinds = [
        Filters(status=AWAITING),
        Filters(is_doubted=True),
        *([Filters(source=held, is_approved=False)] if held else []),
    ]
    viewer = review_viewer_of(principal)
    memories = [
        ports.store.memories.page(scope, kind, viewer, now=now, after=after, limit=limit, oldest_first=True)
        for kind in kinds
    ]
    staged = ports.store.learnings.staged_page(scope, STAGED_AWAITING, viewer, after=after, limit=limit)
    pages = [ReviewPage(page.memories, page.next_key, page.unread) for page in memories]
    for kind in PAIRS_AWAITING:
        pairs = list_pairs(ports, principal, project, kind, after=after, limit=limit)
        pages.append(ReviewPage(pairs.items, pairs.next_key, pairs.damaged))
    return _united([*pages, ReviewPage(staged.staged, staged.next_key)], limit)


def _united(pages: Sequence[ReviewPage], limit: int) -> ReviewPage:
    """Merges pages of several kinds into one, up to the place that all of them reach."""
    ends = [page.next_key for page in pages if page.next_key is not None]
    end = min(ends, default=None)
    by_place = {_place(item): item for page in pages for item in page.items}  # once if in several pages
    found = [by_place[place] for place in sorted(by_place)]
    reached = [item for item in found if end is None or _place(item) <= end]
    shown = tuple(reached[:limit])
    damaged = tuple(dict.fromkeys(id for page in pages for id in page.damaged))
    return ReviewPage(shown, _place(shown[-1]) if len(reached) > limit else end, damaged)


def waiting_since(item: Awaiting) -> datetime:
    if isinstance(item, OpenPair):
        return item.pair.found_at
    return item.staged_at if isinstance(item, StagedLearning) else item.created_at


def _place(item: Awaiting) -> tuple[str, str]:
    return rfc3339(waiting_since(item)), item.id


Outcome = Memory | StagedLearning | IdempotencyRecord | MemoryLayerError
"""Result of a decision; an `IdempotencyRecord` is an earlier answer, given again for the same idempotency key."""


def decide_all(
    ports: Ports,
    principal: Principal,
    project: str,
    decisions: Sequence[tuple[ReviewDecision, IdempotentRequest | None]],
) -> list[Outcome]:
    """Carries out each decision; an error in one does not touch the others.

    Raises:
        KeyReused: a key came with other decisions; then none is carried out.
    """
    wishes = [once for _, once in decisions if once is not None]
    answers = earlier_answers(ports.store.requests, principal.scope(project), wishes, ports.clock.now())
    for once in wishes:
        if once.key in answers:
            once.refuse_other(answers[once.key])
    return [_decide(ports, principal, project, item, once, answers) for item, once in decisions]


def _decide(
    ports: Ports,
    principal: Principal,
    project: str,
    item: ReviewDecision,
    once: IdempotentRequest | None,
    answers: Mapping[str, IdempotencyRecord],
) -> Outcome:
    try:
        earlier = once.earlier(answers) if once else None
        return earlier or _carried_out(ports, principal, project, item, once)
    except InFlight as error:
        now = ports.clock.now()
        return (
            earlier_answer(ports.store.requests, principal.scope(project), once, now) if once else None
        ) or error
    except MemoryLayerError as error:
        return error


def _carried_out(
    ports: Ports, principal: Principal, project: str, item: ReviewDecision, once: IdempotentRequest | None
) -> Memory | StagedLearning | IdempotencyRecord:
    if item.id.startswith(STAGED_ID_PREFIX):
        return _staged_decided(ports, principal, project, item, once)
    if item.decision == "approve":
        return approve_memory(
            ports, principal, project, item.id, expected=item.version, seen=item.seen_versions, once=once
        )
    decide = reject_memory if item.decision == "reject" else put_aside
    return decide(ports, principal, project, item.id, reason=item.reason, expected=item.version, once=once)


def refuse_version(id: str, version: int | None) -> None:
    """Refuses a version of a staged learning, which has no versions. Raises: Invalid"""
    if version is not None:
        raise Invalid.at("/version", f"{id} is a staged learning, which has no versions", omit("/version"))


def _staged_decided(
    ports: Ports, principal: Principal, project: str, item: ReviewDecision, once: IdempotentRequest | None
) -> StagedLearning | IdempotencyRecord:
    """Decides on a staged learning. Raises: Invalid: it has no versions, and no archive to go to."""
    refuse_version(item.id, item.version)
    if item.decision == "archive":
        raise Invalid.at(
            "/decision", f"{item.id} is a staged learning: approve it, which promotes it, or reject it"
        )

    def work() -> StagedLearning:
        if item.decision == "approve":
            return promote_one(ports, principal, project, item.id)
        return reject_one(ports, principal, project, item.id, item.reason)

    scope, now = principal.scope(project), ports.clock.now()
    return answered_once(
        ports.store.requests,
        ports.store.writer,
        scope,
        once,
        now,
        work,
        lambda staged: staged.memory_id or "",
    )
