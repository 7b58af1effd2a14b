"""Authors whose lines were judged: who reads their records, and a reset, from which on a record begins anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.learning.author_summaries import AuthorSummary
from memory_layer.errors import Forbidden, NotFound
from memory_layer.ports.audit import AuditFilter
from memory_layer.ports.commit import Commit, IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.author_standing import list_authors, reset_author
from memory_layer.usecases.review.rollback import roll_back, undo_rollback
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import PROJECT, StandingClock
from tests.run_examples import run_of

EVE = Principal("acme", "u7", email="eve@acme.test")
RAE = Principal("acme", "rae", roles=frozenset({"reviewer"}))
MAX = replace(RAE, subject="max")
LIAR, HONEST, WREN, TERN = (Principal("acme", name) for name in ("liar", "honest", "wren", "tern"))
LINES = tuple(f"lie-{at}" for at in range(6))


@pytest.fixture
def told(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    backend = open_backend()
    put_memory(backend.ports, HONEST, PROJECT, "truth", {"content": "Entries live nine minutes."})
    for at, id in enumerate(LINES):
        put_memory(backend.ports, LIAR, PROJECT, id, {"content": f"Shelf {at} of ledger {at} is empty."})
    return backend


def authors(backend: EmbeddedBackend) -> dict[str | None, AuthorSummary]:
    page = list_authors(backend.ports, RAE, PROJECT, after=None, limit=50)
    return {one.author: one for one in page.authors}


def liar(backend: EmbeddedBackend) -> AuthorSummary:
    return authors(backend)["liar"]


def reject(backend: EmbeddedBackend, *ids: str, by: Principal = RAE) -> None:
    for id in ids:
        reject_memory(backend.ports, by, PROJECT, id)


def said(backend: EmbeddedBackend, by: Principal, id: str, result: str) -> None:
    report_outcome(backend.ports, by, PROJECT, id, OutcomeReport(result=result))  # type: ignore[arg-type]


def fail(backend: EmbeddedBackend, by: Principal, run: str) -> None:
    report = run_of(run, status="failed", memories_used=list(LINES[:4]))
    learn_from_run(backend.ports, by, PROJECT, report, "staged")


def reset(
    backend: EmbeddedBackend, clock: StandingClock, by: Principal = RAE, once: IdempotentRequest | None = None
) -> AuthorSummary | IdempotencyRecord:
    """Reset of the liar's record, in a minute of its own."""
    clock.advance(minutes=1)
    author = liar(backend).id
    done = reset_author(backend.ports, by, PROJECT, author, reason="It reads the runbook now.", once=once)
    clock.advance(minutes=1)
    return done


def test_a_record_tells_what_was_found_by_whom_and_how_much_lower_its_author_ranks(
    told: EmbeddedBackend,
) -> None:
    reject(told, "lie-4", "lie-5")
    fail(told, WREN, "r1")
    fail(told, TERN, "r2")
    approve_memory(told.ports, RAE, PROJECT, "truth")
    found = authors(told)
    assert list(found) == ["liar", "honest"]
    assert (found["liar"].wrong_by_people, found["liar"].wrong_by_agents) == (2, 4)
    assert (found["liar"].lowered_by, found["liar"].behind) == (0.5, 5)
    assert set(found["liar"].memories) == set(LINES)
    assert found["liar"].last_found == told.ports.clock.now().date()
    assert (found["honest"].right_by_people, found["honest"].lowered_by) == (1, 0.0)
    assert found["honest"].memories == ()


def test_pages_have_each_author_once(told: EmbeddedBackend) -> None:
    for at in range(5):
        put_memory(told.ports, Principal("acme", f"bot-{at}"), PROJECT, f"n{at}", {"content": f"Note {at}."})
    reject(told, "lie-0", "lie-1", *(f"n{at}" for at in range(5)))
    names: list[str] = []
    after: tuple[str, str] | None = None
    for _ in range(3):
        page = list_authors(told.ports, RAE, PROJECT, after=after, limit=2)
        names += [str(one.author) for one in page.authors]
        after = page.next_key
    assert (names[0], after) == ("liar", None)
    assert sorted(names) == sorted({*names}) == ["bot-0", "bot-1", "bot-2", "bot-3", "bot-4", "liar"]


