"""A context that is kept never outlives a write, nor a moment at which time alone changes it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.adapters.process.context_cache import ContextCache
from memory_layer.adapters.process.prefetch_cache import PrefetchCache
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.domain.context.fragment_conflicts import _judgements
from memory_layer.domain.context.fragments import AssembledContext, Fragment
from memory_layer.domain.context.levels_of_detail import _terms
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.retrieval.mentions import _said
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.errors import MemoryLayerError, NotFound
from memory_layer.manifest import metrics
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import CachedContext
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.judge_answer import _terms_of
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.tune_context import give_feedback, reset_tuning
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.fuzzing import examples
from tests.given import START, StandingClock

INTENT = "how long does the queue keep messages?"


class NothingKept:
    """In the place of the cache: everything is assembled anew."""

    def find(self, *_: object) -> None:
        return None

    def keep(self, *_: object) -> int:
        return 0

    def forget_all(self) -> None:
        """There is nothing."""


class Story:
    """A project that is written to, and asked after each write by who keeps contexts and who does not."""

    def __init__(self, backend: EmbeddedBackend, who: Principal, clock: StandingClock, project: str) -> None:
        self.ports, self.who, self.clock, self.project = backend.ports, who, clock, project
        self.ids: list[str] = []
        self.told = 0

    def remember(self, project: str | None = None, **fields: Any) -> None:
        self.told += 1
        said = {"content": f"The queue number {self.told} keeps messages for {self.told} days.", **fields}
        stored = remember(
            self.ports, self.who, project or self.project, RememberRequest(fields=said, on_duplicate="create")
        )
        assert not isinstance(stored, IdempotencyRecord)
        if project is None:
            self.ids.append(stored.memory.id)

    def on_one(self, act: Callable[[str], object], at: int) -> None:
        if self.ids:
            try:
                act(self.ids[at % len(self.ids)])
            except MemoryLayerError:
                return  # what it is by now does not allow it

    def do(self, verb: str, at: int) -> None:
        ports, who, project = self.ports, self.who, self.project
        acts: dict[str, Callable[[], object]] = {
            "remember": self.remember,
            "share": lambda: self.remember(SHARED_PROJECT),
            "lapse": lambda: self.remember(expires_at=self.clock.now() + timedelta(seconds=at + 1)),
            "approve": lambda: self.on_one(lambda id: approve_memory(ports, who, project, id), at),
            "reject": lambda: self.on_one(lambda id: reject_memory(ports, who, project, id), at),
            "archive": lambda: self.on_one(lambda id: archive_memory(ports, who, project, id), at),
            "revise": lambda: self.on_one(
                lambda id: revise(ports, who, project, id, {"tags": (f"t{at}",)}), at
            ),
            "worked": lambda: self.on_one(
                lambda id: report_outcome(ports, who, project, id, OutcomeReport(result="worked")), at
            ),
            "erase": lambda: erase(
                ports,
                who,
                project,
                ErasureRule(created_by=who.name),
                id=f"e{self.told}{at}",
                began_at=self.clock.now(),
            ),
            "configure": lambda: set_policy(
                ports, who, project, lambda p: replace(p, review_sources=("human",) if at % 2 else ())
            ),
            "tune": lambda: self._feedback(),
            "reset": lambda: self._on_tuning(lambda: reset_tuning(ports, who, project)),
            "event": lambda: ports.store.events.add([self._event(at)]),
            "wait": lambda: self.clock.advance(seconds=at),
        }
        acts[verb]()

    def _feedback(self) -> None:
        found = self.ask()
        worse = Feedback(coherence_score=0.1, completeness=0.1, contradiction_rate=0.9)
        self._on_tuning(lambda: give_feedback(self.ports, self.who, self.project, found.request_id, worse))

    def _on_tuning(self, act: Callable[[], object]) -> None:
        with suppress(NotFound):  # there is nothing to tune yet
            act()

    def _event(self, at: int) -> EntityEvent:
        return EntityEvent(
            id=f"{self.project}{self.told}{at}",
            tenant=self.who.tenant,
            project=self.project,
            urn="urn:table:orders",
            event="content_changed",
            occurred_at=START,
            received_at=START,
            created_by=self.who.name,
        )

    def ask(self, *, keeps: bool = True) -> AssembledPage:
        ports = self.ports
        if not keeps:
            ports = replace(ports, contexts=replace(ports.contexts, kept=NothingKept()))
        request = ContextRequest(intent=INTENT, time_ms=20_000, tokenizer="chars4", tokens_max=2_000)
        return assemble_context(ports, self.who, self.project, request)


VERBS = (
    *("remember", "remember", "share", "lapse", "approve", "reject", "archive", "revise", "worked", "erase"),
    *("configure", "tune", "reset", "event", "wait"),
)
Steps = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 90)), min_size=1, max_size=12)


FEW = 5
"""Of the stories below: as many as engines are told."""


@pytest.fixture
def numbers() -> list[int]:
    return []


@settings(max_examples=examples(25))
@given(steps=Steps)
def test_a_kept_context_says_what_a_new_one_says(
    open_backend: Callable[..., EmbeddedBackend],
    admin: Principal,
    clock: StandingClock,
    numbers: list[int],
    opened: list[EmbeddedBackend],
    on_engines: bool,
    steps: Sequence[tuple[str, int]],
) -> None:
    """Safeguards: the write versions in the key's entry, and `until`: without either this fails."""
    if not opened:
        opened.append(open_backend())
    numbers.append(1)
    if on_engines and len(numbers) > FEW:
        return
    tenant = replace(admin, tenant=f"t{len(numbers)}")  # what a tenant shares is a story of its own too
    story = Story(opened[0], tenant, clock, "web")
    for verb, at in steps:
        story.do(verb, at)
        for _ in range(2):
            kept, new = story.ask(), story.ask(keeps=False)
            assert kept.assembled == new.assembled, verb
        assert kept.was_kept, "asked twice, and nothing was written in between"


