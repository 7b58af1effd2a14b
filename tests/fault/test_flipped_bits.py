"""One flipped bit in bytes that are in use: no answer with 200 is wrong, none is a 500, and the damage is told.

Falls without the comparison with the seal in `_sound_memory` (adapters/embedded/store/sound_records.py), without that
in `sound_cells` (sqlite/row_digests.py), and without `_ReadingCursor.__next__` (sqlite/database.py).
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Tier
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.fault.flipped_bits import (
    Flip,
    SoundFolder,
    ask,
    flip,
    head_of_row,
    is_in_schema,
    judged,
    live_bytes,
    requests_of,
    settings_in,
)
from tests.given import PROJECT, StandingClock, a_memory, changed, commit_all, put_as, put_records
from tests.project_examples import fill, fill_beside, ids_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = pytest.mark.fault

FLIPS = int(os.environ.get("FLIPPED_BITS", "40"))
SEED = int(os.environ.get("FLIPPED_SEED", "7"))
QUESTIONS = ("Which package manager?", "When do deploys go out?", "topic 7 in the notes", "holiday")
CELLS_TO_ID = 4
"""Cells of a row up to its id, by which it is found: damage in what leads to them is told."""

TIERS: tuple[Tier, Tier] = ("hot", "warm")
LONG = "Words of a long memory that lie in a body of their own. " * 60


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> SoundFolder:
    folder, scope = tmp_path_factory.mktemp("sound") / "data", LOCAL_PRINCIPAL.scope(PROJECT)

    def opens(where: Path) -> EmbeddedBackend:
        return open_embedded(settings_in(where), embedder=embedder, clock=StandingClock())

    with closing(opens(folder)) as backend:
        fill(backend, LOCAL_PRINCIPAL)
        for number in range(24):
            put_as(
                backend.ports,
                LOCAL_PRINCIPAL,
                f"n{number}",
                f"Topic {number} in the notes of week {number * 3}.",
            )
        for number in range(6):
            long = a_memory(scope, f"long{number}", content=f"{LONG}Number {number}.", tier=TIERS[number % 2])
            put_records(backend.ports.store, long)
            if long.tier == "hot":  # then its first version has all words
                commit_all(backend.ports.store, [changed(long, tier="warm")])
        fill_beside(backend, LOCAL_PRINCIPAL, "wal")
        requests = requests_of(ids_of(backend, LOCAL_PRINCIPAL), QUESTIONS)
        ask(backend, folder, requests)
    with closing(opens(folder)) as backend:
        answers = ask(backend, folder, requests)
    return SoundFolder(folder, requests, answers, opens)


def test_the_folder_is_sound_before(sound: SoundFolder, tmp_path: Path) -> None:
    found = sound.after_flip(tmp_path / "data", [])
    assert (found.wrong, found.failed, found.told) == ([], [], [])


def test_flips_in_the_database(sound: SoundFolder, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    offsets = chance.sample(live_bytes(sound.folder / DATABASE_NAME), FLIPS)
    flips = [[(Path(DATABASE_NAME), offset, chance.randrange(8))] for offset in offsets]
    hold(sound, tmp_path / "data", flips)


def test_flips_in_heads_of_rows_hide_nothing(sound: SoundFolder, tmp_path: Path) -> None:
    """Falls without `_IS_MISREAD` (sqlite/filter_conditions.py), `_is_listed_at` and `_without_old_cells`
    (store/record_repair.py), and `_keys` (store/sound_records.py): such a head says that the cells lie elsewhere.
    """
    chance = random.Random(SEED)
    copy, ways = tmp_path / "data", [one for one in sound.requests if "memories?" in one[1]]
    ways.append(next(one for one in sound.requests if one[1].endswith("/memories/n11")))
    head = head_of_row(sound.folder / DATABASE_NAME, b"n11pattern")
    for offset in chance.sample(head[CELLS_TO_ID:], FLIPS // 2):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(sound.folder, copy)
        flip(copy / DATABASE_NAME, offset, chance.randrange(8))
        with closing(sound.opens(copy)) as backend:
            found = judged(str(offset), sound.answers, ask(backend, copy, ways))
            assert (found.wrong, found.lacking, found.failed, found.told) == ([], [], [], [])
            assert run_sweep(backend.ports, "verify", holder="test", seconds=600).failed == ()


def test_two_rows_that_cannot_be_read_are_healed_together(sound: SoundFolder, tmp_path: Path) -> None:
    """Falls without `_unreadable` (store/record_repair.py): no index is built anew while another such row is there, so
    that neither was healed, nor by a verification.
    """
    copy, ids = tmp_path / "data", ("n11", "n17")
    shutil.copytree(sound.folder, copy)
    for id in ids:
        flip_unreadable(copy / DATABASE_NAME, id)
    with closing(sound.opens(copy)) as backend:
        ways = [one for one in sound.requests if one[1].endswith(tuple(f"/memories/{id}" for id in ids))]
        found = judged("two", sound.answers, ask(backend, copy, ways))
        assert (found.wrong, found.lacking, found.failed, found.told) == ([], [], [], [])
        assert run_sweep(backend.ports, "verify", holder="test", seconds=600).failed == ()


def flip_unreadable(database: Path, id: str) -> None:
    """Flips a bit in the head of a pattern's row so that SQLite reads no cell behind it."""
    for offset in head_of_row(database, f"{id}pattern".encode())[CELLS_TO_ID:]:
        flip(database, offset, 7)
        with closing(sqlite3.connect(database)) as connection:
            listed = "SELECT key FROM memories INDEXED BY memories_by_age WHERE id = ?"
            (key,) = connection.execute(listed, (id,)).fetchone()
            try:
                connection.execute("SELECT * FROM memories WHERE key = ?", (key,)).fetchall()
            except sqlite3.DatabaseError:
                return
        flip(database, offset, 7)
    raise AssertionError(f"every flip leaves {id} readable")


