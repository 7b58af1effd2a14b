"""The search index on a real OpenSearch node: what it finds, and what it never shows."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.adapters.aws.search.documents import document_of, tombstone_of
from memory_layer.adapters.aws.search.opensearch_client import slow_request_params
from memory_layer.adapters.aws.search.queries import cosine_of
from memory_layer.adapters.aws.search.term_weights import MAX_QUERY_TERMS
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, as_of_now
from memory_layer.domain.retrieval.exact_scores import quantized
from memory_layer.manifest.index import EXACT, LENGTHS, TERMS
from memory_layer.ports.commit import Vectors
from tests.aws.search_domain import Domain, ask, lexical, open_domain
from tests.fuzzing import examples
from tests.index_examples import DIMENSIONS, NOW, SCOPE, memory, unit_vectors
from tests.single_rows import Lists

pytestmark = pytest.mark.engines

SHARED = Scope("acme", "_shared")
RIVAL = Scope("rival", "shop")
VECTORS = unit_vectors(8)
HOUR = timedelta(hours=1)


@pytest.fixture
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        yield opened


@pytest.fixture(scope="module")
def crowd(opensearch_endpoint: str) -> Iterator[Domain]:
    """A domain with the records of `CROWD`, and others beside them that nobody may be shown."""
    with open_domain(opensearch_endpoint) as opened:
        documents = [document_of(record, Vectors(VECTORS[0])) for record in (*CROWD, *FOREIGN)]
        documents.append(tombstone_of(SCOPE, "erased", 7))
        assert not opened.write(documents).failed
        yield opened


def _crowd() -> list[Memory]:
    """All values of every filtered field, in no particular combination."""
    numbers = np.random.default_rng(3)
    return [_record(n, numbers) for n in range(240)]


def _record(n: int, numbers: np.random.Generator) -> Memory:
    def one(*values: Any) -> Any:
        return values[int(numbers.integers(len(values)))]

    created = NOW - timedelta(days=int(numbers.integers(10)), microseconds=int(numbers.integers(3)))
    return memory(
        f"m{n:03d}",
        "write ahead log",
        type=one("pattern", "warning"),
        category=one("general", "gotcha"),
        dimension=one("knowledge", "event"),
        task_type=one(None, "feature", "refactor"),
        source=one("human", "run"),
        status=one("active", "active", "active", "pending", "stale", "archived", "superseded"),
        tier=one("hot", "warm"),
        persona=one(None, None, "qa", "dev"),
        created_by=one("ada", "bob"),
        session_id=one(None, "s1", "s2"),
        detail=one({}, {"complexity": "low"}, {"complexity": "high"}, {"complexity": 3}),
        tags=one((), ("a",), ("a", "b"), ("c",)),
        entities=one((), ("urn:x",), ("urn:x", "urn:y")),
        confidence=one(0.3, 0.5, 0.7, 1.0),
        relevance_score=one(0.2, 0.9, 1.0),
        success_rate=one(None, 0.0, 0.333, 0.7),
        outcome_score=one(0.0, -0.5, -0.501, 0.8),
        expires_at=one(None, None, NOW, NOW - HOUR, NOW + HOUR),
        created_at=created,
        updated_at=created + one(timedelta(), HOUR),
    )


CROWD = _crowd()
FOREIGN = [
    memory("foreign", "write ahead log", scope=scope, tags=("secret",))
    for scope in (RIVAL, Scope("rival", "_shared"), Scope("acme", "other"), Scope("acme", "shop2"))
]


def _maybe(*values: Any) -> Any:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


filters = st.builds(
    Filters,
    type=_maybe("pattern", "warning", "learning"),
    category=_maybe("general", "gotcha"),
    dimension=_maybe("knowledge", "event"),
    task_type=_maybe("feature", "refactor"),
    source=_maybe("human", "run"),
    status=st.sampled_from(
        [("active",), (), ("archived",), ("active", "stale"), ("superseded",), ("pending", "archived")]
    ),
    tier=_maybe("hot", "warm"),
    persona=_maybe("qa", "dev"),
    created_by=_maybe("ada", "eve"),
    session_id=_maybe("s1", "s2"),
    complexity=_maybe("low", "high"),
    tags=_maybe("a", "b", "secret"),
    entities=_maybe("urn:x", "urn:y"),
    min_confidence=st.sampled_from([None, None, 0.0, 0.5, 0.7001]),
    min_success_rate=st.sampled_from([None, None, 0.0, 0.333, 0.9]),
    created_after=st.sampled_from(
        [None, None, NOW - timedelta(days=5), NOW - timedelta(days=5, microseconds=1)]
    ),
    created_before=st.sampled_from([None, None, NOW]),
    updated_after=st.sampled_from([None, None, NOW - timedelta(days=8)]),
    updated_before=st.sampled_from([None, None, NOW - timedelta(days=1) + HOUR]),
)
viewers = st.sampled_from(
    [Viewer(), Viewer.of("qa"), Viewer.of("dev"), Viewer.of("dev", "qa"), Viewer(sees_all_personas=True)]
)


@given(filters=filters, viewer=viewers)
@settings(max_examples=examples(60))
def test_what_is_found_is_what_filters_accept_by_brute_force(
    crowd: Domain, filters: Filters, viewer: Viewer
) -> None:
    expected = {record.ref for record in CROWD if _is_wanted(record, filters, viewer)}
    arms = ask(crowd.index, "log", vector=VECTORS[0], filters=filters, viewer=viewer, k=500).arms
    assert set(arms.content_lexical) == expected
    assert set(arms.content_semantic) == expected
    standing = crowd.index.standing((SCOPE,), filters, viewer, now=NOW, k=500).refs()
    assert standing == sorted(expected, key=lambda ref: (-_standing(ref.id), ref.id))


def _is_wanted(record: Memory, filters: Filters, viewer: Viewer) -> bool:
    may_be_shown = filters.status != ("active",) or record.outcome_score >= -0.5
    return may_be_shown and viewer.may_see(record.persona) and filters.accept(as_of_now(record, NOW))


def _standing(id: str) -> int:
    record = CROWD[int(id[1:])]
    return round(record.confidence * 1000) * round(record.relevance_score * 1000)


def test_other_tenants_and_projects_are_never_found(crowd: Domain) -> None:
    """The safeguard is `in_scopes`: without it the foreign records of these names and texts are found."""
    everyone = Viewer(sees_all_personas=True)
    arms = ask(
        crowd.index, "log", vector=VECTORS[0], filters=Filters(status=()), viewer=everyone, k=1_000
    ).arms
    assert {ref.project for ref in (*arms.content_lexical, *arms.content_semantic)} == {"shop"}
    assert Ref("shop", "foreign") not in arms.content_lexical
    assert len(arms.content_lexical) == len(CROWD)
    assert crowd.index.tags((SCOPE,)) == ["a", "b", "c"]
    assert crowd.index.labels((SCOPE,), ["*"], 9) == {"tags": ("a", "b", "c"), "entities": ("urn:x", "urn:y")}
    with pytest.raises(ValueError, match="one tenant"):
        ask(crowd.index, "log", scopes=(SCOPE, RIVAL))


def test_unknown_project_is_empty(crowd: Domain) -> None:
    nowhere = (Scope("acme", "nowhere"),)
    assert ask(crowd.index, "log", scopes=nowhere, vector=VECTORS[0]).arms == Lists()
    assert crowd.index.standing(nowhere, Filters(), Viewer(), now=NOW, k=5).refs() == []
    assert crowd.index.tags(nowhere) == []
    assert crowd.index.labels(nowhere, ["*"], 9) == {"tags": (), "entities": ()}


def test_both_texts_have_their_own_lists_and_a_record_without_context_only_the_first(domain: Domain) -> None:
    domain.put(memory("plain", "wal mode"), Vectors(VECTORS[0]))
    domain.put(memory("told", "wal mode", context="about the cache"), Vectors(VECTORS[1], VECTORS[0]))
    arms = ask(domain.index, "cache wal", vector=VECTORS[0]).arms
    told, plain = Ref("shop", "told"), Ref("shop", "plain")
    assert arms.content_lexical.keys() == {told, plain}
    assert arms.context_lexical.keys() == arms.context_semantic.keys() == {told}
    content_only = ask(domain.index, "cache wal", vector=VECTORS[0], content_only=True).arms
    assert content_only.context_lexical == content_only.context_semantic == {}


def test_semantic_scores_are_the_inner_products_themselves(domain: Domain) -> None:
    stored = VECTORS.astype(np.float16).astype(np.float32)
    for n, vector in enumerate(stored):
        domain.put(memory(f"m{n}"), Vectors(vector))
    found = ask(domain.index, vector=VECTORS[0]).arms.content_semantic
    expected = {Ref("shop", f"m{n}"): float(vector @ VECTORS[0]) for n, vector in enumerate(stored)}
    assert min(expected.values()) < 0 < max(expected.values())
    assert found == pytest.approx(expected, abs=3e-7)
    assert list(found) == sorted(expected, key=lambda ref: -expected[ref])


@given(st.floats(-1, 1))
def test_score_of_a_cosine_reads_back(cosine: float) -> None:
    score = 1 + cosine if cosine >= 0 else 1 / (1 - cosine)
    assert cosine_of(score) == pytest.approx(cosine, abs=1e-12)


def test_lexical_scores_are_bm25_as_the_ram_index_has_them(domain: Domain) -> None:
    """k1 1.2, b .75, lengths as analysed, a term that the query says twice counting twice."""
    domain.put(memory("a", "max_connections cache"))
    domain.put(memory("b", "cache"))
    found = ask(domain.index, "connections connections cache").arms.content_lexical
    idf_rare, idf_common = np.log(1 + (2 - 1 + 0.5) / 1.5), np.log(1 + (2 - 2 + 0.5) / 2.5)
    lengths = {"a": 4, "b": 1}
    saturation = {id: 1 / (1 + 1.2 * (0.25 + 0.75 * length / 2.5)) for id, length in lengths.items()}
    assert found[Ref("shop", "a")] == pytest.approx((2 * idf_rare + idf_common) * saturation["a"], rel=1e-5)
    assert found[Ref("shop", "b")] == pytest.approx(idf_common * saturation["b"], rel=1e-5)


def test_terms_weigh_what_they_weigh_in_the_project_that_is_asked(domain: Domain) -> None:
    """Lucene's own idf counts every tenant's texts: `wal`, the rare word here, is in each of the rival's."""
    domain.write([document_of(memory(f"r{n}", "wal", scope=RIVAL), None) for n in range(200)])
    domain.write([document_of(memory(f"c{n}", "cache"), None) for n in range(20)])
    domain.put(memory("both", "wal cache"))
    domain.put(memory("twice", "cache cache"))
    found = ask(domain.index, "wal cache").arms.content_lexical
    assert next(iter(found)) == Ref("shop", "both")
    assert found[Ref("shop", "both")] > 4 * found[Ref("shop", "twice")]


