"""Whether anybody is at work in a project, as far as somebody watches it."""

from __future__ import annotations

from datetime import datetime, timedelta

SILENT_AFTER = timedelta(days=90)
SILENT_RECENCY_SHARE = 0.5
"""No commits in 90 days: a recency penalty (Outcome-Ranked Engine, the stale project memory; SPEC 6.35)."""


def recency_share(last_activity: datetime | None, now: datetime) -> float:
    """How much of their recency the memories of a project keep: all of it, or half once it has fallen silent.

    Args:
        last_activity: None: nobody watches it, so that silence says nothing.
    """
    is_silent = last_activity is not None and now - last_activity >= SILENT_AFTER
    return SILENT_RECENCY_SHARE if is_silent else 1.0