def test_a_row_that_cannot_be_healed_is_named_by_each_list(sound: SoundFolder, tmp_path: Path) -> None:
    """Falls where a list leaves out what it cannot read and says nothing: its length leads to none of its cells."""
    copy = tmp_path / "data"
    shutil.copytree(sound.folder, copy)
    flip(copy / DATABASE_NAME, head_of_row(copy / DATABASE_NAME, b"n11pattern").start - 1, 7)
    lists = [one for one in sound.requests if one[1].endswith("limit=200")]
    with closing(sound.opens(copy)) as backend:
        for _ in range(2):
            ((status, document),) = ask(backend, copy, lists).values()
            ((_, before),) = (sound.answers[way] for way in sound.answers if "limit=200" in way)
            assert (status, document["note"]) == (
                200,
                "n11: damaged and left out: mem verify names what is broken",
            )
            assert [one["id"] for one in document["memories"]] == [
                one["id"] for one in before["memories"] if one["id"] != "n11"
            ]


def test_flips_in_bodies(sound: SoundFolder, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    bodies = [path.relative_to(sound.folder) for path in sorted(sound.folder.rglob("*")) if is_body(path)]
    assert bodies
    flips = [
        [(path, chance.randrange((sound.folder / path).stat().st_size), chance.randrange(8))]
        for path in chance.choices(bodies, k=max(1, FLIPS // 4))
    ]
    hold(sound, tmp_path / "data", flips)


def is_body(path: Path) -> bool:
    return path.suffix == ".zst"


def is_harmless(sound: SoundFolder, flips: Sequence[Flip]) -> bool:
    return all(says_the_same(sound.folder / path, offset, bit) for path, offset, bit in flips)


def says_the_same(path: Path, offset: int, bit: int) -> bool:
    """True for the case of a keyword in the schema, and for a bit of a compressed frame that has no meaning."""
    if not is_body(path):
        return path.name == DATABASE_NAME and is_in_schema(path, offset)
    body = bytearray(path.read_bytes())
    before = zstd.decompress(bytes(body))
    body[offset] ^= 1 << bit
    try:
        return zstd.decompress(bytes(body)) == before
    except zstd.ZstdError:
        return False


def hold(sound: SoundFolder, copy: Path, flips: Sequence[Sequence[Flip]]) -> None:
    """Flips bits, prints how often each kind of error came, and asserts that none did."""
    found = [sound.after_flip(copy, flip) for flip in flips]
    wrong, failed = [one for one in found if one.wrong], [one for one in found if one.failed]
    untold = [
        one for one, flip in zip(found, flips, strict=True) if not (one.told or is_harmless(sound, flip))
    ]
    healed, lacking = sum(one.healed > 0 for one in found), sum(bool(one.lacking) for one in found)
    print(
        f"\n{len(found)} flips: {len(wrong)} wrong answers with 200, {len(failed)} answers with 500,"
        f" {len(untold)} named by nobody, {healed} healed, {lacking} that hid a record until the verification"
    )
    for one in (*wrong, *failed, *untold):
        print(one)
    assert (wrong, failed, untold) == ([], [], [])
