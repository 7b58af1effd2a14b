"""Bodies that show how each operation is asked, as openapi.json gives them."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

MEMORY: Final = "mem_01980000-0000-7000-8000-000000000001"
OTHER: Final = "mem_01980000-0000-7000-8000-000000000002"
RECALL: Final = "rcl_01980000-0000-7000-8000-000000000003"
URN: Final = "urn:service:billing"
SAID: Final = "The billing service keeps messages in its queue for four days."
_CORRECTED: Final = "The billing service keeps messages in its queue for seven days."
_REASON: Final = {"reason": "The runbook says so."}

REQUESTS: Final[Mapping[str, Any]] = {
    "add_turns": [
        {"content": "How long does the queue keep a message?", "speaker": "Ada"},
        {"content": "Four days.", "speaker": "assistant"},
    ],
    "add_webhook": {
        "url": "https://hooks.example.com/memory",
        "types": ["memory.created", "memory.superseded"],
    },
    "apply_memory": {"as": "glossary_term"},
    "approve_memory": {"seen": [{"id": OTHER, "version": 3}]},
    "assemble_context": {
        "intent": "Change how long the billing service keeps messages",
        "entities": [URN],
        "budgets": {"tokens_max": 1500, "time_ms": 300},
    },
    "compose_prompt": {
        "task": "Raise the retention of the billing queue",
        "write_scope": ["infra/queues/**"],
    },
    "confirm_memory": _REASON,
    "create_memories": [
        {"content": SAID, "category": "environment", "idempotency_key": "runbook-12"},
        {"content": "Deploy billing only after its migrations.", "type": "warning", "tags": ["deploy"]},
    ],
    "create_memory": {
        "content": SAID,
        "type": "learning",
        "category": "environment",
        "tags": ["queue", "billing"],
        "entities": [URN],
    },
    "create_memory_store": {
        "name": "User preferences",
        "description": "How each user wants things to be done.",
        "metadata": {"team": "billing"},
    },
    "create_store_file": {"path": "/runbooks/queue.md", "content": f"{SAID}\n"},
    "decide_reorganisation": {"id": f"reo_{32 * 'a'}", "decision": "accept"},
    "decide_reviews": {"decisions": [{"id": MEMORY, "version": 1, "decision": "approve"}]},
    "enrich": {"payload": {"service": URN, "state": "degraded"}, "limit": 5},
    "erase": {"created_by": "ada@example.com", "dry_run": True},
    "give_context_feedback": {"completeness": 0.8, "user_satisfaction": 0.9},
    "import_project": {
        "version": "1.0.0",
        "learnings": [],
        "checksum": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    },
    "learn_from_run": {
        "run_id": "run-2026-03-01-7",
        "objective": "Raise the retention of the billing queue",
        "status": "completed",
        "memories_used": [MEMORY],
        "iterations": [{"number": 1, "status": "completed", "duration": 92_000}],
    },
    "merge_memories": {"ids": [OTHER], "content": SAID},
    "merge_project": {"from": "billing-old", "dry_run": True},
    "patch_settings": {"prompt_limit": 20, "synonyms": {"dunning": None}},
    "promote_staging": {"auto_validate": True},
    "prune_project": {"min_confidence": 0.3, "older_than_days": 180, "dry_run": True},
    "put_memory": {"content": SAID, "category": "environment"},
    "put_settings": {
        "review_sources": ["run"],
        "privacy_mode": "secrets",
        "default_expiry_days": {"context": 30},
    },
    "recall": {
        "query": "How long does billing keep messages?",
        "limit": 5,
        "filters": {"category": ["environment"], "tags": ["queue"]},
    },
    "reject_memory": {"reason": "It holds for the old queue alone."},
    "reject_staged": {"reason": "It was a fault of the network."},
    "report_outcome": {"result": "worked", "recall_id": RECALL},
    "report_page_outcome": {"result": "worked", "recall_id": RECALL, "refs": [1, 3]},
    "reset_author": {"reason": "Its notes are written from the runbook now."},
    "resolve_conflict": {"resolution": "superseded", "winner": MEMORY},
    "restore_snapshot": {"dry_run": True},
    "restore_version": {"version": 2, **_REASON},
    "roll_back": {"principal": "agent-7", "since": "2026-02-01T00:00:00Z", "dry_run": True},
    "supersede_memory": {"content": _CORRECTED, **_REASON},
    "take_entity_events": {"urn": URN, "event": "schema_changed", "occurred_at": "2026-03-01T12:00:00Z"},
    "undo_last_change": {"reason": "It was rejected by mistake."},
    "update_memory_store": {"metadata": {"team": None, "owner": "ada"}},
    "update_store_file": {
        "content": f"{_CORRECTED}\n",
        "precondition": {
            "type": "content_sha256",
            "content_sha256": sha256(f"{SAID}\n".encode()).hexdigest(),
        },
    },
    "update_memory": {"confidence": 0.9, "tags": ["queue"]},
    "validate_staging": {},
}
"""By operation."""
