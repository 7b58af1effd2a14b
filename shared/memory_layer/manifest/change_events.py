"""Events of changes on the bus of the cloud. Standard library only."""

from typing import Final

CHANGES_SOURCE: Final = "memory-layer.changes"
"""Source of every change's event; its detail-type is the type of the CloudEvent that is its detail."""

ENTRIES_AT_ONCE: Final = 10
"""Entries that one request takes. Source: EventBridge API reference, PutEvents."""
