"""The index's mapping holds what documents say and filters ask; its names tell shapes apart."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest
import Stemmer

from memory_layer.adapters.aws.search.documents import document_of, key_hash, tombstone_of, version_hash
from memory_layer.domain.filters import EQUALITIES, OVERLAPS, Filters
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import sample_place, sample_seed
from memory_layer.domain.retrieval.exact_scores import K1, B
from memory_layer.domain.time.resolve_times import resolve_times
from memory_layer.manifest import index
from memory_layer.ports.commit import Vectors
from tests.index_examples import MODEL, NOW, SCOPE, memory, unit_vectors


def body(**changed: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"engine": "lucene", "dimensions": 16, "model": MODEL, "stop_words": ["the", "a"]}
    given |= changed
    return index.index_body(given.pop("engine"), **given)


def properties() -> dict[str, Any]:
    found: dict[str, Any] = body()["mappings"]["properties"]
    return found


def test_every_field_of_a_document_is_in_the_strict_mapping() -> None:
    whole = memory(
        context="around",
        task_type="feature",
        persona="qa",
        session_id="s",
        detail={"complexity": "low"},
        tags=("t",),
        entities=("urn:x",),
        success_rate=0.5,
        expires_at=NOW,
        times=resolve_times("released on 11 February 2026", None),
    )
    document = document_of(whole, Vectors(*unit_vectors(2)), body_bytes=5_000)
    assert document.keys() == properties().keys()
    assert tombstone_of(SCOPE, "a", 3).keys() < properties().keys()
    assert body()["mappings"]["dynamic"] == "strict"


def test_every_filter_has_its_field() -> None:
    asked = {*EQUALITIES, *OVERLAPS, "complexity", "confidence", "success_rate", "created_at", "updated_at"}
    assert asked <= properties().keys()
    names = {re.sub(r"^min_|_(after|before)$", "", f.name) for f in fields(Filters)}
    assert (
        names - asked
        == {
            "created",
            "updated",
            "is_approved",
            "is_doubted",
            "pinned",
            "standing",
        }
    )  # the first two lie in instants, the next three are asked of the record store alone, standing of `TRUSTED`


def test_absent_fields_are_left_out() -> None:
    document = document_of(memory(detail={"complexity": 3}), None)
    absent = {
        "context_text",
        "content_vector",
        "context_vector",
        "persona",
        "expires_at",
        "complexity",
        "tags",
    }
    assert absent.isdisjoint(document)


def test_numbers_are_exact() -> None:
    document = document_of(memory(confidence=0.333, relevance_score=0.7, outcome_score=-0.501), None)
    assert (document["confidence"], document["outcome_score"]) == (333, -501)
    assert document["standing"] == 333 * 700
    assert document["created_at"] == round(NOW.timestamp()) * 10**6


def test_hashes_fit_an_integer_and_tell_versions_apart() -> None:
    names = [f"acme#shop#m{n}" for n in range(2_000)]
    assert all(0 <= key_hash(name) < 2**31 for name in names)
    assert len({version_hash(name, 1) for name in names} | {version_hash(name, 2) for name in names}) > 3_990


def test_the_sample_that_the_index_sorts_by_is_the_one_of_the_domain() -> None:
    """The embedded index draws by `sample_place`, this one by a column."""
    for scope, id in ((SCOPE, "m1"), (Scope("a-b", "_shared"), "mem_0f.x")):
        assert document_of(memory(id, scope=scope), None)["key_hash"] == sample_place(id, sample_seed(scope))


def test_bm25_is_the_one_of_the_domain() -> None:
    assert (index.K1, index.B) == (K1, B)


@pytest.mark.parametrize(
    "changed", [{"model": "x"}, {"dimensions": 8}, {"engine": "faiss"}, {"stop_words": []}]
)
def test_name_changes_with_what_documents_depend_on(changed: dict[str, Any]) -> None:
    assert index.index_name(body(), 1) != index.index_name(body(**changed), 1)


def test_name_does_not_change_with_the_size_of_the_domain() -> None:
    name = index.index_name(body(), 12)
    assert name == index.index_name(body(shards=3, replicas=2, stop_words=["a", "the"]), 12)
    assert re.fullmatch(index.NAME_PATTERN, name)
    assert name.endswith("-0012")


def test_faiss_keeps_vectors_as_the_table_does() -> None:
    vector = body(engine="faiss")["mappings"]["properties"]["content_vector"]
    assert vector["method"]["parameters"]["encoder"]["parameters"] == {"type": "fp16"}
    assert (vector["dimension"], vector["method"]["space_type"]) == (16, "innerproduct")


def test_stems_that_the_mapping_names_are_those_of_our_stemmer() -> None:
    rules = body()["settings"]["analysis"]["filter"]["newer_stems"]["rules"]
    stem = Stemmer.Stemmer("english").stemWord
    assert all(stem(word) == given for rule in rules for word, given in _pairs(rule))


def _pairs(rule: str) -> list[tuple[str, str]]:
    words, _, stem = rule.partition(" => ")
    return [(word, stem) for word in words.split(", ")]
