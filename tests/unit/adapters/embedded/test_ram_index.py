"""The RAM index of one project against what it stands for: naive BM25, exact cosines, `Filters.accept`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.adapters.project_index import int8_scan
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.adapters.project_index.project_view import ProjectQuery, TextField
from memory_layer.adapters.project_index.top_k import best_positions
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, as_of_now, searchable_text
from memory_layer.domain.text.analyzer import analyze, term_hash
from tests.index_examples import DIMENSIONS, NOW, SCOPE, index_rows, memory, unit_vectors
from tests.single_rows import Lists, lists_of

EVERYONE = Viewer(sees_all_personas=True)
WORDS = ("wal", "cache", "index", "lock", "retry", "timeout", "queue", "shard", "vector", "token")


class Project:
    """A project index beside a plain dictionary of what it must hold."""

    def __init__(self) -> None:
        self.index = ProjectIndex(SCOPE, DIMENSIONS)
        self.records: dict[int, Memory] = {}
        self.vectors: dict[TextField, dict[int, NDArray[np.float32]]] = {"content": {}, "context": {}}

    def put(
        self, keyed: Mapping[int, Memory], vectors: Mapping[int, NDArray[np.float32]] | None = None
    ) -> None:
        self.records |= keyed
        self.vectors["content"] |= vectors or {}
        self.vectors["context"] |= {
            key: np.roll(vector, 1) for key, vector in (vectors or {}).items() if keyed[key].context
        }
        content, context = (
            [self.vectors[field].get(key) for key in keyed] for field in ("content", "context")
        )
        self.index.put(index_rows(list(keyed.items()), content, context))

    def remove(self, *keys: int) -> None:
        for key in keys:
            self.records.pop(key, None)
            self.vectors["content"].pop(key, None)
            self.vectors["context"].pop(key, None)
        self.index.remove(keys)

    def search(self, text: str | None = None, **given: Any) -> Lists:
        terms = None if text is None else Counter(map(term_hash, analyze(text)))
        asked: dict[str, Any] = {
            "terms": terms,
            "vector": None,
            "filters": Filters(),
            "viewer": EVERYONE,
            "now": NOW,
            "k": 1_000,
        }
        return lists_of(self.index.scan(ProjectQuery(**asked | given)).candidates())

    def ids(self, filters: Filters, viewer: Viewer = EVERYONE, now: datetime = NOW) -> set[str]:
        return {id for _, id in self.standing(filters, viewer, now, 1_000)}

    def standing(self, filters: Filters, viewer: Viewer, now: datetime, k: int) -> list[tuple[int, str]]:
        records, standings = self.index.standing(filters, viewer, now, k)
        return list(zip(standings.tolist(), (ref.id for ref in records.refs()), strict=True))


def naive_bm25(texts: Mapping[str, str], query: str) -> dict[str, float]:
    """Robertson's formula, as written."""
    counted = {id: Counter(analyze(text)) for id, text in texts.items() if analyze(text)}
    if not counted:
        return {}
    average = sum(terms.total() for terms in counted.values()) / len(counted)
    scores: defaultdict[str, float] = defaultdict(float)
    for term in analyze(query):
        n = sum(term in terms for terms in counted.values())
        idf = math.log(1 + (len(counted) - n + 0.5) / (n + 0.5))
        for id, terms in counted.items():
            if term in terms:
                tf = terms[term]
                scores[id] += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * terms.total() / average))
    return dict(scores)


texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@given(st.lists(st.lists(texts, min_size=1, max_size=5), min_size=1, max_size=8), texts, st.data())
@settings(deadline=None)
def test_bm25_equals_the_formula_after_any_appends_and_removals(
    batches: list[list[str]], query: str, data: st.DataObject
) -> None:
    project, key = Project(), 0
    for batch in batches:
        added = {key + n: memory(f"m{key + n}", text or "-") for n, text in enumerate(batch)}
        project.put(added)
        project.search(query)  # so that every batch becomes a segment
        key += len(batch)
    gone = data.draw(st.sets(st.sampled_from(sorted(project.records)), max_size=3))
    project.remove(*gone)
    expected = naive_bm25({m.id: m.content for m in project.records.values()}, query)
    assert project.search(query).content_lexical == pytest.approx(expected, rel=1e-5)


