"""What an answer says of itself: its evidence, what it lacks, and the relevance of each hit; on every backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import RankedMemory
from memory_layer.domain.retrieval import evidence
from memory_layer.domain.retrieval.evidence import EVIDENCE_FLOOR
from memory_layer.errors import EmbedderUnavailable
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.judge_answer import UNTOLD_EVIDENCE
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.given import PROJECT

FACTS = (
    "The queue keeps messages for four days.",
    "Restart the gateway after every schema change.",
    "Errors of the parser are logged as JSON.",
    "The scheduler reads its settings from the environment.",
)
FOREIGN = "Which penguins live near Bouvet?"


def asked(backend: EmbeddedBackend, by: Principal, query: str, **given: object) -> RecallResult:
    return recall(backend.ports, by, PROJECT, RecallRequest(query=query, **given))  # type: ignore[arg-type]


@pytest.fixture
def told(backend: EmbeddedBackend, admin: Principal) -> EmbeddedBackend:
    return tell(backend, admin, FACTS)


def tell(
    backend: EmbeddedBackend, by: Principal, contents: Sequence[str], **fields: object
) -> EmbeddedBackend:
    lines = [RememberRequest(fields={"content": one, **fields}, on_duplicate="create") for one in contents]
    assert all(isinstance(one, StoredMemory) for one in remember_many(backend.ports, by, PROJECT, lines))
    backend.drain()
    return backend


def test_evidence_tells_an_answer_from_none(told: EmbeddedBackend, admin: Principal) -> None:
    known, foreign = (
        asked(told, admin, query) for query in ("how long does the queue keep messages", FOREIGN)
    )
    assert known.evidence > 0.7 > EVIDENCE_FLOOR > foreign.evidence
    assert (known.abstained, foreign.abstained) == (False, True)
    assert foreign.memories == ()


def test_an_attribute_that_nothing_tells_is_doubted_and_hides_nothing(
    told: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where nearness to the subject alone counts as an answer (`judge_answer.UNTOLD_EVIDENCE`)."""
    known = asked(told, admin, "How many days does the queue keep messages?")
    untold = asked(told, admin, "What is the encryption of messages that the queue keeps?")
    assert known.evidence > UNTOLD_EVIDENCE == untold.evidence
    assert untold.evidence_gaps == ("encryption",)
    assert untold.memories[0].memory.content == FACTS[0]


def test_the_best_hit_is_the_most_relevant(told: EmbeddedBackend, admin: Principal) -> None:
    found = asked(told, admin, "how long does the queue keep messages").memories
    relevance = [item.relevance for item in found]
    assert relevance[0] == max(relevance) > 0.5
    assert all(0.0 < one < 1.0 for one in relevance)


