"""Erased words in stored runs: taken out of iterations, objectives and the words that runs are searched by."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from memory_layer.domain.conflicts.sameness import AlikeTexts
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import LABELS_MAX, Memory, Scope
from memory_layer.domain.portability.redacted_version import REDACTED_WORDS
from memory_layer.domain.text.same_words import plain_form
from memory_layer.errors import DamagedRecord
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.run_history import RunHistories, step_without, words_in

FEWEST_WORDS: Final = 4
"""Words that a text of a run has at least, to be a part of an erased one: fewer may be anybody's."""

PAGE: Final = 200

IsErased: TypeAlias = Callable[[str], bool]


def says_any(contents: Collection[str]) -> IsErased:
    """Test of texts that say an erased one: in it, around it, or in almost the same words."""
    forms = [form for form in (f" {plain_form(content)} " for content in contents) if form.strip()]
    alike = AlikeTexts[bool]()
    for content in filter(str.strip, contents):
        alike.add(content, True)

    def is_erased(text: str) -> bool:
        form = f" {plain_form(text)} "
        is_part = len(form.split()) >= FEWEST_WORDS and any(form in erased for erased in forms)
        return is_part or any(erased in form for erased in forms) or alike.find(text) is not None

    return is_erased


def names_entity(urn: str) -> IsErased:
    """Test of texts that name an entity by its URN, and none of which its URN is the beginning."""
    pattern = re.compile(rf"(?<![-:\w]){re.escape(urn)}(?!:?[-\w])", re.IGNORECASE)
    return lambda text: pattern.search(text) is not None


def take_learning_out(ports: Ports, memory: Memory, contents: Collection[str]) -> None:
    """Takes the words of a memory's versions out of the runs that taught it.

    Args:
        memory: as stored; a stub will do.

    Raises:
        VersionConflict: somebody writes the same run all the time; repeat it.
        StoreUnavailable: iterations cannot be read now.
    """
    if not memory.source_runs:
        return
    is_all_named = len(memory.source_runs) < LABELS_MAX
    run_ids = memory.source_runs if is_all_named else _run_ids(ports, memory.scope)
    _take_out(ports, memory.scope, run_ids, says_any(contents))


def take_entity_out(ports: Ports, scope: Scope, urn: str, *, is_dry_run: bool = False) -> int:
    """Takes what names an entity out of all runs of a project, and returns of how many. Raises: as the other."""
    is_erased, run_ids = names_entity(urn), _run_ids(ports, scope)
    if not is_dry_run:
        return _take_out(ports, scope, run_ids, is_erased)
    runs = (ports.store.learnings.run(scope, run_id) for run_id in run_ids)
    histories = RunHistories(ports.blobs, scope)
    return sum(run is not None and _Reading(histories, run, is_erased).is_changed for run in runs)


def _take_out(ports: Ports, scope: Scope, run_ids: Iterable[str], is_erased: IsErased) -> int:
    return sum(
        retry_on_conflict(partial(_take_out_of, ports, scope, run_id, is_erased)) for run_id in run_ids
    )


def _take_out_of(ports: Ports, scope: Scope, run_id: str, is_erased: IsErased) -> bool:
    """Takes erased texts out of one run. Returns: whether it had any."""
    record = ports.store.learnings.run(scope, run_id)
    if record is None:
        return False
    histories = RunHistories(ports.blobs, scope)
    reading = _Reading(histories, record, is_erased)
    if not reading.is_changed:
        histories.forget_others(record)  # what a crash after the commit has left
        return False
    after = reading.written()
    ports.store.writer.commit(Commit(scope=scope, runs=(after,)))
    if after.history != record.history:
        histories.forget_one(run_id, record.history)
    return True


class _Reading:
    """Run as it is read, and what is left of it without the erased texts."""

    def __init__(self, histories: RunHistories, record: RunRecord, is_erased: IsErased) -> None:
        self._histories, self._record = histories, record
        self._objective = REDACTED_WORDS if is_erased(record.objective) else record.objective
        self._words = record.words
        try:
            self._steps = histories.read(record)
        except DamagedRecord:  # nobody can tell which of its words are erased
            self._steps, self._words = None, ()
        self._left = self._steps and [step_without(step, is_erased) for step in self._steps]

    @property
    def is_changed(self) -> bool:
        was = self._record.objective, self._record.words, self._steps
        return was != (self._objective, self._words, self._left)

    def written(self) -> RunRecord:
        """Record of what is left, one version on; its iterations are kept already."""
        record = replace(self._record, objective=self._objective, version=self._record.version + 1)
        if self._left is None:
            return replace(record, words=self._words)
        history = self._histories.keep_steps(record.run_id, self._left)
        return replace(record, history=history, words=words_in(self._objective, self._left))


def _run_ids(ports: Ports, scope: Scope) -> Iterator[str]:
    after: tuple[str, str] | None = None
    while True:
        page = ports.store.learnings.runs(scope, after=after, limit=PAGE)
        yield from (run.run_id for run in page.runs)
        after = page.next_key
        if after is None:
            return
