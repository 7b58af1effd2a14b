"""A place in a conversation is one turn's, by whichever way a memory comes to it.

Falls without `_placed` in `usecases/write/prepare.py`, without `refuse_taken_position` in `usecases/write/revise.py`
and `usecases/write/supersede.py`, and without `_place` in `usecases/transfer/import_project.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from sys import getrefcount
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Conflict, Duplicate
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.transfer.merge_projects import merge_project
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import Result, StoredMemory, remember, remember_many
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.turn_positions import TurnPositions
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import put_as

PROJECT, OTHER = "web", "shop"
PLACE = {"session_id": "talk", "position": 5}
HERONS = "The herons nest behind the mill."
TRAINS = "Trains to Ghent leave at noon."
TAXES = "Invoices are kept for ten years."


def standing(backend: EmbeddedBackend, admin: Principal, project: str = PROJECT) -> list[str]:
    return [turn.id for turn in backend.ports.store.sessions.turns(admin.scope(project), "talk", 0, 99)]


def stored(backend: EmbeddedBackend, admin: Principal, content: str, **fields: Any) -> Result:
    (result,) = remember_many(
        backend.ports, admin, PROJECT, [RememberRequest(fields={"content": content, **fields})]
    )
    return result


COMERS: dict[str, Callable[[EmbeddedBackend, Principal], object]] = {
    "post": lambda backend, admin: remember(
        backend.ports, admin, PROJECT, RememberRequest(fields={"content": TRAINS, **PLACE})
    ),
    "post that creates twins": lambda backend, admin: remember(
        backend.ports,
        admin,
        PROJECT,
        RememberRequest(fields={"content": HERONS, **PLACE}, on_duplicate="create"),
    ),
    "put": lambda backend, admin: put_as(backend.ports, admin, "new", TRAINS, **PLACE),
    "put of another": lambda backend, admin: put_as(backend.ports, admin, "else", TRAINS, **PLACE),
    "patch": lambda backend, admin: revise(backend.ports, admin, PROJECT, "else", {"position": 5}),
    "correction": lambda backend, admin: supersede_memory(
        backend.ports, admin, PROJECT, "else", {"content": TRAINS, **PLACE}
    ),
}


@pytest.mark.parametrize("come", COMERS.values(), ids=COMERS)
def test_nobody_comes_to_the_place_of_another(
    backend: EmbeddedBackend, admin: Principal, come: Callable[[EmbeddedBackend, Principal], object]
) -> None:
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    put_as(backend.ports, admin, "else", TAXES, session_id="talk", position=7)
    with pytest.raises(Conflict) as refused:
        come(backend, admin)
    assert "position 5 of this session is taken by first; name another position" in refused.value.detail
    assert standing(backend, admin) == ["first", "else"]


def test_whoever_stands_there_already_stays(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the record itself counts as another one."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    put_as(backend.ports, admin, "first", TRAINS, **PLACE)
    revise(backend.ports, admin, PROJECT, "first", {"tags": ["travel"], **PLACE})
    corrected = supersede_memory(
        backend.ports, admin, PROJECT, "first", {"content": "Trains to Ghent leave at one.", **PLACE}
    )
    assert isinstance(corrected, StoredMemory)
    assert corrected.memory.position == 5


def test_a_place_is_free_once_its_turn_is_out_of_use(backend: EmbeddedBackend, admin: Principal) -> None:
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    archive_memory(backend.ports, admin, PROJECT, "first")
    put_as(backend.ports, admin, "second", TRAINS, **PLACE)
    with pytest.raises(Conflict, match="taken by second"):
        put_as(backend.ports, admin, "first", HERONS)
    put_as(backend.ports, admin, "first", HERONS, position=6)
    assert standing(backend, admin) == ["second", "first"]


def test_what_is_undone_comes_back_to_where_it_stood(backend: EmbeddedBackend, admin: Principal) -> None:
    """Nothing is lost: both stand there, and are told in one order."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    archive_memory(backend.ports, admin, PROJECT, "first")
    put_as(backend.ports, admin, "second", TRAINS, **PLACE)
    undo_last_change(backend.ports, admin, PROJECT, "first")
    assert standing(backend, admin) == ["first", "second"]


