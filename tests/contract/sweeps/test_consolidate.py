"""The weekly walk for memories that contradict each other or say the same, and what people decide on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.pair import pair_id
from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.errors import Conflict, DamagedRecord, Forbidden, Invalid, NotFound, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.list_pairs import OpenPair, list_pairs
from memory_layer.usecases.review.resolve_pair import PairResolution, ResolvedPair, resolve_pair
from memory_layer.usecases.review.review import awaiting_review
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.erase_record import plan_erasure
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.transfer.test_erase import DyingPart, Killed
from tests.fuzzing import examples
from tests.given import AGENT, PROJECT, START, StandingClock, each_part, read_back, remembered, with_parts

POOL_20, POOL_30 = "The pool holds 20 connections.", "The pool holds 30 connections."
PYTEST, UNITTEST = "The team prefers pytest for unit tests.", "The team prefers unittest for unit tests."
DEPLOY = "Deploys of the shop go out on Tuesday mornings after the stand-up."
DEPLOY_TOO = "Deploys of the shop always go out on Tuesday mornings, right after the stand-up."
REVIEWER = Principal(tenant="acme", subject="rita", roles=frozenset({"reviewer"}))
NOTHING: dict[str, int] = {}


def add(ports: Ports, id: str, content: str, by: Principal = AGENT, **fields: Any) -> Memory:
    given = {"category": "convention", **fields, "id": id}
    return remembered(ports, by, content, on_duplicate="create", **given)


def preferences(ports: Ports, clock: StandingClock, **fields: Any) -> None:
    """Two of which the newer one goes first: no more than a preference turns on it."""
    add(ports, "old", PYTEST, category="preference", **fields)
    clock.advance(hours=1)
    add(ports, "new", UNITTEST, category="preference", **fields)


def sweep(backend: EmbeddedBackend, **asked: Any) -> SweepReport:
    backend.drain()
    report = run_sweep(backend.ports, "consolidate", holder="a test", seconds=3_600.0, **asked)
    backend.drain()
    assert report.failed == ()
    assert report.is_complete
    return report


def get(ports: Ports, id: str) -> Memory:
    return read_back(ports.store, AGENT.scope(PROJECT), id)


def listed(ports: Ports, kind: Any = "conflict", by: Principal = REVIEWER) -> list[OpenPair]:
    page = list_pairs(ports, by, PROJECT, kind, after=None, limit=50)
    assert page.next_key is None
    return list(page.items)


def resolve(
    ports: Ports, id: str, by: Principal = REVIEWER, once: IdempotentRequest | None = None, **said: Any
) -> Any:
    return resolve_pair(ports, by, PROJECT, id, PairResolution(**said), once=once)


def everything(ports: Ports, admin: Principal) -> Any:
    """All that a walk may change."""
    scope = admin.scope(PROJECT)
    pages = [
        ports.store.pairs.page(scope, kind, status, EVERYONE, after=None, limit=200)
        for kind in ("conflict", "duplicate")
        for status in ("open", "resolved")
    ]
    return pages, ports.store.memories.every(scope, after=None, limit=200)


# ---- the story


def test_two_that_contradict_each_other_are_found_decided_on_and_brought_back(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    assert sweep(backend).did == {"conflicts found": 1}
    clock.advance(days=2)
    (found,) = listed(ports)
    assert {memory.content for memory in found.memories} == {POOL_20, POOL_30}
    assert found.pair.severity >= 0.3
    assert "20" in found.pair.reason
    assert found.pair.similarity > 0.8
    waiting = awaiting_review(ports, REVIEWER, PROJECT, after=None, limit=50).items
    assert waiting == (found,)
    done = resolve(ports, found.id, resolution="superseded", winner="thirty", note="it was raised in May")
    assert (done.winner, done.pair.resolution, done.pair.resolved_by) == ("thirty", "superseded", "rita")
    assert (get(ports, "twenty").status, get(ports, "twenty").superseded_by) == ("superseded", "thirty")
    assert get(ports, "twenty").status_reason == "it was raised in May"
    assert listed(ports) == []
    backend.drain()
    query = RecallRequest(query="How many connections does the pool hold?")
    assert [item.memory.id for item in recall(ports, AGENT, PROJECT, query).memories] == ["thirty"]
    undo_last_change(ports, REVIEWER, PROJECT, "twenty")
    assert get(ports, "twenty").is_active
    assert get(ports, "thirty").supersedes is None
    assert sweep(backend).did == {"conflicts found": 1}, "both stand again, and still contradict each other"
    (again,) = listed(ports)
    assert again.id == found.id


def test_what_is_settled_by_precedence_says_why_and_can_be_undone(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Once brought back it stays: falls without the look into its history."""
    ports = backend.ports
    preferences(ports, clock)
    assert sweep(backend, is_dry_run=True).did == {"superseded": 1}
    assert sweep(backend).did == {"superseded": 1}
    old = get(ports, "old")
    assert (old.status, old.superseded_by, get(ports, "new").supersedes) == ("superseded", "new", "old")
    reason = old.status_reason or ""
    assert reason.startswith("superseded automatically: new goes before old: updated 2026-03-01T13:00:00")
    assert reason.endswith("undo brings it back")
    assert "unittest" not in reason, "a reason outlives the words of the other, which may be erased"
    last = ports.store.history.of(AGENT.scope(PROJECT), "old")[-1]
    assert (last.verb, last.by, last.reason) == ("superseded", "sweep consolidate", reason)
    pair = ports.store.pairs.get(AGENT.scope(PROJECT), pair_id("old", "new", "conflict"))
    assert pair is not None
    assert (pair.status, pair.resolution, pair.resolved_by) == ("resolved", "precedence", "sweep consolidate")
    undo_last_change(ports, REVIEWER, PROJECT, "old")
    assert sweep(backend).did == {"conflicts found": 1}
    clock.advance(days=7)
    assert sweep(backend).did == NOTHING
    assert get(ports, "old").is_active
    (waiting,) = listed(ports)
    assert "was superseded so before" in waiting.pair.reason


