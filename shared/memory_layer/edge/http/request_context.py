"""What is known of a request before its route is: who tells its caller, when it arrived, which header has its id."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from memory_layer.domain.access import Principal

REQUEST_ID_HEADER: Final = "x-request-id"

ARRIVED: ContextVar[float | None] = ContextVar("arrived", default=None)
"""Seconds on the clock of `time.perf_counter`; None where each request has its process for itself."""

Authenticate = Callable[[Any], Principal]
"""Resolves an event to its caller; raises Unauthenticated."""