def test_vectors_of_another_model_are_not_searched(domain: Domain) -> None:
    domain.put(memory("old", embedding_model="other-model"), Vectors(VECTORS[0]))
    domain.put(memory("new"), Vectors(VECTORS[0]))
    assert [ref.id for ref in ask(domain.index, vector=VECTORS[0]).arms.content_semantic] == ["new"]
    other = ask(domain.new_index("other-model"), vector=VECTORS[0])
    assert other.arms.content_semantic == {}


def test_expired_records_are_archived_ones_at_once(domain: Domain) -> None:
    domain.put(memory("ends", "wal", expires_at=NOW + HOUR))
    assert lexical(domain.index, "wal") == ["ends"]
    later = NOW + HOUR
    assert lexical(domain.index, "wal", now=later) == []
    assert lexical(domain.index, "wal", now=later, filters=Filters(status=("archived",))) == ["ends"]


def test_tombstone_is_found_by_nothing(domain: Domain) -> None:
    domain.put(memory("a", "wal", tags=("t",)), Vectors(VECTORS[0]))
    domain.write([tombstone_of(SCOPE, "a", 2)])
    arms = ask(domain.index, "wal", vector=VECTORS[0], filters=Filters(status=())).arms
    assert arms == Lists()
    assert domain.index.standing((SCOPE,), Filters(status=()), Viewer(), now=NOW, k=9).refs() == []
    assert domain.index.tags((SCOPE,)) == []
    assert domain.index.stats(SCOPE, Viewer(), now=NOW).total == 0