@pytest.fixture
def opened() -> list[EmbeddedBackend]:
    return []


def test_a_context_is_given_again_until_something_is_written(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    story = Story(open_backend(), admin, clock, "web")
    story.remember()
    assert [story.ask().was_kept for _ in range(3)] == [False, True, True]
    story.remember(SHARED_PROJECT)
    assert [story.ask().was_kept for _ in range(2)] == [False, True]
    story.remember(project="another")
    assert story.ask().was_kept, "what another project says is of no matter"


def test_what_another_process_writes_is_seen(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    story = Story(open_backend(), admin, clock, "web")
    story.remember()
    story.ask()
    Story(open_backend(), admin, clock, "web").remember(content="The queue keeps messages for ever.")
    found = story.ask()
    assert not found.was_kept
    assert "for ever" in found.assembled.rendered


def test_nobody_is_given_what_was_assembled_for_another(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """Safeguard: the caller's view in the key."""
    backend = open_backend()
    story = Story(backend, admin, clock, "web")
    story.remember(persona="ops")
    assert story.ask().assembled.fragments
    for who in (Principal("acme", "dev", persona="dev"), replace(admin, tenant="globex")):
        other = Story(backend, who, clock, "web").ask()
        assert (other.was_kept, list(other.assembled.fragments)) == (False, [])


@pytest.mark.parametrize("changed", [{"persona": "dev"}, {"roles": frozenset({"agent"})}, {"subject": "eve"}])
def test_whoever_sees_otherwise_now_is_given_nothing_that_was_kept_before(
    open_backend: Callable[..., EmbeddedBackend], clock: StandingClock, changed: dict[str, Any]
) -> None:
    """Safeguards: the persona, the role and the name in `kept_under`, each by itself; a name outlives a token."""
    who = Principal("acme", "ops", persona="ops", roles=frozenset({"admin"}))
    backend = open_backend()
    story = Story(backend, who, clock, "web")
    story.remember()
    story.ask()
    assert story.ask().was_kept
    assert not Story(backend, replace(who, **changed), clock, "web").ask().was_kept


def test_what_ends_within_the_minute_is_not_given_again(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """Safeguard: `until` of what is kept."""
    story = Story(open_backend(), admin, clock, "web")
    story.remember(expires_at=clock.now() + timedelta(seconds=30))
    assert story.ask().assembled.fragments
    clock.advance(seconds=29)
    assert story.ask().was_kept
    clock.advance(seconds=1)
    found = story.ask()
    assert (found.was_kept, list(found.assembled.fragments)) == (False, [])


def test_what_stops_to_hold_within_the_minute_is_not_given_again(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """Safeguard: `valid_to` in `until`."""
    story = Story(open_backend(), admin, clock, "web")
    story.remember(valid_to=clock.now() + timedelta(seconds=30))
    assert story.ask().assembled.fragments
    clock.advance(seconds=30)
    assert list(story.ask().assembled.fragments) == []


def test_a_day_later_ages_are_others(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    story = Story(open_backend(), admin, clock, "web")
    story.remember()
    story.ask()
    clock.advance(days=1)
    assert not story.ask().was_kept


@EMBEDDED_ONLY
def test_an_erasure_leaves_no_word_in_what_is_kept(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, clock: StandingClock
) -> None:
    """Safeguard: `forget_all` and `forget_texts`; that nobody is given what is kept is not enough."""
    story = Story(open_backend(), admin, clock, "web")
    story.remember()
    story.ask()
    both = story.ports.contexts.kept
    assert isinstance(both, PrefetchCache)
    kept = both.asked
    _said.of("Amy Nutt keeps the keys")
    assert (len(kept._kept), len(_terms) > 0, len(_said) > 0, len(_terms_of) > 0) == (1, True, True, True)
    _judgements.of('[["a", [], "general", "pattern", false], ["b", [], "general", "pattern", false]]')
    story.do("erase", 1)
    assert (len(_said), len(_terms_of)) == (0, 0)
    assert (len(kept._kept), kept._bytes, len(_terms), len(_judgements)) == (0, 0, 0, 0)


@EMBEDDED_ONLY
def test_what_gives_way_to_a_new_context_is_said_and_counted(
    open_backend: Callable[..., EmbeddedBackend],
    admin: Principal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Safeguard: the warning and the metric in `_keep`."""
    backend = open_backend()
    contexts = replace(backend.ports.contexts, kept=ContextCache(contexts_max=1))
    ports = replace(backend.ports, contexts=contexts)
    measured: list[Mapping[str, float]] = []
    monkeypatch.setattr(
        type(backend.ports.contexts.watch), "measure", lambda _, values, **__: measured.append(values)
    )

    def gave_way() -> tuple[list[str], list[float]]:
        said = [
            record.getMessage() for record in caplog.records if record.name == assemble_context.__module__
        ]
        counted = [values[metrics.CACHE_EVICTED] for values in measured if metrics.CACHE_EVICTED in values]
        return said, counted

    with caplog.at_level(logging.WARNING):
        for intent, expected in (
            ("the queue", ([], [])),
            ("the queue", ([], [])),
            ("the stream", (["1 kept contexts gave way to newer ones: memory is short"], [1])),
        ):
            request = ContextRequest(intent=intent, time_ms=20_000)
            assemble_context(ports, admin, "web", request)
            assert gave_way() == expected


def page(text: str) -> AssembledContext:
    return AssembledContext(
        fragments=list[Fragment](),
        rendered=text,
        omitted=[],
        conflicts=[],
        total_tokens=1,
        source_coverage=1.0,
        quality_achieved=1.0,
        coherence=1.0,
        warnings=[],
    )


def noise(seed: str, size: int) -> str:
    """Text that compresses to half at best."""
    return random.Random(seed).randbytes(size).hex()[:size]


def test_the_cache_is_bounded_in_bytes_and_tells_of_what_gives_way() -> None:
    cache, until = ContextCache(max_bytes=20_000), START + timedelta(seconds=60)
    kept = {name: CachedContext(page(noise(name, 1_000)), ("1",), until) for name in "abcdefghijklmnopqrst"}
    gone = [cache.keep(name, one, START) for name, one in kept.items()]
    assert sum(gone) == len([name for name in kept if cache.find(name, ("1",), START) is None]) > 0
    assert cache.find("t", ("1",), START) is not None, "the one asked for last stays"
    assert cache.keep("vast", CachedContext(page(noise("x", 10_000)), ("1",), until), START) == 0
    assert cache.find("vast", ("1",), START) is None


def test_what_is_over_makes_room_without_being_told() -> None:
    cache = ContextCache(max_bytes=60_000)
    for name in "abcdefghij":
        cache.keep(name, CachedContext(page(noise(name, 1_000)), ("1",), START), START - timedelta(seconds=1))
    late = START + timedelta(seconds=1)
    assert (
        cache.keep("z", CachedContext(page(noise("z", 1_000)), ("1",), late + timedelta(seconds=1)), late)
        == 0
    )
    assert cache.find("a", ("1",), START - timedelta(seconds=1)) is None
