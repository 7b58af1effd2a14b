"""An index that returns everything, right or wrong, changes nothing about what may be seen.

Falls without the re-read and re-check of every hit in `usecases/recall/recall.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.retrieval.candidates import RecordTable, candidates_of_lists, table_of_refs
from memory_layer.domain.retrieval.merged_candidates import united
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.index import IndexAnswer, IndexQuery, Labels, SearchIndex
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.find_candidates import NO_INDEX
from memory_layer.usecases.recall.recall import RANKED_AT_LEAST, RecallRequest, recall
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT, StandingClock

WORDS = ("active", "archived", "erased", "expired", "persona")


class LyingIndex:
    """Hits of every status and persona, hits that were erased, and hits that never were."""

    def __init__(self, honest: SearchIndex, erased: list[Ref]) -> None:
        self._honest = honest
        self._erased = erased

    def covered(self, scope: Scope) -> int | None:
        return self._honest.covered(scope)

    def search(self, query: IndexQuery) -> IndexAnswer:
        everything = replace(query, filters=Filters(status=()), viewer=Viewer(sees_all_personas=True))
        answer = self._honest.search(everything)
        false = dict.fromkeys([*self._erased, Ref(PROJECT, "never-was"), Ref("elsewhere", "persona")], 1.0)
        tenant = query.scopes[0].tenant
        table = candidates_of_lists(tenant, {"content_semantic": false})
        return replace(answer, candidates=united(table, answer.candidates))

    def standing(self, scopes: tuple[Scope, ...], *_: object, **__: object) -> RecordTable:
        refs = [Ref(scope.project, word) for scope in scopes for word in WORDS]
        return table_of_refs(scopes[0].tenant, refs)

    def tags(self, scopes: tuple[Scope, ...], sight: Sight | None = None) -> KnownTags:
        return self._honest.tags(scopes, sight)

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        return self._honest.labels(scopes, patterns, k)


class NoIndex(LyingIndex):
    def covered(self, scope: Scope) -> int:
        raise IndexUnavailable(f"nothing answers for {scope}")

    def search(self, query: IndexQuery) -> IndexAnswer:
        raise IndexUnavailable(f"nothing answers for {query.scopes}")

    def standing(self, scopes: tuple[Scope, ...], *_: object, **__: object) -> RecordTable:
        raise IndexUnavailable(f"nothing answers for {scopes}")

    def tags(self, scopes: tuple[Scope, ...], *_: object) -> KnownTags:
        raise IndexUnavailable(f"nothing answers for {scopes}")

    def labels(self, scopes: tuple[Scope, ...], *_: object) -> Labels:
        raise IndexUnavailable(f"nothing answers for {scopes}")


class ForgetfulIndex(LyingIndex):
    """Lags for ever: it has seen no write at all."""

    def covered(self, scope: Scope) -> int:
        del scope
        return 0

    def search(self, query: IndexQuery) -> IndexAnswer:
        return self._honest.search(replace(query, scopes=(Scope("nobody", "nothing"),)))


class ArrivingIndex(LyingIndex):
    """Answers with what it knew before, and has everything in the very next moment."""

    def __init__(self, honest: SearchIndex, arrive: Callable[[], None]) -> None:
        super().__init__(honest, [])
        self._arrive = arrive

    def search(self, query: IndexQuery) -> IndexAnswer:
        answer = self._honest.search(query)
        self._arrive()
        return answer


def populated(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> Ports:
    for word in WORDS:
        said = {"content": f"The marker of the {word} record.", "type": "pattern"}
        if word == "expired":
            said["expires_at"] = clock.moment + timedelta(days=1)  # type: ignore[assignment]
        if word == "persona":
            said["persona"] = "analyst"
        put_memory(backend.ports, admin, PROJECT, word, said)
    archive_memory(backend.ports, admin, PROJECT, "archived")
    erase_memory(backend.ports, admin, PROJECT, "erased")
    clock.advance(days=1)
    return backend.ports


def found(ports: Ports, principal: Principal) -> tuple[set[str], bool]:
    answer = recall(ports, principal, PROJECT, RecallRequest(query="the marker of a record"))
    return {item.memory.id for item in answer.memories}, answer.degraded


def test_nothing_is_shown_on_the_indexs_word(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    ports = populated(backend, admin, clock)
    lying = replace(ports, index=LyingIndex(ports.index, [Ref(PROJECT, "erased")]))
    assert found(lying, agent) == ({"active"}, False)
    request = RecallRequest(query="any", strategy="entity", entities=("urn:x",))
    assert recall(lying, agent, PROJECT, request).memories == ()


def test_without_an_index_the_record_store_answers(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    ports = populated(backend, admin, clock)
    assert found(replace(ports, index=NoIndex(ports.index, [])), agent) == ({"active"}, True)


def test_without_an_index_entities_are_looked_up_in_the_record_store(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    """Falls without the fallback of `strategy: entity`; the best by standing come first, as the index has them."""
    ports = populated(backend, admin, clock)
    for number in range(RANKED_AT_LEAST + 2):
        said = {"content": f"About x, {number}.", "entities": ("urn:x",), "confidence": 0.9}
        put_memory(ports, admin, PROJECT, f"about-{number:02}", said)
    put_memory(ports, admin, PROJECT, "aa-best", {"content": "About x.", "entities": ("urn:x",)})
    request = RecallRequest(query="any", strategy="entity", entities=("urn:x",), limit=5)
    answer = recall(replace(ports, index=NoIndex(ports.index, [])), agent, PROJECT, request)
    assert answer.memories[0].memory.id == "aa-best"
    assert all(item.memory.entities == ("urn:x",) for item in answer.memories)
    assert (answer.degraded, answer.note, answer.ranking) == (True, NO_INDEX, "entity")


@pytest.mark.parametrize("task", ["the marker of a record", "", "nothing like it"])
def test_without_an_index_a_prompt_is_made_of_the_newest(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock, task: str
) -> None:
    """Falls without the fallback of `compose_prompt`."""
    ports = populated(backend, admin, clock)
    put_memory(ports, admin, PROJECT, "scoped", {"content": "Of the api.", "tags": ("src/api/**",)})
    down = replace(ports, index=NoIndex(ports.index, []))
    scope = TaskProfile(write_scope=("src/api/a.py",))
    prompt = compose_prompt(down, agent, PROJECT, task, scope, limit=1)
    assert ([memory.id for memory in prompt.memories], prompt.note) == (["scoped"], NO_INDEX)
    assert {memory.id for memory in compose_prompt(down, agent, PROJECT, task, scope, limit=9).memories} == {
        "scoped",
        "active",
    }
    assert not compose_prompt(ports, agent, PROJECT, task, scope, limit=9).degraded


def test_what_the_index_has_not_seen_is_found_all_the_same(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    ports = populated(open_backend(), admin, clock)
    assert found(replace(ports, index=ForgetfulIndex(ports.index, [])), agent) == ({"active"}, False)


def test_a_write_that_arrives_during_the_search_is_not_missed(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where the log is read after the search: the write is no longer there, and was not found yet."""
    ports = populated(backend, admin, clock)
    backend.drain()
    put_memory(ports, admin, PROJECT, "late", {"content": "The marker of the late record."})
    arriving = replace(ports, index=ArrivingIndex(ports.index, backend.drain))
    assert "late" in found(arriving, admin)[0]
