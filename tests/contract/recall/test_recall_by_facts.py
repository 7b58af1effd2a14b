"""Answers by the facts that an index keeps are those by the records themselves, to the last digit.

Falls where a column says anything else than its record, and where the two ways of judging, of tying and of ranking
part: `HitReader.best` and `visible`, `_keys_of_best`, `mention_hashes`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

import numpy as np
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.filters import Filters
from memory_layer.domain.policy import Profile
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.retrieval.candidates import CandidateTable, MentionedRows, RecordTable
from memory_layer.domain.retrieval.facts import is_trusted
from memory_layer.ports.index import IndexAnswer, IndexQuery, SearchIndex
from memory_layer.ports.process import Ports
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.varied_memories import SESSION, told, write_all
from tests.fuzzing import examples
from tests.given import ADMIN, PROJECT, StandingClock, changed, commit_all, read_back

MEMORIES: Final = 200
QUESTIONS: Final = examples(300)
WORDS: Final = (
    *("queue", "cache", "orders table", "Node.js worker", "Café index", "deploy job", "登录服务"),
    *("Melanie", "Ada", "Grace Hopper", "on-call engineer", "urn:table:orders", "docs/runbook.md"),
    *("messages", "four days", "drained", "incident", "in May 2025", "short answers", "zanzibar"),
)
ASKS: Final = (
    "how long does the {} keep the {}?",
    "what did {} say about the {}?",
    "{} {}",
    "when was {}: {}",
)


def _without_facts(table: CandidateTable) -> CandidateTable:
    return replace(table, records=replace(table.records, facts=None))


@dataclass(frozen=True)
class WithoutFacts:
    """An index that keeps no facts, and so tells of trusted records always: all is read off the records."""

    index: SearchIndex

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def search(self, query: IndexQuery) -> IndexAnswer:
        answer = self.index.search(query)
        table = answer.candidates
        vouched_for = np.flatnonzero(is_trusted(table.records.facts))
        trusted = answer.trusted or table.take(vouched_for)
        return replace(answer, candidates=_without_facts(table), trusted=_without_facts(trusted))

    def standing(self, *asked: Any, **named: Any) -> RecordTable:
        return replace(self.index.standing(*asked, **named), facts=None)

    def mentioning(self, *asked: Any, **named: Any) -> MentionedRows:
        found = self.index.mentioning(*asked, **named)
        return replace(found, records=replace(found.records, facts=None))


@pytest.fixture
def both(open_backend: Callable[..., EmbeddedBackend], clock: StandingClock) -> tuple[Ports, Ports]:
    """Ports with and without facts, over some hundred memories of every standing."""
    backend = open_backend()
    memories = told(MEMORIES, seed=7)
    write_all(backend, ADMIN, clock, memories)
    ids = [said["id"] for one in memories if one.project == PROJECT for said in one.said]
    _befall(backend.ports, ids, random.Random(11), clock)
    ports = backend.ports
    return ports, replace(ports, index=WithoutFacts(ports.index))  # type: ignore[arg-type]


def _befall(ports: Ports, ids: Sequence[str], chance: random.Random, clock: StandingClock) -> None:
    """Gives a third of the records another standing."""
    store, scope, now = ports.store, ADMIN.scope(PROJECT), clock.moment
    standings: tuple[dict[str, Any], ...] = (
        {"status": "stale"},
        {"outcome_score": -0.501},
        {"outcome_score": -0.3, "unseconded": 0.3, "use_count": 4, "last_used_at": now},
        {"expires_at": now},
        {"valid_to": now},
        {"worked_weight": 3.5, "failed_weight": 1.0, "use_count": 12, "last_used_at": now},
        {"relevance_score": 0.25, "confidence": 0.25},
        {"approved_by": "ada", "approved_at": now},
        {"pinned": True, "category": "decision"},
    )
    for number, id in enumerate(chance.sample(list(ids), len(ids) // 3)):
        fields = standings[number % len(standings)]
        commit_all(store, [changed(read_back(store, scope, id), **fields)])


def _questions(chance: random.Random) -> Iterator[str]:
    while True:
        yield chance.choice(ASKS).format(*chance.sample(WORDS, 2))


def _requests(chance: random.Random) -> Iterator[RecallRequest]:
    """Requests of every kind."""
    for query in _questions(chance):
        yield RecallRequest(
            query=query,
            strategy=chance.choice(("auto", "auto", "semantic", "lexical", "entity", "graph")),
            limit=chance.choice((1, 10, 50)),
            entities=chance.choice(((), ("urn:table:orders",))) or ("urn:table:users",),
            profile=chance.choice((None, None, *get_args(Profile))),
            include_stale=chance.random() < 0.3,
            filters=chance.choice(
                (
                    Filters(),
                    Filters(),
                    Filters(min_confidence=0.6),
                    Filters(tags=("infra",)),
                    Filters(pinned=False),
                    Filters(is_approved=True),
                    Filters(session_id=(SESSION,)),
                )
            ),
        )


def _answer(ports: Ports, request: RecallRequest) -> tuple[Any, ...]:
    found = recall(ports, ADMIN, PROJECT, request)
    hits = [(one.memory.ref, one.score, one.signals) for one in found.memories]
    return found.ranking, found.abstained, found.note, hits


@EMBEDDED_ONLY
def test_answers_by_facts_are_those_by_records(both: tuple[Ports, Ports]) -> None:
    check_recalls(both)
    check_pages(both)


def check_recalls(both: tuple[Ports, Ports]) -> None:
    requests = _requests(random.Random(13))
    shown = 0
    for request in (next(requests) for _ in range(QUESTIONS)):
        by_facts, by_records = (_answer(ports, request) for ports in both)
        assert by_facts == by_records, request
        shown += len(by_facts[-1])
    assert shown > QUESTIONS


def check_pages(both: tuple[Ports, Ports]) -> None:
    """Prompts and contexts."""
    questions = _questions(random.Random(17))
    scope = TaskProfile(write_scope=("runbook.md",))
    pages = set()
    for question in (next(questions) for _ in range(QUESTIONS // 10)):
        prompts = [compose_prompt(ports, ADMIN, PROJECT, question, scope, limit=15) for ports in both]
        assert prompts[0].markdown == prompts[1].markdown, question
        # Kept contexts answer equal requests: the intents differ in blanks, which mean nothing.
        contexts = [
            assemble_context(
                ports, ADMIN, PROJECT, ContextRequest(intent=f"{question}{blank}", time_ms=20_000)
            ).assembled
            for ports, blank in zip(both, ("", " "), strict=True)
        ]
        assert contexts[0].fragments == contexts[1].fragments, question
        pages.add((prompts[0].markdown, len(contexts[0].fragments)))
    assert len(pages) > 1
