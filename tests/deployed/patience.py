"""Waiting for what another process does, but not for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

Found = TypeVar("Found")

PATIENCE_S: Final = 30.0
"""Ten times what anything takes here on two busy cores: a cold function, then the index's refresh."""

_POLL_S: Final = 0.1


def eventually(look: Callable[[], Found], *, within_s: float = PATIENCE_S) -> Found:
    """What `look` finds as soon as it is true; after the time, whatever it finds then."""
    give_up = time.monotonic() + within_s
    while not (found := look()) and time.monotonic() < give_up:
        time.sleep(_POLL_S)
    return found