@pytest.mark.parametrize(
    "who",
    [LIAR, EVE, replace(RAE, persona="coder"), acting_for(replace(RAE, acts_for=True), "ida")],
    ids=["an agent", "a person", "a reviewer of one persona", "for an end user"],
)
def test_records_are_for_reviewers_of_all_personas(told: EmbeddedBackend, who: Principal) -> None:
    """Falls without `require_auditor`: a record counts lines of every persona, and a liar would end its own."""
    reject(told, "lie-0", "lie-1")
    with pytest.raises(Forbidden):
        list_authors(told.ports, who, PROJECT, after=None, limit=50)
    with pytest.raises(Forbidden):
        reset_author(told.ports, who, PROJECT, liar(told).id)
    assert liar(told).lowered_by == 0.5


def test_a_record_that_is_reset_begins_anew(
    told: EmbeddedBackend, clock: StandingClock, open_backend: Callable[..., EmbeddedBackend]
) -> None:
    """Falls without `is_forgiven`; another process reads the same."""
    reject(told, "lie-0", "lie-1")
    reset(told, clock)
    other = open_backend()
    found = liar(other)
    assert (found.wrong_by_people, found.lowered_by, found.last_found, found.memories) == (0, 0.0, None, ())
    assert found.reset is not None
    assert (found.reset.by, found.reset.reason) == ("rae", "It reads the runbook now.")
    reject(other, "lie-2")
    assert (liar(other).wrong_by_people, liar(other).lowered_by) == (1, 0.0)
    reject(other, "lie-3")
    assert (liar(other).lowered_by, liar(other).memories) == (0.5, ("lie-3", "lie-2"))


def test_only_the_record_of_the_author_who_is_named_is_reset(
    told: EmbeddedBackend, clock: StandingClock
) -> None:
    for id in ("note-0", "note-1"):
        put_memory(told.ports, HONEST, PROJECT, id, {"content": f"{id} is off by one."})
    reject(told, "lie-0", "lie-1", "note-0", "note-1")
    reset(told, clock)
    assert (liar(told).lowered_by, authors(told)["honest"].lowered_by) == (0.0, 0.5)
    with pytest.raises(NotFound):
        reset_author(told.ports, RAE, PROJECT, "0" * 12)


def test_a_reset_that_is_done_again_changes_nothing_and_is_entered_once(
    told: EmbeddedBackend, clock: StandingClock
) -> None:
    reject(told, "lie-0", "lie-1")
    first = reset(told, clock)
    assert reset(told, clock) == first
    told.drain()
    asked = AuditFilter(what="record reset")
    (entry,) = told.ports.store.audit.page(RAE.scope(PROJECT), asked, before=None, limit=9).links
    assert entry.event is not None
    assert (entry.event.principal, entry.about, entry.event.detail) == ("rae", liar(told).id, "2 forgiven")


