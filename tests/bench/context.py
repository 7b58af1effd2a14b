"""Evidence in a context on LoCoMo: what assembly brings into a budget, against plain top-k of the same tokens.

    python -m tests.bench.context LOCOMO_FOLDER [--backend aws] [--json FILE]

A question is the intent; the share of its evidence whose ids are in the context is its coverage. Memories have the
ids that the product gives. Top-k takes the turns of a recall in their order, as long as they fit: as bare lines,
without any name, source or day; with the id before each; and on our page. Of assembly it is told besides how much
evidence is there whole, not as its nearest line, and what share of the page is references and marks.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.adapters.process.token_counters import TokenizerRegistry
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.attribution import day_of, standing_told
from memory_layer.domain.context.fragments import TokenCounter
from memory_layer.domain.context.rendering import STYLES, PageEntry, PageFrame, PageGroup, render
from memory_layer.domain.memory import Memory
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.bench.retrieval import lines, load, opened

BUDGETS = (500, 1_000, 2_000, 4_000)
TOP_K_WITH_IDS = "top-k, lines with ids"
ASSEMBLED = "assembled"
WAYS = ("top-k, bare lines", TOP_K_WITH_IDS, "top-k, our page", ASSEMBLED)
"""Ways of making contexts."""

DEPTH = 200
"""Turns that top-k may take from a recall: more than fit into the largest budget."""

MARKDOWN = STYLES["markdown"]

TIME_MS = 28_000
"""Nothing is left out for want of time."""


class Context(NamedTuple):
    """What a way of making contexts put into a budget."""

    ids: Sequence[str]
    tokens: int
    whole: Sequence[str] = ()
    coherence: float = 0.0
    references: float = 0.0
    seconds: float = 0.0


Maker = Callable[[str, str, int], Context]
"""From project, question and budget."""


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    report = measure(arguments.locomo, backend=arguments.backend, every=arguments.every)
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def measure(
    locomo: Path,
    *,
    backend: str = "embedded",
    every: int = 1,
    ways: Collection[str] = WAYS,
    embedder: Embedder | None = None,
) -> dict[str, Any]:
    """Figures of LoCoMo's folder by way of making contexts, and budget in tokens.

    Args:
        every: only every so manieth question.
        embedder: None: the product's.

    Returns:
        `{"memories": n, "questions": n, "runs": {way: {budget: {"coverage": share, ...}}}}`.
    """
    memories, questions = (lines(locomo / f"{name}.jsonl") for name in ("memories", "questions"))
    with tempfile.TemporaryDirectory() as folder, opened(backend, Path(folder), embedder) as opened_backend:
        ids = load(opened_backend, Path(folder), memories, default_ids=True).ids
        asked = [_with_ids(question, ids) for question in questions[::every]]
        makers = _makers(opened_backend)
        runs = {way: _measure(makers[way], asked) for way in WAYS if way in ways}
    return {"memories": len(memories), "questions": len(asked), "runs": runs}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--backend", choices=("embedded", "aws"), default="embedded")
    parser.add_argument("--every", type=int, default=1, help="only every nth question")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _makers(backend: EmbeddedBackend) -> dict[str, Maker]:
    count = TokenizerRegistry(read_settings().model_dir)("wordpiece")
    recalled, pieces = _Recalled(backend), _Pieces(count)

    def bare(project: str, question: str, budget: int) -> Context:
        found = recalled(project, question)
        return _taken(found, count([memory.content for memory in found]), budget)

    def with_ids(project: str, question: str, budget: int) -> Context:
        found = recalled(project, question)
        return _taken(found, count([f"[{memory.id}] {memory.content}" for memory in found]), budget)

    def on_our_page(project: str, question: str, budget: int) -> Context:
        chosen: list[PageEntry] = []
        lines: set[str] = set()
        tokens = 0
        for memory in recalled(project, question):
            entry = PageEntry(
                (memory.id, memory.project),
                "project",
                PageGroup(day_of(memory)),
                ("", memory.position or 0),
                memory.content,
                not memory.is_trusted,
            )
            new = _lines_for(entry) - lines
            if tokens + sum(map(pieces, new)) <= budget:
                chosen.append(entry)
                lines |= new
                tokens += sum(map(pieces, new))
        page = render(chosen, MARKDOWN, date.today())
        return Context([entry.key[0] for entry in chosen], sum(count([page])))

    def assembled(project: str, question: str, budget: int) -> Context:
        request = ContextRequest(intent=question, tokens_max=budget, time_ms=TIME_MS, tokenizer="wordpiece")
        started = time.perf_counter()
        made = assemble_context(backend.ports, LOCAL_PRINCIPAL, project, request).assembled
        seconds = time.perf_counter() - started
        if made.total_tokens > budget or made.total_tokens != sum(count([made.rendered])):
            raise SystemExit(
                f"{project}: {made.total_tokens} tokens told, the budget is {budget}: {question}"
            )
        ids = [fragment.id for fragment in made.fragments]
        whole = [fragment.id for fragment in made.fragments if fragment.lod != "macro"]
        named = made.total_tokens - sum(count([_REFERENCE.sub("", made.rendered)]))
        return Context(
            ids, made.total_tokens, whole, made.coherence, named / max(1, made.total_tokens), seconds
        )

    return dict(zip(WAYS, (bare, with_ids, on_our_page, assembled), strict=True))


_REFERENCE = re.compile(r"^\d+\??(?= |$)|; (?:\? is|all) unreviewed", re.MULTILINE)
"""References and marks of a page, with the words that explain the mark."""


def _with_ids(question: dict[str, Any], ids: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Question with the ids that its evidence has in the product."""
    project = question["project"]
    return {**question, "evidence": [ids[project, name] for name in question["evidence"]]}


