"""Freed memory goes back where the C library can do that, and is left where it is elsewhere."""

import ctypes
from typing import Any

import pytest

from memory_layer.adapters.process import freed_memory


def test_a_library_without_the_function_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_library(name: object) -> Any:
        raise OSError(f"no library {name}")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    assert freed_memory._trim_of_libc() is None
    monkeypatch.setattr(freed_memory, "_TRIM", None)
    freed_memory.give_back_freed_memory()


def test_all_arenas_are_trimmed_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(freed_memory, "_TRIM", asked.append)
    freed_memory.give_back_freed_memory()
    assert asked == [0]