def test_a_retry_under_a_key_forgives_nothing_that_was_found_since(
    told: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls without `earlier_answer`."""
    once = IdempotentRequest("a" * 64, "k", "f", lambda done: (200, done.id))
    reject(told, "lie-0", "lie-1")
    reset(told, clock, once=once)
    reject(told, "lie-2", "lie-3")
    answer = reset(told, clock, once=once)
    assert isinstance(answer, IdempotencyRecord)
    assert (answer.body, liar(told).lowered_by) == (liar(told).id, 0.5)


def test_what_was_decided_before_a_reset_is_not_found_when_it_is_looked_at_again(
    told: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls without `judged_since`: the records may have lost the lines by then."""
    reject(told, "lie-0", "lie-1")
    for who in (WREN, TERN):
        fail(told, who, f"run-of-{who.subject}")
    for id in ("lie-4", "lie-5"):
        said(told, EVE, id, "failed")
    reset(told, clock)
    scope, projects = RAE.scope(PROJECT), told.ports.store.projects
    lost = replace(projects.authors(scope), findings=())
    told.ports.store.writer.commit(Commit(scope=scope, authors=lost.as_next_of(lost)))
    for id in LINES:
        said(told, EVE, id, "partial")
    assert len(projects.authors(scope).findings) == len(LINES)
    assert (liar(told).lowered_by, liar(told).wrong_by_people, liar(told).wrong_by_agents) == (0.0, 0, 0)


def test_what_is_decided_again_after_a_reset_counts(told: EmbeddedBackend, clock: StandingClock) -> None:
    """Falls where a finding that was forgiven stays so whatever is said of the line later."""
    reject(told, "lie-0")
    said(told, RAE, "lie-1", "failed")
    reset(told, clock)
    undo_last_change(told.ports, RAE, PROJECT, "lie-0")
    reject(told, "lie-0")
    said(told, RAE, "lie-1", "failed")
    assert (liar(told).wrong_by_people, liar(told).lowered_by) == (2, 0.5)


def test_a_rollback_takes_a_reset_back_and_an_undo_brings_it(
    told: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without `with_resets_judged`: a reviewer's stolen token would clear whom it likes for good."""
    reject(told, "lie-0", "lie-1")
    reset(told, clock, by=MAX)
    reject(told, "lie-2")
    roll_back(told.ports, admin, PROJECT, "max", id="rbk_1")
    said(told, EVE, "lie-0", "partial")
    assert (liar(told).wrong_by_people, liar(told).reset) == (3, None)
    undo_rollback(told.ports, admin, PROJECT, "rbk_1")
    assert (liar(told).wrong_by_people, liar(told).lowered_by) == (1, 0.0)


def test_an_erasure_by_a_person_takes_the_author_out(told: EmbeddedBackend, admin: Principal) -> None:
    reject(told, "lie-0")
    erase_memory(told.ports, admin, PROJECT, "lie-0")
    assert authors(told) == {}
    assert dict(told.ports.store.projects.authors(RAE.scope(PROJECT)).voices) == {}


def test_an_erasure_of_a_person_takes_their_name_out(
    told: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without `forget_author`: an agent that erased its lines before erased no finding."""
    reject(told, "lie-0", "lie-1")
    for id in ("lie-0", "lie-1"):
        erase_memory(told.ports, LIAR, PROJECT, id)
    reset(told, clock)
    reject(told, "lie-2")
    for at, name in enumerate(("liar", "rae")):
        rule, began = ErasureRule(created_by=name), told.ports.clock.now()
        erase(told.ports, admin, PROJECT, rule, id=f"ers_{at}", began_at=began)
    (found,) = authors(told).values()
    assert (found.author, found.wrong_by_people) == (None, 0)
    assert found.reset is not None
    assert (found.reset.by, found.reset.reason) == (None, None)


def test_what_a_reviewer_found_stands_against_a_persons_later_word(told: EmbeddedBackend) -> None:
    """Falls where the last word decides: whoever has a person's token would clear a liar."""
    reject(told, "lie-0")
    for id in ("lie-1", "lie-2"):
        said(told, RAE, id, "failed")
    for id in ("lie-0", "lie-1", "lie-2"):
        said(told, EVE, id, "worked")
    assert (liar(told).wrong_by_people, liar(told).right_by_people) == (3, 0)
    said(told, MAX, "lie-1", "worked")
    assert (liar(told).wrong_by_people, liar(told).right_by_people) == (2, 1)


def test_what_a_person_found_is_replaced_by_a_persons_and_by_a_reviewers_word(told: EmbeddedBackend) -> None:
    for id in ("lie-0", "lie-1", "lie-2"):
        said(told, EVE, id, "failed")
    said(told, replace(EVE, email="bob@acme.test"), "lie-0", "worked")
    said(told, RAE, "lie-1", "worked")
    said(told, EVE, "lie-1", "failed")
    assert (liar(told).wrong_by_people, liar(told).right_by_people) == (1, 2)
