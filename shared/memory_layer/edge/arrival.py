"""When a request was there whole: a time budget counts from there, and not from when a thread was free for it."""

from __future__ import annotations

from contextvars import ContextVar

ARRIVED: ContextVar[float | None] = ContextVar("arrived", default=None)
"""Seconds on the clock of `time.perf_counter`; None where each request has its process for itself."""