def test_equal_scores_stand_by_project_and_id(domain: Domain) -> None:
    for id in ("c", "a", "b"):
        domain.put(memory(id, "wal"), Vectors(VECTORS[0]))
    domain.put(memory("a", "wal", scope=SHARED), Vectors(VECTORS[0]))
    both = (SCOPE, SHARED)
    arms = ask(domain.index, "wal", vector=VECTORS[0], scopes=both).arms
    in_order = [Ref("_shared", "a"), Ref("shop", "a"), Ref("shop", "b"), Ref("shop", "c")]
    assert list(arms.content_lexical) == list(arms.content_semantic) == in_order
    standing = domain.index.standing(both, Filters(), Viewer(), now=NOW, k=3).refs()
    assert standing == [Ref("_shared", "a"), Ref("shop", "a"), Ref("shop", "b")]


@pytest.mark.parametrize("k", [0, 1, 3, 8, 20_000])
def test_k_bounds_every_list(domain: Domain, k: int) -> None:
    documents = [document_of(memory(f"m{n}", "wal"), Vectors(VECTORS[n])) for n in range(8)]
    domain.write(documents)
    arms = ask(domain.index, "wal", vector=VECTORS[0], k=k).arms
    assert len(arms.content_lexical) == len(arms.content_semantic) == min(k, 8)
    assert len(domain.index.standing((SCOPE,), Filters(), Viewer(), now=NOW, k=k).refs()) == min(k, 8)


def test_neither_arm_asked_finds_nothing(domain: Domain) -> None:
    domain.put(memory("a", "what is the"))
    for text in (None, "what is the", "?!"):
        assert ask(domain.index, text).arms == Lists()


