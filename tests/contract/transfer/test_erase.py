"""All of a person, or of a thing, or of a project is gone: from every table, file and copy, and for good."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.embedded.files.blob_store import DRAFTS_FOLDER as DRAFTS
from memory_layer.adapters.stored_form.body_format import zstd
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.audit import PERSON_ERASED
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.edge.operations.data_jobs import EXPORT
from memory_layer.edge.operations.jobs import Ticket, Work, accept
from memory_layer.edge.operations.runner import run_operation
from memory_layer.errors import Conflict, Forbidden
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.erasure_ledger import ErasureLedger
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.apply_memory import apply_memory, shared_id
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.rollback import get_rollback, roll_back
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.erase import ErasureReceipt, erase
from memory_layer.usecases.transfer.erased_staging import staged_learnings
from memory_layer.usecases.transfer.restore_snapshot import LATEST, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import list_snapshots, take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, NoEmbedder, StandingClock, each_part
from tests.run_examples import run_of

MARKERS = 1_000
MARKER = "zqmarker"
BOB = Principal(tenant="acme", subject="bob")
CAROL = Principal(tenant="acme", subject="carol")


def erased(
    ports: Ports, principal: Principal, rule: ErasureRule, id: str = "ers_1", **changed: Any
) -> ErasureReceipt:
    return erase(ports, principal, PROJECT, rule, id=id, began_at=ports.clock.now(), **changed)


def plant(backend: EmbeddedBackend, count: int, time: int = 0) -> Iterator[str]:
    """Words of Bob, in every place that takes words; the ids of his memories. Args: time: how often before."""
    ports = backend.ports
    marker = (f"{MARKER}{number:04}" for number in range(count))
    for number, word in enumerate(marker):
        once = IdempotentRequest(
            key := f"{time}-{number}", key, "f", lambda stored: (201, stored.memory.content)
        )
        kind = number % 5
        if kind == 0:
            said = [("carol", "What is the code?"), ("bob", f"The code is {word}."), ("carol", "Thank you.")]
            for name, text in said:
                principal = replace(BOB, subject=name)
                (told,) = add_turns(
                    ports,
                    principal,
                    PROJECT,
                    f"talk-{time}-{number}",
                    [RememberRequest(fields={"content": text})],
                )
                if name == "bob" and isinstance(told, StoredMemory):
                    yield told.memory.id
            continue
        fields: dict[str, Any] = {
            "content": f"Fact {number} is {word}." if kind != 4 else at_length(word),
            "tags": (word,),
            "entities": (f"urn:x:{word}",),
            "detail": {"said": [word]},
            "summary": word,
        }
        stored = remember(
            ports, BOB, PROJECT, RememberRequest(fields=fields, once=once, on_duplicate="create")
        )
        assert isinstance(stored, StoredMemory)
        id = stored.memory.id
        if kind == 1:
            revise(ports, BOB, PROJECT, id, {"content": f"Fact {number} was {word}, and is not."})
        if kind == 2:
            report_outcome(ports, CAROL, PROJECT, id, OutcomeReport(result="worked", note=f"as {word} said"))
        if kind == 3:
            recall(ports, BOB, PROJECT, RecallRequest(query=f"Fact {number}", strategy="lexical"))
        yield id
    told = ReportedEvent(urn=f"urn:x:{MARKER}", event="activity", detail={"time": time, "said": MARKER})
    take_entity_events(ports, BOB, PROJECT, [told])
    run = run_of(f"bobs-run-{time}", f"Fix the tests of {MARKER}")
    learn_from_run(ports, BOB, PROJECT, run, mode="staged")
    backend.drain()


def at_length(word: str) -> str:
    """Long enough for a body of its own."""
    return " ".join(f"{word}{number}" for number in range(120))


def places_of(folder: Path) -> list[str]:
    """Every file below a folder that holds the marker, as it lies or packed."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files if MARKER.encode() in _unpacked(path)]


