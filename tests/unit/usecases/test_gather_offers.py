"""Sources that hang, fail, break and are empty: each costs its own memories and nothing else."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from memory_layer.adapters.process.token_counters import TokenizerRegistry
from memory_layer.adapters.process.worker_threads import LANE_THREADS, RUNNING_JOBS_MAX, LaneThreads
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.context.assembly import assemble
from memory_layer.domain.context.fragments import (
    LAYERS,
    AssembledContext,
    AssemblyRequest,
    Layer,
    Offer,
    TokenCounter,
    chars4,
)
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import Deadline, DeadlinePassed, PendingWork
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.assemble_in_time import STILL_LOADING, TIME_IS_OVER, assemble_in_time
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.context.sources import SOURCES, ContextSource, SourceOffers, SourceQuery
from memory_layer.usecases.review.approve import reject_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember, remember_many

Offering = Callable[[SourceQuery, int, Deadline], SourceOffers]
INTENT = "how long does the queue keep messages?"


PATIENT = Deadline(30.0, lambda: 0.0)


@dataclass(frozen=True)
class Doing:
    """A source that does this."""

    layer: Layer
    offers: Offering


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def web(backend: EmbeddedBackend, admin: Principal) -> EmbeddedBackend:
    for content in ("The queue keeps messages for four days.", "Messages that fail leave the queue."):
        remember(backend.ports, admin, "web", RememberRequest(fields={"content": content}))
    return backend


def context(
    backend: EmbeddedBackend,
    who: Principal,
    changed: Mapping[Layer, Offering],
    time_ms: int = 20_000,
    **asked: Any,
) -> AssembledPage:
    sources: dict[Layer, ContextSource] = {
        layer: Doing(layer, changed[layer]) if layer in changed else SOURCES[layer] for layer in LAYERS
    }
    request = ContextRequest(intent=INTENT, time_ms=time_ms, **asked)
    return assemble_context(backend.ports, who, "web", request, sources=sources)


def told(found: AssembledPage) -> list[str]:
    return [warned.detail for warned in found.assembled.warnings if warned.code == "SOURCE_TIMEOUT"]


def hanging(released: threading.Event, hung: list[int] | None = None) -> Offering:
    """Args: hung: is told of each thread that it holds."""

    def hang(*_: object) -> SourceOffers:
        if hung is not None:
            hung.append(1)
        released.wait(30)
        return SourceOffers()

    return hang


def fail(*_: object) -> SourceOffers:
    raise StoreUnavailable("the table does not answer")


def explode(*_: object) -> SourceOffers:
    raise ZeroDivisionError


def test_one_that_hangs_fails_or_breaks_is_told_and_the_others_answer(
    web: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    bad: Mapping[Layer, Offering] = {"global": hanging(released), "experience": fail, "workshop": explode}
    found = context(web, admin, bad, time_ms=4_000)
    assert {part.source_layer for part in found.assembled.fragments} == {"project"}
    assert len(found.assembled.fragments) == 2
    assert told(found) == [
        "source global did not answer in its share of the time budget",
        "source experience failed: the table does not answer",
        "source workshop failed; the reason is in the server's log",
    ]


def test_sources_have_four_fifths_of_the_time(web: EmbeddedBackend, admin: Principal) -> None:
    """The clock stands still. Falls where the whole time is theirs, and none is left to put the page together."""
    object.__setattr__(web.ports.contexts, "timer", lambda: 0.0)
    left: list[float] = []

    def note(query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        left.append(deadline.seconds_left)
        return SOURCES["project"].offers(query, limit, deadline)

    context(web, admin, {"project": note}, time_ms=10_000)
    assert left == [pytest.approx(8.0)]


def test_where_all_were_late_fewer_are_asked_again_by_words_alone(
    web: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    """Falls without the second asking in `gather_in_time`: the page is empty with a fifth of the time left."""
    asked: list[tuple[Layer, bool]] = []

    def late_at_first(layer: Layer) -> Offering:
        def offers(query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
            asked.append((layer, query.search.is_lexical_only))
            if not query.search.is_lexical_only:
                released.wait(30)
            return SOURCES[layer].offers(query, limit, deadline)

        return offers

    found = context(web, admin, {layer: late_at_first(layer) for layer in LAYERS}, time_ms=6_000)
    assert {layer for layer, by_words in asked if by_words} == {"project", "workshop"}
    assert len(found.assembled.fragments) == 2
    assert told(found) == [
        f"source {layer} did not answer in its share of the time budget" for layer in LAYERS
    ]
    assert found.assembly_time_ms <= 6_000
    assert not context(web, admin, {}).was_kept


def test_who_was_found_wrong_stands_lower_where_sources_are_asked_again(
    backend: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    """Falls where `_by_words` leaves the records of authors out."""
    liar, honest = Principal(admin.tenant, "liar"), Principal(admin.tenant, "honest")
    for id in ("shelf-0", "shelf-1"):
        put_memory(backend.ports, liar, "web", id, {"content": f"The {id} of the ledger is empty."})
        reject_memory(backend.ports, admin, "web", id)
    put_memory(backend.ports, liar, "web", "lie", {"content": "The queue keeps messages for long."})
    put_memory(
        backend.ports,
        honest,
        "web",
        "truth",
        {"content": "The queue of the shop keeps its messages for four days."},
    )

    def late_at_first(query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        if not query.search.is_lexical_only:
            released.wait(30)
        return SOURCES["project"].offers(query, limit, deadline)

    late = dict.fromkeys(LAYERS, late_at_first)
    found = context(backend, admin, late, time_ms=4_000)
    relevance = {part.id: part.relevance for part in found.assembled.fragments}
    assert relevance["truth"] >= relevance["lie"]


def test_what_hangs_for_ever_uses_up_its_own_threads_alone(
    web: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    """Safeguard: a lane of its own for each source, and no waiting where all its threads are overdue."""
    hung: list[int] = []
    hang = hanging(released, hung)
    while len(hung) < LANE_THREADS:
        context(web, admin, {"global": hang}, time_ms=100)
    began: list[int] = []

    def begin(*_: object) -> SourceOffers:
        began.append(1)
        return SourceOffers()

    found = context(web, admin, {"global": begin})
    assert told(found) == ["source global hangs: all its threads wait for earlier requests"]
    assert not began
    assert len(found.assembled.fragments) == 2
    released.set()
    while told(found):
        found = context(web, admin, {"global": begin})
    assert began, "once they return, the source is asked again"


def test_an_incomplete_context_is_not_kept(web: EmbeddedBackend, admin: Principal) -> None:
    """Safeguard: `is_whole`; the next one asks again."""
    assert not context(web, admin, {"project": fail}).assembled.fragments
    found = context(web, admin, {})
    assert (found.was_kept, len(found.assembled.fragments)) == (False, 2)
    assert context(web, admin, {}).was_kept


def test_a_store_that_fails_costs_all_sources_and_makes_no_error(
    web: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise StoreUnavailable("the table does not answer")

    monkeypatch.setattr(web.ports.store.projects, "write_versions", down)
    found = context(web, admin, {})
    assert not found.assembled.fragments
    assert told(found) == [f"source {layer} was not asked: the table does not answer" for layer in LAYERS]


@pytest.mark.parametrize("raised", [StoreUnavailable("the table does not answer"), ZeroDivisionError()])
def test_a_receipt_that_cannot_be_written_costs_no_context(
    web: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, raised: Exception
) -> None:
    def break_(*_: object) -> None:
        raise raised

    monkeypatch.setattr(web.ports.store.receipts, "note", break_)
    assert len(context(web, admin, {}).assembled.fragments) == 2


def test_a_receipt_that_waits_for_a_thread_is_written_all_the_same(
    web: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, released: threading.Event
) -> None:
    """Safeguard: `LaneResult.result` cancels nothing; the last of these waits behind those that the table holds up."""
    noted: list[str] = []

    def slowly(receipt: RecallReceipt) -> None:
        released.wait(30)
        noted.append(receipt.recall_id)

    monkeypatch.setattr(web.ports.store.receipts, "note", slowly)
    asked = [context(web, admin, {}, time_ms=200).recall_id for _ in range(LANE_THREADS + 1)]
    assert not noted
    released.set()
    web.ports.contexts.workers.begin("receipt", lambda: None, PATIENT).result(PATIENT)
    web.close()
    assert set(asked) <= set(noted)


def test_what_there_is_no_time_for_is_named(web: EmbeddedBackend, admin: Principal) -> None:
    """Safeguard: `assemble_in_time`; the clock says that the sources took nearly all of it."""
    at = [0.0]

    def slow(query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        offered = SOURCES["project"].offers(query, limit, deadline)
        at[0] = 18.975
        return offered

    object.__setattr__(web.ports.contexts, "timer", lambda: at[0])
    web.ports.contexts.pace.factor = 100.0
    for number in range(30):
        asked = RememberRequest(
            fields={"content": f"The queue {number} keeps messages."}, on_duplicate="create"
        )
        remember(web.ports, admin, "web", asked)
    found = context(web, admin, {"project": slow}, layers=("project",)).assembled
    late = [one for one in found.omitted if one.detail == TIME_IS_OVER]
    assert late
    assert found.fragments, "partial, and not empty"
    assert "BUDGET_EXCEEDED" in {warned.code for warned in found.warnings}


def test_a_page_that_takes_too_long_gives_way_to_the_short_one_made_before_it(
    web: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    """Safeguard: `_Pages.make`; whoever waits until the deadline has no time to make another one after it."""
    asked = [
        RememberRequest(fields={"content": f"The queue {n} is long."}, on_duplicate="create")
        for n in range(40)
    ]
    offers = [
        Offer(memory=stored.memory, layer="project", relevance=1.0 - rank / 100)
        for rank, stored in enumerate(remember_many(web.ports, admin, "web", asked))
        if isinstance(stored, StoredMemory)
    ]
    made: list[int] = []

    def page(shown: Sequence[Offer], until: Deadline | None) -> AssembledContext:
        made.append(len(shown))
        if until is not None:
            released.wait(30)
        return assemble(
            shown, AssemblyRequest(intent=INTENT, tokens_max=4_000, now=web.ports.clock.now()), chars4
        )

    contexts = web.ports.contexts
    contexts.pace.factor = 20.0
    found = assemble_in_time(contexts, offers, page, Deadline(contexts.timer() + 1.0, contexts.timer))
    assert made[0] < made[1]
    assert {part.id for part in found.fragments} <= {offer.memory.id for offer in offers[: made[0]]}
    assert found.fragments
    late = {one.id for one in found.omitted if one.detail == TIME_IS_OVER}
    assert late == {offer.memory.id for offer in offers[made[0] :]}


def test_one_long_memory_that_comes_first_keeps_out_none_behind_it(
    web: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguard: `_affordable` goes on behind what there is no time for."""
    long = f"{INTENT} {'The queue keeps messages. ' * 1_200}"
    stored = remember(
        web.ports, admin, "web", RememberRequest(fields={"content": long}, on_duplicate="create")
    )
    at = [0.0]

    def first(query: SourceQuery, limit: int, deadline: Deadline) -> SourceOffers:
        offers = SOURCES["project"].offers(query, limit, deadline).offers
        return SourceOffers(tuple(o._replace(relevance=float(len(o.memory.content) > 1_000)) for o in offers))

    object.__setattr__(web.ports.contexts, "timer", lambda: at[0])
    web.ports.contexts.pace.factor = 200.0
    found = context(web, admin, {"project": first}, layers=("project",)).assembled
    assert [(one.id, one.detail) for one in found.omitted] == [(stored.memory.id, TIME_IS_OVER)]
    assert len(found.fragments) == 2


