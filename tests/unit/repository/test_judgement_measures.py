"""Measures of the judgement benchmark on figures that can be counted by hand: a wrong one would mislead for long."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from memory_layer.domain.memory import Category
from memory_layer.ports.process import Embedder, word_ranks
from tests.bench.judgement.corpus import (
    Corpus,
    Question,
    drawn_projects,
    projects_of_one,
    read_corpus,
    read_lines,
    read_questions,
    whole_project,
)
from tests.bench.judgement.judged_product import Judged, JudgedHit
from tests.bench.judgement.kept_vectors import KeptVectors
from tests.bench.judgement.pages import page_row
from tests.bench.judgement.recalls import Asked, recalls, relevance_rows
from tests.bench.judgement.statistics import area_under_curve, calibration_error, is_kept_in, words_lost
from tests.bench.judgement.sweeps_and_runs import exact_days, judged_pairs, learnings, swept_pairs
from tests.bench.judgement.table import (
    OWN_LABELS,
    Given,
    Row,
    count_of,
    document_of,
    is_within,
    print_rows,
)
from tests.bench.judgement.writes import (
    as_markdown,
    categories,
    is_told,
    judged_refusals,
    losses,
    refusals,
)
from tests.bench.refusals import kind_of, table_of

TEXTS = (
    "The gateway waits 30 seconds for an answer before it gives up.",
    "Releases are cut from the main branch every second Tuesday.",
    "The cache drops entries that nobody has read for a week.",
    "Passwords are hashed with argon2 and never logged anywhere.",
    "The nightly backup is kept for ninety days in another region.",
    "Feature flags are read once when a worker starts, not later.",
)
QUESTIONS = (
    Question("How long does the gateway wait for an answer?", "30 seconds"),
    Question("When are releases cut?", "second Tuesday"),
    Question("How are passwords hashed?", "ARGON2"),
    Question("What is the capital of France?"),
)
CORPUS = Corpus(TEXTS, QUESTIONS)
FOREIGN = ("Who painted the ceiling of the chapel?", "What did Anna eat for breakfast?")


@pytest.mark.parametrize(
    ("right", "wrong", "area"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1, 0.2], [0.9, 0.8], 0.0),
        ([0.5], [0.5], 0.5),
        ([0.9, 0.3], [0.5, 0.3], 0.625),
        ([0.7, 0.7, 0.2], [0.7, 0.1], 4.0 / 6.0),
    ],
)
def test_area_is_the_chance_that_a_right_one_is_above_a_wrong_one(
    right: list[float], wrong: list[float], area: float
) -> None:
    assert area_under_curve(right, wrong) == pytest.approx(area)
    pairs = [(one > other) + (one == other) / 2 for one in right for other in wrong]
    assert area_under_curve(right, wrong) == pytest.approx(sum(pairs) / len(pairs))


def test_area_of_nothing_is_unknown() -> None:
    assert np.isnan(area_under_curve([], [0.5]))
    assert np.isnan(area_under_curve([0.5], []))


@pytest.mark.parametrize(
    ("said", "held", "error"),
    [
        ([1.0, 1.0], [True, True], 0.0),
        ([1.0, 1.0], [True, False], 0.5),
        ([0.75] * 4, [True, True, True, False], 0.0),
        ([0.95, 0.95, 0.05, 0.05], [False, False, True, True], 0.95),
        ([0.2, 0.9], [False, True], 0.15),
    ],
)
def test_calibration_error_is_the_distance_of_what_is_said_from_what_holds(
    said: list[float], held: list[bool], error: float
) -> None:
    assert calibration_error(said, held) == pytest.approx(error)


def test_words_lost_are_those_that_nothing_kept() -> None:
    assert words_lost("Wait 60 seconds on Windows", "wait 30 seconds") == ["60", "on", "Windows"]
    assert words_lost("Use `--frozen`.", "always use --frozen") == []


def test_a_text_is_kept_word_for_word_whatever_its_markup() -> None:
    assert is_kept_in("Use **uv** to\n  sync", "Never do this: Use uv to sync")
    assert not is_kept_in("Use uv", "Use pip")


def test_a_question_is_answered_by_its_pattern_and_one_without_by_nothing() -> None:
    assert [CORPUS.right(question) for question in QUESTIONS] == [[TEXTS[0]], [TEXTS[1]], [TEXTS[3]], []]
    assert CORPUS.answerable == list(QUESTIONS[:3])


def test_a_project_has_a_right_sentence_for_each_question_and_none_for_a_foreign_one() -> None:
    drawn = [
        *projects_of_one(CORPUS, FOREIGN, each=3),
        *drawn_projects(CORPUS, FOREIGN, size=4, count=5, asked=2, each=3),
        whole_project(CORPUS, FOREIGN),
    ]
    assert [len(project.texts) for project in drawn] == [1, 1, 1, 4, 4, 4, 4, 4, 6]
    for project in drawn:
        for question in project.asked:
            assert any(question.is_answered_by(text) for text in project.texts)
        for question in project.foreign:
            assert not any(question.is_answered_by(text) for text in project.texts)
            assert question.text in (QUESTIONS[3].text, *FOREIGN)


def test_projects_are_the_same_in_every_run() -> None:
    one, other = (list(drawn_projects(CORPUS, FOREIGN, size=4, count=5, asked=2, each=3)) for _ in range(2))
    assert one == other


def test_without_another_subject_the_questions_that_a_project_does_not_answer_are_foreign() -> None:
    (first, *_) = projects_of_one(CORPUS, (), each=9)
    assert {question.text for question in first.foreign} == {question.text for question in QUESTIONS[1:]}


def asked(has_right: bool, *hits: tuple[str, float], abstained: bool = False) -> Asked:
    question = QUESTIONS[0] if has_right else QUESTIONS[3]
    return Asked("all", question, has_right, Judged(abstained, [JudgedHit(*hit) for hit in hits]))


def test_what_is_wrong_is_a_right_answer_hidden_or_a_foreign_question_answered() -> None:
    assert asked(True, abstained=True).is_wrong
    assert asked(False, (TEXTS[1], 0.5)).is_wrong
    assert not asked(True, (TEXTS[0], 0.5)).is_wrong
    assert not asked(False, abstained=True).is_wrong


def test_right_hits_are_held_against_all_hits_of_foreign_questions() -> None:
    """The wrong hits of an answerable question count for neither."""
    found = [
        asked(True, (TEXTS[0], 0.8), (TEXTS[1], 0.9)),
        asked(False, (TEXTS[1], 0.85), (TEXTS[2], 0.1)),
    ]
    (row,) = relevance_rows(found)
    assert row.figures["hits"] == pytest.approx(0.5)
    assert row.figures["best"] == pytest.approx(0.0)
    assert row.figures["calibration_error"] == pytest.approx((0.8 + 0.85 - 1) / 2)


def test_refusals_are_counted_by_their_verdicts_in_either_order() -> None:
    refused = [{"text": "a", "known": "b"}, {"text": "c", "known": "d"}, {"text": "e", "known": "f"}]
    verdicts = [
        {"text": "b", "known": "a", "verdict": "distinct"},
        {"text": "c", "known": "d", "verdict": "same"},
    ]
    assert judged_refusals(refused, verdicts) == {"same": 1, "distinct": 1, "unknown": 1}


def test_pairs_are_judged_by_their_labels_and_those_without_are_told_apart() -> None:
    labelled = [
        {"a": "a", "b": "b", "kind": "contradiction"},
        {"a": "c", "b": "d", "kind": "contradiction"},
        {"a": "e", "b": "f", "kind": "neither"},
    ]
    found = [{"a": "b", "b": "a"}, {"a": "e", "b": "f"}, {"a": "a", "b": "f"}]
    judged = judged_pairs(found, labelled, "contradiction")
    assert judged == {"right": 1, "wrong": 1, "unlabelled": 1, "all": 2, "precision": 0.5}


@pytest.mark.parametrize(
    ("plain", "references", "is_met"), [(0.7, 0.05, True), (0.9, 0.05, False), (0.7, 0.07, False)]
)
def test_pages_are_held_against_top_k_with_ids(plain: float, references: float, is_met: bool) -> None:
    runs = {
        "top-k, bare lines": {"500": {"coverage": 0.9}},
        "top-k, lines with ids": {"500": {"coverage": plain}},
        "assembled": {"500": {"coverage": 0.8, "references": references}},
    }
    row = page_row({"questions": 3, "runs": runs})
    assert row.measured == f".800 against .{plain * 1000:.0f}; references {100 * references:.1f} % at most"
    assert row.met == is_met


def test_a_count_has_its_share() -> None:
    assert (count_of(12, 96), count_of(0, 0)) == ("12 of 96 (12.5 %)", "0 of 0")


class CountingEmbedder:
    """Embedder that counts what it embeds."""

    model, dimensions = "counting", 4

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return np.array([[len(text), 1.0, 0.0, 0.0] for text in texts], np.float32)


def test_vectors_are_made_once_and_kept(tmp_path: Path) -> None:
    model = CountingEmbedder()
    kept = KeptVectors(model, tmp_path)
    first = kept.embed(["one", "three", "one"])
    kept.keep()
    again = KeptVectors(model, tmp_path)
    assert np.array_equal(again.embed(["one", "three", "one"]), first)
    assert model.embedded == ["one", "three"]


def test_words_weigh_with_kept_vectors_as_they_weigh_in_the_product(
    embedder: Embedder, tmp_path: Path
) -> None:
    """Falls where the ranks of words are lost behind the kept vectors, and a question's `the` weighs as its noun."""
    kept = KeptVectors(embedder, tmp_path)
    kept.embed(["One."])
    kept.keep()
    embedder.embed(["Loads the model."])
    rank = KeptVectors(embedder, tmp_path).rank("release")
    assert rank is not None
    assert rank == word_ranks(embedder)("release")


