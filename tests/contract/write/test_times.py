"""Words about time are resolved when they are written, kept with the record, shown, and found by period (SPEC 5.10)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import ADMIN, PROJECT, START, StandingClock, put_as, read_back, remembered

SAID = datetime(2023, 5, 8, 13, tzinfo=UTC)
YESTERDAY = "The deployment of the billing service failed yesterday."


@pytest.fixture
def ports(backend: EmbeddedBackend) -> Ports:
    return backend.ports


def days(memory: Memory) -> list[date]:
    return [time.from_ for time in memory.times]


def test_somebody_who_speaks_says_it_now(ports: Ports) -> None:
    memory = put_as(ports, ADMIN, "m1", YESTERDAY)
    assert (memory.said_at, days(memory)) == (START, [START.date() - timedelta(1)])
    assert read_back(ports.store, memory.scope, "m1") == memory


def test_lines_of_files_and_batches_were_said_whenever(ports: Ports) -> None:
    """Falls where the time of storing takes the place of the unknown one."""
    memory = remembered(ports, ADMIN, YESTERDAY)
    assert (memory.said_at, memory.times) == (None, ())


def test_the_callers_time_of_saying_goes_before_now(ports: Ports) -> None:
    assert days(put_as(ports, ADMIN, "m1", YESTERDAY, said_at=SAID)) == [date(2023, 5, 7)]
    assert put_as(ports, ADMIN, "m2", f"{YESTERDAY} Again.", said_at=None).times == ()


def test_validity_is_no_time_of_saying_but_for_a_turn(ports: Ports) -> None:
    assert put_as(ports, ADMIN, "m1", YESTERDAY, valid_from=SAID).said_at is None
    turns = [RememberRequest(fields={"content": YESTERDAY, "valid_from": SAID, "speaker": "Ann"})]
    (turn,) = add_turns(ports, ADMIN, PROJECT, "s1", turns)
    assert isinstance(turn, StoredMemory)
    assert (turn.memory.said_at, days(turn.memory)) == (SAID, [date(2023, 5, 7)])


def test_nobody_has_said_yet_what_lies_in_the_future(ports: Ports) -> None:
    """Falls without `refuse_future`: such words never age, and a page tells a day that has not been."""
    ahead, tomorrow = START + timedelta(days=2), START + timedelta(hours=20)
    with pytest.raises(Invalid, match="in the future"):
        put_as(ports, ADMIN, "m1", YESTERDAY, said_at=ahead)
    assert put_as(ports, ADMIN, "m1", YESTERDAY, said_at=tomorrow).said_at == tomorrow
    with pytest.raises(Invalid, match="in the future"):
        revised(ports, said_at=ahead)
    turns = [RememberRequest(fields={"content": YESTERDAY, "valid_from": ahead})]
    (turn,) = add_turns(ports, ADMIN, PROJECT, "s1", turns)
    assert isinstance(turn, StoredMemory)
    assert (turn.memory.said_at, turn.memory.valid_from) == (START, ahead)


def test_words_outlast_a_clock_that_is_set_back(ports: Ports, clock: StandingClock) -> None:
    """Falls where what a memory has already is refused as well: nobody could correct it, or repeat it whole."""
    put_as(ports, ADMIN, "m1", YESTERDAY, said_at=START)
    clock.advance(days=-9)
    assert revised(ports, said_at=START, confidence=0.4).said_at == START
    stored = supersede_memory(ports, ADMIN, PROJECT, "m1", {"content": YESTERDAY, "tags": ["walks"]})
    assert isinstance(stored, StoredMemory)
    assert stored.memory.said_at == START


def test_a_turn_without_a_time_is_said_now(ports: Ports) -> None:
    (turn,) = add_turns(ports, ADMIN, PROJECT, "s1", [RememberRequest(fields={"content": YESTERDAY})])
    assert isinstance(turn, StoredMemory)
    assert turn.memory.said_at == START


def revised(ports: Ports, **said: Any) -> Memory:
    return revise(ports, ADMIN, PROJECT, "m1", said).memory


def test_a_change_of_words_or_of_their_time_resolves_them_anew(ports: Ports) -> None:
    put_as(ports, ADMIN, "m1", YESTERDAY, said_at=SAID)
    assert days(revised(ports, content=YESTERDAY.replace("failed", "broke"))) == [date(2023, 5, 7)]
    assert days(revised(ports, said_at=SAID - timedelta(1))) == [date(2023, 5, 6)]
    changed = revised(ports, content="The deployment of the billing service failed two days ago.")
    assert (changed.said_at, days(changed)) == (START, [START.date() - timedelta(2)])
    assert revised(ports, said_at=None).times == ()


def test_a_correction_is_said_now(ports: Ports) -> None:
    put_as(ports, ADMIN, "m1", YESTERDAY, said_at=SAID)
    said = {"content": "The deployment of the billing service failed two days ago."}
    corrected = supersede_memory(ports, ADMIN, PROJECT, "m1", said)
    assert isinstance(corrected, StoredMemory)
    assert days(corrected.memory) == [START.date() - timedelta(2)]


def test_merged_words_keep_their_time(ports: Ports) -> None:
    """Falls where the words of one record meet the time of another."""
    put_as(ports, ADMIN, "m1", "The deployment failed.")
    put_as(ports, ADMIN, "m2", YESTERDAY, said_at=SAID)
    merged = merge_memories(ports, ADMIN, PROJECT, "m1", ["m2"])
    assert isinstance(merged, StoredMemory)
    assert (merged.memory.said_at, days(merged.memory)) == (SAID, [date(2023, 5, 7)])


def test_a_period_finds_what_happened_in_it_and_pages_say_when(ports: Ports) -> None:
    """Falls where the day of the record stands for the day of the event: both were stored on one day."""
    for back in (1, 40):
        said = {"said_at": SAID - timedelta(back), "persona": None}
        put_as(ports, ADMIN, f"m{back}", f"{YESTERDAY} It was attempt {back}.", **said)
    for back, day in ((1, "6 May 2023"), (40, "28 March 2023")):
        asked = RecallRequest(query=f"Which deployment of the billing service failed on {day}?")
        assert recall(ports, ADMIN, PROJECT, asked).memories[0].memory.id == f"m{back}"
    page = compose_prompt(ports, ADMIN, PROJECT, "billing deployment failed", TaskProfile(), limit=5).markdown
    assert "yesterday (6 May 2023)" in page
