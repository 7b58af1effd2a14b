"""Measures of recall: abstention by the size of a project, what relevance tells, and where right answers stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tests.bench.judgement.corpus import (
    Corpus,
    Question,
    Sample,
    drawn_projects,
    projects_of_one,
    whole_project,
)
from tests.bench.judgement.judged_product import Judged, JudgedProduct, opened
from tests.bench.judgement.statistics import area_under_curve, calibration_error
from tests.bench.judgement.table import Given, Row, count_of, is_within

TARGETS: Final = {
    "one memory in a project": (3, 10),
    "24 memories": (6, 12),
    "300 to 700": (1, 15),
    "all": (8, 12),
}
"""Per cent of right answers lost, and of foreign questions answered, by size."""
TOP: Final = 5
FIRST_OF_41, TOP_OF_41 = 31, 39
SHOWN_CHARS: Final = 160


@dataclass(frozen=True)
class Asked:
    """Question with its answer. Args: has_right: a sentence of the project answers it."""

    size: str
    question: Question
    has_right: bool
    answer: Judged

    @property
    def is_wrong(self) -> bool:
        """A right answer hidden, or a foreign question answered."""
        return self.answer.abstained is self.has_right


def recalls(given: Given) -> Iterator[Row]:
    """Abstention by size, the relevance of hits pooled over the sizes, and the places of right answers."""
    with opened(given.embedder) as product:
        found = list(_all_asked(product, given))
        whole = whole_project(given.corpus, ())
        product.store("words", whole.texts)
        by_words = [product.recalled("words", question.text, strategy="lexical") for question in whole.asked]
    for size, target in TARGETS.items():
        yield _abstention(size, [one for one in found if one.size == size], target)
    yield from relevance_rows(found)
    yield _places([one for one in found if one.size == "all" and one.has_right], whole.asked, by_words)


def samples(corpus: Corpus, foreign: Sequence[str]) -> Mapping[str, Iterable[Sample]]:
    """Projects by size."""
    return {
        "one memory in a project": projects_of_one(corpus, foreign),
        "24 memories": drawn_projects(corpus, foreign, size=24, count=45, asked=3, each=6),
        "300 to 700": chain.from_iterable(
            drawn_projects(corpus, foreign, size=size, count=4, asked=len(corpus.answerable), each=45)
            for size in (300, 500, 700)
        ),
        "all": [whole_project(corpus, foreign)],
    }


def _all_asked(product: JudgedProduct, given: Given) -> Iterator[Asked]:
    for size, projects in samples(given.corpus, given.foreign).items():
        for project in projects:
            product.store(project.name, project.texts)
            product.backend.drain()
            for question, has_right in chain(
                ((question, True) for question in project.asked),
                ((question, False) for question in project.foreign),
            ):
                yield Asked(size, question, has_right, product.judged(project.name, question.text))


def _abstention(size: str, found: Sequence[Asked], target: tuple[int, int]) -> Row:
    right = [one for one in found if one.has_right]
    foreign = [one for one in found if not one.has_right]
    lost, answered = ([one for one in group if one.is_wrong] for group in (right, foreign))
    return Row(
        f"right answers lost / foreign questions answered: {size}",
        f"{count_of(len(lost), len(right))} / {count_of(len(answered), len(foreign))}",
        f"≤ {target[0]} % / ≤ {target[1]} %",
        {"lost": len(lost), "right": len(right), "answered": len(answered), "foreign": len(foreign)},
        [_judgeable("lost", one) for one in lost] + [_judgeable("answered", one) for one in answered],
        is_within(len(lost), len(right), target[0]) and is_within(len(answered), len(foreign), target[1]),
    )


def _judgeable(what: str, one: Asked) -> dict[str, str]:
    """Question with the best hit for it, a right one where there is one: a person may find the pattern wrong."""
    right = [hit.text for hit in one.answer.hits if one.question.is_answered_by(hit.text)]
    shown = [*right, *(hit.text for hit in one.answer.hits)]
    return {what: one.question.text, "hit": shown[0][:SHOWN_CHARS] if shown else ""}


def relevance_rows(found: Sequence[Asked]) -> Iterator[Row]:
    """Area under the curve of right hits against hits of foreign questions, of the best ones, and calibration.

    An answer that was hidden counts with the hits that it would have, if the product tells them.
    """
    right = [
        [hit.relevance for hit in one.answer.hits if one.question.is_answered_by(hit.text)]
        for one in found
        if one.has_right
    ]
    foreign = [[hit.relevance for hit in one.answer.hits] for one in found if not one.has_right]
    hits = area_under_curve(list(chain(*right)), list(chain(*foreign)))
    best = area_under_curve([max(one) for one in right if one], [max(one) for one in foreign if one])
    first = [(one, one.answer.hits[0]) for one in found if one.answer.hits]
    error = calibration_error(
        [hit.relevance for _, hit in first],
        [one.has_right and one.question.is_answered_by(hit.text) for one, hit in first],
    )
    yield Row(
        "area under the curve, right hits against hits of foreign questions / best hits; calibration error",
        f"{hits:.3f} / {best:.3f}; {error:.3f}",
        "≥ .97 / ≥ .93; ≤ .10",
        {"hits": hits, "best": best, "calibration_error": error, "without_hits": len(found) - len(first)},
        met=hits >= 0.97 and best >= 0.93 and error <= 0.1,
    )


def _places(found: Sequence[Asked], asked: Sequence[Question], by_words: Sequence[Judged]) -> Row:
    first, top = _first_and_top([(one.question, one.answer) for one in found])
    words_first, words_top = _first_and_top(list(zip(asked, by_words, strict=True)))
    lists = [
        {
            "question": one.question.text,
            "first": one.answer.hits[0].text[:SHOWN_CHARS] if one.answer.hits else "",
        }
        for one in found
        if not _is_right_within(one.question, one.answer, TOP)
    ]
    return Row(
        f"answerable: first / in the top {TOP} of {len(found)}",
        f"{first} / {top} (words alone {words_first} / {words_top})",
        "≥ 31 / 39 of 41",
        {"first": first, "top": top, "words_first": words_first, "words_top": words_top, "of": len(found)},
        lists,
        41 * first >= FIRST_OF_41 * len(found) and 41 * top >= TOP_OF_41 * len(found),
    )


def _first_and_top(found: Sequence[tuple[Question, Judged]]) -> tuple[int, int]:
    first, top = (sum(_is_right_within(question, answer, k) for question, answer in found) for k in (1, TOP))
    return first, top


def _is_right_within(question: Question, answer: Judged, k: int) -> bool:
    """An answer that is hidden is in no place."""
    shown = [] if answer.abstained else answer.hits[:k]
    return any(question.is_answered_by(hit.text) for hit in shown)