def test_a_folder_is_read_with_each_text_once(tmp_path: Path) -> None:
    facts = [{"text": "One."}, {"text": "Two."}, {"text": "One."}]
    questions = [{"question": "Which?", "right": "one"}, {"question": "Why?"}]
    for name, lines in (("facts", facts), ("questions", questions)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    corpus = read_corpus(tmp_path)
    assert list(corpus.texts) == ["One.", "Two."]
    assert [question.text for question in corpus.answerable] == ["Which?"]
    with pytest.raises(SystemExit, match=r"no facts\.jsonl"):
        read_corpus(tmp_path / "elsewhere")


def test_every_measure_runs_on_a_small_corpus_and_says_what_it_was_not_given(embedder: Embedder) -> None:
    given = Given(corpus=CORPUS, embedder=KeptVectors(embedder), foreign=FOREIGN)
    rows = [
        row
        for measure in (recalls, refusals, losses, swept_pairs, learnings, categories, exact_days)
        for row in measure(given)
    ]
    figures = {
        row.measure.partition(":")[0] if "lost /" not in row.measure else row.measure: row for row in rows
    }
    assert document_of(rows)
    assert figures["right answers lost / foreign questions answered: all"].figures == {
        "lost": 0,
        "right": 3,
        "answered": 0,
        "foreign": 3,
    }
    assert figures["answerable"].figures["first"] == 3
    assert figures["distinct facts refused as known (6 creates)"].figures["refused"] == 0
    assert figures["facts lost by import"].figures == {"unlisted": 0, "lines": 6, "stored": 6}
    assert figures["learnings said once in a run"].figures["of"] == 3
    days = figures["exact-day questions whose page holds the right day (LoCoMo)"]
    assert (days.measured[:12], days.met) == ("not measured", None)
    others = {name: row.met for name, row in figures.items() if row is not days}
    assert None not in others.values(), others
    assert others["facts lost by import"]


def test_a_target_is_met_by_the_share_and_not_beyond() -> None:
    assert is_within(1, 100, 1)
    assert not is_within(2, 100, 1)
    assert is_within(0, 0, 1)


@pytest.mark.parametrize("met", [True, False, None])
def test_the_table_says_of_each_row_if_its_target_is_met(met: bool | None) -> None:
    console = Console(width=120, record=True, file=StringIO())
    print_rows([Row("facts lost", "3", "0", met=met)], console)
    assert {True: "yes", False: "no", None: "\u2013"}[met] in console.export_text()


def test_labels_of_our_own_come_with_the_measures() -> None:
    pairs, lines = (read_lines(OWN_LABELS / name) for name in ("natural.jsonl", "categories.jsonl"))
    kinds = Counter(line["kind"] for line in pairs)
    assert (kinds["contradiction"], kinds["paraphrase"]) == (30, 9)
    assert {line["category"] for line in lines} == set(get_args(Category))
    assert len(read_questions(OWN_LABELS, 60)) == 40


def test_a_line_is_told_by_its_number_or_its_words() -> None:
    told = "line 4 is known already as mem_1\nline 51: too long\nskipped: Use uv to sync"
    assert is_told(4, "anything", told)
    assert is_told(51, "anything", told)
    assert is_told(9, "Use **uv** to sync", told)
    assert not is_told(5, "Use pip", told)


def test_the_lines_of_a_corpus_are_a_list_of_one_line_each() -> None:
    assert as_markdown(["1. One\n  two.", "Three."]) == "# Facts\n\n- One two.\n- Three.\n"


def test_the_table_of_near_texts_tells_what_became_of_each_in_none_of_its_words() -> None:
    how = "this says 9 where the known one says 3"
    decision = {"outcome": "similar", "similarity": 0.97, "how": how, "new": "Wait 9 s", "known": "Wait 3 s"}
    page = table_of([decision], 2)
    assert "| 1 | 0.970 | a number or a name with one | stored, the near one named |" in page
    assert "Wait" not in page


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("says the same", "none but marks"),
        ("this affirms what the known one denies", "a negation"),
        ("this does not say --all, which the known one says", "a flag"),
        ('this says "always", which the known one does not say', "more, or less, is said"),
        ('this says "on" where the known one says "under"', "other words"),
        ("this says Define where the known one says Create", "a name"),
    ],
)
def test_a_difference_has_a_kind(how: str, kind: str) -> None:
    assert kind_of(how) == kind
