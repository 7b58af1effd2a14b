"""Prefetch of contexts in its thread: bounded in what it remembers and does, and silent where it is not wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_layer.adapters.process.context_cache import ContextCache
from memory_layer.adapters.process.prefetch_cache import EXPECTED_MAX, ExpectedContexts, PrefetchCache
from memory_layer.adapters.process.prefetch_thread import (
    EVENTS_MAX,
    INTENT_MAX_CHARS,
    STREAMS_A_STRETCH,
    STREAMS_MAX,
    PrefetchThread,
)
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.domain.context.next_request import ATTEMPTS_MAX, AskedContext
from memory_layer.domain.memory import Scope
from memory_layer.ports.prefetch import PrefetchStream
from memory_layer.ports.process import CachedContext, Turns

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WEB, AGENT = Scope("acme", "web"), Principal("acme", "agent-7")


@dataclass
class Noted:
    """Work that notes what it is asked for, and fails if it is told to."""

    made: list[tuple[str | None, str | None]] = field(default_factory=list)
    fails: bool = False

    def newest_turn(self, stream: PrefetchStream, before: datetime | None = None) -> str | None:  # noqa: ARG002
        return None

    def assemble(
        self, stream: PrefetchStream, asked: AskedContext[Any], give_way: Callable[[], None]
    ) -> bool:
        give_way()
        if self.fails:
            raise RuntimeError("the store is closed")
        self.made.append((stream.session_id, asked.intent))
        return True


@pytest.fixture
def work() -> Noted:
    return Noted()


@pytest.fixture
def prefetch(work: Noted) -> Iterator[PrefetchThread]:
    found = PrefetchThread(PrefetchCache(ContextCache()), quiet_s=0.01, rest_factor=0.0)
    found.begin(work, Turns())
    yield found
    found.close()


def session(name: str) -> PrefetchStream:
    return PrefetchStream(AGENT, WEB, name)


def asks(prefetch: PrefetchThread, name: str, intent: str = "deploy", times: int = 2) -> None:
    for _ in range(times):
        prefetch.note(session(name), AskedContext(intent, "rest"), NOW, is_on=True)


def writes(prefetch: PrefetchThread, scope: Scope = WEB) -> None:
    prefetch.note_write(scope)
    prefetch.drain()


def test_after_a_write_what_is_expected_is_assembled(prefetch: PrefetchThread, work: Noted) -> None:
    asks(prefetch, "s")
    assert prefetch._thread is None, "nothing is done before a write"
    writes(prefetch)
    assert work.made == [("s", "deploy")]
    assert prefetch.counts().assembled == 1


@pytest.mark.parametrize(
    ("scope", "count"),
    [(Scope("acme", SHARED_PROJECT), 1), (Scope("acme", "shop"), 0), (Scope("globex", SHARED_PROJECT), 0)],
)
def test_a_write_elsewhere_concerns_those_alone_that_read_it(
    prefetch: PrefetchThread, work: Noted, scope: Scope, count: int
) -> None:
    asks(prefetch, "s")
    writes(prefetch, scope)
    assert len(work.made) == count


def test_writes_without_a_request_are_followed_twice_and_no_more(
    prefetch: PrefetchThread, work: Noted
) -> None:
    """Safeguard: the bound on assemblies between two requests; an import is a write after another."""
    asks(prefetch, "s")
    for _ in range(10):
        writes(prefetch)
    assert len(work.made) == ATTEMPTS_MAX


def test_a_write_to_another_project_is_no_further_attempt(prefetch: PrefetchThread, work: Noted) -> None:
    """Safeguard: only sessions that the stretch touches are looked at; the cache may have lost the page by time."""
    asks(prefetch, "s")
    other = PrefetchStream(AGENT, Scope("acme", "shop"), "t")
    prefetch.note(other, AskedContext("build", "rest"), NOW, is_on=True)
    writes(prefetch)
    for _ in range(5):
        writes(prefetch, Scope("acme", "shop"))
    assert work.made == [("s", "deploy")]


def test_what_an_erasure_overtakes_is_not_left_in_the_cache(prefetch: PrefetchThread) -> None:
    """Safeguard: the look at the erasures after an assembly; it was read before, and is cached after."""
    ahead = ExpectedContexts(prefetch.cache)

    class Overtaken(Noted):
        def assemble(
            self,
            stream: PrefetchStream,  # noqa: ARG002
            asked: AskedContext[Any],  # noqa: ARG002
            give_way: Callable[[], None],  # noqa: ARG002
        ) -> bool:
            prefetch.forget_all()
            ahead.keep("late", a_context(1), NOW)
            return True

    prefetch.begin(Overtaken(), Turns())
    asks(prefetch, "s")
    writes(prefetch)
    assert ahead.find("late", ("7",), NOW) is None


def test_a_stretch_of_writes_is_followed_for_a_few_sessions(prefetch: PrefetchThread, work: Noted) -> None:
    """Safeguard: the bound on sessions of a stretch."""
    names = [f"s{number}" for number in range(20)]
    for name in names:
        asks(prefetch, name)
    writes(prefetch)
    assert [name for name, _ in work.made] == names[: -STREAMS_A_STRETCH - 1 : -1]


def test_what_is_remembered_is_bounded(prefetch: PrefetchThread) -> None:
    for number in range(3 * STREAMS_MAX):
        asks(prefetch, f"s{number}", times=3)
    assert len(prefetch._patterns) == len(prefetch._asked_at) == STREAMS_MAX
    assert len(prefetch._events) == EVENTS_MAX
    asks(prefetch, "vast", "x" * (INTENT_MAX_CHARS + 1))
    assert session("vast") not in prefetch._patterns


def test_what_fails_ahead_stops_nothing(prefetch: PrefetchThread, work: Noted) -> None:
    asks(prefetch, "s")
    work.fails = True
    writes(prefetch)
    work.fails = False
    writes(prefetch)
    assert work.made == [("s", "deploy")]


def test_requests_of_other_sessions_pass_first(prefetch: PrefetchThread, work: Noted) -> None:
    """Safeguard: no assembly begins while a context is being answered."""
    asks(prefetch, "s")
    with prefetch.serving(session("other")):
        prefetch.note_write(WEB)
        prefetch._changed.acquire()
        prefetch._changed.wait(0.05)
        prefetch._changed.release()
        assert work.made == []
    prefetch.drain()
    assert work.made == [("s", "deploy")]


def test_a_session_that_settings_turned_off_is_forgotten(prefetch: PrefetchThread, work: Noted) -> None:
    asks(prefetch, "s")
    prefetch.note(session("s"), AskedContext("deploy", "rest"), NOW, is_on=False)
    writes(prefetch)
    assert (work.made, len(prefetch._patterns)) == ([], 0)


def test_a_context_that_was_kept_counts_where_the_session_is_known_alone(prefetch: PrefetchThread) -> None:
    prefetch.note(session("s"), AskedContext("deploy", "rest"), NOW, is_on=None)
    assert prefetch.counts().requests == 0
    asks(prefetch, "s", times=1)
    prefetch.note(session("s"), AskedContext("deploy", "rest"), NOW, is_on=None)
    assert prefetch.counts().requests == 2


def a_context(number: int) -> CachedContext:
    assembled = AssembledContext(
        fragments=[],
        rendered=f"page {number}",
        omitted=[],
        conflicts=[],
        total_tokens=2,
        source_coverage=0.5,
        quality_achieved=0.5,
        coherence=1.0,
        warnings=[],
    )
    return CachedContext(assembled, ("7",), NOW + timedelta(minutes=1))


def test_expected_contexts_evict_none_that_was_asked_for() -> None:
    """Safeguard: the cache of their own."""
    cache = PrefetchCache(ContextCache(contexts_max=2))
    ahead = ExpectedContexts(cache)
    cache.keep("asked", a_context(0), NOW)
    for number in range(3 * EXPECTED_MAX):
        ahead.keep(f"expected {number}", a_context(number), NOW)
    assert cache.find("asked", ("7",), NOW) == a_context(0).assembled
    assert cache.find("expected 0", ("7",), NOW) is None
    assert cache.hits == 0
    last = f"expected {3 * EXPECTED_MAX - 1}"
    assert ahead.find(last, ("7",), NOW) is not None
    assert cache.hits == 0, "the assembly itself looked"
    for _ in range(3):
        assert cache.find(last, ("7",), NOW) is not None
    assert cache.hits == 1
    assert cache.find(last, ("8",), NOW) is None, "something was written since"
