"""A change of the embedding model that is killed on its way: recall knows all, and the next process goes on."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
import traceback
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.bootstrap.model_choice import use_encoder
from memory_layer.settings import EmbeddedSettings
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.sweeps.lease import LEASE_MAX
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.encoders import write_export
from tests.fault.forked_process import assert_alive
from tests.given import ADMIN, PROJECT, START, StandingClock

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILLED_MODEL_CHANGES", "4"))
RECORDS = 240
TOPIC = ("Spoons belong left of plates.", "Cutlery placement?")


def texts() -> list[str]:
    return [
        TOPIC[0],
        *(f"filler{number} says item{number} of crate{number}" for number in range(RECORDS - 1)),
    ]


def counts(settings: EmbeddedSettings) -> dict[str, int]:
    sql = "SELECT embedding_model, count(*) FROM memories GROUP BY embedding_model"
    with closing(sqlite3.connect(settings.database)) as database:
        return dict(database.execute(sql).fetchall())


def killed(settings: EmbeddedSettings, model: str, *, after_records: int) -> None:
    """Embeds again in a process that dies as soon as more than so many records have the new vectors."""
    pid = os.fork()
    if pid == 0:
        try:
            backend = open_embedded(settings, clock=StandingClock())
            run_sweep(backend.ports, "backfill", holder="who dies", seconds=600, page_records=20)
            time.sleep(60)
        except BaseException:
            traceback.print_exc()  # a test of the parent tells only that it has ended
        finally:
            os._exit(1)
    while counts(settings).get(model, 0) <= after_records:
        assert_alive(pid)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def is_known(backend: EmbeddedBackend) -> bool:
    asked = RecallRequest(query=TOPIC[1], strategy="semantic", limit=1)
    return [item.memory.content for item in recall(backend.ports, ADMIN, PROJECT, asked).memories] == [
        TOPIC[0]
    ]


def test_the_next_process_goes_on_and_nothing_is_embedded_twice(tmp_path: Path) -> None:
    """Falls where vectors are removed before the new ones are there, or a page is counted before it is written."""
    drawn = random.Random(11)
    for cycle in range(CYCLES):
        settings = EmbeddedSettings(tmp_path / f"data-{cycle}", tmp_path / "models")
        exports = [
            write_export(tmp_path / name, [*texts(), TOPIC[1]], [*TOPIC], dimensions=64, seed=seed)
            for seed, name in enumerate(("first", "second"))
        ]
        before, after = (use_encoder(settings, str(path), {}, lambda _: None).model for path in exports)
        use_encoder(settings, before, {}, lambda _: None)
        with closing(open_embedded(settings, clock=StandingClock())) as backend:
            lines = [RememberRequest(fields={"content": text}, on_duplicate="create") for text in texts()]
            remember_many(backend.ports, ADMIN, PROJECT, lines)
            assert is_known(backend)
        use_encoder(settings, after, {}, lambda _: None)
        killed(settings, after, after_records=drawn.randrange(RECORDS // 2))
        assert 0 < counts(settings)[after] < RECORDS
        clock = StandingClock(START + LEASE_MAX + timedelta(hours=1))
        with closing(open_embedded(settings, clock=clock)) as backend:
            assert is_known(backend)
            for _ in range(2):  # the first goes on from the place of the killed one
                run_sweep(backend.ports, "backfill", holder="next", seconds=600)
            assert counts(settings) == {after: RECORDS}
            assert is_known(backend)
        with closing(sqlite3.connect(settings.database)) as database:
            assert database.execute("SELECT DISTINCT version FROM memories").fetchall() == [(2,)]