def test_context_field_has_statistics_of_its_own() -> None:
    project = Project()
    project.put(
        {
            1: memory("a", "wal mode", context="cache and lock"),
            2: memory("b", "lock order", context="wal"),
            3: memory("c", "lock"),
        }
    )
    arms = project.search("lock wal")
    contexts = {
        m.id: text for m in project.records.values() if (text := searchable_text(m.content, m.context))
    }
    assert arms.context_lexical == pytest.approx(naive_bm25(contexts, "lock wal"), rel=1e-5)
    assert set(arms.content_lexical) == {"a", "b", "c"}
    assert project.search("lock wal", content_only=True).context_lexical == {}


def test_query_terms_count_as_often_as_they_are_said() -> None:
    project = Project()
    project.put({1: memory("a", "wal"), 2: memory("b", "cache")})
    assert project.search("wal wal").content_lexical["a"] == 2 * project.search("wal").content_lexical["a"]


@pytest.mark.parametrize("share_accepted", [1.0, 0.5, 0.001])
@pytest.mark.parametrize("size", [500, 20_000])
def test_best_positions_are_those_of_a_full_sort(size: int, share_accepted: float) -> None:
    random = np.random.default_rng(size)
    scores = random.integers(0, size, size).astype(np.float32)
    accepted = random.random(size) < share_accepted
    found = best_positions(scores, accepted, 50, above=0.0)
    ranked = np.sort(scores[accepted & (scores > 0)])[::-1]
    assert accepted[found].all()
    assert np.sort(scores[found])[::-1][:50].tolist() == ranked[:50].tolist()
    assert len(found) <= 50 or scores[found].min() == ranked[49]