class _Recalled:
    """Recall of each question, done once."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        self._backend = backend
        self._known: dict[tuple[str, str], list[Memory]] = {}

    def __call__(self, project: str, question: str) -> list[Memory]:
        key = (project, question)
        if key not in self._known:
            request = RecallRequest(query=question, limit=DEPTH)
            found = recall(self._backend.ports, LOCAL_PRINCIPAL, project, request)
            self._known[key] = [item.memory for item in found.memories]
        return self._known[key]


def _taken(found: Sequence[Memory], costs: Sequence[int], budget: int) -> Context:
    """Those that fit, in their order; one that does not is skipped."""
    ids, tokens = [], 0
    for memory, cost in zip(found, costs, strict=True):
        if tokens + cost <= budget:
            ids.append(memory.id)
            tokens += cost
    return Context(ids, tokens)


class _Pieces:
    """Tokens of a line, counted once: word pieces never reach over the end of one."""

    def __init__(self, count: TokenCounter) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        if text not in self._known:
            (self._known[text],) = self._count([text])
        return self._known[text]


def _lines_for(entry: PageEntry) -> set[str]:
    """What a page needs that shows an entry: its frame, the headings of its source and its day, and its lines."""
    headings = (MARKDOWN.layer(entry.layer).opening, MARKDOWN.group(entry.group).opening)
    frame = PageFrame(date.today(), standing=standing_told([entry.is_unreviewed]))
    return {MARKDOWN.page("", frame), *headings, MARKDOWN.entry(999, entry)}


def _measure(make: Maker, questions: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        str(budget): _mean(
            [
                _scores(make(question["project"], question["question"], budget), set(question["evidence"]))
                for question in questions
            ]
        )
        for budget in BUDGETS
    }


def _scores(made: Context, evidence: set[str]) -> dict[str, float]:
    return {
        "coverage": len(evidence.intersection(made.ids)) / len(evidence),
        "whole": len(evidence.intersection(made.whole)) / len(evidence),
        "memories": len(made.ids),
        "tokens": made.tokens,
        "coherence": made.coherence,
        "references": made.references,
        "ms": 1_000 * made.seconds,
    }


def _mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _print(report: dict[str, Any]) -> None:
    console = Console()
    console.print(
        f"LoCoMo: {report['memories']} turns, {report['questions']} questions; budgets in word pieces"
    )
    table = Table("evidence in it", *(f"{budget:,}" for budget in BUDGETS))
    for name, run in report["runs"].items():
        table.add_row(name, *(f"{run[str(budget)]['coverage']:.3f}" for budget in BUDGETS))
    assembled = report["runs"][ASSEMBLED]
    for title, key, form in (
        ("… of it whole", "whole", "{:.3f}"),
        ("… memories", "memories", "{:.1f}"),
        ("… tokens used", "tokens", "{:,.0f}"),
        ("… mean coherence", "coherence", "{:.3f}"),
        ("… references and marks", "references", "{:.1%}"),
        ("… mean ms", "ms", "{:.0f}"),
    ):
        table.add_row(title, *(form.format(assembled[str(budget)][key]) for budget in BUDGETS))
    console.print(table)


if __name__ == "__main__":
    main()
