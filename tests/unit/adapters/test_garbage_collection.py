"""Garbage collection is slower while a backend is open, and its host's own again behind the last."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_layer.adapters.process import garbage_collection
from memory_layer.adapters.process.garbage_collection import COLLECTED_AFTER, SlowerWhileOpen
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.settings import read_settings

OWN = (700, 10, 10)


@pytest.fixture(autouse=True)
def host() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*OWN)
    yield
    gc.set_threshold(*before)


def test_a_host_has_its_pace_back_once_all_backends_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a backend does not hold the pace, or the first to close ends it for the others."""
    of_these = SlowerWhileOpen()  # backends of other tests are open, too
    monkeypatch.setattr(garbage_collection, "slower_collections", of_these)
    first, second = (open_embedded(read_settings(data_dir=tmp_path / name)) for name in ("a", "b"))
    told = [gc.get_threshold()]
    first.close()
    told.append(gc.get_threshold())
    second.close()
    assert [*told, gc.get_threshold()] == [(COLLECTED_AFTER, *OWN[1:])] * 2 + [OWN]


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 20, 100)])
def test_a_pace_that_is_slower_still_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    release = SlowerWhileOpen().hold()
    assert gc.get_threshold() == own
    release()
    assert gc.get_threshold() == own


def test_a_pace_that_a_host_sets_meanwhile_stays() -> None:
    release = SlowerWhileOpen().hold()
    gc.set_threshold(1_000, 5, 5)
    release()
    assert gc.get_threshold() == (1_000, 5, 5)
