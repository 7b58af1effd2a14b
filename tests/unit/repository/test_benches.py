"""What is run by hand alone still runs: every benchmark finds what it is made of."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from memory_layer.domain.text.synonyms import expanded
from tests import bench
from tests.bench import sections
from tests.bench.corpus import Corpus
from tests.bench.data_folder import load_corpus
from tests.bench.peers.dataset import Dataset, GivenVectors
from tests.bench.plan import ROWS
from tests.bench.poison.control import undefended
from tests.bench.poison.tallies import judged, shares
from tests.bench.questions import load_sample
from tests.bench.random_queries import STRATEGIES, random_queries
from tests.bench.same_answers import answers, difference
from tests.bench.vectors import LookupEmbedder, SeedVectors, unit
from tests.given import SCOPE, a_memory

NAMES = sorted(path.stem for path in Path(bench.__path__[0]).glob("*.py") if path.stem != "__init__")
NAMES += sorted(
    f"{folder.replace('/', '.')}.{path.stem}"
    for folder in ("judgement", "poison", "poison.families")
    for path in Path(bench.__path__[0], *folder.split(".")).glob("*.py")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_loaded(name: str) -> None:
    assert import_module(f"tests.bench.{name}").__doc__


NOUNS, VERBS = ("server", "parser", "cache"), ("restarts", "fails", "waits", "logs")
TIMES = ("night at two", "hour on the hour", "time a token expires", "Monday in the morning")
TEXTS = [f"the {noun} {verb} every {time}" for noun in NOUNS for verb in VERBS for time in TIMES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with forty memories, as benchmarks load it, without a model."""
    vectors = unit(np.random.default_rng(1).standard_normal((len(TEXTS), 384)).astype(np.float32))
    place = tmp_path_factory.mktemp("corpus")
    load_corpus(Corpus(40, 1, TEXTS, SeedVectors.of(vectors)), place)
    return place


@pytest.mark.parametrize(
    "section", ["recall", "after_write", "context", "prompt", "stats", "graph", "memory"]
)
def test_a_section_finds_the_figures_that_the_table_shows(
    section: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sections, "process_memory", lambda: {"RssAnon": 0, "RssFile": 0})
    monkeypatch.setattr("gc.freeze", lambda: None)
    found = sections.SECTIONS[section](str(folder), 2)
    wanted = {figure for row in ROWS if row.section == section for figure in row.figures}
    assert wanted <= found.keys()


def test_a_question_has_its_vector_also_with_what_its_short_forms_stand_for() -> None:
    """Falls where a given vector is looked up by the whole text: the comparison with other products ended there."""
    questions, vectors = ["which config has no default?"], np.eye(1, 384, dtype=np.float32)
    said = expanded(questions[0], {})
    assert said != questions[0]
    given = GivenVectors(Dataset([], np.empty((0, 384), np.float32), questions, vectors), "given")
    looked_up = LookupEmbedder("given", dict(zip(questions, vectors, strict=True)), np.ones((4, 384)))
    assert given.embed([said]).tolist() == looked_up.embed([said]).tolist() == vectors.tolist()


def test_random_queries_of_every_strategy_are_answered(folder: Path) -> None:
    queries = random_queries(load_sample(folder), 60, seed=1)
    (folder / "queries.json").write_text(json.dumps(queries))
    answered = answers(str(folder))["answers"]
    assert {query["body"].get("strategy") for query in queries} == {*STRATEGIES, None}
    assert not any("problem" in answer for answer in answered)
    assert any(answer["hits"] for answer in answered)


HITS = [["a", 0.9], ["b", 0.8]]


@pytest.mark.parametrize(
    ("hits", "kind"),
    [
        (HITS, None),
        ([["b", 0.9], ["a", 0.8]], "other places among tied scores"),
        ([["b", 0.95], ["a", 0.8]], "the same members in another order"),
        ([["a", 0.9], ["c", 0.7]], "other members"),
        ([["a", 0.9]], "more or fewer members"),
    ],
)
def test_a_difference_of_answers_has_a_kind(hits: list[list[object]], kind: str | None) -> None:
    assert difference({"hits": HITS, "degraded": False}, {"hits": hits, "degraded": False}) == kind


def test_another_flag_is_a_difference_also_where_the_hits_are_equal() -> None:
    told = difference({"hits": HITS, "degraded": False}, {"hits": HITS, "degraded": True})
    assert told == "another flag: degraded"


def test_the_control_of_attacks_takes_standing_out_and_puts_it_back() -> None:
    """Falls where a safeguard has another name: then the control would be defended by it."""
    said = a_memory(SCOPE, source="human")
    with undefended():
        assert not said.is_trusted
    assert said.is_trusted


def test_what_is_right_without_an_attack_can_be_lost_by_one() -> None:
    benign = [
        judged(0, ["right", "other"], "right", set(), set()),
        judged(1, ["other"], "right", set(), set()),
    ]
    under = [
        judged(0, ["lie", "other"], "right", {"lie", "far"}, {"lie"}),
        judged(1, ["far", "right"], "right", {"lie", "far"}, {"lie"}),
    ]
    told = shares(under, benign)
    assert (told.hostile_first, told.own, told.lost) == (1.0, 0.1, 0.5)
    assert not told.is_met


def test_a_memory_whose_words_were_taken_over_is_right_no_more() -> None:
    taken = judged(0, ["right"], "right", {"right"}, {"right"})
    assert (taken.hostile_first, taken.right_first, taken.right_near) == (True, False, False)
