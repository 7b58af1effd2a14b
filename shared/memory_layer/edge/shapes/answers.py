"""Results of use cases as JSON: the same documents for HTTP, the command line and MCP."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from math import floor
from typing import Any, get_args

from pydantic_core import PydanticSerializationError, to_json

from memory_layer.domain.fields import memory_to_json, rfc3339
from memory_layer.domain.integrity.index_comparison import VectorCoverage
from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Memory, Tier
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import RankedMemory
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.tiers.costs import usd_per_month
from memory_layer.edge.shapes.learning_bodies import staged_json
from memory_layer.edge.shapes.pair_bodies import pair_json
from memory_layer.ports.index import ProjectStats
from memory_layer.ports.records import Operation, RecordVersion
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer
from memory_layer.usecases.recall.compose_knowledge import KnowledgePrompt
from memory_layer.usecases.recall.prompt_candidates import ComposedPrompt
from memory_layer.usecases.recall.recall import RecallResult
from memory_layer.usecases.review.list_pairs import OpenPair
from memory_layer.usecases.review.review import Awaiting, waiting_since
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
    return {**memory_to_json(stored.memory), "receipt": _receipt(stored.memory, stored.redacted)}


def stored_answer(stored: StoredMemory) -> tuple[int, str]:
    """Status and body: 201 for a new record, 200 for one that took it in."""
    return (201 if stored.is_new else 200), to_text(stored_json(stored))


def revised_json(revised: RevisedMemory) -> dict[str, Any]:
    return {**memory_to_json(revised.memory), "receipt": _receipt(revised.memory, revised.redacted)}


def reported_json(reported: OutcomeAnswer) -> dict[str, Any]:
    """Result of an outcome; `note` only when something is to be said."""
    note = {} if reported.note is None else {"note": reported.note}
    return {**memory_to_json(reported.memory), **note}


def _receipt(memory: Memory, redacted: Sequence[RedactionFinding]) -> dict[str, Any]:
    return {
        "durable": True,
        "indexed": memory.embedding_model is not None,
        "redacted": [asdict(finding) for finding in redacted],
        "quarantined": memory.status == "quarantined",
    }


def recalled_json(recalled: RecallResult) -> dict[str, Any]:
    """Result of a recall; `note` only when something is to be said."""
    document: dict[str, Any] = {
        "recall_id": recalled.recall_id,
        "strategy": recalled.strategy,
        "ranking": recalled.ranking,
        "degraded": recalled.degraded,
        "note": recalled.note,
        "abstained": recalled.abstained,
        "memories": [
            {
                **_scored_json(item),
                "signals": {name: round(value, 6) for name, value in asdict(item.signals).items()},
            }
            for item in recalled.memories
        ],
    }
    return document if recalled.note else {key: value for key, value in document.items() if key != "note"}


def prompt_json(prompt: ComposedPrompt) -> dict[str, Any]:
    """Composed prompt; `note` only when something is to be said, `groups` where the format has them."""
    document: dict[str, Any] = {
        "markdown": prompt.markdown,
        "recall_id": prompt.recall_id,
        "memory_ids": [memory.id for memory in prompt.memories],
        "memory_set_hash": prompt.memory_set_hash,
        "degraded": prompt.note is not None,
    }
    if prompt.note is not None:
        document["note"] = prompt.note
    if isinstance(prompt, KnowledgePrompt):
        document["groups"] = {
            name: [_scored_json(item) for item in items] for name, items in prompt.groups.items()
        }
    return document


def _scored_json(item: RankedMemory) -> dict[str, Any]:
    return {**memory_to_json(item.memory), "score": round(item.score, 6)}


def version_json(version: RecordVersion) -> dict[str, Any]:
    return {
        "version": version.memory.version,
        "verb": version.verb,
        "by": version.by,
        "at": rfc3339(version.at),
        "reason": version.reason,
        "memory": memory_to_json(version.memory),
    }


def review_json(item: Awaiting, now: datetime) -> dict[str, Any]:
    """Reviewable item with its reason: an active memory is `doubted` or `unapproved`, others are `staged` or a pair."""
    if isinstance(item, OpenPair):
        return pair_json(item, now)
    if isinstance(item, StagedLearning):
        return {**staged_json(item), "kind": "staged", "age_days": (now - waiting_since(item)).days}
    kind, since = _memory_waits(item)
    return {**memory_to_json(item), "kind": kind, "age_days": (now - since).days}


def _memory_waits(memory: Memory) -> tuple[str, datetime]:
    if not memory.is_active:
        return memory.status, memory.created_at
    if memory.doubted is None:
        return "unapproved", memory.created_at
    return "doubted", memory.doubted.since


def stale_json(memory: Memory, since: RecordVersion | None) -> dict[str, Any]:
    """Stale memory: `status_reason` has its reason, its history since when and by whom, as far as it tells."""
    origin = (
        {"since": rfc3339(since.at), "staled_by": since.by} if since else {"since": None, "staled_by": None}
    )
    return {**memory_to_json(memory), **origin}


def policy_json(policy: Policy) -> dict[str, Any]:
    return {**asdict(policy), "default_expiry_days": dict(policy.default_expiry_days)}


def stats_json(stats: ProjectStats, entity_events: Mapping[str, int]) -> dict[str, Any]:
    """Numbers of a project. Args: entity_events: count by kind; `unknown`: of those whose URN nothing known named."""
    return {
        "total": stats.total,
        "active": stats.by["status"].get("active", 0),
        "by": {group: dict(counts) for group, counts in stats.by.items()},
        "average_confidence": stats.average_confidence,
        "average_success_rate": stats.average_success_rate,
        "average_outcome_score": stats.average_outcome_score,
        "outcome_bands": dict(stats.outcome_bands),
        "most_used": [{"id": id, "use_count": count} for id, count in stats.most_used],
        "last_updated_at": None if stats.last_updated_at is None else rfc3339(stats.last_updated_at),
        "bytes": stats.bytes,
        "tiers": {tier: _tier_json(tier, stats) for tier in get_args(Tier)},
        "index_coverage": _ratio(VectorCoverage(stats.total, stats.with_vector)),
        "entity_events": dict(entity_events),
    }


def _tier_json(tier: Tier, stats: ProjectStats) -> dict[str, Any]:
    (records, bytes_), in_bodies = stats.tiers[tier], stats.body_bytes[tier]
    cost = round(usd_per_month(tier, bytes_, in_bodies), 6)
    return {"records": records, "bytes": bytes_, "body_bytes": in_bodies, "usd_per_month": cost}


def _ratio(coverage: VectorCoverage) -> float:
    """Coverage, rounded down: 1.0 says that nothing is missing."""
    return floor(10_000 * coverage.ratio) / 10_000


def operation_json(operation: Operation) -> dict[str, Any]:
    document = {
        "id": operation.id,
        "kind": operation.kind,
        "status": operation.status,
        "done": operation.done,
        "total": operation.total,
        "created_at": rfc3339(operation.created_at),
        "result": operation.result,
        "problem": operation.problem,
    }
    return {key: value for key, value in document.items() if value is not None}