def _unpacked(path: Path) -> bytes:
    """A snapshot's parts stay as they are: they age out, and bring nothing back (SPEC 8.11)."""
    return zstd.decompress(path.read_bytes()) if path.suffix == ".zst" else path.read_bytes()


def exported(backend: EmbeddedBackend, principal: Principal) -> None:
    """As an operation does it: parts among the blobs."""
    ticket = Ticket(backend.ports.new_id("op_"), "f" * 64, None)
    work = Work(kind=EXPORT, project=PROJECT, arguments={"format": "ndjson"})
    operation = accept(backend.ports, principal, ticket, work)
    run_operation(backend.ports, {"tenant": operation.tenant, "operation_id": operation.id})


@EMBEDDED_ONLY
def test_no_byte_of_a_thousand_markers_is_left_in_any_file(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock, tmp_path: Path
) -> None:
    """In rows, in bodies of the warm, in a draft that a killed writer has left.

    Falls without secure_delete, without the log being emptied, without `forget_copies`, without the ledger, without
    `_delete_erased`, without `TemporaryFiles.clear`.
    """
    backend = open_backend(embedder=NoEmbedder())
    ports, folder = backend.ports, tmp_path / "data"
    ids = list(plant(backend, MARKERS))
    kept = remember(ports, CAROL, PROJECT, RememberRequest(fields={"content": "Deploys go out on Tuesdays."}))
    exported(backend, admin)
    take_snapshot(ports, admin, PROJECT)
    clock.advance(days=2)
    assert run_sweep(ports, "tiering", holder="a test", seconds=3_600).did["warm"] > MARKERS / 5
    drafts = folder / "blobs" / DRAFTS
    (drafts / "0f").write_bytes(MARKER.encode())
    places = places_of(folder)
    assert sum(place.endswith(".zst") for place in places) == MARKERS / 5
    assert len(places) > MARKERS / 5 + 2
    planned = erased(ports, admin, ErasureRule(created_by="bob"), is_dry_run=True)
    receipt = erased(ports, admin, ErasureRule(created_by="bob"))
    assert receipt.stores["records"] == len(ids) == MARKERS
    found_later = {"receipts", "sessions", "entity_events"}
    assert planned.stores == {
        name: count for name, count in receipt.stores.items() if name not in found_later
    }
    assert receipt.stores["receipts"] == MARKERS / 5
    assert receipt.stores["versions"] > MARKERS
    assert receipt.is_settled
    assert places_of(folder) == []
    done = restore_snapshot(ports, admin, PROJECT, LATEST)
    assert (done.erased, done.recreated) == (MARKERS, 0)
    assert places_of(folder) == []
    assert isinstance(kept, StoredMemory)
    assert ports.store.memories.get(admin.scope(PROJECT), kept.memory.id) is not None
    assert verify(ports, admin, PROJECT).broken == ()
    found = recall(ports, admin, PROJECT, RecallRequest(query=MARKER, strategy="lexical"))
    assert found.memories == ()