def test_of_one_batch_the_first_has_the_place(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where lines are held against the store alone; what is refused is heard by nobody."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    beside = {"session_id": "talk", "position": 6}
    lines = (
        RememberRequest(fields={"content": TRAINS, **PLACE}),
        RememberRequest(fields={"content": TAXES, **beside}),
        RememberRequest(fields={"content": f"{TAXES} No, eleven.", **beside}, on_duplicate="create"),
    )
    results = remember_many(backend.ports, admin, PROJECT, lines)
    taken, kept, later = results
    assert isinstance(taken, Conflict)
    assert isinstance(later, Conflict)
    assert "taken by another turn of this request" in later.detail
    assert isinstance(kept, StoredMemory)
    assert kept.memory.context == HERONS


def test_a_repeated_record_is_told_so(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the place is asked about before its twin: a merge makes no second turn."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    again = stored(backend, admin, HERONS, **PLACE)
    assert isinstance(again, Duplicate)
    assert again.twin.id == "first"
    merging = RememberRequest(fields={"content": HERONS, **PLACE}, on_duplicate="merge")
    merged = remember(backend.ports, admin, PROJECT, merging)
    assert isinstance(merged, StoredMemory)
    assert (merged.memory.id, merged.is_new) == ("first", False)


def test_a_repeated_request_is_answered_again(backend: EmbeddedBackend, admin: Principal) -> None:
    once = IdempotentRequest("k" * 64, "k", "same", lambda stored: (201, stored.memory.id))
    asked = RememberRequest(fields={"content": HERONS, **PLACE}, once=once, on_duplicate="create")
    first = remember(backend.ports, admin, PROJECT, asked)
    again = remember(backend.ports, admin, PROJECT, asked)
    assert isinstance(first, StoredMemory)
    assert isinstance(again, IdempotencyRecord)
    assert again.body == first.memory.id


def test_whose_place_it_is_is_told_to_who_may_know(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    put_as(backend.ports, admin, "hidden", HERONS, persona="analyst", **PLACE)
    result = stored(backend, agent, TRAINS, **PLACE)
    assert isinstance(result, Conflict)
    assert "taken by another turn" in result.detail
    assert "hidden" not in result.detail


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_an_import_keeps_what_it_brings_and_says_so(
    backend: EmbeddedBackend, admin: Principal, is_dry_run: bool
) -> None:
    """What an archive holds is not refused for its place; what is there already is not counted."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    put_as(backend.ports, admin, "next", TAXES, session_id="talk", position=6)
    file = list(export_lines(backend.ports, admin, PROJECT))
    put_memory(backend.ports, admin, OTHER, "there", {"content": TRAINS, **PLACE})
    told = import_lines(backend.ports, admin, OTHER, file, is_dry_run=is_dry_run)
    assert (told.imported, told.shared_positions, told.shared_position_ids) == (2, 1, ("first",))
    if not is_dry_run:
        assert sorted(standing(backend, admin, OTHER)) == ["first", "next", "there"]
        again = import_lines(backend.ports, admin, OTHER, file, on_existing="replace")
        assert (again.unchanged, again.shared_positions) == (2, 0)


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_a_line_of_a_foreign_file_is_refused_by_its_number(
    backend: EmbeddedBackend, admin: Principal, is_dry_run: bool
) -> None:
    """Falls where a dry run does not look at places."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    rows = ({"content": HERONS, **PLACE}, {"content": TRAINS, **PLACE}, {"content": TAXES})
    file = ForeignFile(
        memories=tuple(ForeignMemory(f"line {number}", row) for number, row in enumerate(rows, 2))
    )
    tally = import_foreign(backend.ports, admin, PROJECT, file, is_dry_run=is_dry_run)
    assert (tally.stored, tally.skipped) == (1, 1)
    (refused,) = tally.refused
    assert refused.where == "line 3"
    assert "taken by first" in refused.problem


def test_a_merge_of_projects_keeps_both(backend: EmbeddedBackend, admin: Principal) -> None:
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    put_memory(backend.ports, admin, OTHER, "there", {"content": TRAINS, **PLACE})
    assert merge_project(backend.ports, admin, PROJECT, OTHER).copied == 1
    assert sorted(standing(backend, admin)) == ["first", "there"]


def test_an_agent_changes_a_turn_where_it_stands(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Two that came to share a place, each says something else there: no change is refused for it."""
    put_as(backend.ports, admin, "first", HERONS, **PLACE)
    put_memory(backend.ports, agent, OTHER, "there", {"content": TRAINS, **PLACE})
    merge_project(backend.ports, admin, PROJECT, OTHER)
    changed = revise(backend.ports, agent, PROJECT, "there", {"content": TAXES, **PLACE}).memory
    assert changed.content == TAXES


def test_who_stands_where_is_known_by_name_alone(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where turns are kept whole: an import has them all in their places, and is larger than the memory."""
    turn = put_as(backend.ports, admin, "first", HERONS, **PLACE)
    referred = getrefcount(turn)
    places = TurnPositions([turn], backend.ports.clock.now())
    assert places.take(turn) is None
    assert getrefcount(turn) == referred
    assert places.take(replace(turn, id="second")) == (turn.id, turn.persona)