def test_a_tokenizer_that_is_still_loading_makes_nobody_late(
    web: EmbeddedBackend, admin: Principal, released: threading.Event
) -> None:
    """Safeguard: `counter_in_time`; to read a vocabulary takes longer than many have."""

    class Loading(TokenizerRegistry):
        def _loaded(self, name: str) -> TokenCounter:
            released.wait(30)
            return super()._loaded(name)

    object.__setattr__(web.ports.contexts, "counters", Loading(None))
    found = context(web, admin, {}, time_ms=50)
    assert not released.is_set(), "nobody waited for it"
    assert (found.assembled.rendered, found.tokenizer) == ("", "wordpiece")
    assert told(found) == [f"source {layer} {STILL_LOADING}" for layer in LAYERS]
    assert context(web, admin, {}, tokenizer="chars4").assembled.fragments, "and no other waits for it"
    released.set()
    assert len(context(web, admin, {}).assembled.fragments) == 2


def test_who_waits_for_what_bears_on_the_intent_in_vain_is_late_and_has_not_found_nothing(
    web: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguard: `DeadlinePassed`; an empty answer would be kept as the whole one."""
    asked: list[SourceQuery] = []

    def note(query: SourceQuery, *_: object) -> SourceOffers:
        asked.append(query)
        return SourceOffers()

    context(web, admin, {"project": note}, layers=("project",))
    relevant = asked[0].relevant
    moments = iter([1.0, 0.0])  # the lock gave up a moment too early
    with relevant._lock, pytest.raises(DeadlinePassed):
        relevant.found(Deadline(1.0, lambda: next(moments)))


def test_what_fails_does_not_keep_what_it_read() -> None:
    """Or only a collection frees it, and all requests stand still. Safeguard: `LaneResult` gives its future away."""
    read: list[weakref.ref[object]] = []

    def work() -> SourceOffers:
        memories = {"many"}
        read.append(weakref.ref(memories))
        raise StoreUnavailable("the table does not answer")

    def ask() -> None:
        pending = lanes.begin("project", work, PATIENT)
        with pytest.raises(StoreUnavailable):
            pending.result(PATIENT)

    lanes = LaneThreads()
    gc.disable()
    try:
        ask()
        patience = time.monotonic() + 5  # its thread has a last line to run
        while read[0]() is not None and time.monotonic() < patience:
            time.sleep(0.001)
        assert read[0]() is None
    finally:
        gc.enable()
        lanes.close()


def test_the_time_budget_counts_from_when_the_caller_began_to_wait(
    web: EmbeddedBackend, admin: Principal
) -> None:
    request = ContextRequest(intent=INTENT, time_ms=1_000)
    began = web.ports.contexts.timer() - 1.1
    late = assemble_context(web.ports, admin, "web", request, since=began)
    assert (late.assembled.fragments, len(told(late))) == ([], len(LAYERS))
    assert late.assembly_time_ms > 1_000


def test_who_comes_last_goes_first_and_nobody_goes_too_late(released: threading.Event) -> None:
    """Under load who has waited long has no time left, and would take that of others."""
    lanes, began, now = LaneThreads(), list[str](), 0.0

    def waiting(name: str, seconds: float = 30.0) -> PendingWork[None]:
        return lanes.begin("project", lambda: began.append(name), Deadline(seconds, lambda: now))

    def hold(until: threading.Event) -> Callable[[], None]:
        def work() -> None:
            held.release()
            until.wait(30)

        return work

    held, free = threading.Semaphore(0), threading.Event()
    for until in [free, *(RUNNING_JOBS_MAX - 1) * [released]]:
        lanes.begin("project", hold(until), Deadline(20.0, lambda: now))
        held.acquire()
    late, first, last = waiting("late", 1.0), waiting("first"), waiting("last")
    overdue = waiting("overdue", 1.0)
    assert not began, "no more at once"
    now = 2.0
    free.set()
    for pending in (first, last):
        pending.result(PATIENT)
    for pending in (late, overdue):
        with pytest.raises(DeadlinePassed):
            pending.result(PATIENT)
    assert began == ["last", "first"]
    released.set()
    lanes.close()


def test_what_hangs_one_after_the_other_keeps_no_thread_asleep(released: threading.Event) -> None:
    """Safeguard: `notify` in `_next`; who sleeps until the first two are overdue sees none that begins later."""
    lanes, free, held = LaneThreads(), threading.Event(), threading.Semaphore(0)

    def begin(work: Callable[[], object], seconds: float) -> PendingWork[object]:
        return lanes.begin("project", work, Deadline(time.monotonic() + seconds, time.monotonic))

    def hold(until: threading.Event) -> Callable[[], object]:
        return lambda: (held.release(), until.wait(60))

    for until in (free, *(RUNNING_JOBS_MAX - 1) * [released]):
        begin(hold(until), 60)
        held.acquire()
    last = begin(lambda: "done", 60)
    for seconds in (1.0, 0.5):  # the newest goes first
        begin(hold(released), seconds)
    free.set()
    assert last.result(Deadline(time.monotonic() + 10, time.monotonic)) == "done"
    released.set()
    lanes.close()


def test_what_runs_while_its_process_ends_begins_no_more() -> None:
    """Safeguard: `_is_closed`; a lane that was made then ended the closing with an error, or its caller waited."""
    lanes, held, free = LaneThreads(), threading.Event(), threading.Event()
    refused: list[str] = []

    def work() -> None:
        held.set()
        free.wait(30)
        for lane in ("project", "experience"):
            try:
                lanes.begin(lane, lambda: None, PATIENT)
            except DeadlinePassed:
                refused.append(lane)

    lanes.begin("project", work, PATIENT)
    held.wait(30)
    closing = threading.Thread(target=lanes.close)
    closing.start()
    while not lanes._is_closed:
        time.sleep(0.001)
    free.set()
    closing.join(30)
    assert refused == ["project", "experience"]


def test_thousands_that_wait_cost_no_more_each_than_few(released: threading.Event) -> None:
    """Falls where all who wait are looked at for each that begins; with 5,000 of them a lane began 100 a second."""
    lanes, looks = LaneThreads(), 0

    def timer() -> float:
        nonlocal looks
        looks += 1
        return 0.0

    for _ in range(RUNNING_JOBS_MAX):
        lanes.begin("project", lambda: released.wait(30), PATIENT)
    many = [lanes.begin("project", lambda: None, Deadline(30.0, timer)) for _ in range(1_000)]
    released.set()
    for pending in many:
        pending.result(PATIENT)
    assert looks < 50 * len(many)
    lanes.close()


def test_what_is_overdue_below_others_holds_nothing(released: threading.Event) -> None:
    """Falls without a look at the oldest: under load the newest go first, and nobody would come to it."""
    lanes, held, now = LaneThreads(), threading.Semaphore(0), 0.0

    def begin(work: Callable[[], object], seconds: float) -> weakref.ref[object]:
        lanes.begin("project", work, Deadline(seconds, lambda: now))
        return weakref.ref(work)

    for _ in range(RUNNING_JOBS_MAX):
        begin(lambda: (held.release(), released.wait(30)), 20.0)
        held.acquire()
    late = begin(lambda: None, 1.0)
    begin(lambda: None, 30.0)
    now = 2.0
    begin(lambda: None, 30.0)
    patience = time.monotonic() + 5
    while late() is not None and time.monotonic() < patience:
        time.sleep(0.001)
    assert late() is None
    released.set()
    lanes.close()
