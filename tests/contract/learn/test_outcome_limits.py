"""How often `failed` is heard in an hour, and that a verdict comes through however many come at once."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import TooMany, VersionConflict
from memory_layer.ports.commit import Commit, IdempotencyRecord
from memory_layer.ports.record_store import CommitWriter
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer, OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.put import put_memory
from tests.given import StandingClock, with_parts

PROJECT, OTHER_PROJECT = "web", "shop"


def agents(count: int) -> list[Principal]:
    return [Principal(tenant="acme", subject=f"agent-{number}") for number in range(count)]


@pytest.fixture
def judged(backend: EmbeddedBackend, admin: Principal) -> EmbeddedBackend:
    """Backend with a memory `m1` in two projects."""
    for project in (PROJECT, OTHER_PROJECT):
        put_memory(backend.ports, admin, project, "m1", {"content": "Run the importer with mode=ro."})
    return backend


def fail(backend: EmbeddedBackend, by: Principal, session: str | None, project: str = PROJECT) -> None:
    report_outcome(backend.ports, by, project, "m1", OutcomeReport(result="failed", session_id=session))


def test_a_session_fails_three_times_an_hour_whoever_speaks(
    judged: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls with a session's quota that is each principal's own."""
    one, two, three, four = agents(4)
    for principal in (one, two, three):
        fail(judged, principal, "s1")
    with pytest.raises(TooMany):
        fail(judged, four, "s1")
    fail(judged, four, "s2")
    fail(judged, four, "s1", OTHER_PROJECT)
    clock.advance(seconds=3601)
    fail(judged, four, "s1")


def test_no_agent_uses_up_what_a_person_may_say(judged: EmbeddedBackend) -> None:
    """Falls where a session's quota is shared by people and agents."""
    person = Principal("acme", "ada", email="ada@example.com")
    for principal in agents(3):
        fail(judged, principal, "s1")
    for _ in range(3):
        fail(judged, person, "s1")
    with pytest.raises(TooMany):
        fail(judged, person, "s1")


def test_without_a_session_the_principals_limit_holds_alone(judged: EmbeddedBackend) -> None:
    """Falls where all verdicts without a session are one session's. A session's three are not used up by them."""
    one, two = agents(2)
    for _ in range(12):
        fail(judged, one, None)
    with pytest.raises(TooMany):
        fail(judged, one, None)
    with pytest.raises(TooMany):
        fail(judged, one, "s1")
    for _ in range(3):
        fail(judged, two, "s1")


def test_a_principal_fails_twelve_times_an_hour_in_all_sessions(judged: EmbeddedBackend) -> None:
    (one,) = agents(1)
    for number in range(12):
        fail(judged, one, f"s{number}")
    with pytest.raises(TooMany):
        fail(judged, one, "s12")


def test_a_project_has_limits_of_its_own(judged: EmbeddedBackend) -> None:
    """Falls where a principal's verdicts of all projects count together: the fourth is refused elsewhere too."""
    (one,) = agents(1)
    for number in range(12):
        fail(judged, one, f"s{number}")
    for _ in range(12):
        fail(judged, one, None, OTHER_PROJECT)
    with pytest.raises(TooMany):
        fail(judged, one, None, OTHER_PROJECT)


def test_no_name_of_a_principal_is_a_session(judged: EmbeddedBackend) -> None:
    (one,) = agents(1)
    named = Principal(tenant="acme", subject=f"session:{PROJECT}:s1")
    for _ in range(12):
        fail(judged, named, None)
    fail(judged, one, "s1")


class Contended:
    """The writer of commits while others write the same record first, so many times."""

    def __init__(self, writer: CommitWriter, times: int) -> None:
        self._writer = writer
        self._times = times

    def __getattr__(self, name: str) -> object:
        return getattr(self._writer, name)

    def commit(self, commit: Commit) -> None:
        if self._times:
            self._times -= 1
            raise VersionConflict("somebody was faster")
        self._writer.commit(commit)


def test_fifteen_faster_writers_lose_no_verdict(judged: EmbeddedBackend, admin: Principal) -> None:
    """Falls with five attempts."""
    contended = with_parts(judged.ports, writer=Contended(judged.ports.store.writer, 15))
    report_outcome(contended, admin, PROJECT, "m1", OutcomeReport(result="worked"))
    assert get_memory(judged.ports, admin, PROJECT, "m1").worked == 1


def test_a_recall_that_nobody_knows_is_told_and_the_verdict_counts(
    judged: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the look at the receipt. One that is known is none to speak of."""
    known = recall(judged.ports, admin, PROJECT, RecallRequest(query="importer")).recall_id

    def told(
        recall_id: str | None, once: IdempotentRequest | None = None
    ) -> OutcomeAnswer | IdempotencyRecord:
        report = OutcomeReport(result="worked", recall_id=recall_id)
        return report_outcome(judged.ports, admin, PROJECT, "m1", report, once=once)

    assert [told(id).note for id in (None, known)] == [None, None]  # type: ignore[union-attr]
    once = IdempotentRequest("k", "k", "same", lambda reported: (200, str(reported.note)))
    first, again = told("rcl_mistyped", once), told("rcl_mistyped", once)
    assert isinstance(first, OutcomeAnswer)
    assert isinstance(again, IdempotencyRecord)
    assert str(first.note).startswith(f"no recall rcl_mistyped is known in project {PROJECT}")
    assert (first.memory.worked, again.body) == (3, first.note)
