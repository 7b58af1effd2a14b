"""Contexts that are assembled before they are asked for: never stale, never another's, nowhere unasked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.adapters.process.prefetch_cache import PrefetchCache
from memory_layer.adapters.process.prefetch_thread import PrefetchThread
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.context.next_request import AskedContext
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.ports.prefetch import PrefetchStream
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import StandingClock

PROJECT, SESSION = "web", "s-1"
OBJECTIVE = "how long does the queue keep messages?"


class Session:
    """A session that stores turns and asks for contexts, and waits for what is done between its requests."""

    def __init__(self, backend: EmbeddedBackend, clock: StandingClock) -> None:
        self.backend, self.ports, self.clock = backend, backend.ports, clock
        self.who = Principal("acme", "ops", persona="ops", roles=frozenset({"admin"}))
        assert isinstance(self.ports.contexts.prefetch, PrefetchThread)
        self.prefetch = self.ports.contexts.prefetch
        self.told = 0

    def configure(self, *, is_on: bool) -> None:
        set_policy(self.ports, self.who, PROJECT, lambda old: replace(old, context_prefetch=is_on))

    def turn(self, content: str | None = None, project: str = PROJECT, **fields: Any) -> str:
        self.told += 1
        self.clock.advance(seconds=1)
        said = content or f"The queue number {self.told} keeps messages for {self.told} days."
        fields = {
            "context": "Of the runbook.",
            "content": said,
            "session_id": SESSION,
            "position": self.told,
            **fields,
        }
        remember(self.ports, self.who, project, RememberRequest(fields=fields, on_duplicate="create"))
        return said

    def wait(self) -> None:
        self.backend.drain()
        self.prefetch.drain()

    def ask(self, intent: str = OBJECTIVE, who: Principal | None = None, **fields: Any) -> AssembledPage:
        asked = {"session_id": SESSION, "time_ms": 20_000, "tokenizer": "chars4", **fields}
        return assemble_context(self.ports, who or self.who, PROJECT, ContextRequest(intent=intent, **asked))

    def step(self, intent: str | None = None) -> AssembledPage:
        """One step of an agent's loop. Args: intent: None: the words of the turn that it stores first."""
        said = self.turn()
        self.wait()
        return self.ask(intent or said)


@pytest.fixture
def session(open_backend: Callable[..., EmbeddedBackend], clock: StandingClock) -> Session:
    found = Session(open_backend(), clock)
    found.prefetch._quiet_s, found.prefetch._rest_factor = 0.03, 0.0
    return found


pytestmark = EMBEDDED_ONLY


@pytest.mark.parametrize("intent", [OBJECTIVE, None])
def test_a_request_that_could_be_foreseen_is_answered_by_what_was_assembled_before_it(
    session: Session, intent: str | None
) -> None:
    session.configure(is_on=True)
    pages = [session.step(intent) for _ in range(5)]
    assert [page.was_kept for page in pages] == [False, False, True, True, True]
    counts = session.prefetch.counts()
    assert (counts.requests, counts.hits, counts.assembled) == (5, 3, 3)
    assert counts.processor_s > 0.0
    assert "queue number 5 " in pages[-1].assembled.rendered, "the newest turn is on it"


def test_what_was_assembled_before_says_what_would_be_assembled_now(session: Session) -> None:
    session.configure(is_on=True)
    for _ in range(4):
        page = session.step(OBJECTIVE)
    assert page.was_kept
    cache = session.ports.contexts.kept
    cache.forget_all()
    again = session.ask()
    assert not again.was_kept
    assert again.assembled == page.assembled


@pytest.mark.parametrize("project", [PROJECT, SHARED_PROJECT])
def test_a_write_after_the_assembly_is_seen(session: Session, project: str) -> None:
    """Safeguard: the write versions in the cache; the prefetch itself is still quiet when the request comes."""
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    session.prefetch._quiet_s = 30.0
    session.turn("The queue number 99 keeps messages for ever.", project)
    page = session.ask()
    assert not page.was_kept
    assert "for ever" in page.assembled.rendered


def test_settings_that_change_after_the_assembly_are_heeded(session: Session) -> None:
    """Safeguard: a change of settings is a write too."""
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    session.prefetch._quiet_s = 30.0
    set_policy(
        session.ports, session.who, PROJECT, lambda old: replace(old, review_sources=("human", "agent"))
    )
    assert not session.ask().was_kept


