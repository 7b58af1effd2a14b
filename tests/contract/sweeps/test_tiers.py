"""Tiers over both backends: what is seldom recalled leaves its row and recall, and comes back; nothing is ever lost."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.conversation import neighbour_lines
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import STUB_MAX_CHARS, Memory, Ref, content_hash, is_stub
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, ContentClass, with_overrides
from memory_layer.domain.tiers.moves import PinRoom
from memory_layer.domain.time.decay import FREEZE_AFTER_DAYS
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.errors import NotFound, StoreUnavailable, Unavailable
from memory_layer.ports.process import Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.ground.queries import get_memory, list_memories, memory_history
from memory_layer.usecases.ground.read_memory import read_memory
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.as_of import list_memories_at, memory_at
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.hydrate import LOST_BODIES, NO_BODIES
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.recall.warm_up import warm_up
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.sweeps import evict, move_between_tiers
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from tests.given import ADMIN, SCOPE, START, StandingClock, a_memory, put_records

READER = Principal(tenant="acme", subject="rob")
DAY = timedelta(days=1)
FILLER = "the projector writes what the stream tells it, and tells what it could not write; " * 30
LONG_AGO = START - 3 * DAY


def long_text(word: str) -> str:
    """The word is its last one: no stub has it."""
    return f"Note of the release. {FILLER} In the end it was {word}."


@pytest.fixture
def ports(backend: EmbeddedBackend) -> Ports:
    return backend.ports


def put(backend: EmbeddedBackend, *memories: Memory) -> None:
    put_records(backend.ports.store, *memories, at=backend.ports.clock.now())
    backend.drain()


def old(id: str, word: str = "journal", **fields: Any) -> Memory:
    said = {"content": long_text(word), "created_at": LONG_AGO, "updated_at": LONG_AGO}
    return a_memory(SCOPE, id, **{**said, **fields})


def tiering(backend: EmbeddedBackend, **asked: Any) -> SweepReport:
    report = run_sweep(backend.ports, "tiering", holder="a test", **{"seconds": 3_600, **asked})
    backend.drain()
    return report


def lying(ports: Ports, id: str) -> Memory:
    ref = Ref(SCOPE.project, id)
    return ports.store.memories.get_many(SCOPE.tenant, [ref], with_bodies=False)[ref]


def tier_of(ports: Ports, id: str) -> str:
    return lying(ports, id).tier


def rules(ports: Ports, name: ContentClass = "general", **changes: Any) -> None:
    policy = {**DEFAULT_TIER_POLICY, name: with_overrides(DEFAULT_TIER_POLICY[name], changes)}
    set_policy(ports, ADMIN, "web", lambda before: replace(before, tier_policy=policy))


def no_room(ports: Ports) -> None:
    """Whatever is near is too much."""
    rules(ports, evict={"max_total_size_gb": 1e-9}, pin={"max_size_mb": 0})


def make_cold(backend: EmbeddedBackend, *ids: str) -> None:
    no_room(backend.ports)
    tiering(backend)
    assert {tier_of(backend.ports, id) for id in ids} == {"cold"}
    set_policy(backend.ports, ADMIN, "web", lambda before: Policy(version=before.version))


def asked(ports: Ports, query: str, *, by: Principal = READER, **more: Any) -> RecallResult:
    return recall(ports, by, "web", RecallRequest(query=query, strategy="lexical", **more))


def found_ids(ports: Ports, query: str, **more: Any) -> list[str]:
    return [item.memory.id for item in asked(ports, query, **more).memories]


def listed(ports: Ports, by: Principal = READER, **filters: Any) -> dict[str, Memory]:
    page = list_memories(ports, by, "web", Filters(**filters), after=None, limit=200)
    return {memory.id: memory for memory in page.memories}


def exported_ids(ports: Ports, by: Principal) -> tuple[set[str], int]:
    """And how many the manifest says are frozen."""
    *lines, manifest = (json.loads(line) for line in export_lines(ports, by, "web"))
    return {line["id"] for line in lines}, manifest["manifest"].get("frozen", 0)


def lose_body(ports: Ports, id: str) -> None:
    folder = sha256(id.encode()).hexdigest()[:32]
    (key,) = (key for key in ports.blobs.keys("bodies/") if folder in key)
    ports.blobs.delete(key)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the bodies that are read."""
    keys: list[str] = []
    get = FileBlobStore.get

    def counting(self: FileBlobStore, key: str, **more: Any) -> bytes | None:
        keys.extend([key] if key.startswith("bodies/") else [])
        return get(self, key, **more)

    monkeypatch.setattr(FileBlobStore, "get", counting)
    return keys


