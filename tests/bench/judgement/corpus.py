"""Corpus of a folder: sentences, questions with the pattern of a right answer, and projects drawn from both."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

RIGHT_MAX = 3
"""Right sentences of one question that make a project of one."""


@dataclass(frozen=True)
class Question:
    """Question. Args: pattern: of a right answer, case ignored; None: nothing answers it."""

    text: str
    pattern: str | None = None

    @cached_property
    def _right(self) -> re.Pattern[str] | None:
        return None if self.pattern is None else re.compile(self.pattern, re.IGNORECASE)

    def is_answered_by(self, text: str) -> bool:
        return self._right is not None and self._right.search(text) is not None


@dataclass(frozen=True)
class Corpus:
    """Distinct sentences of a folder, and its questions."""

    texts: Sequence[str]
    questions: Sequence[Question]

    @property
    def answerable(self) -> list[Question]:
        """Questions that a sentence answers."""
        return [question for question in self.questions if self.right(question)]

    def right(self, question: Question) -> list[str]:
        """Sentences that answer one of the questions."""
        return self._right_by_question[question]

    @cached_property
    def _right_by_question(self) -> Mapping[Question, list[str]]:
        return {
            question: [text for text in self.texts if question.is_answered_by(text)]
            for question in self.questions
        }


@dataclass(frozen=True)
class Sample:
    """Project drawn from a corpus.

    Args:
        asked: questions that a sentence of it answers.
        foreign: questions that none answers.
    """

    name: str
    texts: Sequence[str]
    asked: Sequence[Question]
    foreign: Sequence[Question]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_corpus(folder: Path) -> Corpus:
    """Corpus of facts.jsonl (`text`) and questions.jsonl (`question`, `right`).

    Raises:
        SystemExit: a file is missing.
    """
    for name in ("facts.jsonl", "questions.jsonl"):
        if not (folder / name).exists():
            raise SystemExit(f"{folder} has no {name}; name a folder with facts.jsonl and questions.jsonl")
    texts = dict.fromkeys(line["text"] for line in read_lines(folder / "facts.jsonl"))
    asked = [Question(line["question"], line.get("right")) for line in read_lines(folder / "questions.jsonl")]
    return Corpus(list(texts), asked)


def read_questions(folder: Path, count: int, seed: int = 5) -> list[str]:
    """So many questions of another folder's questions.jsonl, drawn by a seed."""
    found = [line["question"] for line in read_lines(folder / "questions.jsonl")]
    return random.Random(seed).sample(found, min(count, len(found)))


def projects_of_one(corpus: Corpus, foreign: Sequence[str], each: int = 12) -> Iterator[Sample]:
    """A project for each of up to three right sentences of a question. Args: each: foreign questions of each."""
    randomness = random.Random(1)
    for question in corpus.answerable:
        right = corpus.right(question)
        for text in randomness.sample(right, min(RIGHT_MAX, len(right))):
            yield _sample(corpus, [text], [question], foreign, each, randomness)


def drawn_projects(
    corpus: Corpus,
    foreign: Sequence[str],
    *,
    size: int,
    count: int,
    asked: int,
    each: int,
    seed: int = 2,
) -> Iterator[Sample]:
    """Projects of so many sentences, each with a right one for some questions.

    Args:
        asked: questions of each, whose right sentence is put in.
        each: foreign questions of each.
    """
    randomness = random.Random(f"{seed} {size}")
    for _ in range(count):
        answerable = corpus.answerable
        chosen = randomness.sample(answerable, min(asked, len(answerable)))
        texts = dict.fromkeys(randomness.choice(corpus.right(question)) for question in chosen)
        others = [text for text in corpus.texts if text not in texts]
        wanted = min(max(0, size - len(texts)), len(others))
        texts |= dict.fromkeys(randomness.sample(others, wanted))
        yield _sample(corpus, list(texts), chosen, foreign, each, randomness)


def whole_project(corpus: Corpus, foreign: Sequence[str]) -> Sample:
    """All sentences, and all questions."""
    return _sample(
        corpus,
        corpus.texts,
        corpus.answerable,
        foreign,
        len(foreign) + len(corpus.questions),
        random.Random(3),
    )


def _sample(
    corpus: Corpus,
    texts: Sequence[str],
    asked: Sequence[Question],
    foreign: Sequence[str],
    each: int,
    randomness: random.Random,
) -> Sample:
    """Foreign are the corpus's questions that nothing answers, and those of another subject; where none are given, the
    corpus's other questions that no sentence of the project answers."""
    own = [question for question in corpus.questions if question.pattern is None or not foreign]
    inside = [question for question in own if not any(question.is_answered_by(text) for text in texts)]
    others = [*inside, *map(Question, foreign)]
    drawn = randomness.sample(others, min(each, len(others)))
    return Sample(f"p{randomness.getrandbits(60):x}", texts, asked, drawn)