# ---- what is found


def test_near_twins_are_listed_also_those_that_somebody_kept_on_purpose(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    add(ports, "one", DEPLOY)
    add(ports, "two", DEPLOY_TOO)
    assert sweep(backend).did == {"duplicates found": 1}
    (found,) = listed(ports, "duplicate")
    assert (found.pair.ids, found.pair.severity) == (("one", "two"), 0.0)
    assert found.pair.similarity > 0.92
    assert listed(ports) == []
    resolve(ports, found.id, resolution="kept_both", note="one is for the newcomers")
    assert sweep(backend).did == NOTHING
    assert listed(ports, "duplicate") == []
    assert get(ports, "one").is_active
    assert get(ports, "two").is_active


def test_what_is_equal_but_for_what_it_contradicts_is_no_duplicate(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    add(ports, "nine", "The deploy window opens at 9:00.")
    add(ports, "ten", "The deploy window opens at 10:00.")
    assert sweep(backend).did == {"conflicts found": 1}
    assert listed(ports)[0].pair.similarity > 0.92
    assert listed(ports, "duplicate") == []


def test_what_was_kept_comes_up_again_when_it_says_something_else(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """And its age begins anew. Falls where a resolved pair is never opened again."""
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    sweep(backend)
    resolve(ports, listed(ports)[0].id, resolution="kept_both")
    clock.advance(days=7)
    revise(ports, AGENT, PROJECT, "twenty", {"content": "The pool holds 25 connections."})
    assert sweep(backend).did == {"conflicts found": 1}
    (found,) = listed(ports)
    assert found.pair.found_at == clock.now()
    assert (found.pair.resolution, found.pair.resolved_by) == (None, None)
    clock.advance(days=1)
    archive_memory(ports, AGENT, PROJECT, "thirty")
    assert listed(ports) == []


def test_two_that_contradict_each_other_are_merged_in_given_words_alone(backend: EmbeddedBackend) -> None:
    """Falls where a merge puts both sentences under each other."""
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    sweep(backend)
    (found,) = listed(ports)
    with pytest.raises(Invalid, match=r"contradict each other.*give content") as told:
        resolve(ports, found.id, resolution="merge")
    assert [each.pointer for each in told.value.violations] == ["/content"]
    assert [item.id for item in listed(ports)] == [found.id], "nothing was decided"
    done = resolve(ports, found.id, resolution="merge", content="The pool holds 25 connections.")
    assert get(ports, done.winner).content == "The pool holds 25 connections."


@pytest.mark.parametrize("kind", ["conflict", "duplicate"])
def test_what_was_kept_is_no_finding_of_another_kind(
    backend: EmbeddedBackend, admin: Principal, kind: str
) -> None:
    """Falls where a decision on two as duplicates leaves them open as a conflict."""
    ports, scope = backend.ports, admin.scope(PROJECT)
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    sweep(backend)
    (found,) = listed(ports)
    decided = replace(
        found.pair,
        id=pair_id("twenty", "thirty", kind),  # type: ignore[arg-type]
        kind=kind,  # type: ignore[arg-type]
        status="resolved",
        resolution="kept_both",
        version=2 if kind == "conflict" else 1,
    )
    if kind == "duplicate":
        ports.store.pairs.drop([found.pair])
    assert ports.store.pairs.put([decided]) == [True]
    revise(ports, AGENT, PROJECT, "twenty", {"tags": ["looked-at-again"]})
    sweep(backend)
    assert listed(ports) == []
    assert ports.store.pairs.get(scope, decided.id) == decided


def test_an_open_pair_is_not_shown_once_one_of_them_changed(backend: EmbeddedBackend) -> None:
    """Falls where the list does not look at the records."""
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    sweep(backend)
    (found,) = listed(ports)
    revise(ports, AGENT, PROJECT, "twenty", {"content": POOL_30.replace("pool", "connection pool")})
    assert listed(ports) == []
    assert awaiting_review(ports, REVIEWER, PROJECT, after=None, limit=50).items == ()
    with pytest.raises(Conflict, match="says something else by now"):
        resolve(ports, found.id, resolution="kept_both")


@pytest.mark.parametrize("how", ["archived", "revised"])
def test_a_pair_that_has_fallen_is_dropped_and_found_again(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, how: str
) -> None:
    """Not by the walk right after: what comes back since then would be no change to the next one. A decision stays."""
    ports, scope = backend.ports, admin.scope(PROJECT)
    add(ports, "p20", POOL_20)
    add(ports, "p30", POOL_30)
    add(ports, "a", PYTEST)
    add(ports, "b", UNITTEST)
    sweep(backend)
    assert len(listed(ports)) == 2
    fallen, kept = pair_id("p20", "p30", "conflict"), pair_id("a", "b", "conflict")
    resolve(ports, kept, resolution="kept_both")
    clock.advance(days=6, hours=12)
    if how == "archived":
        archive_memory(ports, AGENT, PROJECT, "p30")
    else:
        revise(ports, AGENT, PROJECT, "p30", {"content": DEPLOY})
    for hours in (12, 7 * 24):
        clock.advance(hours=hours)
        assert sweep(backend).did == NOTHING
    assert ports.store.pairs.get(scope, fallen) is not None
    clock.moment = START + timedelta(days=32)  # the first of a month: nobody else writes here
    assert sweep(backend, is_dry_run=True).did == {"pairs dropped": 1}
    assert sweep(backend).did == {"pairs dropped": 1}
    assert ports.store.pairs.get_many(scope, [fallen, kept]).keys() == {kept}
    assert sweep(backend).did == NOTHING
    clock.advance(hours=1)
    if how == "archived":
        undo_last_change(ports, AGENT, PROJECT, "p30")
    else:
        revise(ports, AGENT, PROJECT, "p30", {"content": POOL_30})
    clock.advance(days=7)
    assert sweep(backend).did == {"conflicts found": 1}
    assert [standing.id for standing in listed(ports)] == [fallen]
    assert verify(ports, admin, PROJECT).broken == ()


def test_turns_expired_and_ended_ones_are_left_alone(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """A turn tells what was said. Falls without `is_held`."""
    ports = backend.ports
    add_turns(
        ports,
        AGENT,
        PROJECT,
        "talk",
        [RememberRequest(fields={"content": text}) for text in (POOL_20, POOL_30)],
    )
    add(ports, "expired", DEPLOY, expires_at=START + timedelta(days=1))
    add(ports, "later", DEPLOY_TOO, valid_from=START + timedelta(days=30))
    add(ports, "archived", "The deploy window opens at 9:00.")
    add(ports, "held", "The deploy window opens at 10:00.")
    archive_memory(ports, AGENT, PROJECT, "archived")
    clock.advance(days=2)
    assert sweep(backend).did == NOTHING


def test_only_what_changed_since_the_last_walk_is_looked_at(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Also what came back into use, or came in with dates of long ago: its history tells."""
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "gone", POOL_30)
    archive_memory(ports, AGENT, PROJECT, "gone")
    clock.advance(days=2)
    assert sweep(backend).did == NOTHING
    clock.advance(days=7)
    asked: list[object] = []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            if name in ("search", "nearest_contents"):
                asked.append(name)
            return getattr(backend.ports.index, name)

    counted = replace(ports, index=Counting())
    run_sweep(counted, "consolidate", holder="a test", seconds=3_600.0)
    assert asked == []
    undo_last_change(ports, AGENT, PROJECT, "gone")
    clock.advance(days=2)
    assert sweep(backend).did == {"conflicts found": 1}
    clock.advance(days=7)
    add(ports, "other", "Herons nest in the reeds of the northern lake.")
    backend.drain()
    run_sweep(counted, "consolidate", holder="a test", seconds=3_600.0)
    assert len(asked) == 1


@pytest.mark.parametrize("is_written_to", [True, False])
def test_what_begins_to_hold_between_two_walks_is_compared(
    backend: EmbeddedBackend, clock: StandingClock, is_written_to: bool
) -> None:
    """With the next walk where anybody writes, else with the first one of a month; falls where writes alone count."""
    ports = backend.ports
    add(ports, "p20", POOL_20)
    clock.moment = START + timedelta(days=1)
    add(ports, "p30", POOL_30, valid_from=START + timedelta(days=10))
    clock.moment = START + timedelta(days=7)
    assert sweep(backend).did == NOTHING
    clock.moment = START + timedelta(days=14)
    if is_written_to:
        add(ports, "else", DEPLOY)
    in_march = sweep(backend).did
    clock.moment = START + timedelta(days=35)
    in_april = sweep(backend).did
    found = {"conflicts found": 1}
    assert (in_march, in_april) == ((found, NOTHING) if is_written_to else (NOTHING, found))
    clock.moment = START + timedelta(days=42)
    assert sweep(backend).did == NOTHING


@pytest.mark.parametrize("together", [1, 100])
def test_a_second_walk_and_a_dry_run_write_nothing(
    backend: EmbeddedBackend,
    clock: StandingClock,
    admin: Principal,
    together: int,
) -> None:
    """And a dry run counts what is found from both ends once: falls without `_Seen`."""
    ports = backend.ports
    add(ports, "twenty", POOL_20)
    add(ports, "thirty", POOL_30)
    add(ports, "one", DEPLOY)
    add(ports, "two", DEPLOY_TOO)
    preferences(ports, clock)
    before = everything(ports, admin)
    planned = sweep(backend, is_dry_run=True, page_records=together)
    assert everything(ports, admin) == before
    done = sweep(backend, page_records=together)
    assert planned.did == done.did == {"conflicts found": 1, "duplicates found": 1, "superseded": 1}
    before = everything(ports, admin)
    assert sweep(backend, page_records=together).did == NOTHING
    clock.advance(hours=1)
    assert sweep(backend, page_records=together).did == NOTHING
    assert everything(ports, admin) == before


# ---- who may


def test_two_personas_are_never_paired_and_nobody_sees_anothers(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports = backend.ports
    clara, ben = (replace(AGENT, subject=name, persona=name) for name in ("clara", "ben"))
    add(ports, "claras", POOL_20, clara, persona="clara")
    add(ports, "bens", POOL_30, ben, persona="ben")
    assert sweep(backend).did == NOTHING
    add(ports, "everyones", "The pool holds 40 connections.")
    assert sweep(backend).did == {"conflicts found": 2}
    seen = {name: [each.pair.ids for each in listed(ports, by=by)] for name, by in (("c", clara), ("b", ben))}
    assert seen == {"c": [("claras", "everyones")], "b": [("bens", "everyones")]}
    assert listed(ports, by=AGENT) == []
    assert len(listed(ports, by=admin)) == 2
    reviewer = replace(REVIEWER, persona="ben")
    with pytest.raises(NotFound):
        resolve(ports, pair_id("claras", "everyones", "conflict"), reviewer, resolution="kept_both")


def test_nothing_is_settled_across_personas(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """What everybody knows is not retired for what one persona says."""
    ports = backend.ports
    add(ports, "everyones", PYTEST, category="preference")
    clock.advance(hours=1)
    add(ports, "claras", UNITTEST, replace(AGENT, persona="clara"), persona="clara", category="preference")
    assert sweep(backend).did == {"conflicts found": 1}
    assert get(ports, "everyones").is_active


def test_only_reviewers_decide(backend: EmbeddedBackend) -> None:
    with pytest.raises(Forbidden):
        resolve(backend.ports, pair_id("a", "b", "conflict"), AGENT, resolution="kept_both")


# ---- decisions


def conflict(backend: EmbeddedBackend) -> str:
    add(backend.ports, "twenty", POOL_20)
    add(backend.ports, "thirty", POOL_30)
    sweep(backend)
    return listed(backend.ports)[0].id


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"resolution": "superseded"}, "give winner: thirty or twenty"),
        ({"resolution": "superseded", "winner": "nobody"}, "not of this pair"),
        ({"resolution": "kept_both", "winner": "twenty"}, "leave winner out"),
    ],
)
def test_a_decision_that_means_nothing_is_refused(
    backend: EmbeddedBackend, said: dict[str, Any], word: str
) -> None:
    id = conflict(backend)
    with pytest.raises(Invalid, match=word):
        resolve(backend.ports, id, **said)
    with pytest.raises(NotFound):
        resolve(backend.ports, pair_id("x", "y", "conflict"), resolution="kept_both")
    assert len(listed(backend.ports)) == 1


def test_twins_are_merged_into_the_one_that_is_believed(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    add(ports, "one", DEPLOY)
    add(ports, "two", DEPLOY_TOO)
    approve_memory(ports, REVIEWER, PROJECT, "one")
    sweep(backend)
    (found,) = listed(ports, "duplicate")
    done = resolve(ports, found.id, resolution="merge")
    assert done.winner == "one"
    assert get(ports, "one").detail["merged_ids"] == ["two"]
    assert get(ports, "two").superseded_by == "one"
    assert listed(ports, "duplicate") == []
    again = resolve(ports, found.id, resolution="merge")
    assert again.pair == done.pair


def test_a_merge_says_what_its_reviewer_says(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    add(ports, "one", DEPLOY)
    add(ports, "two", DEPLOY_TOO)
    sweep(backend)
    (found,) = listed(ports, "duplicate")
    with pytest.raises(Invalid, match="a merge alone says something new"):
        resolve(ports, found.id, resolution="kept_both", content="Deploys are for the daring.")
    done = resolve(ports, found.id, resolution="merge", content="Deploys are for the daring.")
    assert get(ports, done.winner).content == "Deploys are for the daring."


def test_a_decision_is_made_once(backend: EmbeddedBackend) -> None:
    ports, id = backend.ports, conflict(backend)
    once = IdempotentRequest("k" * 64, "k", "f", lambda done: (200, done.pair.id))
    first = resolve(ports, id, resolution="superseded", winner="thirty", once=once)
    assert isinstance(first, ResolvedPair)
    replayed = resolve(ports, id, resolution="superseded", winner="thirty", once=once)
    assert replayed.body == id
    same = resolve(ports, id, resolution="superseded", winner="thirty")
    assert same.pair == first.pair
    others: list[dict[str, Any]] = [
        {"resolution": "superseded", "winner": "twenty"},
        {"resolution": "kept_both"},
    ]
    for other in others:
        with pytest.raises(Conflict, match="resolved by rita already"):
            resolve(ports, id, **other)


def test_what_a_person_did_by_hand_is_noted(backend: EmbeddedBackend) -> None:
    ports, id = backend.ports, conflict(backend)
    supersede_memory(ports, REVIEWER, PROJECT, "twenty", {"id": "thirty"})
    assert listed(ports) == []
    assert resolve(ports, id, resolution="superseded", winner="thirty").pair.status == "resolved"


# ---- nothing true is retired on a guess

STANDINGS = st.fixed_dictionaries(
    {
        "source": st.sampled_from(["run", "human", "learning"]),
        "is_approved": st.booleans(),
        "confidence": st.sampled_from([0.3, 0.5, 0.9]),
        "pinned": st.booleans(),
        "persona": st.sampled_from([None, "clara"]),
    }
)


@given(one=STANDINGS, other=STANDINGS, review=st.booleans())
@settings(max_examples=examples(60))
def test_nothing_approved_or_said_by_a_person_is_ever_superseded_by_the_sweep(
    embedder: Embedder, one: dict[str, Any], other: dict[str, Any], review: bool
) -> None:
    """Falls without `precedence_obstacle`, and without the look at what recalls hide."""
    clock = StandingClock()
    backend = open_embedded(None, embedder=embedder, clock=clock)
    ports, admin = backend.ports, replace(AGENT, roles=frozenset({"admin"}), persona="clara")
    standings = {"old": one, "new": other}
    for id, content in (("old", PYTEST), ("new", UNITTEST)):
        fields = {name: value for name, value in standings[id].items() if name != "is_approved"}
        put_memory(ports, admin, PROJECT, id, {"content": content, "category": "preference", **fields})
        if standings[id]["is_approved"]:
            approve_memory(ports, admin, PROJECT, id)
        clock.advance(hours=1)
    if review:
        settings_ = Policy(review_sources=("run",), version=1)
        ports.store.writer.commit(Commit(scope=AGENT.scope(PROJECT), policy=settings_))
    before = {id: get(ports, id) for id in standings}
    report = sweep(backend)
    for id, memory in before.items():
        after = get(ports, id)
        if after.status == "superseded":
            assert not memory.is_approved
            assert memory.source != "human"
            assert not memory.pinned
            winner = get(ports, after.superseded_by or "")
            assert winner.persona == memory.persona
            assert winner.is_approved or not (review and winner.source == "run")
            assert report.did == {"superseded": 1}
    backend.close()


def test_a_winner_that_has_superseded_another_leaves_it_to_a_person(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    ports = backend.ports
    preferences(ports, clock)
    sweep(backend)
    clock.advance(hours=1)
    add(ports, "third", PYTEST.replace("pytest", "nose"), category="preference", confidence=0.1)
    assert get(ports, "third").confidence < get(ports, "new").confidence
    assert sweep(backend).did == {"conflicts found": 1}
    (found,) = listed(ports)
    assert "new supersedes old already" in found.pair.reason
    assert get(ports, "third").is_active


def test_what_recalls_hide_takes_no_others_place(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """Nobody would be told either of the two: falls without `ConflictResolver._hidden`."""
    ports = backend.ports
    add(ports, "old", PYTEST, category="preference", source="learning", confidence=0.1)
    clock.advance(hours=1)
    add(ports, "new", UNITTEST, category="preference", source="run")
    ports.store.writer.commit(
        Commit(scope=AGENT.scope(PROJECT), policy=Policy(review_sources=("run",), version=1))
    )
    assert sweep(backend).did == {"conflicts found": 1}
    (found,) = listed(ports)
    assert "recalls do not show new" in found.pair.reason
    assert get(ports, "old").is_active


def test_what_a_person_kept_is_not_settled_when_that_becomes_possible(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls without `is_kept_both`."""
    ports = backend.ports
    add(ports, "old", PYTEST, REVIEWER, category="preference", source="run", pinned=True)
    clock.advance(hours=1)
    add(ports, "new", UNITTEST, REVIEWER, category="preference", source="run")
    assert sweep(backend).did == {"conflicts found": 1}
    (found,) = listed(ports)
    assert "old is pinned" in found.pair.reason
    resolve(ports, found.id, resolution="kept_both")
    clock.advance(hours=1)
    revise(ports, REVIEWER, PROJECT, "old", {"pinned": False})
    assert sweep(backend).did == NOTHING
    assert get(ports, "old").is_active
    assert get(ports, "new").is_active


def test_a_memory_that_became_a_personas_own_takes_its_pairs_out_of_sight(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the list goes by the persona that the pair was found under."""
    ports, id = backend.ports, conflict(backend)
    revise(ports, admin, PROJECT, "twenty", {"persona": "clara"})
    other = replace(REVIEWER, persona="bob")
    assert listed(ports, by=other) == []
    assert len(listed(ports, by=replace(REVIEWER, persona="clara"))) == 1
    assert len(listed(ports)) == 1, "a reviewer whose token names no persona sees what waits of all"
    with pytest.raises(NotFound):
        resolve(ports, id, by=other, resolution="kept_both")


class OvertakenWriter(DyingPart):
    """Somebody writes a record whenever the sweep is about to."""

    def __getattr__(self, name: str) -> Any:
        if name == "commit":
            return self._refuse
        return getattr(self._part, name)

    def _refuse(self, commit: Commit) -> None:
        raise VersionConflict(f"{commit.scope.project} was changed meanwhile")


def test_what_somebody_changed_meanwhile_waits_for_a_person_or_the_next_walk(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where the pair, told resolved before, is not opened again: nobody would ever see it."""
    ports = backend.ports
    preferences(ports, clock)
    backend.drain()
    overtaken = with_parts(ports, writer=OvertakenWriter(ports.store.writer, [0], ""))
    assert run_sweep(overtaken, "consolidate", holder="a test", seconds=60.0).did == NOTHING
    assert [each.pair.ids for each in listed(ports)] == [("new", "old")]
    assert sweep(backend).did == {"superseded": 1}
    assert listed(ports) == []


# ---- cut off


class DyingStorePart(DyingPart):
    WRITES = frozenset({"commit", "commit_each", "put", "put_state"})


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_walk_that_was_killed_at_any_step_is_completed(
    embedder: Embedder, clock: StandingClock, moment: str
) -> None:
    """Nothing is left undecided, and nothing is decided twice."""
    for step in range(1, 30):
        backend = open_embedded(None, embedder=embedder, clock=clock)
        ports, lives, died = backend.ports, [step], False
        add(ports, "twenty", POOL_20)
        add(ports, "thirty", POOL_30)
        preferences(ports, clock)
        store = each_part(ports.store, partial(DyingStorePart, lives=lives, moment=moment))
        dying = replace(ports, store=store)
        try:
            run_sweep(dying, "consolidate", holder="killed", seconds=60.0)
        except Killed:
            died = True
        clock.advance(hours=2)
        sweep(backend)
        assert get(ports, "old").superseded_by == "new"
        assert [each.pair.ids for each in listed(ports)] == [("thirty", "twenty")]
        scope = AGENT.scope(PROJECT)
        pair = ports.store.pairs.get(scope, pair_id("old", "new", "conflict"))
        assert pair is not None
        assert pair.resolution == "precedence"
        verbs = [version.verb for version in ports.store.history.of(scope, "old")]
        assert verbs == ["created", "superseded"]
        backend.close()
        if not died:
            assert step > 3
            return
    raise AssertionError("more steps than were tried")


@pytest.mark.parametrize("said", [{"resolution": "superseded", "winner": "two"}, {"resolution": "merge"}])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_decision_that_was_killed_at_any_step_is_completed_by_the_same_request(
    embedder: Embedder, clock: StandingClock, moment: str, said: dict[str, Any]
) -> None:
    for step in range(1, 10):
        backend = open_embedded(None, embedder=embedder, clock=clock)
        ports, lives, died = backend.ports, [step], False
        add(ports, "one", DEPLOY)
        add(ports, "two", DEPLOY_TOO)
        sweep(backend)
        (found,) = listed(ports, "duplicate")
        store = each_part(ports.store, partial(DyingStorePart, lives=lives, moment=moment))
        dying = replace(ports, store=store)
        once = IdempotentRequest("k" * 64, "k", "f", lambda done: (200, done.pair.id))
        try:
            resolve(dying, found.id, once=once, **said)
        except Killed:
            died = True
        resolve(ports, found.id, once=once, **said)
        pair = ports.store.pairs.get(AGENT.scope(PROJECT), found.id)
        assert pair is not None
        assert pair.resolution == said["resolution"]
        assert sorted(get(ports, id).status for id in ("one", "two")) == ["active", "superseded"]
        backend.close()
        if not died:
            assert step > 2
            return
    raise AssertionError("more steps than were tried")


# ---- erasure


def test_an_erased_memory_leaves_no_word_in_any_pair(backend: EmbeddedBackend) -> None:
    ports, id = backend.ports, conflict(backend)
    ports.store.writer.commit(plan_erasure(ports, get(ports, "twenty"), "ada").commit)
    assert ports.store.pairs.get(AGENT.scope(PROJECT), id) is None
    assert listed(ports) == []
    assert sweep(backend).did == NOTHING


@EMBEDDED_ONLY
def test_a_damaged_memory_is_neither_judged_nor_changed(
    open_backend: Callable[..., EmbeddedBackend], clock: StandingClock, tmp_path: Any
) -> None:
    """A change would seal it anew. Falls without the comparison with the seal in `_sound_memory`."""
    backend = open_backend()
    preferences(backend.ports, clock)
    with sqlite3.connect(tmp_path / "data" / DATABASE_NAME) as connection:
        connection.execute(
            "UPDATE memories SET content = 'The team prefers nose for unit tests.' WHERE id = 'old'"
        )
        connection.execute(
            "UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE id = 'old'"
        )  # nothing heals it
    connection.close()
    with pytest.raises(DamagedRecord, match="old is damaged"):
        get(backend.ports, "old")
    assert sweep(backend).did == NOTHING


def test_a_page_of_memories_is_one_question_to_the_index(backend: EmbeddedBackend) -> None:
    """Falls where each memory is a search of its own: 100 million of them would take years."""
    asked: list[int] = []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(backend.ports.index, name)

        def nearest_contents(self, query: Any) -> Any:
            asked.append(len(query.vectors))
            return backend.ports.index.nearest_contents(query)

        def search(self, query: Any) -> Any:
            raise AssertionError(query)

    for number in range(12):
        add(backend.ports, f"bird{number}", f"Heron number {number} nests in reed bed {number * 7}.")
    backend.drain()
    run_sweep(replace(backend.ports, index=Counting()), "consolidate", holder="a test", seconds=3_600.0)
    assert asked == [12]