def test_long_words_leave_their_row_and_every_read_has_them_all(backend: EmbeddedBackend) -> None:
    """Falls without the body, or where one of the reads forgets it."""
    ports, words = backend.ports, long_text("tombstone")
    put(backend, old("m1", "tombstone"), old("s1", content="A short tombstone."))
    assert tiering(backend).did == {"warm": 2}
    stub = lying(ports, "m1")
    assert (is_stub(stub), stub.content) == (True, words[:STUB_MAX_CHARS])
    assert stub.content_hash == content_hash(words)
    assert lying(ports, "s1").content == "A short tombstone."
    assert get_memory(ports, READER, "web", "m1").content == words
    assert listed(ports)["m1"].content == words
    assert [version.memory.content for version in memory_history(ports, READER, "web", "m1")] == [words] * 2
    assert memory_at(ports, READER, "web", "m1", ports.clock.now()).content == words
    (version,) = memory_history(ports, READER, "web", "m1")[1:]
    assert (version.verb, version.by, version.reason) == (
        "moved",
        "sweep tiering",
        "warm: 3 days old, 0 accesses",
    )
    assert version.memory.updated_at == LONG_AGO


def test_what_is_warm_is_found_by_words_that_its_row_has_no_more(backend: EmbeddedBackend) -> None:
    put(backend, old("m1", "tombstone"), old("m2", "receipt"))
    tiering(backend)
    (hit,) = asked(backend.ports, "tombstone").memories
    assert (hit.memory.id, hit.memory.content) == ("m1", long_text("tombstone"))


def test_a_recall_fetches_the_words_of_what_it_shows_and_no_others(
    backend: EmbeddedBackend, fetched: list[str]
) -> None:
    """Falls where candidates are read with their bodies."""
    put(backend, *(old(f"m{number}", "tombstone") for number in range(8)))
    tiering(backend)
    fetched.clear()
    assert len(asked(backend.ports, "release", limit=3).memories) == 3
    assert len(fetched) == 3


def test_a_prompt_fetches_the_words_of_what_it_shows_and_no_others(
    backend: EmbeddedBackend, fetched: list[str]
) -> None:
    put(backend, *(old(f"m{number}", f"tombstone {number}") for number in range(8)))
    tiering(backend)
    fetched.clear()
    prompt = compose_prompt(backend.ports, READER, "web", "release", TaskProfile(), limit=2)
    assert len(prompt.memories) == 2
    assert len(fetched) == 2
    assert "In the end it was tombstone" in prompt.markdown


def test_a_known_error_is_looked_for_in_all_the_words(backend: EmbeddedBackend) -> None:
    put(backend, old("m1", "receipt", type="antipattern"), old("m2", "ECONNRESET", type="antipattern"))
    tiering(backend)
    task = TaskProfile(error_patterns=("ECONNRESET",))
    best, *_ = asked(backend.ports, "release", profile="task", task=task).memories
    assert best.memory.id == "m2"


