"""What is stored and cannot be read any more, told as such and not as a mistake of the program."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Final, TypeVar

from memory_layer.domain.integrity import verification
from memory_layer.errors import StoreUnavailable

UNREADABLE: Final = (*verification.UNREADABLE, zlib.error, struct.error)

Stored = TypeVar("Stored")
Read = TypeVar("Read")


def read(parse: Callable[[Stored], Read], stored: Stored, what: str) -> Read:
    """Args: what: e.g. "a verdict on m1".

    Raises:
        StoreUnavailable: it is damaged.
    """
    try:
        return parse(stored)
    except UNREADABLE as error:
        raise StoreUnavailable(
            f"{what} is damaged and cannot be read: {error}; see what else is: mem verify"
        ) from error