def test_nothing_of_a_person_is_found_afterwards_and_all_of_others_is(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports, scope = backend.ports, admin.scope(PROJECT)
    ids = list(plant(backend, 10))
    receipt = erased(ports, admin, ErasureRule(created_by="bob"))
    backend.drain()
    assert receipt.stores["records"] == len(ids)
    assert (receipt.stores["runs"], receipt.stores["staged"] > 0) == (1, True)
    page = ports.store.memories.every(scope, after=None, limit=99)
    assert {memory.created_by for memory in page.memories} == {"carol"}
    assert MARKER not in repr(
        [(memory, ports.store.history.of(scope, memory.id)) for memory in page.memories]
    )
    assert ports.store.learnings.runs(scope, after=None, limit=9).runs == ()
    again = erased(ports, admin, ErasureRule(created_by="bob"), id="ers_2")
    assert sum(again.stores.values()) == 0


def test_what_a_person_noted_with_verdicts_on_what_others_wrote_is_gone(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `forget_notes`, or where it leaves the history. The verdicts stay, and so does what Carol noted."""
    ports, scope = backend.ports, admin.scope(PROJECT)
    kept = remember(ports, CAROL, PROJECT, RememberRequest(fields={"content": "Deploys go out on Tuesdays."}))
    assert isinstance(kept, StoredMemory)
    id = kept.memory.id
    report_outcome(ports, BOB, PROJECT, id, OutcomeReport(result="worked", note=MARKER, run_id="r"))
    report_outcome(
        ports, BOB, PROJECT, id, OutcomeReport(result="partial", note=f"{MARKER} again", run_id="r")
    )
    report_outcome(ports, BOB, PROJECT, id, OutcomeReport(result="partial"))
    report_outcome(ports, CAROL, PROJECT, id, OutcomeReport(result="worked", note="it did"))
    before = ports.store.memories.get(scope, id)
    receipt = erased(ports, BOB, ErasureRule(created_by="bob"))
    assert receipt.stores["notes"] == 2
    assert ports.store.memories.get(scope, id) == before
    verdicts = [(one.principal, one.result, one.note) for one in ports.store.history.verdicts(scope, id)]
    assert sorted(verdicts, key=str) == [
        ("bob", "partial", None),
        ("bob", "partial", None),
        ("carol", "worked", "it did"),
    ]
    told = [(line.by, line.verb, line.reason) for line in ports.store.history.of(scope, id)[1:]]
    assert told == [
        ("bob", "worked", None),
        *[("bob", "partial", None)] * 2,
        ("carol", "worked", "it did"),
    ]
    assert verify(ports, admin, PROJECT).broken == ()
    assert "notes" not in erased(ports, BOB, ErasureRule(created_by="bob"), id="ers_2").stores


def test_what_names_an_entity_goes_and_nothing_else(backend: EmbeddedBackend, admin: Principal) -> None:
    ports = backend.ports
    for id, entities in (("one", ("urn:x:jane",)), ("two", ("urn:x:joe",)), ("three", ())):
        fields = {"id": id, "content": f"Something about {id}.", "entities": entities}
        remember(ports, CAROL, PROJECT, RememberRequest(fields=fields, on_duplicate="create"))
    receipt = erased(ports, admin, ErasureRule(entity="urn:x:jane"))
    assert receipt.stores["records"] == 1
    left = ports.store.memories.every(admin.scope(PROJECT), after=None, limit=9).memories
    assert sorted(memory.id for memory in left) == ["three", "two"]


URN = f"urn:x:{MARKER}"


def stage(backend: EmbeddedBackend, run_id: str, words: str) -> None:
    """One learning that an iteration said once, among iterations that say nothing."""
    silent = {"status": "completed", "analysis": {"progressMade": True}}
    telling = {**silent, "learnings": [words]}
    told = [{"number": number, **one} for number, one in enumerate((telling, silent, silent, silent), 1)]
    learn_from_run(backend.ports, BOB, PROJECT, run_of(run_id, iterations=told), mode="staged")


def staged_words(backend: EmbeddedBackend, who: Principal) -> list[str]:
    return [row.learning.content for row in staged_learnings(backend.ports, who.scope(PROJECT))]


def test_staged_learnings_whose_words_name_an_entity_go_with_it(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where an entity's erasure looks at records alone; what names one whose URN begins alike stays."""
    stage(backend, "one", f"The batch job of {URN} never runs on Fridays")
    stage(backend, "two", f"The invoices of {URN}-two are written at noon by hand")
    before = staged_words(backend, admin)
    (named,) = [words for words in before if words.count(URN) and f"{URN}-two" not in words]
    planned = erased(backend.ports, admin, ErasureRule(entity=URN), is_dry_run=True)
    assert (planned.stores["staged"], staged_words(backend, admin)) == (1, before)
    assert erased(backend.ports, admin, ErasureRule(entity=URN), "ers_2").stores["staged"] == 1
    assert staged_words(backend, admin) == [words for words in before if words != named]


@EMBEDDED_ONLY
def test_no_byte_of_an_entity_that_staged_words_alone_name_is_left(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, tmp_path: Path
) -> None:
    """Falls without `staged_naming`: the row lies in the database until somebody decides on it."""
    backend = open_backend(embedder=NoEmbedder())
    stage(backend, "one", f"The batch job of {URN} never runs on Fridays")
    folder = tmp_path / "data"
    assert places_of(folder)
    assert erased(backend.ports, admin, ErasureRule(entity=URN)).is_settled
    assert places_of(folder) == []


def test_receipts_of_rollbacks_forget_what_is_erased(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an erasure leaves the ledger of rollbacks as it is."""
    ports = backend.ports
    remember(ports, CAROL, PROJECT, RememberRequest(fields={"id": "gone", "content": "Ask Carol first."}))
    roll_back(ports, admin, PROJECT, CAROL.name, id="rbk_1")
    assert get_rollback(ports, admin, PROJECT, "rbk_1").ids == ("gone",)
    receipt = erased(ports, admin, ErasureRule(created_by=CAROL.name))
    assert receipt.stores["rollbacks"] == 1
    kept = get_rollback(ports, admin, PROJECT, "rbk_1")
    assert (kept.ids, kept.principal, kept.status) == ((), CAROL.name, "applied")
    assert erased(ports, admin, ErasureRule(), "ers_2").stores["rollbacks"] == 1
    assert ports.blobs.keys("rollbacks/acme/") == []


def test_a_project_is_erased_with_its_snapshots_and_settings(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    ports, scope = backend.ports, admin.scope(PROJECT)
    list(plant(backend, 10))
    take_snapshot(ports, admin, PROJECT)
    receipt = erased(ports, admin, ErasureRule())
    backend.drain()
    assert receipt.stores["snapshots"] == 1
    assert ports.store.memories.every(scope, after=None, limit=9).memories == ()
    assert list_snapshots(ports, admin, PROJECT) == []
    assert verify(ports, admin, PROJECT).broken == ()


def test_an_agent_erases_its_own_and_nobody_elses(backend: EmbeddedBackend, agent: Principal) -> None:
    with pytest.raises(Forbidden, match="admin"):
        erased(backend.ports, agent, ErasureRule(created_by="carol"))
    with pytest.raises(Forbidden):
        erased(backend.ports, agent, ErasureRule())
    remember(backend.ports, agent, PROJECT, RememberRequest(fields={"content": "Mine to forget."}))
    assert erased(backend.ports, agent, ErasureRule(created_by=agent.name)).stores["records"] == 1


def test_what_is_stored_anew_under_an_erased_id_is_restored(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """The ledger forbids versions, not ids. Falls where it goes by the id alone."""
    ports = backend.ports
    remember(ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "The old words."}))
    take_snapshot(ports, admin, PROJECT)
    erase_memory(ports, admin, PROJECT, "m")
    assert restore_snapshot(ports, admin, PROJECT, LATEST).erased == 1
    remember(ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "Other words entirely."}))
    backend.ports.clock.advance(seconds=1)  # type: ignore[attr-defined]
    take_snapshot(ports, admin, PROJECT)
    revise(ports, admin, PROJECT, "m", {"content": "Newer words than those."})
    assert restore_snapshot(ports, admin, PROJECT, LATEST).restored == 1
    found = ports.store.memories.get(admin.scope(PROJECT), "m")
    assert found is not None
    assert found.content == "Other words entirely."


def test_a_damaged_ledger_stops_a_restoration(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an entry that cannot be read counts as none."""
    ports = backend.ports
    remember(ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "The old words."}))
    take_snapshot(ports, admin, PROJECT)
    erase_memory(ports, admin, PROJECT, "m")
    (key,) = ports.blobs.keys(f"erasures/acme/{PROJECT}/")
    body = ports.blobs.get(key) or b""
    ports.blobs.put(key, body.replace(b'"m": 1', b'"m": 0'))
    with pytest.raises(Conflict, match="ledger"):
        restore_snapshot(ports, admin, PROJECT, LATEST)


class Killed(BaseException):
    """As a process that ends."""


class DyingPart:
    """A port that dies at its n-th write, before it or after it, or (of many at once) in the middle."""

    WRITES = frozenset(
        {
            "commit",
            "commit_each",
            "put",
            "delete",
            "forget_receipts",
            "forget_notes",
            "forget_sessions",
            "forget",
        }
    )

    def __init__(self, part: Any, lives: list[int], moment: str) -> None:
        self._part, self._lives, self._moment = part, lives, moment

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._part, name)
        if name not in self.WRITES:
            return real

        def write(*given: Any, **named: Any) -> Any:
            self._lives[0] -= 1
            if self._lives[0] != 0:
                return real(*given, **named)
            if self._moment == "after":
                real(*given, **named)
            if self._moment == "amid" and name == "commit_each":
                real(given[0][: len(given[0]) // 2])
            raise Killed

        return write


@pytest.mark.parametrize("moment", ["before", "amid", "after"])
def test_an_erasure_that_was_killed_at_any_step_is_completed(
    open_backend: Callable[..., EmbeddedBackend],
    admin: Principal,
    clock: StandingClock,
    moment: str,
    on_engines: bool,
) -> None:
    """Nothing is left, nothing of others is lost, and the receipt counts every record once."""
    backend = open_backend(embedder=NoEmbedder())
    for step in range(1, 30, 5 if on_engines else 1):
        ids = list(plant(backend, 6, step))
        began_at, id, lives = clock.now(), f"ers_{step}", [step]
        dying = replace(
            backend.ports,
            store=each_part(backend.ports.store, partial(DyingPart, lives=lives, moment=moment)),
            blobs=DyingPart(backend.ports.blobs, lives, moment),
        )
        rule = ErasureRule(created_by="bob")
        died = False
        try:
            erase(dying, admin, PROJECT, rule, id=id, began_at=began_at)
        except Killed:
            died = True
        receipt = erase(backend.ports, admin, PROJECT, rule, id=id, began_at=began_at)
        assert receipt.stores["records"] == len(ids)
        left = backend.ports.store.memories.every(admin.scope(PROJECT), after=None, limit=99).memories
        assert {memory.created_by for memory in left} == {"carol"}
        assert MARKER not in repr(left)
        clock.advance(seconds=1)
        if not died:
            assert step > 5
            return
    raise AssertionError("more steps than were tried")


def test_the_ledger_outlives_the_store(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """A snapshot is restored where no tombstone is left: falls where only those are asked."""
    backend = open_backend()
    ports = backend.ports
    remember(ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "The old words."}))
    said = ["What is the code?", f"The code is {MARKER}.", "Thank you."]
    told = add_turns(
        ports, admin, PROJECT, "talk", [RememberRequest(fields={"content": text}) for text in said]
    )
    backend.drain()
    take_snapshot(ports, admin, PROJECT)
    clock.advance(minutes=1)
    turn = told[1]
    assert isinstance(turn, StoredMemory)
    for id in ("m", turn.memory.id):
        erase_memory(ports, admin, PROJECT, id)
    with closing(open_embedded(None, embedder=ports.embedder, clock=clock)) as empty:
        other = replace(ports, store=empty.ports.store)
        done = restore_snapshot(other, admin, PROJECT, LATEST)
        assert (done.erased, done.recreated) == (2, 2)
        left = other.store.memories.every(admin.scope(PROJECT), after=None, limit=9).memories
    assert MARKER not in repr(left)


def test_what_is_stored_anew_after_the_store_was_lost_is_restored(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """Falls where the ledger goes by numbers alone: without tombstones they begin anew."""
    first = open_backend()
    remember(first.ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "The old words."}))
    revise(first.ports, admin, PROJECT, "m", {"content": "Some other old words."})
    erase_memory(first.ports, admin, PROJECT, "m")
    clock.advance(hours=1)
    with closing(open_embedded(None, embedder=first.ports.embedder, clock=clock)) as second:
        ports = replace(first.ports, store=second.ports.store)
        remember(
            ports, admin, PROJECT, RememberRequest(fields={"id": "m", "content": "Quite another thing."})
        )
        take_snapshot(ports, admin, PROJECT)
    with closing(open_embedded(None, embedder=first.ports.embedder, clock=clock)) as third:
        ports = replace(first.ports, store=third.ports.store)
        done = restore_snapshot(ports, admin, PROJECT, LATEST)
    assert (done.erased, done.recreated) == (0, 1)


