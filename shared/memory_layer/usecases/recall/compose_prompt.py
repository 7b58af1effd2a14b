"""Memories section of a prompt: governing memories, and among them those that are relevant to the task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from memory_layer.domain import ranking
from memory_layer.domain.access import Principal
from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.prompt import render_memories
from memory_layer.domain.retrieval.blending import blend
from memory_layer.domain.retrieval.candidates import RecordTable, Rows, joined, table_of_refs
from memory_layer.domain.retrieval.facts import is_trusted
from memory_layer.domain.scope_tags import KnownTags, WriteScope, known_paths
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.domain.text.line_order import vouched_place
from memory_layer.domain.text.same_words import telling_words
from memory_layer.domain.text.section_headings import lines_left_out
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Ports, layout_of
from memory_layer.usecases.recall import prompt_candidates
from memory_layer.usecases.recall.find_candidates import (
    NO_INDEX,
    CandidateSearch,
    embedded,
    find_candidates,
    newest_records,
)
from memory_layer.usecases.recall.judge_answer import HITS_JUDGED, ShownHits, judge_answer
from memory_layer.usecases.recall.judge_candidates import CandidateHits, HitReader, blend_candidates
from memory_layer.usecases.recall.order_by_trust import Draw, rows_by_trust
from memory_layer.usecases.recall.redact_answers import redacted_memories
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column


NOTHING_BEARS: Final = (
    "nothing that is known bears on this task; beside the write scope's memories only conventions and preferences "
    "are listed"
)

LINES_LEFT_OUT: Final = (
    "of a section of a file that is listed lines in between are left out, where \u2026 says so; a greater limit "
    "lists more of them"
)

_NO_PLACE: Final = ("", 0)
"""Place of what is no line of a file: before those that are."""

_telling: Final = DigestCache(telling_words, 1_024)
"""What lines hang on: those in the best standing are on the page of every task."""


def compose_prompt(
    ports: Ports,
    principal: Principal,
    project: str,
    task_text: str,
    task: ranking.TaskProfile,
    *,
    limit: int | None,
) -> prompt_candidates.ComposedPrompt:
    """Composes the section: memories of the write scope first, then those in the best standing; at most `limit`.

    None is the limit of the project's settings.

    Among memories in equal standing those relevant to the task are chosen; the order on the page is that of
    governance alone, so that the same memories give the same bytes. Where nothing bears on the task, only what holds
    for every task is on the page: the write scope's memories and the rules; a note says so. Without embedder or index
    it goes on, as `recall` does.

    Raises:
        Invalid: the task is no text.

    Source: Project Memories, memory selection logic (updated).
    """
    filters = Filters(min_confidence=ranking.GOVERNED_MIN_CONFIDENCE)
    search = prompt_candidates.task_search(ports, principal, project, task_text, filters)
    scope = WriteScope(task.write_scope, caller=principal)
    if task_text.strip():
        search = embedded(ports, search)
    most = prompt_candidates.page_limit(ports, principal, project, limit)
    return ports.turns.run(partial(_composed, ports, principal, search, scope, most))


def _composed(
    ports: Ports, principal: Principal, search: CandidateSearch, scope: WriteScope, limit: int
) -> prompt_candidates.ComposedPrompt:
    """Searches, orders and renders; the task is embedded."""
    retrieval = prompt_candidates.task_retrieval(ports, search)
    found, relevant = _relevant_to_task(retrieval)
    governing, missing = _governing(ports, search, scope)
    page = _Page(retrieval, governing.scope, limit)
    readable, no_bodies = page.of(governing, relevant)
    is_judged = found is not None and found.newest is None and bool(readable)
    bears = found is None or not is_judged or _bears(retrieval, found, relevant, readable)
    if not bears:
        any_task = _governing_any_task(ports, search, governing)
        readable, no_bodies = page.of(any_task, _none_relevant(search))
    missing = (*(found.notes if found is not None else ()), *missing, *no_bodies)
    shown = page.in_order(readable)
    left_out = lines_left_out(shown)
    notes = (*missing, *(() if bears else (NOTHING_BEARS,)), *((LINES_LEFT_OUT,) if left_out else ()))
    return prompt_candidates.ComposedPrompt(
        render_memories(shown, are_numbered=True, left_out_before=left_out),
        prompt_candidates.leave_receipt(ports, principal, search, shown),
        shown,
        prompt_candidates.joined_notes(notes),
        bool(missing),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Choice of what is on the page. Args: limit: of memories."""

    retrieval: Retrieval
    scope: WriteScope
    limit: int

    def of(self, governing: _Governing, relevant: _Relevant) -> tuple[list[Memory], tuple[str, ...]]:
        """Records that may be shown and read, by precedence; and notes on those that cannot be read."""
        order = _by_precedence(self.retrieval, governing, relevant, self.limit)
        return _readable(self.retrieval, order, self.limit)

    def in_order(self, readable: Sequence[Memory]) -> tuple[Memory, ...]:
        """Records in the order of governance, those of equal standing in that of their files; without secrets."""
        ordered = ranking.in_governed_order(readable, self.scope)
        ordered.sort(
            key=lambda one: (-ranking.governed_score(one, self.scope), vouched_place(one) or _NO_PLACE)
        )
        visibility = self.retrieval.reading.visibility
        return tuple(redacted_memories(ordered, self.retrieval.search.project, visibility))


