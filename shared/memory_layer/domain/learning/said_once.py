"""Learnings of a run in their own words: all that its iterations said and no strategy tells."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from memory_layer.domain.conflicts.sameness import AlikeTexts
from memory_layer.domain.learning.approaches import approach_of
from memory_layer.domain.learning.pooled_counts import LearningCounts, learning_from_evidence
from memory_layer.domain.learning.run import Iteration, Run
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.learning.status_lines import teaches_nothing
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.text.plain_words import one_line
from memory_layer.domain.text.same_words import plain_form

SAID_MAX = 200
"""Learnings taken of one run, the most often said first; of equally often said ones the earliest."""

TEXTS_READ = 1_000
"""Different texts of a run that are read for learnings, in the order of its iterations."""

NUMBERS_MAX = 20
"""Iterations that a learning names."""

APPROACH_WORDS = 10
"""Words up to which a text of an approach in other words says no more than the approach."""


@dataclass(slots=True)
class _Saying:
    """Learning with the iterations that said it; `wording` is the longest of almost the same words."""

    wording: str
    numbers: set[int] = field(default_factory=set)


def learnings_said(run: Run, strategies: Collection[str], echoes: Collection[str] = ()) -> list[Learning]:
    """Lists what the iterations of a run said, whole, once for the same or almost the same words.

    Failed and crashed iterations count: what did not work is worth as much as what did. Statuses and file lists, and
    what a strategy of the run tells already, are left out.

    Args:
        strategies: contents of the run's strategies.
        echoes: learning texts that repeat a recall's answer, which is no evidence.

    Returns:
        At most `SAID_MAX`, in the order in which they were said.
    """
    told = {content.casefold() for content in strategies}
    texts = islice(_texts(run.iterations, frozenset(echoes)), TEXTS_READ)
    sayings = _grouped((text, numbers) for text, numbers in texts if not _is_told(text, told))
    often = sorted(range(len(sayings)), key=lambda place: -len(sayings[place].numbers))[:SAID_MAX]
    return [_learning(run, sayings[place]) for place in sorted(often)]


def _texts(iterations: Iterable[Iteration], echoes: frozenset[str]) -> Iterator[tuple[str, set[int]]]:
    """Yields each text that teaches something, with the numbers of its iterations, in the order of the first."""
    numbers: dict[str, set[int]] = {}
    for iteration in iterations:
        for text in iteration.learnings:
            numbers.setdefault(text, set()).add(iteration.number)
    return (
        (text.strip(), said)
        for text, said in numbers.items()
        if text not in echoes and not teaches_nothing(text)
    )


def _is_told(text: str, strategies: Collection[str]) -> bool:
    """Tells whether a strategy says all of a text: it is that text whole, or names the approach of a short one."""
    approach = (approach_of(text) or "").casefold()
    if approach not in strategies:
        return False
    line = one_line(text).casefold()
    if line.startswith(approach):
        return line == approach
    return len(text.split()) <= APPROACH_WORDS and _DETAIL.search(text) is None


_DETAIL = re.compile(r"[\d`_/=\\]|[a-z][A-Z]")
"""Signs of a number, a name or code, which no approach tells."""


def _grouped(texts: Iterable[tuple[str, set[int]]]) -> list[_Saying]:
    """Joins texts of almost the same words; the longest of them stands."""
    sayings: list[_Saying] = []
    by_form: dict[str, _Saying] = {}
    alike = AlikeTexts[_Saying]()
    for text, numbers in texts:
        form = plain_form(text)
        saying = by_form.get(form) or alike.find(text)
        if saying is None:
            saying = _Saying(text)
            sayings.append(saying)
            alike.add(text, saying)
        elif len(text) > len(saying.wording):
            saying.wording = text
        by_form[form] = saying
        saying.numbers |= numbers
    return sayings


def _learning(run: Run, saying: _Saying) -> Learning:
    verdict = None if run.status == "crashed" else run.outcome
    numbers = sorted(saying.numbers)[:NUMBERS_MAX]
    evidence = LearningCounts(
        type="learning",
        task_type=detect_task_type(run.objective),
        said=saying.wording,
        counts={"iterations": len(saying.numbers), "runs": 1},
        said_in=({"run": run.run_id, "iterations": numbers, "verdict": verdict},),
        source_runs=(run.run_id,),
    )
    return learning_from_evidence(evidence)
