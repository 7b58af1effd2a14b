"""Many at once with one idempotency key, many at once on one record: one effect, and none lost.

Falls without the answer kept in the transaction of its data; and without the version condition of every write, once
the key of `versions` lets a number be used twice as well.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.filters import Filters
from memory_layer.errors import Duplicate, MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory, list_memories
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import OnDuplicate, RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many
from tests.given import ADMIN, NoEmbedder

pytestmark = pytest.mark.fault

KEYS, RACERS, PUTTERS = 100, 10, 16


@pytest.fixture
def two_processes(tmp_path: Path) -> Iterator[list[EmbeddedBackend]]:
    settings = read_settings({}, data_dir=tmp_path, model_dir=tmp_path / "none")
    backends = [open_embedded(settings, embedder=NoEmbedder()) for _ in range(2)]
    yield backends
    for backend in backends:
        backend.close()


def test_one_effect_per_key(two_processes: list[EmbeddedBackend]) -> None:
    def race(number: int) -> Result:
        key, backend = f"key-{number // RACERS}", two_processes[number % 2]
        once = IdempotentRequest(key, key, "same", lambda stored: (201, stored.memory.id))
        asked = RememberRequest(fields={"content": f"fact of {key}"}, on_duplicate="create", once=once)
        (result,) = remember_many(backend.ports, ADMIN, "web", [asked])
        return result

    with ThreadPoolExecutor(RACERS) as racers:
        results = list(racers.map(race, range(KEYS * RACERS)))
    assert not [result for result in results if isinstance(result, MemoryLayerError)]
    assert len([result for result in results if not isinstance(result, IdempotencyRecord)]) == KEYS
    page = list_memories(two_processes[0].ports, ADMIN, "web", Filters(), after=None, limit=200)
    assert len(page.memories) == KEYS


@pytest.mark.parametrize("on_duplicate", ["ask", "merge"])
def test_one_request_sent_by_many_at_once_is_no_duplicate_of_itself(
    two_processes: list[EmbeddedBackend], on_duplicate: OnDuplicate
) -> None:
    """Falls where a twin is told before the answer under the same key is looked for once more."""

    def race(number: int) -> Result:
        key, backend = f"key-{number // RACERS}", two_processes[number % 2]
        once = IdempotentRequest(key, key, "same", lambda stored: (201, stored.memory.id))
        asked = RememberRequest(fields={"content": f"fact of {key}"}, on_duplicate=on_duplicate, once=once)
        (result,) = remember_many(backend.ports, ADMIN, "web", [asked])
        return result

    with ThreadPoolExecutor(RACERS) as racers:
        results = list(racers.map(race, range(KEYS * RACERS)))
    assert {type(result) for result in results} == {StoredMemory, IdempotencyRecord}
    assert len([result for result in results if isinstance(result, StoredMemory)]) == KEYS


def test_one_text_sent_by_many_at_once_lands_once(two_processes: list[EmbeddedBackend]) -> None:
    """Falls without `is_news`: each of them asks before any of them is stored."""

    def race(number: int) -> Result:
        asked = RememberRequest(fields={"content": f"fact {number // RACERS}"})
        (result,) = remember_many(two_processes[number % 2].ports, ADMIN, "web", [asked])
        return result

    with ThreadPoolExecutor(RACERS) as racers:
        results = list(racers.map(race, range(KEYS * RACERS)))
    assert len([result for result in results if isinstance(result, StoredMemory)]) == KEYS
    assert {type(result) for result in results} <= {StoredMemory, Duplicate}


class _NearEmbedder:
    """Gives texts of one fact vectors that are near to each other, and far from all others."""

    model, dimensions = "near", 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        fact, noise = (np.random.default_rng(crc32(part.encode())) for part in (text.split(",")[0], text))
        vector = fact.standard_normal(self.dimensions) + 0.1 * noise.standard_normal(self.dimensions)
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit


@pytest.mark.parametrize("racers", [8, 16])
def test_almost_one_text_sent_by_many_at_once_lands_once(tmp_path: Path, racers: int) -> None:
    """Falls without `news_since`: each of them searches before any of them is stored."""
    settings = read_settings({}, data_dir=tmp_path, model_dir=tmp_path / "none")
    backends = [open_embedded(settings, embedder=_NearEmbedder()) for _ in range(2)]
    rounds, start = 35, Barrier(racers)

    def race(racer: int) -> list[Result]:
        told: list[Result] = []
        for fact in range(rounds):
            asked = RememberRequest(
                fields={"content": f"fact {'abcdefghij'[fact % 10] * (fact + 1)}, {'.' * racer}"}
            )
            start.wait()
            told += remember_many(backends[racer % 2].ports, ADMIN, "web", [asked])
        return told

    try:
        with ThreadPoolExecutor(racers) as threads:
            results = [result for told in threads.map(race, range(racers)) for result in told]
    finally:
        for backend in backends:
            backend.close()
    assert {type(result) for result in results} == {StoredMemory, Duplicate}
    assert len([result for result in results if isinstance(result, StoredMemory)]) == rounds


def _tell_at_once(
    folder: Path, racer: int, start: threading.Barrier, told: multiprocessing.Queue[int]
) -> None:
    """Stores a text near to that of every other process, at the same moment, five times."""
    settings = read_settings({}, data_dir=folder, model_dir=folder / "none")
    backend = open_embedded(settings, embedder=_NearEmbedder())
    stored = 0
    for fact in range(5):
        asked = RememberRequest(fields={"content": f"fact {'abcde'[fact] * 9}, {'by' * racer}"})
        start.wait()
        (result,) = remember_many(backend.ports, ADMIN, "web", [asked])
        stored += isinstance(result, StoredMemory) and not result.similar
    told.put(stored)
    backend.close()


def test_almost_one_text_told_by_eight_processes_is_news_once(tmp_path: Path) -> None:
    """Falls without `news_since`: the index of each process knows only what it has read."""
    context = multiprocessing.get_context("spawn")
    start, told = context.Barrier(8), context.Queue()
    racers = [context.Process(target=_tell_at_once, args=(tmp_path, n, start, told)) for n in range(8)]
    for racer in racers:
        racer.start()
    first = sum(told.get(timeout=120) for _ in racers)
    for racer in racers:
        racer.join()
    assert first == 5


def test_turns_sent_at_once_share_no_position(two_processes: list[EmbeddedBackend]) -> None:
    """Falls where positions are read and not taken."""

    def speak(number: int) -> list[Result]:
        turns = [RememberRequest(fields={"content": f"turn {number}.{part}"}) for part in range(3)]
        return add_turns(two_processes[number % 2].ports, ADMIN, "web", "talk", turns)

    with ThreadPoolExecutor(RACERS) as racers:
        told = [result for results in racers.map(speak, range(40)) for result in results]
    positions = [result.memory.position for result in told if isinstance(result, StoredMemory)]
    assert sorted(positions, key=lambda position: position or 0) == list(range(120))


def test_puts_without_if_match_are_never_refused(two_processes: list[EmbeddedBackend]) -> None:
    """Falls where `put._create` takes a record that was stored since its first look for somebody else's id."""

    def put(number: int) -> bool:
        ports, id = two_processes[number % 2].ports, f"m{number // PUTTERS}"
        return put_memory(ports, ADMIN, "web", id, {"content": f"words of {number}"}).is_new

    with ThreadPoolExecutor(PUTTERS) as racers:
        told = list(racers.map(put, range(40 * PUTTERS)))
    assert told.count(True) == 40
    memory = get_memory(two_processes[0].ports, ADMIN, "web", "m39")
    assert memory.version == PUTTERS


def test_no_outcome_is_lost(two_processes: list[EmbeddedBackend]) -> None:
    put_memory(two_processes[0].ports, ADMIN, "web", "m", {"content": "counted"})

    def report(number: int) -> object:
        backend = two_processes[number % 2]
        return _until_done(
            lambda: report_outcome(backend.ports, ADMIN, "web", "m", OutcomeReport(result="worked"))
        )

    with ThreadPoolExecutor(8) as racers:
        list(racers.map(report, range(200)))
    memory = get_memory(two_processes[1].ports, ADMIN, "web", "m")
    assert (memory.worked, memory.use_count, memory.version) == (200, 200, 201)


def _until_done(attempt: Callable[[], object]) -> object:
    """A caller that is told of a conflict asks again."""
    while True:
        try:
            return attempt()
        except MemoryLayerError:
            continue
