"""Types of the events that tell the world what changed, by the verbs of the audit log."""

from collections.abc import Mapping
from typing import Final, Literal

from memory_layer.domain.audit import CHANGES_NO_RECORD, REFUSED

ChangeType = Literal[
    "memory.created",
    "memory.edited",
    "memory.approved",
    "memory.rejected",
    "memory.confirmed",
    "memory.superseded",
    "memory.doubted",
    "memory.stale",
    "memory.quarantined",
    "memory.judged",
    "memory.archived",
    "memory.deactivated",
    "memory.restored",
    "memory.moved",
    "memory.changed",
    "memory.erased",
    "knowledge.applied",
    "run.reported",
    "run.erased",
    "learning.changed",
    "settings.changed",
    "person.erased",
    "project.erased",
]

TEST_TYPE: Final = "webhook.test"
"""Type of the event that tells of no change: an admin has asked if a webhook's receiver answers."""

TYPES_BY_VERB: Final[Mapping[str, ChangeType]] = {
    "created": "memory.created",
    "imported": "memory.created",
    "proposed": "memory.created",
    "promoted": "memory.created",
    "updated": "memory.edited",
    "taken over": "memory.edited",
    "merged": "memory.edited",
    "supersedes": "memory.edited",
    "context completed": "memory.edited",
    "approved": "memory.approved",
    "rejected": "memory.rejected",
    "proposal refused": "memory.rejected",
    "overruled": "memory.rejected",
    "confirmed": "memory.confirmed",
    "superseded": "memory.superseded",
    "doubted": "memory.doubted",
    "refusal undone": "memory.doubted",
    "stale": "memory.stale",
    "quarantined": "memory.quarantined",
    "worked": "memory.judged",
    "failed": "memory.judged",
    "partial": "memory.judged",
    "archived": "memory.archived",
    "expired": "memory.archived",
    "pruned": "memory.archived",
    "deactivated": "memory.deactivated",
    "restored": "memory.restored",
    "undone": "memory.restored",
    "supersession undone": "memory.restored",
    "rollback undone": "memory.restored",
    "moved": "memory.moved",
    "erased": "memory.erased",
    "applied": "knowledge.applied",
    "run": "run.reported",
    "run erased": "run.erased",
    "settings": "settings.changed",
    "tuned": "settings.changed",
    "person erased": "person.erased",
    "project erased": "project.erased",
}
"""A verb that is not here tells `memory.changed`, or of a new record `memory.created`."""

UNTOLD: Final = frozenset({REFUSED, *CHANGES_NO_RECORD})
"""Entries of the log that tell of no change."""