def _readable(retrieval: Retrieval, order: Sequence[Ref], limit: int) -> tuple[list[Memory], tuple[str, ...]]:
    """The first `limit` records that may be shown and read, each line once: of those with the same words the first."""
    asked = limit
    while True:
        readable, notes = retrieval.shown(order, asked)
        lines: dict[object, Memory] = {}
        for memory in readable:
            lines.setdefault(_words(memory.content), memory)
        if len(lines) >= limit or len(readable) < asked:
            return list(lines.values())[:limit], notes
        asked += limit - len(lines)


def _words(content: str) -> object:
    """Words of a line that are the same in every spelling of it."""
    return _telling.of(content) or content


@dataclass(frozen=True, slots=True)
class _Governing:
    """Records of the write scope, and those in good standing. Args: in_scope: of the write scope, by the index."""

    scope: WriteScope
    in_scope: RecordTable
    in_standing: RecordTable


@dataclass(frozen=True, slots=True)
class _Relevant:
    """Records found by the words of the task, with their relevance to it, and their cosines above `chance`; (n,)."""

    records: RecordTable
    semantic: Column
    nearness: Column
    chance: float


def _relevant_to_task(retrieval: Retrieval) -> tuple[CandidateHits | None, _Relevant]:
    """Candidates of the words of the task, and all records found; none for a task without words."""
    if not retrieval.search.query.strip():
        return None, _none_relevant(retrieval.search)
    candidates = find_candidates(retrieval.ports, retrieval.search)
    semantic = blend(candidates.table.scores).semantic
    nearness = np.nan_to_num(candidates.cosines - candidates.chance_cosine)
    relevant = _Relevant(candidates.table.records, semantic, nearness, candidates.chance_cosine)
    return blend_candidates(candidates, retrieval.blend, retrieval.search), relevant


def _none_relevant(search: CandidateSearch) -> _Relevant:
    return _Relevant(table_of_refs(search.project.tenant, ()), np.zeros(0), np.zeros(0), 0.0)


def _bears(retrieval: Retrieval, found: CandidateHits, relevant: _Relevant, page: Sequence[Memory]) -> bool:
    """Tells whether anything that is known bears on the task, as a recall judges it; only the page's words are read."""
    records = table_of_refs(retrieval.search.project.tenant, [memory.ref for memory in page])
    semantic = np.append(relevant.semantic, 0.0)[_found_rows(records, relevant)]
    rows = np.argsort(-semantic, kind="stable")[:HITS_JUDGED]
    nearest, records = [page[row] for row in rows.tolist()], records.names(rows)
    hits = ShownHits(nearest, records, np.zeros(len(nearest)), layout_of(retrieval.ports.embedder).dimensions)
    return not judge_answer(retrieval.search, retrieval.ports.word_rank, found, hits).knows_nothing