def test_a_hit_of_the_graph_has_the_relevance_of_its_meaning_too(
    told: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the hits of a walk are not known again among those that the search compared."""

    def best() -> RankedMemory:
        return asked(told, admin, "how long does the queue keep messages", strategy="graph").memories[0]

    near = best()
    monkeypatch.setattr(evidence, "HIT_NEARNESS_WEIGHT", 0.0)
    unweighed = best()
    assert near.memory.id == unweighed.memory.id
    assert near.relevance > unweighed.relevance + 0.05


def test_what_no_hit_covers_is_named(told: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the words of the hits are not compared with the question's."""
    assert asked(told, admin, "does the queue keep messages in Frankfurt?").evidence_gaps == ("Frankfurt",)
    assert asked(told, admin, "queue messages").evidence_gaps == ()
    assert asked(told, admin, FOREIGN).evidence_gaps == ("penguins", "live", "Bouvet")


def test_what_is_not_covered_is_spelled_as_it_was_asked(told: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the folded form is answered, which nobody typed."""
    assert asked(told, admin, "queue messages in Göteborg").evidence_gaps == ("Göteborg",)
    assert asked(told, admin, "queue messages in Go\u0308teborg").evidence_gaps == ("Göteborg",)


def test_an_entity_that_no_hit_mentions_is_named(told: EmbeddedBackend, admin: Principal) -> None:
    found = asked(told, admin, "queue messages", entities=("urn:table:orders",))
    assert found.evidence_gaps == ("urn:table:orders",)


@pytest.mark.parametrize(
    "given", [{"strategy": "semantic"}, {"strategy": "lexical"}, {"strategy": "graph"}, {"min_score": 0.0}]
)
def test_who_names_a_strategy_or_asks_for_every_score_gets_what_there_is(
    told: EmbeddedBackend, admin: Principal, given: dict[str, object]
) -> None:
    """Falls where evidence hides the list of an explicit strategy."""
    query = "which penguins keep settings?"
    found = asked(told, admin, query, **given)
    assert not found.abstained
    assert found.memories
    assert not asked(told, admin, FOREIGN, **given).abstained


def test_min_relevance_filters_hits_and_nothing_else(told: EmbeddedBackend, admin: Principal) -> None:
    query = "how long does the queue keep messages"
    every = asked(told, admin, query)
    bound = every.memories[0].relevance
    best = asked(told, admin, query, min_relevance=bound, limit=1)
    assert [item.memory.id for item in best.memories] == [every.memories[0].memory.id]
    assert asked(told, admin, query, min_relevance=0.999).memories == ()
    assert best.evidence == every.evidence


@pytest.mark.parametrize("profile", ["learned", "governed", "task"])
def test_lists_stand_in_the_order_of_their_scores(
    told: EmbeddedBackend, admin: Principal, profile: str
) -> None:
    """Falls where the score shown is not the key that orders: a famous memory stands behind a more relevant one."""
    tell(told, admin, ["The queue of messages is restarted with the gateway."], id="famous")
    tell(told, admin, ["Messages of the queue are read in turn."], confidence=0.4)
    for run in range(12):
        report_outcome(told.ports, admin, PROJECT, "famous", OutcomeReport(result="worked", run_id=f"r{run}"))
    told.drain()
    found = asked(
        told, admin, "how long does the queue keep messages", profile=profile, min_score=0.0
    ).memories
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    sums = [item.signals.formula for item in found]
    assert profile != "learned" or sums != sorted(sums, reverse=True)


def test_an_answer_by_words_alone_is_never_hidden(
    told: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where abstention does not ask if meanings were compared."""
    query = "Which penguins live near Bouvet Island, and how many settings of rock, kelp and krill do they prefer?"
    assert asked(told, admin, query).abstained

    def fail(_: Sequence[str]) -> None:
        raise EmbedderUnavailable("the model is away")

    monkeypatch.setattr(told.ports.embedder, "embed", fail)
    found = asked(told, admin, query)
    assert found.degraded
    assert [item.memory.content for item in found.memories] == [FACTS[3]]


def test_a_projects_synonyms_find_and_cover(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the settings do not reach the search."""
    tell(backend, admin, FACTS)
    assert asked(backend, admin, "falcon").abstained
    set_policy(
        backend.ports, admin, PROJECT, lambda policy: replace(policy, synonyms={"Falcon": ("gateway",)})
    )
    found = asked(backend, admin, "falcon")
    assert [item.memory.content for item in found.memories][:1] == [FACTS[1]]
    assert found.evidence_gaps == ()


def test_settings_of_before_have_no_synonyms() -> None:
    assert Policy().synonyms == {}


GERMAN_FACTS = (
    "Die Warteschlange h\u00e4lt Nachrichten vier Tage lang.",
    "Nach jeder \u00c4nderung des Schemas wird das Gateway neu gestartet.",
)


@pytest.mark.parametrize(
    ("query", "weighs_language"),
    [
        ("Wie lange kocht man die Nudeln mit der Warteschlange?", True),
        ("how long does the gateway boil noodles", False),
    ],
)
def test_language_is_weighed_where_question_and_texts_are_german(
    backend: EmbeddedBackend,
    admin: Principal,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    weighs_language: bool,
) -> None:
    """Falls where the judgement of an answer is not told that both are German."""
    told = tell(backend, admin, GERMAN_FACTS)
    weighed = asked(told, admin, query).evidence
    monkeypatch.setattr(evidence, "ALIKE_BY_LANGUAGE", 0.0)
    unweighed = asked(told, admin, query).evidence
    assert (weighed < unweighed) is weighs_language