def test_shared_copies_go_also_if_the_erasure_was_killed_between_them(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, on_engines: bool
) -> None:
    """Falls where a second run knows only the originals that it erases itself, or writes over a note of the first."""
    shared = admin.scope(SHARED_PROJECT)
    for step in range(1, 30, 5 if on_engines else 1):
        for name in ("one", "two"):
            fields = {
                "id": f"{name}-{step}",
                "content": f"Said of Jane {name} {step}.",
                "entities": ("urn:x:jane",),
            }
            remember(backend.ports, admin, PROJECT, RememberRequest(fields=fields, on_duplicate="create"))
            apply_memory(backend.ports, admin, PROJECT, f"{name}-{step}", "memory")
        lives, began_at, id = [step], clock.now(), f"ers_{step}"
        mortal = partial(DyingPart, lives=lives, moment="before")
        store, blobs = each_part(backend.ports.store, mortal), mortal(backend.ports.blobs)
        rule, died = ErasureRule(entity="urn:x:jane"), False
        try:
            erase(
                replace(backend.ports, store=store, blobs=blobs),
                admin,
                PROJECT,
                rule,
                id=id,
                began_at=began_at,
            )
        except Killed:
            died = True
        erase(backend.ports, admin, PROJECT, rule, id=id, began_at=began_at)
        assert backend.ports.store.memories.every(shared, after=None, limit=9).memories == ()
        noted = {
            one
            for entry in ErasureLedger(backend.ports.blobs, shared).of(id, began_at)
            for one in entry.erased
        }
        assert noted == {shared_id(PROJECT, f"{name}-{step}") for name in ("one", "two")}
        clock.advance(seconds=1)
        if not died:
            return
    raise AssertionError("more steps than were tried")


def test_a_program_erases_its_own_words_and_neither_what_is_approved_nor_its_traces(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `may_erase` and `erases_for_a_person`: whoever has its token would take what others rely on."""
    ports, scope = backend.ports, admin.scope(PROJECT)
    own, approved = (
        remember(ports, BOB, PROJECT, RememberRequest(fields={"content": text})).memory.id  # type: ignore[union-attr]
        for text in ("Lamps are green.", "Deploys go out on Tuesdays.")
    )
    approve_memory(ports, admin, PROJECT, approved)
    with pytest.raises(Forbidden):
        erase_memory(ports, BOB, PROJECT, approved)
    receipt = erased(ports, BOB, ErasureRule(created_by="bob"))
    assert (receipt.stores["records"], receipt.kept) == (1, 1)
    assert ports.store.memories.get(scope, own) is None
    assert ports.store.memories.get(scope, approved) is not None
    backend.drain()  # the log of the cloud follows behind
    named = [link.event for link in ports.store.audit.links(scope, after=0) if link.event is not None]
    assert "created" in {event.what for event in named if event.principal == "bob"}
    assert PERSON_ERASED not in {event.what for event in named}
    assert verify(ports, admin, PROJECT).broken == ()