def _governing_any_task(ports: Ports, search: CandidateSearch, governing: _Governing) -> _Governing:
    """Records of the write scope, and the rules in good standing: what holds whatever the task is."""
    asked = prompt_candidates.rules_among(search.filters)
    try:
        rules = [prompt_candidates.in_standing(ports, search, one, k=prompt_candidates.POOL) for one in asked]
    except IndexUnavailable:
        rules = []
    return replace(governing, in_standing=joined([*rules, table_of_refs(search.project.tenant, ())]))


def _governing(
    ports: Ports, search: CandidateSearch, scope: WriteScope
) -> tuple[_Governing, tuple[str, ...]]:
    """Records of the write scope and those in good standing; the newest, while there is no index."""
    none = table_of_refs(search.project.tenant, ())
    try:
        best = prompt_candidates.in_standing(ports, search, search.filters, k=prompt_candidates.POOL)
        sight = search.viewer, search.now
        known = ports.index.tags(search.scopes, sight) if scope.entries else KnownTags((), ())
        scope = replace(scope, paths=known_paths(known.trusted))
        return _Governing(scope, _in_scope(ports, search, scope.names(known)) or none, best), ()
    except IndexUnavailable:
        newest = table_of_refs(search.project.tenant, newest_records(ports, search))
        return _Governing(scope, none, newest), (NO_INDEX,)


def _in_scope(ports: Ports, search: CandidateSearch, tags: tuple[str, ...]) -> RecordTable | None:
    filters = replace(search.filters, tags=tags)
    return prompt_candidates.in_standing(ports, search, filters, k=prompt_candidates.POOL) if tags else None


def _by_precedence(retrieval: Retrieval, governing: _Governing, relevant: _Relevant, limit: int) -> list[Ref]:
    """Records that may be shown: those of the write scope first, then by standing, then by relevance to the task.

    The order of trust goes over them (`order_by_trust`).
    """
    reading = retrieval.reading
    pool = joined([governing.in_scope, governing.in_standing, relevant.records])
    _, first = np.unique(pool.identities, return_index=True)
    rows, facts = reading.visible(pool.take(first))
    pool = pool.take(first[rows])
    found = _found_rows(pool, relevant)
    semantic = np.append(relevant.semantic, 0.0)[found]
    scores = facts["confidence"] / 1000 * (facts["relevance_score"] / 1000)
    is_first = _is_in_scope(reading, pool, governing, is_trusted(facts))
    rows = np.lexsort((pool.places(), -semantic, -scores, ~is_first))
    rows = rows[facts["confidence"][rows] / 1000 >= ranking.GOVERNED_MIN_CONFIDENCE]
    draw = Draw(semantic[rows], np.append(relevant.nearness, -1.0)[found[rows]], relevant.chance)
    rows = rows[rows_by_trust(retrieval, pool.take(rows), facts[rows], draw, limit)]
    return pool.names(rows).refs()


def _found_rows(pool: RecordTable, relevant: _Relevant) -> Rows:
    """Row of each record of the pool among the relevant ones; the one behind the last of what the task did not find."""
    known = relevant.records.identities
    by_identity = np.argsort(known)
    at = np.searchsorted(known, pool.identities, sorter=by_identity)
    rows = np.append(by_identity, len(known))[at]
    return np.where(np.append(known, -1)[rows] == pool.identities, rows, len(known))


def _is_in_scope(
    reading: HitReader, pool: RecordTable, governing: _Governing, are_trusted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tells which records the scope puts first: those that are read say it themselves, for others the index does."""
    is_first = np.isin(pool.identities, governing.in_scope.identities) & are_trusted
    if governing.scope.entries and reading.known:
        for row, ref in enumerate(pool.refs()):
            if ref in reading.known:
                is_first[row] = governing.scope.puts_first(reading.known[ref])
    return is_first
