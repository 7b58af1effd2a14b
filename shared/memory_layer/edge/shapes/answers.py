"""Results of use cases as JSON: the same documents for HTTP, the command line and MCP."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from math import floor
from typing import Any, Final, get_args

from pydantic_core import PydanticSerializationError, to_json

from memory_layer.domain.integrity.index_comparison import VectorCoverage
from memory_layer.domain.learning.knowledge_page import Groups
from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Memory, Tier
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.tiers.costs import usd_per_month
from memory_layer.edge.shapes import answer_models as models
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.learning_bodies import StagedAnswer
from memory_layer.edge.shapes.pair_bodies import PairAnswer, pair_answer
from memory_layer.edge.shapes.review_answers import ReviewItem, ReviewsAnswer, StagedReview
from memory_layer.edge.shapes.stats_answers import StatsAnswer, TierAnswer, UseCount
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.index import ProjectStats
from memory_layer.ports.records import Operation, RecordVersion, left_out
from memory_layer.usecases.learn.report_on_page import JudgedReference
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer
from memory_layer.usecases.recall.compose_knowledge import KnowledgePrompt
from memory_layer.usecases.recall.prompt_candidates import ComposedPrompt
from memory_layer.usecases.review.list_pairs import OpenPair
from memory_layer.usecases.review.review import Awaiting, waiting_since
from memory_layer.usecases.review.review_groups import ReviewGroup
from memory_layer.usecases.write.near_verdicts import SimilarMemory
from memory_layer.usecases.write.remember import StoredMemory
from memory_layer.usecases.write.revise import RevisedMemory


def to_text(document: Any) -> str:
    """Compact JSON in UTF-8, by pydantic's writer: five times as fast as Python's, and it is here already."""
    try:
        return to_json(document).decode()
    except PydanticSerializationError:  # deeper than its 255 levels
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def etag(memory: Memory) -> str:
    return f'"{memory.version}"'


def location(memory: Memory) -> dict[str, str]:
    """Headers of an answer with a created record: its URL and its version."""
    return {"Location": f"/v1/projects/{memory.project}/memories/{memory.id}", "ETag": etag(memory)}


def stored_json(stored: StoredMemory) -> dict[str, Any]:
    receipt = _receipt(stored.memory, stored.redacted, stored.similar, stored.proposed_for)
    return document(models.StoredAnswer(stored.memory, receipt))


def stored_answer(stored: StoredMemory) -> tuple[int, str]:
    """Status and body."""
    return stored_status(stored), to_text(stored_json(stored))


def stored_status(stored: StoredMemory) -> int:
    """Status: 201 for a new record, 200 for one that took it in, 202 for a proposal."""
    return PROPOSED if stored.proposed_for else 201 if stored.is_new else 200


PROPOSED: Final = 202
"""Status of an answer with a proposal, which a reviewer has yet to decide about."""


def changed_answer(changed: RevisedMemory | StoredMemory) -> tuple[int, str]:
    """Status and body of the answer to a change: 200, or 202 for a proposal of it."""
    shown = stored_json(changed) if isinstance(changed, StoredMemory) else revised_json(changed)
    return changed_status(changed), to_text(shown)


def changed_status(changed: RevisedMemory | StoredMemory) -> int:
    """Status of the answer to a change: 200, or 202 for a proposal of it."""
    return PROPOSED if changed.proposed_for else 200


def revised_json(revised: RevisedMemory) -> dict[str, Any]:
    receipt = _receipt(revised.memory, revised.redacted, proposed_for=revised.proposed_for)
    return document(models.StoredAnswer(revised.memory, receipt))


def reported_json(reported: OutcomeAnswer) -> dict[str, Any]:
    return document(answer_from(models.ReportedAnswer, reported))


def page_outcome_json(
    recall_id: str,
    judged: Iterable[JudgedReference],
    problem_of: Callable[[MemoryLayerError], Mapping[str, Any]],
) -> dict[str, Any]:
    """Verdicts by reference. Args: problem_of: makes the problem document of a refusal."""
    return {"recall_id": recall_id, "results": [_reference_json(one, problem_of) for one in judged]}


def _reference_json(
    judged: JudgedReference, problem_of: Callable[[MemoryLayerError], Mapping[str, Any]]
) -> dict[str, Any]:
    named = {"ref": judged.ref, "id": judged.memory.id, "project": judged.memory.project}
    if isinstance(judged.outcome, MemoryLayerError):
        found = problem_of(judged.outcome)
        return {**named, "status": found["status"], "problem": found}
    if isinstance(judged.outcome, IdempotencyRecord):
        return {**named, "status": 200, **json.loads(judged.outcome.body)}
    return {**named, "status": 200, **moved_json(judged.outcome)}


def moved_json(reported: OutcomeAnswer) -> dict[str, Any]:
    """Scores and status of a memory after a verdict."""
    memory = reported.memory
    return {
        "outcome_score": memory.outcome_score,
        "confidence": memory.confidence,
        "memory_status": memory.status,
    }


_indexes_later: Final[ContextVar[bool]] = ContextVar("indexes_later", default=False)


@contextmanager
def receipts_before_the_index(indexes_later: bool) -> Iterator[None]:
    """Makes receipts say what is so when they are given. Args: indexes_later: as `Ports` has it."""
    token = _indexes_later.set(indexes_later)
    try:
        yield
    finally:
        _indexes_later.reset(token)


def _receipt(
    memory: Memory,
    redacted: Sequence[RedactionFinding],
    similar: Sequence[SimilarMemory] = (),
    proposed_for: str | None = None,
) -> models.WriteReceipt:
    return models.WriteReceipt(
        durable=True,
        indexed=memory.embedding_model is not None and not _indexes_later.get(),
        redacted=redacted,
        quarantined=memory.status == "quarantined",
        similar=similar,
        proposed_for=proposed_for,
    )


def prompt_json(prompt: ComposedPrompt) -> dict[str, Any]:
    """Composed prompt; `groups` where the format has them."""
    found = prompt.groups if isinstance(prompt, KnowledgePrompt) else None
    answer = answer_from(
        models.PromptAnswer,
        prompt,
        memory_ids=[memory.id for memory in prompt.memories],
        groups=None if found is None else _groups(found),
    )
    return document(answer)


def _groups(found: Groups) -> models.KnowledgeGroups:
    scored = {
        name: [answer_from(models.ScoredMemory, item) for item in items] for name, items in found.items()
    }
    return models.KnowledgeGroups(**scored)


def history_json(versions: Iterable[RecordVersion]) -> dict[str, Any]:
    said = [answer_from(models.VersionAnswer, one, version=one.memory.version) for one in versions]
    return document(models.HistoryAnswer(said))


def reviews_json(
    items: Iterable[Awaiting],
    next_cursor: str | None,
    now: datetime,
    damaged: Sequence[str] = (),
    groups: Sequence[ReviewGroup] = (),
) -> dict[str, Any]:
    """Args: damaged: ids of what is left out."""
    told = [_review(item, now) for item in items]
    return document(ReviewsAnswer(told, groups, next_cursor, left_out(damaged)))


def _review(item: Awaiting, now: datetime) -> ReviewItem | StagedReview | PairAnswer:
    """Reviewable item with its reason: an active memory is `doubted` or `unapproved`, others are `staged` or a pair."""
    if isinstance(item, OpenPair):
        return pair_answer(item, now)
    if isinstance(item, StagedLearning):
        staged = answer_from(StagedAnswer, item)
        return StagedReview(staged, "staged", (now - waiting_since(item)).days)
    kind, since = _memory_waits(item)
    return ReviewItem(item, kind, (now - since).days)


def _memory_waits(memory: Memory) -> tuple[str, datetime]:
    if not memory.is_active:
        return memory.status, memory.created_at
    if memory.doubted is None:
        return "unapproved", memory.created_at
    return "doubted", memory.doubted.since


def stale_json(
    items: Iterable[tuple[Memory, RecordVersion | None]], next_cursor: str | None
) -> dict[str, Any]:
    """Stale memories: each with its reason in `status_reason`; since when, and by whom, as far as its history tells."""
    return document(models.StaleAnswer([_stale(*item) for item in items], next_cursor))


def _stale(memory: Memory, origin: RecordVersion | None) -> models.StaleMemory:
    since, by = (None, None) if origin is None else (origin.at, origin.by)
    return models.StaleMemory(memory, since, by)


def policy_json(policy: Policy) -> dict[str, Any]:
    return document(policy)


def stats_json(stats: ProjectStats, entity_events: Mapping[str, int], waiting_long: int) -> dict[str, Any]:
    """Numbers of a project. Args: entity_events: count by kind; `unknown`: of those whose URN nothing known named."""
    answer = answer_from(
        StatsAnswer,
        stats,
        active=stats.by["status"].get("active", 0),
        most_used=[UseCount(id, count) for id, count in stats.most_used],
        tiers={tier: _tier(tier, stats) for tier in get_args(Tier)},
        index_coverage=coverage_ratio(VectorCoverage(stats.total, stats.with_vector)),
        entity_events=entity_events,
        waiting_long=waiting_long,
    )
    return document(answer)


def _tier(tier: Tier, stats: ProjectStats) -> TierAnswer:
    (records, bytes_), in_bodies = stats.tiers[tier], stats.body_bytes[tier]
    return TierAnswer(records, bytes_, in_bodies, usd_per_month(tier, bytes_, in_bodies))


def coverage_ratio(coverage: VectorCoverage) -> float:
    """Coverage, rounded down: 1.0 says that nothing is missing."""
    return floor(10_000 * coverage.ratio) / 10_000


def operation_json(operation: Operation) -> dict[str, Any]:
    return document(answer_from(models.OperationAnswer, operation))