def test_one_whose_words_are_lost_leaves_its_place_to_the_next(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    put(backend, old("m1", tier="warm"), old("m2"), old("m3"))
    tiering(backend)
    lost = "m1"
    lose_body(ports, lost)
    answer = asked(ports, "release", limit=2)
    assert [item.memory.id for item in answer.memories] == [id for id in ("m1", "m2", "m3") if id != lost]
    assert (answer.degraded, answer.note) == (True, LOST_BODIES)
    assert set(listed(ports)) == {"m1", "m2", "m3"} - {lost}
    with pytest.raises(StoreUnavailable, match=lost):
        get_memory(ports, READER, "web", lost)
    erase_memory(ports, ADMIN, "web", lost)
    with pytest.raises(NotFound):
        get_memory(ports, READER, "web", lost)


def test_while_no_words_can_be_fetched_a_recall_shows_what_needs_none_and_says_so(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a recall needs every part to be there."""
    put(backend, old("m1"), old("s1", content="Note of the release: short."))
    tiering(backend)

    def down(*_: Any, **__: Any) -> bytes | None:
        raise StoreUnavailable("no blobs today")

    monkeypatch.setattr(FileBlobStore, "get", down)
    answer = asked(backend.ports, "release")
    assert [item.memory.id for item in answer.memories] == ["s1"]
    assert (answer.degraded, answer.note) == (True, NO_BODIES)


@pytest.mark.parametrize("tags", [(), ("src/a.py",)])
def test_what_a_person_has_pinned_never_moves(
    backend: EmbeddedBackend, clock: StandingClock, tags: tuple[str, ...]
) -> None:
    """Falls without the look at `pinned`, in the index as in the rules."""
    no_room(backend.ports)
    put(backend, old("m1", pinned=True, tags=tags), old("m2", tags=tags))
    for days in (0, 1, 40):
        clock.advance(days=days)
        tiering(backend)
        assert lying(backend.ports, "m1") == old("m1", pinned=True, tags=tags)
    assert tier_of(backend.ports, "m2") != "hot"


def test_a_policys_pin_lapses(backend: EmbeddedBackend, clock: StandingClock) -> None:
    put(backend, a_memory(SCOPE, "m1", content=long_text("a"), tags=("src/a.py",)))
    clock.advance(hours=23)
    assert tiering(backend).did == {}
    clock.advance(hours=1)
    assert tiering(backend).did == {"warm": 1}


def test_a_policys_pin_has_room_for_the_newest(backend: EmbeddedBackend, clock: StandingClock) -> None:
    rules(backend.ports, "code", pin={"max_size_mb": 0})
    put(backend, a_memory(SCOPE, "m1", content=long_text("a"), tags=("src/a.py",)))
    clock.advance(hours=7)
    assert tiering(backend).did == {"warm": 1}


def test_the_room_of_pins_is_looked_for_once_however_many_pages_there_are(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `SweepWalk.worked_out`: each page would read all that is new, quadratic in how much that is."""
    read: list[int] = []
    monkeypatch.setattr(move_between_tiers, "room_for_pins", counting(read, move_between_tiers.room_for_pins))
    rules(backend.ports, "code", pin={"patterns": ["src/*"], "max_size_mb": 0, "ttl_hours": 24 * 30})
    put(backend, *(old(f"m{number}", tags=("src/a.py",)) for number in range(7)))
    assert tiering(backend, page_records=2).did == {"warm": 7}
    assert read == [7]


def counting(read: list[int], room_for_pins: Callable[..., PinRoom]) -> Callable[..., PinRoom]:
    """It, and how many records it was given each time."""

    def counted(memories: Iterable[Memory], *more: Any) -> PinRoom:
        new = list(memories)
        read.append(len(new))
        return room_for_pins(new, *more)

    return counted


def test_what_hardly_shrinks_stays(backend: EmbeddedBackend) -> None:
    rules(backend.ports, compress={"compression_ratio": 0.0})
    put(backend, old("m1"), old("s1", content="A short one."))
    assert tiering(backend).did == {"warm": 1}
    assert tier_of(backend.ports, "m1") == "hot"


def test_a_class_that_has_too_much_goes_cold_the_worst_first(backend: EmbeddedBackend) -> None:
    """Down to its limit and no further; out of recall, and listed."""
    ports, size = backend.ports, len(long_text("journal").encode())
    rules(ports, evict={"max_total_size_gb": 2.5 * size / 2**30}, pin={"max_size_mb": 0})
    put(backend, *(old(f"m{number}", confidence=number / 10) for number in (3, 1, 4, 2)))
    assert tiering(backend).did == {"warm": 4, "cold": 2}
    assert {id: memory.tier for id, memory in listed(ports).items()} == {
        **dict.fromkeys(("m1", "m2"), "cold"),
        **dict.fromkeys(("m3", "m4"), "warm"),
    }
    assert tiering(backend).did == {}  # before a recall, which may bring up what it finds
    assert sorted(found_ids(ports, "release")) == ["m3", "m4"]
    assert listed(ports)["m1"].content == long_text("journal")
    last = memory_history(ports, READER, "web", "m1")[-1]
    assert (last.verb, last.by) == ("moved", "sweep tiering")
    assert last.reason is not None
    assert last.reason.startswith("cold: general holds more than ")


def test_what_is_evicted_is_said_in_the_log_and_a_dry_run_says_nothing(
    backend: EmbeddedBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """Safeguard: the warning in `_chilled`; an operator learns by it that a class is full."""
    rules(backend.ports, evict={"max_total_size_gb": 1e-9}, pin={"max_size_mb": 0})
    put(backend, old("m1"), old("m2"))

    def said() -> list[str]:
        return [record.getMessage() for record in caplog.records if record.name == evict.__name__]

    with caplog.at_level(logging.WARNING):
        tiering(backend, is_dry_run=True)
        assert said() == []
        tiering(backend)
    assert said() == ["2 memories of web go cold: their classes hold more than they may"]


def test_nothing_is_counted_while_no_class_can_have_too_much(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(backend, old("m1"))
    monkeypatch.setattr(
        type(backend.ports.store.integrity),
        "kept_under",
        lambda *_, **__: pytest.fail("all was read through"),
    )
    assert tiering(backend).did == {"warm": 1}


@pytest.mark.parametrize("reads", ["strong", "eventual"])
def test_what_is_cold_is_out_of_recall_at_once(backend: EmbeddedBackend, reads: Any) -> None:
    """Also where the index has not heard of it: falls without the look at the record itself."""
    put(backend, old("m1"), old("m2"))
    no_room(backend.ports)
    run_sweep(backend.ports, "tiering", holder="a test", seconds=60)
    assert found_ids(backend.ports, "release", consistency=reads) == []


def test_reading_what_is_cold_brings_it_back(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    put(backend, old("m1"))
    make_cold(backend, "m1")
    back = read_memory(ports, READER, "web", "m1")
    assert (back.tier, back.version, back.content) == ("hot", 4, long_text("journal"))
    backend.drain()
    assert found_ids(ports, "journal") == ["m1"]
    assert not is_stub(lying(ports, "m1"))
    last = memory_history(ports, READER, "web", "m1")[-1]
    assert (last.verb, last.by) == ("restored", "rob")
    assert last.reason == "hot: it was cold, and somebody read it"
    assert back.updated_at == LONG_AGO
    assert read_memory(ports, READER, "web", "m1").version == 4


def test_a_memory_that_missed_an_event_while_it_was_cold_comes_back_doubtful(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where a thaw does not ask what was told: it would be recalled as if nothing had happened."""
    ports = backend.ports
    put(backend, old("m1", entities=("urn:table:orders",)), old("m2", entities=("urn:table:items",)))
    make_cold(backend, "m1", "m2")
    clock.advance(days=1)
    take_entity_events(ports, ADMIN, "web", [ReportedEvent(urn="urn:table:orders", event="removed")])
    back = read_memory(ports, READER, "web", "m1")
    assert (back.status, back.tier) == ("stale", "hot")
    assert "urn:table:orders was removed" in (back.status_reason or "")
    assert read_memory(ports, READER, "web", "m2").status == "active"


@pytest.mark.parametrize("tier", ["warm", "cold"])
@pytest.mark.parametrize(
    "act",
    [
        lambda ports: revise(ports, ADMIN, "web", "m1", {"summary": "Another."}),
        lambda ports: revise(ports, ADMIN, "web", "m1", {"content": "Shorter."}),
        lambda ports: report_outcome(ports, ADMIN, "web", "m1", OutcomeReport(result="worked")),
        lambda ports: approve_memory(ports, ADMIN, "web", "m1"),
        lambda ports: archive_memory(ports, ADMIN, "web", "m1"),
        lambda ports: put_memory(ports, ADMIN, "web", "m1", {"content": "Replaced."}),
    ],
    ids=["summary", "content", "outcome", "approve", "archive", "put"],
)
def test_whatever_a_caller_changes_is_hot_again(
    backend: EmbeddedBackend, tier: str, act: Callable[[Ports], object]
) -> None:
    """Falls without `made_hot`."""
    put(backend, old("m1"))
    if tier == "cold":
        make_cold(backend, "m1")
    else:
        tiering(backend)
    before = lying(backend.ports, "m1").version
    act(backend.ports)
    after = lying(backend.ports, "m1")
    assert (after.tier, after.version) == ("hot", before + 1)
    assert content_hash(after.content) == after.content_hash


def test_a_decision_that_changes_nothing_moves_nothing(backend: EmbeddedBackend) -> None:
    put(backend, old("m1"))
    tiering(backend)
    confirm_memory(backend.ports, ADMIN, "web", "m1")
    assert (tier_of(backend.ports, "m1"), lying(backend.ports, "m1").version) == ("warm", 2)


def test_what_is_recalled_often_enough_goes_up(backend: EmbeddedBackend) -> None:
    """By the event that the recall publishes; the handler asks the record again."""
    ports = backend.ports
    put(backend, old("m1", "alpha"), old("c1", "beta", tags=("src/a.go",)))
    tiering(backend)
    assert found_ids(ports, "alpha") == ["m1"]
    assert found_ids(ports, "beta") == ["c1"]
    backend.drain()
    assert (tier_of(ports, "m1"), tier_of(ports, "c1")) == ("hot", "warm"), "code asks for three accesses"
    assert not is_stub(lying(ports, "m1"))
    last = memory_history(ports, READER, "web", "m1")[-1]
    assert (last.verb, last.by, last.reason) == ("moved", "memory-layer", "hot: 1 access")
    assert warm_up(ports, SCOPE, ["m1", "c1", "gone"]) == 0


def test_what_the_bus_has_lost_goes_up_with_the_first_walk_of_a_month(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where the sweep looks at windows alone."""
    ports = backend.ports
    put(backend, old("m1"), old("m2"))
    tiering(backend)
    access(backend, "m1", "m2")
    assert lying(ports, "m1").access_count == 1
    for day in (1, 2, 30):
        clock.moment = START + day * DAY
        tiering(backend)
        assert (day, tier_of(ports, "m1")) == (day, "warm")
    clock.moment = START + 31 * DAY
    assert tiering(backend).did == {"hot": 2}
    assert lying(ports, "m1").content == long_text("journal")


def access(backend: EmbeddedBackend, *ids: str) -> None:
    """Count one recall, and have it counted."""
    refs = tuple(Ref(SCOPE.project, id) for id in ids)
    store, now = backend.ports.store, backend.ports.clock.now()
    store.receipts.note(RecallReceipt("rcl_1", SCOPE, "rob", refs, now))
    store.memories.every(SCOPE, after=None, limit=1)
    backend.drain()


def test_each_day_it_looks_at_what_has_crossed_since(backend: EmbeddedBackend, clock: StandingClock) -> None:
    put(backend, *(old(f"m{number}", updated_at=START - 60 * DAY) for number in range(5)))
    assert tiering(backend).looked_at == 5
    put(backend, old("n1", updated_at=START), old("n2", updated_at=START + DAY))
    for day, moved in enumerate([{}, {"warm": 1}, {"warm": 1}, {}, {}], start=1):
        clock.moment = START + day * DAY - timedelta(hours=1)
        report = tiering(backend)
        assert (report.did, report.looked_at <= 2) == (moved, True), day


def test_what_was_written_under_a_clock_that_was_set_back_moves_as_all_else(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where such a walk looks at what has crossed an age in the last day alone."""
    clock.moment = START + 20 * DAY
    tiering(backend)
    clock.moment = START
    put(backend, old("m1", updated_at=START))
    clock.moment = START + 10 * DAY
    assert tiering(backend).did == {"warm": 1}


def test_a_dry_run_counts_and_writes_nothing(backend: EmbeddedBackend) -> None:
    put(backend, old("m1"), old("m2"))
    assert tiering(backend, is_dry_run=True).did == {"warm": 2}
    assert [lying(backend.ports, id).version for id in ("m1", "m2")] == [1, 1]
    assert backend.ports.blobs.keys("bodies/") == []


def test_it_goes_on_page_by_page(backend: EmbeddedBackend) -> None:
    put(backend, *(old(f"m{number}") for number in range(5)))
    reports = [tiering(backend, seconds=0, page_records=2) for _ in range(2)]
    while not reports[-1].is_complete:
        reports.append(tiering(backend, seconds=0, page_records=2))
    assert [report.looked_at for report in reports if report.looked_at] == [2, 2, 1]
    assert sum(report.did.get("warm", 0) for report in reports) == 5
    assert {tier_of(backend.ports, f"m{number}") for number in range(5)} == {"warm"}


def test_who_was_faster_keeps_what_they_wrote(
    backend: EmbeddedBackend, open_backend: Callable[..., EmbeddedBackend], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the version that a move was decided on."""
    put(backend, old("m1"), old("m2"))
    other = open_backend().ports
    commit_each = backend.ports.store.writer.commit_each

    def overtaken(commits: Any) -> Any:
        revise(other, ADMIN, "web", "m1", {"content": long_text("faster")})
        monkeypatch.undo()
        return commit_each(commits)

    monkeypatch.setattr(backend.ports.store.writer, "commit_each", overtaken)
    report = tiering(backend)
    assert (report.did, report.failed) == ({"warm": 1}, ())
    kept = lying(backend.ports, "m1")
    assert (kept.tier, kept.content) == ("hot", long_text("faster"))


def test_a_lost_body_keeps_no_other_from_moving(backend: EmbeddedBackend) -> None:
    """Falls where one body that is not there stops the walk."""
    ports = backend.ports
    put(backend, old("m1", tier="warm"), old("m2"))
    tiering(backend)
    lose_body(ports, "m1")
    no_room(ports)
    report = tiering(backend)
    assert (report.did, report.failed_count) == ({"cold": 1}, 1)
    assert "m1 is damaged; run: mem verify" in report.failed[0]
    assert (tier_of(ports, "m1"), tier_of(ports, "m2")) == ("warm", "cold")


def test_a_lost_body_keeps_no_sweep_from_its_work(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """Falls if a change of a stub that stays in its tier needs the body: the expiry would stop at it for good."""
    ports, soon = backend.ports, clock.now() + timedelta(days=1)
    put(backend, old("m1", tier="warm", expires_at=soon), old("m2", expires_at=soon))
    tiering(backend)
    lose_body(ports, "m1")
    clock.advance(days=2)
    assert run_sweep(ports, "expiry", holder="a test", seconds=3_600).did == {"expired": 2}


def test_a_year_after_what_is_out_of_use_freezes_and_nothing_else(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls without the year, or without the look at the status. Admins alone know of it then, and it stays there."""
    ports = backend.ports
    put(backend, old("m1", status="archived"), old("m2"), old("m3", status="rejected"))
    make_cold(backend, "m1", "m2", "m3")
    clock.advance(days=FREEZE_AFTER_DAYS - 1)
    tiering(backend)
    assert {tier_of(ports, id) for id in ("m1", "m2", "m3")} == {"cold"}
    clock.advance(days=1)
    assert tiering(backend).did == {"frozen": 2}
    assert [tier_of(ports, id) for id in ("m1", "m2", "m3")] == ["frozen", "cold", "frozen"]
    for read in (read_memory, get_memory, memory_history):
        with pytest.raises(NotFound):
            read(ports, READER, "web", "m1")
    with pytest.raises(NotFound):
        memory_at(ports, READER, "web", "m1", clock.moment)
    ended: Any = {"status": ("archived", "rejected")}
    assert listed(ports, READER, **ended) == {}
    assert listed(ports, READER, tier=("frozen",), **ended) == {}
    page = list_memories_at(ports, READER, "web", Filters(**ended), START, after=None, limit=9)
    assert page.memories == ()
    assert set(listed(ports, ADMIN, **ended)) == {"m1", "m3"}
    assert exported_ids(ports, READER) == ({"m2"}, 2)
    assert exported_ids(ports, ADMIN) == ({"m1", "m2", "m3"}, 0)
    assert read_memory(ports, ADMIN, "web", "m1").content == long_text("journal")
    assert tier_of(ports, "m1") == "frozen"
    last = memory_history(ports, ADMIN, "web", "m1")[-1]
    assert last.reason == "frozen: cold for 365 days, and archived"


def test_stats_tell_what_lies_where(backend: EmbeddedBackend) -> None:
    size = len(long_text("journal").encode())
    put(backend, old("m1"), old("m2", pinned=True), old("s1", content="short"))
    tiering(backend)
    backend.drain()
    tiers = backend.ports.index.stats(SCOPE, EVERYONE, now=backend.ports.clock.now()).tiers
    assert {tier: records for tier, (records, _) in tiers.items()} == {
        "hot": 1,
        "warm": 2,
        "cold": 0,
        "frozen": 0,
    }
    detail = len("{}")
    assert tiers["hot"][1] in (size, size + detail)
    assert tiers["warm"][1] in (size + 5, size + 5 + 2 * detail)


def test_no_bus_is_no_reason_to_fail_a_recall(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(backend, old("m1"))
    tiering(backend)

    def down(*_: Any) -> None:
        raise Unavailable("no bus today")

    monkeypatch.setattr(backend.ports.bus, "publish", down)
    assert found_ids(backend.ports, "release") == ["m1"]


def test_what_expires_while_it_is_a_stub_is_archived_as_it_lies(
    backend: EmbeddedBackend, clock: StandingClock, fetched: list[str]
) -> None:
    put(backend, old("m1", expires_at=START + 10 * DAY))
    tiering(backend)
    fetched.clear()
    clock.advance(days=11)
    assert run_sweep(backend.ports, "expiry", holder="a test", seconds=60).did == {"expired": 1}
    assert fetched == []
    kept = lying(backend.ports, "m1")
    assert (kept.status, kept.tier, is_stub(kept)) == ("archived", "warm", True)
    assert get_memory(backend.ports, READER, "web", "m1").content == long_text("journal")


def test_a_turn_that_expires_as_a_stub_is_forgotten_by_those_that_heard_it(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where a sweep looks for a stub's words instead of its own."""
    words = f"{FILLER[:800]} the secret of it {FILLER}"
    context = neighbour_lines({1: words}, 2)
    assert "secret" in (context or "")
    turn: Any = {"session_id": "s", "created_at": START, "updated_at": LONG_AGO}
    put(
        backend,
        old("m1", content=words, position=1, expires_at=START + 10 * DAY, **turn),
        old("m2", content="And then?", position=2, context=context, **turn),
    )
    tiering(backend)
    assert "secret" not in lying(backend.ports, "m1").content
    clock.advance(days=11)
    run_sweep(backend.ports, "expiry", holder="a test", seconds=60)
    assert lying(backend.ports, "m1").status == "archived"
    assert lying(backend.ports, "m2").context is None
