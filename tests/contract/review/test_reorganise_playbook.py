"""Reorganised playbooks: proposed beside the present one, accepted or dropped as a whole, and no fact lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.errors import Conflict, Forbidden, NotFound
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_playbook import compose_playbook
from memory_layer.usecases.review.list_pairs import list_pairs
from memory_layer.usecases.review.reorganise_playbook import decide_reorganisation, propose_reorganisation
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.given import ADMIN, AGENT, PROJECT, REVIEWER, put_as

ALIKE = {
    "one": "Write a failing test before you change the code.",
    "two": "Before you change the code, write a failing test.",
    "three": "Keep database migrations small and reversible.",
}


@pytest.fixture
def backend(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    return open_backend()


@pytest.fixture
def ports(backend: EmbeddedBackend) -> Ports:
    for id, said in ALIKE.items():
        put_as(backend.ports, ADMIN, id, said, type="strategy")
    consolidate(backend)
    return backend.ports


def consolidate(backend: EmbeddedBackend) -> None:
    backend.drain()
    run_sweep(backend.ports, "consolidate", holder="a test", seconds=3_600.0)
    backend.drain()


def ids(ports: Ports) -> set[str]:
    return {one.id for one in compose_playbook(ports, ADMIN, PROJECT).bullets}


def test_a_proposal_changes_nothing_and_shows_both_sets(ports: Ports) -> None:
    found = propose_reorganisation(ports, REVIEWER, PROJECT)
    (union,) = found.unions
    assert {union.into, *union.others} == {"one", "two"}
    assert {one.id for one in found.present} == set(ALIKE) == ids(ports)
    assert {one.id for one in found.proposed} == {union.into, "three"}
    with pytest.raises(Forbidden):
        propose_reorganisation(ports, AGENT, PROJECT)


def test_an_accepted_proposal_is_the_playbook_then(ports: Ports) -> None:
    """Falls where what was shown is not what is there afterwards, or a pair still waits."""
    found = propose_reorganisation(ports, REVIEWER, PROJECT)
    assert found.id is not None
    done = decide_reorganisation(ports, REVIEWER, PROJECT, found.id, "accept")
    assert (done.done, done.problems) == (1, ())
    now = compose_playbook(ports, ADMIN, PROJECT).bullets
    assert {(one.id, one.content) for one in now} == {(one.id, one.content) for one in found.proposed}
    assert list_pairs(ports, REVIEWER, PROJECT, "duplicate", after=None, limit=10).items == ()
    with pytest.raises(NotFound):
        decide_reorganisation(ports, REVIEWER, PROJECT, found.id, "accept")


def test_a_dropped_proposal_is_not_proposed_again(backend: EmbeddedBackend, ports: Ports) -> None:
    found = propose_reorganisation(ports, REVIEWER, PROJECT)
    assert found.id is not None
    decide_reorganisation(ports, REVIEWER, PROJECT, found.id, "drop")
    assert ids(ports) == set(ALIKE)
    consolidate(backend)
    assert propose_reorganisation(ports, REVIEWER, PROJECT).id is None


def test_a_proposal_that_has_changed_meanwhile_is_not_carried_out(ports: Ports) -> None:
    """Falls where a reviewer's word is taken for a set that they never saw."""
    found = propose_reorganisation(ports, REVIEWER, PROJECT)
    assert found.id is not None
    put_as(ports, ADMIN, "two", "Never write tests before the code.", type="strategy")
    with pytest.raises((Conflict, NotFound)):
        decide_reorganisation(ports, REVIEWER, PROJECT, found.id, "accept")
    assert ids(ports) == set(ALIKE)