def test_query_of_thousands_of_words_is_answered(domain: Domain) -> None:
    """OpenSearch refuses more than 1,024 clauses."""
    domain.put(memory("a", "wal mode"))
    words = " ".join(f"word{n}" for n in range(5 * MAX_QUERY_TERMS))
    assert lexical(domain.index, f"wal wal {words}") == ["a"]


def test_a_document_of_one_endless_word_is_indexed(domain: Domain) -> None:
    """Lucene refuses terms of more than 32,766 bytes, and a greedy group of a pattern overflows the stack."""
    texts = {
        "letters": "x" * 32_768,
        "dots": "a." * 16_384,
        "apostrophes": "a'" * 16_384,
        "han": "数" * 10_000,
    }
    texts |= {"marks": "A_" * 16_000, "capitals": "AB" * 16_000 + "c", "supplementary": "\U00020000" * 8_000}
    for id, text in texts.items():
        domain.put(memory(id, f"wal {text}", context="c"))
    assert set(lexical(domain.index, "wal")) == set(texts)


def test_typical_cosine_is_measured_from_the_projects_own_vectors(domain: Domain) -> None:
    from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, typical_cosine

    vectors = unit_vectors(80, seed=5)
    domain.write([document_of(memory(f"m{n}"), Vectors(vectors[n])) for n in range(20)])
    assert ask(domain.index, vector=VECTORS[0]).typical_cosine == UNKNOWN_TYPICAL_COSINE
    domain.write([document_of(memory(f"m{n}"), Vectors(vectors[n])) for n in range(20, 80)])
    expected = typical_cosine(*quantized(vectors.astype(np.float16).astype(np.float32)))
    assert ask(domain.index, vector=VECTORS[0]).typical_cosine == expected
    assert ask(domain.new_index(), vector=VECTORS[0]).typical_cosine == expected
    twins = ask(domain.index, vector=VECTORS[0], content_only=True)  # whoever looks for them does not ask
    assert twins.typical_cosine == UNKNOWN_TYPICAL_COSINE


def test_typical_cosine_is_kept_until_the_sample_is_another(domain: Domain) -> None:
    """Safeguard: `TypicalCosines.of` compares the sample; another process would measure what is there now."""
    vectors = unit_vectors(40, seed=6)
    domain.write([document_of(memory(f"m{n}"), Vectors(vectors[n])) for n in range(40)])
    first = ask(domain.index, vector=VECTORS[0]).typical_cosine
    assert ask(domain.index, vector=VECTORS[0], now=NOW + timedelta(days=9)).typical_cosine == first
    alike = Vectors(VECTORS[0])
    domain.write([document_of(memory(f"m{n}", version=2), alike) for n in range(40)])
    assert ask(domain.index, vector=VECTORS[0]).typical_cosine == pytest.approx(1.0, abs=5e-3)


def test_an_index_of_before_is_searched_by_its_engines_scores(domain: Domain) -> None:
    """Until it is built anew it has no columns to score its documents by."""
    body = deepcopy(domain.body)
    for name in (*TERMS.values(), *LENGTHS.values(), *EXACT.values()):
        del body["mappings"]["properties"][name]
    domain.client.indices.delete(index=domain.index_name, params=slow_request_params())
    assert domain.names.create(domain.names.name(body, 1), body, is_read=True)
    said = {"a": "wal mode", "b": "wal mode is slow over a network share"}
    domain.write(
        [document_of(memory(id, text), Vectors(VECTORS[n])) for n, (id, text) in enumerate(said.items())]
    )
    assert lexical(domain.index, "wal") == ["a", "b"]
    found = ask(domain.index, vector=VECTORS[1])
    assert next(iter(found.arms.content_semantic)) == Ref("shop", "b")
    assert found.arms.content_semantic[Ref("shop", "b")] == pytest.approx(1.0, abs=1e-3)


def test_tags_beyond_one_page(domain: Domain) -> None:
    wanted = [f"tag{n:04d}" for n in range(2_100)]
    documents = [
        document_of(memory(f"m{n}", tags=tuple(wanted[n : n + 60])), None) for n in range(0, len(wanted), 60)
    ]
    domain.write(documents)
    assert domain.index.tags((SCOPE,)) == wanted


def test_a_change_replaces_the_whole_document(domain: Domain) -> None:
    before = memory("a", "wal", context="c", tags=("t",), persona="qa")
    domain.put(before, Vectors(VECTORS[0], VECTORS[1]))
    after = replace(before, content="cache", context=None, tags=(), persona=None, version=2)
    domain.put(after)
    assert lexical(domain.index, "cache") == ["a"]
    assert lexical(domain.index, "wal") == []
    assert domain.index.tags((SCOPE,)) == []
    assert ask(domain.index, vector=VECTORS[0]).arms == Lists()


def test_dimensions_of_the_examples_fit() -> None:
    assert VECTORS.shape == (8, DIMENSIONS)