@pytest.mark.parametrize(
    "changed", [{"persona": "dev"}, {"roles": frozenset({"agent"})}, {"subject": "eve"}, {"tenant": "globex"}]
)
def test_nobody_else_is_given_what_was_assembled_for_a_caller(
    session: Session, changed: dict[str, Any]
) -> None:
    """Safeguard: the caller's view in the key of the cache, by which it is found."""
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    before = session.prefetch.counts()
    page = session.ask(who=replace(session.who, **changed))
    assert not page.was_kept
    assert session.prefetch.counts().hits == before.hits
    assert session.ask().was_kept, "it was there all the time"


def test_a_turn_that_the_caller_may_not_see_is_no_intent_of_theirs(session: Session) -> None:
    """Safeguard: the visibility of the newest turn; else the caller could try out what others said."""
    ops, session.who = session.who, replace(session.who, persona=None)
    session.turn("What the colleagues see is no secret.")
    session.who = ops
    session.turn("The vault opens at nine.")
    mine = replace(ops, persona="dev", roles=frozenset({"agent"}))
    work = session.prefetch._work
    assert work is not None
    stream = PrefetchStream(mine, session.who.scope(PROJECT), SESSION)
    assert work.newest_turn(stream) == "What the colleagues see is no secret."


def test_what_cannot_be_foreseen_is_not_assembled(session: Session) -> None:
    session.configure(is_on=True)
    for number in range(12):
        session.step(f"question number {number}")
    counts = session.prefetch.counts()
    assert (counts.requests, counts.hits, counts.assembled) == (12, 0, 0)


def test_a_project_that_does_not_ask_for_it_has_nothing_assembled(session: Session) -> None:
    pages = [session.step(OBJECTIVE) for _ in range(4)]
    assert [page.was_kept for page in pages] == [False] * 4
    assert session.prefetch.counts().requests == 0
    assert session.prefetch._thread is None


def test_a_project_that_asks_for_it_no_more_has_nothing_assembled(session: Session) -> None:
    session.configure(is_on=True)
    for _ in range(3):
        session.step(OBJECTIVE)
    session.configure(is_on=False)
    session.turn()
    session.wait()
    assembled = session.prefetch.counts().assembled
    assert not session.ask().was_kept
    session.step(OBJECTIVE)
    assert session.prefetch.counts().assembled == assembled
    assert not session.prefetch._patterns


def test_an_erasure_forgets_what_was_asked_and_what_was_assembled(session: Session) -> None:
    """Safeguard: `forget_all` of the prefetch; intents are words too."""
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    cache = session.ports.contexts.kept
    assert isinstance(cache, PrefetchCache)
    assert len(cache.expected._kept) == 1 or cache.expected._bytes > 0
    erase(
        session.ports,
        session.who,
        PROJECT,
        ErasureRule(created_by=session.who.name),
        id="e1",
        began_at=session.ports.clock.now(),
    )
    session.wait()
    assert (len(cache.expected._kept), len(session.prefetch._patterns), len(session.prefetch._events)) == (
        0,
        0,
        0,
    )


def test_a_request_that_comes_first_is_not_kept_waiting(session: Session) -> None:
    """Safeguard: `PrefetchAbandoned` where the session itself asks."""
    session.configure(is_on=True)
    for _ in range(3):
        session.step(OBJECTIVE)
    given_up: list[BaseException] = []
    work = session.prefetch._work
    assert work is not None

    class Overtaken:
        """Its session asks while its context is being assembled."""

        newest_turn = work.newest_turn

        def assemble(
            self, stream: PrefetchStream, asked: AskedContext[Any], give_way: Callable[[], None]
        ) -> bool:
            with session.prefetch.serving(stream):
                try:
                    return work.assemble(stream, asked, give_way)
                except BaseException as error:
                    given_up.append(error)
                    raise

    session.prefetch._work = Overtaken()
    session.turn()
    session.wait()
    assert [type(error).__name__ for error in given_up] == ["PrefetchAbandoned"]
    assert session.prefetch.counts().abandoned == 1
    assert not session.ask().was_kept


def test_a_context_of_another_budget_is_no_hit(session: Session) -> None:
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    assert not session.ask(tokens_max=500).was_kept


def test_after_the_day_is_over_nothing_that_was_assembled_before_is_given(
    session: Session, clock: StandingClock
) -> None:
    session.configure(is_on=True)
    for _ in range(4):
        session.step(OBJECTIVE)
    session.turn()
    session.wait()
    clock.advance(seconds=61)
    assert not session.ask().was_kept