@pytest.mark.parametrize("scanner", ["simsimd", "blocks", "numpy"])
def test_cosines_are_exact_and_the_nearest_are_found(scanner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if scanner == "numpy":
        monkeypatch.setattr(int8_scan, "simsimd", None)
    if scanner == "blocks":
        monkeypatch.setattr(int8_scan, "BLOCK_ROWS", 256)
    project, vectors = Project(), unit_vectors(3_000)
    project.put({n: memory(f"m{n}", context="c") for n in range(3_000)}, dict(enumerate(vectors)))
    query = unit_vectors(1, seed=9)[0]
    arms = project.search(vector=query, k=10)
    for found, exact in (
        (arms.content_semantic, vectors),
        (arms.context_semantic, np.roll(vectors, 1, axis=1)),
    ):
        cosines = exact.astype(np.float16).astype(np.float32) @ query
        best = np.argsort(-cosines)[:10]
        assert list(found) == [f"m{n}" for n in best]
        assert list(found.values()) == pytest.approx(cosines[best].tolist(), abs=1e-6)


@pytest.mark.parametrize("nearer_than", [0.2, 0.5, 0.91])
def test_what_is_not_near_is_left_out(nearer_than: float) -> None:
    """What is near is found as without the bound, to the last digit."""
    project, vectors = Project(), unit_vectors(2_000)
    project.put({n: memory(f"m{n}") for n in range(2_000)}, dict(enumerate(vectors)))
    everything = project.search(vector=vectors[0], k=50).content_semantic
    found = project.search(vector=vectors[0], k=50, nearer_than=nearer_than).content_semantic
    near = {id: cosine for id, cosine in everything.items() if cosine > nearer_than}
    assert near
    assert {id: cosine for id, cosine in found.items() if cosine > nearer_than} == near
    assert found == near


def test_few_accepted_are_picked_out_before_the_scan() -> None:
    project, vectors = Project(), unit_vectors(2_000)
    tagged = {n: memory(f"m{n}", tags=("t",) if n % 100 == 7 else ()) for n in range(2_000)}
    project.put(tagged, dict(enumerate(vectors)))
    found = project.search(vector=vectors[0], filters=Filters(tags=("t",)), k=3).content_semantic
    assert list(found) == [
        f"m{n}" for n in sorted(range(7, 2_000, 100), key=lambda n: -vectors[n] @ vectors[0])[:3]
    ]


def test_records_without_a_vector_are_in_no_semantic_arm() -> None:
    project = Project()
    project.put({1: memory("with"), 2: memory("without")}, {1: unit_vectors(1)[0]})
    arms = project.search(vector=unit_vectors(1)[0])
    assert list(arms.content_semantic) == ["with"]
    assert arms.context_semantic == {}


def test_equal_scores_are_ordered_and_cut_by_key() -> None:
    project = Project()
    project.put({key: memory(f"m{key}", "wal") for key in (7, 3, 9, 1)})
    assert list(project.search("wal", k=3).content_lexical) == ["m1", "m3", "m7"]


thousandths = st.integers(0, 1_000).map(lambda n: n / 1_000)
moments = st.integers(-3, 3).map(lambda hours: NOW + timedelta(hours=hours, microseconds=hours))
names = st.sampled_from(["ada", "bob", "eve"])
some_names = st.lists(names, max_size=2, unique=True).map(tuple)
memories = st.builds(
    memory,
    type=st.sampled_from(["pattern", "warning"]),
    task_type=st.sampled_from([None, "feature"]),
    detail=st.sampled_from([{}, {"complexity": "high"}, {"complexity": 3}]),
    session_id=st.none() | names,
    created_by=names,
    persona=st.none() | names,
    tags=some_names,
    entities=some_names,
    confidence=thousandths,
    success_rate=st.none() | thousandths,
    outcome_score=st.integers(-1_000, 1_000).map(lambda n: n / 1_000),
    status=st.sampled_from(["active", "stale", "archived", "rejected"]),
    expires_at=st.none() | moments,
    created_at=moments,
    updated_at=moments,
)
filters = st.builds(
    Filters,
    type=st.sampled_from([(), ("warning",), ("warning", "nonsense")]),
    task_type=st.sampled_from([(), ("feature",)]),
    status=st.sampled_from([(), ("active",), ("active", "stale"), ("archived",), ("rejected", "stale")]),
    persona=some_names,
    created_by=some_names,
    session_id=some_names,
    complexity=st.sampled_from([(), ("high",), ("3",)]),
    tags=some_names,
    entities=some_names,
    min_confidence=st.none() | thousandths | st.floats(0, 1),
    min_success_rate=st.none() | thousandths,
    created_after=st.none() | moments,
    created_before=st.none() | moments,
    updated_after=st.none() | moments,
    updated_before=st.none() | moments,
)
viewers = st.builds(Viewer, personas=st.frozensets(names, max_size=3), sees_all_personas=st.booleans())


def accepted(records: Mapping[int, Memory], asked: Filters, viewer: Viewer, now: datetime) -> set[str]:
    return {
        m.id
        for m in (as_of_now(m, now) for m in records.values())
        if asked.accept(m)
        and viewer.may_see(m.persona)
        and (asked.status != ("active",) or m.outcome_score >= -0.5)
    }


@given(st.lists(memories, min_size=1, max_size=12), filters, viewers, moments, moments)
@settings(deadline=None)
def test_masks_equal_the_domains_filters_at_every_moment(
    drawn: list[Memory], asked: Filters, viewer: Viewer, now: datetime, later: datetime
) -> None:
    project = Project()
    project.put({n: replace(m, id=f"m{n}") for n, m in enumerate(drawn)})
    for moment in (now, later, now):
        assert project.ids(asked, viewer, moment) == accepted(project.records, asked, viewer, moment)


operations = st.lists(st.tuples(st.integers(0, 5), st.none() | st.tuples(texts, memories)), max_size=12)


@given(operations, filters, texts)
@settings(deadline=None)
def test_any_order_of_writes_ends_in_the_same_answers(
    writes: list[tuple[int, tuple[str, Memory] | None]], asked: Filters, query: str
) -> None:
    project = Project()
    for key, written in writes:
        if written is None:
            project.remove(key)
        else:
            project.put({key: replace(written[1], id=f"m{key}", content=written[0] or "-")})
    assert project.ids(asked) == accepted(project.records, asked, EVERYONE, NOW)
    everything = project.search(query, filters=Filters(status=())).content_lexical
    expected = naive_bm25({m.id: m.content for m in project.records.values()}, query)
    assert everything == pytest.approx(expected, rel=1e-5)
    assert project.index.labels("tags") == {tag for m in project.records.values() for tag in m.tags}
    assert len(project.index) == len(project.records)


def test_unchanged_text_changes_in_place_and_changed_text_moves() -> None:
    project, vector = Project(), unit_vectors(2)
    project.put({1: memory("a", "wal", tags=("x",))}, {1: vector[0]})
    size = project.index.nbytes
    project.put({1: memory("a", "wal", tags=("y",), status="stale")}, {1: vector[0]})
    assert project.index.nbytes < size + 50
    assert project.search("wal", filters=Filters(status=("stale",), tags=("y",))).content_lexical
    project.put({1: memory("a", "cache")}, {1: vector[1]})
    assert not project.search("wal").content_lexical
    assert project.search("cache", vector=vector[1]).content_semantic["a"] == pytest.approx(1, abs=0.01)


def test_dead_slots_are_squeezed_out_and_nothing_else_changes() -> None:
    project, vectors = Project(), unit_vectors(3_000)
    every = {n: memory(f"m{n}", f"wal w{n} c{n % 7}", context="c", tags=(f"t{n}",)) for n in range(3_000)}
    project.put(every, dict(enumerate(vectors)))
    before = project.index.nbytes
    project.remove(*range(0, 3_000, 3))
    project.remove(*range(1, 3_000, 3))
    assert len(project.index) == 1_000
    assert project.index.nbytes < 0.6 * before
    found = project.search("w2999 c3", vector=vectors[2], k=5)
    expected = naive_bm25({m.id: m.content for m in project.records.values()}, "w2999 c3")
    assert found.content_lexical == pytest.approx(
        {id: expected[id] for id in found.content_lexical}, rel=1e-5
    )
    assert next(iter(found.content_lexical)) == "m2999"
    assert next(iter(found.content_semantic)) == "m2"
    assert project.index.labels("tags") == {f"t{n}" for n in range(2, 3_000, 3)}
    project.put({2: replace(every[2], tags=("new",))}, {2: vectors[2]})
    assert project.ids(Filters(tags=("new",))) == {"m2"}


def test_standing_is_by_confidence_times_relevance_and_ties_by_id() -> None:
    project = Project()
    ids = ["b", "a", "mem_0002", "mem_0001", "mem_00010", "é"]
    project.put({n: memory(id, confidence=0.5) for n, id in enumerate(ids)})
    project.put({90: memory("top", confidence=0.9, relevance_score=0.6), 91: memory("low", confidence=0.4)})
    ranked = project.standing(Filters(), EVERYONE, NOW, 20)
    assert [id for _, id in ranked] == ["top", *sorted(ids), "low"]
    assert ranked[0] == (540_000, "top")
    for k in range(1, 9):
        assert project.standing(Filters(), EVERYONE, NOW, k) == ranked[:k]


def test_standing_is_that_of_now_whatever_was_kept() -> None:
    """Falls where the slots in the best standing are kept beyond a change, a removal, an expiry or another viewer."""
    project = Project()
    ends = memory("ends", confidence=0.9, expires_at=NOW + timedelta(days=1))
    project.put({0: ends, 1: memory("own", confidence=0.8, persona="coder"), 2: memory("m", confidence=0.7)})
    project.put({3: memory("last", confidence=0.1)})

    def best(viewer: Viewer = EVERYONE, now: datetime = NOW, k: int = 2) -> list[str]:
        return [id for _, id in project.standing(Filters(), viewer, now, k)]

    assert best() == best() == ["ends", "own"]
    assert best(viewer=Viewer()) == ["ends", "m"]
    assert best(now=NOW + timedelta(days=2)) == ["own", "m"]
    assert best(k=1) == ["ends"]
    project.put({3: memory("last", confidence=0.85)})
    assert best() == ["ends", "last"]
    project.remove(0)
    assert best() == ["last", "own"]


def test_searches_beside_a_writer_see_whole_records() -> None:
    """Without the view taken under the lock, slots outrun the mask and this fails with an IndexError."""
    project, vectors = Project(), unit_vectors(4_000)

    def write() -> None:
        for n in range(0, 4_000, 4):
            project.put(
                {n + i: memory(f"m{n + i}", f"wal {n}") for i in range(4)},
                dict.fromkeys(range(n, n + 4), vectors[n]),
            )
            project.remove(n)

    def read() -> None:
        for n in range(300):
            arms = project.search("wal", vector=vectors[n], k=20)
            assert len(arms.content_lexical) <= 20
            assert set(arms.content_lexical) <= {f"m{i}" for i in range(4_000)}

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(write), *(pool.submit(read) for _ in range(3))]
        for job in jobs:
            job.result()
    assert len(project.index) == 3_000
