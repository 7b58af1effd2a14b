"""Memory that was freed, given back to the system."""

import ctypes
from typing import Final


def _trim_of_libc() -> "ctypes._NamedFuncPointer | None":
    """The function malloc_trim; None: this C library has none, and gives back by itself or not at all."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc; no dlopen; Windows
        return None


_TRIM: Final = _trim_of_libc()


def give_back_freed_memory() -> None:
    """Gives back what was freed in between what is still used: glibc keeps all that lies below its last block."""
    if _TRIM is not None:
        _TRIM(0)
