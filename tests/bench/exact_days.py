"""Days on pages: of questions that one day answers, the share whose context page holds that day (LoCoMo).

    python -m tests.bench.exact_days LOCOMO_FOLDER [--json FILE]

The right days were read out of the conversations by hand: the data have none. Of a `day` the words tell which it is
(`yesterday`, `two days ago`, `on the 15th`); a `weekday` is told by its name (`last Friday`), and the nearest one
before is taken for right.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from tests.bench.retrieval import lines, load, opened

BUDGETS: Final = (1_000, 2_000)
TIME_MS: Final = 28_000

DAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "26": {
        "D1_3": "2023-05-07",
        "D5_4": "2023-07-02",
        "D6_4": "2023-07-05",
        "D7_1": "2023-07-10",
        "D11_1": "2023-08-13",
        "D14_4": "2023-08-24",
        "D15_2": "2023-08-27",
        "D19_2": "2023-10-21",
    },
    "30": {
        "D1_2": "2023-01-19",
        "D2_1": "2023-01-29",
        "D2_4": "2023-01-28",
        "D6_6": "2023-03-16",
        "D10_1": "2023-04-24",
        "D11_14": "2023-05-10",
        "D12_1": "2023-05-27",
        "D14_1": "2023-06-15",
        "D15_5": "2023-06-20",
        "D16_6": "2023-06-20",
        "D18_18": "2023-07-21",
        "D19_4": "2023-07-23",
    },
    "41": {"D2_1": "2022-12-21", "D21_3": "2023-07-02", "D28_8": "2023-08-04"},
    "42": {
        "D6_2": "2022-03-23",
        "D12_3": "2022-05-20",
        "D19_1": "2022-08-21",
        "D22_1": "2022-10-05",
        "D26_19": "2022-11-05",
        "D28_32": "2022-11-10",
        "D29_6": "2022-11-10",
    },
    "43": {"D7_1": "2023-08-15"},
}
"""Days that the words themselves tell, by conversation and turn."""

WEEKDAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "26": {
        "D2_1": "2023-05-20",
        "D8_2": "2023-07-14",
        "D8_9": "2023-07-14",
        "D10_3": "2023-07-18",
        "D11_4": "2023-08-11",
        "D19_1": "2023-10-20",
    },
    "30": {"D19_6": "2023-07-21"},
    "41": {"D15_11": "2023-05-19", "D26_4": "2023-07-30"},
    "42": {
        "D2_3": "2022-01-21",
        "D16_8": "2022-06-17",
        "D17_1": "2022-07-08",
        "D21_4": "2022-09-12",
        "D21_9": "2022-09-09",
        "D23_1": "2022-10-07",
        "D25_1": "2022-10-23",
        "D27_1": "2022-11-05",
    },
    "43": {"D23_2": "2023-12-08", "D28_1": "2024-01-05"},
}

_ASKS_FOR_A_DAY: Final = re.compile(r"(?:When|What day)\b(?! will)")
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


class Asked(NamedTuple):
    """Question with its right day, and the turns that tell it."""

    kind: str
    project: str
    question: str
    day: date
    evidence: Sequence[str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = measure(arguments.locomo)
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def measure(folder: Path, embedder: Embedder | None = None) -> dict[str, Any]:
    """Figures of a folder with memories.jsonl and questions.jsonl: questions, and pages with their day, by kind.

    Args:
        embedder: None: the product's.

    Returns:
        `{"questions": {kind: n}, "held": {kind: {budget: n}}, "missing": [[kind, budget, question, day]]}`.
    """
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    asked = list(questions_for_a_day(lines(folder / "questions.jsonl")))
    with tempfile.TemporaryDirectory() as data, opened("embedded", Path(data), embedder) as backend:
        load(backend, Path(data), lines(folder / "memories.jsonl"))
        held = {(one, budget): _holds(backend, one, budget) for one in asked for budget in BUDGETS}
    kinds = sorted({one.kind for one in asked})
    return {
        "questions": {kind: sum(one.kind == kind for one in asked) for kind in kinds},
        "held": {
            kind: {budget: sum(held[one, budget] for one in asked if one.kind == kind) for budget in BUDGETS}
            for kind in kinds
        },
        "missing": [
            [one.kind, budget, one.question, one.day.isoformat()]
            for (one, budget), is_there in held.items()
            if not is_there
        ],
    }


def questions_for_a_day(questions: Iterable[Mapping[str, Any]]) -> Iterable[Asked]:
    """Questions of the category `temporal` that one day answers."""
    for question in questions:
        if question["category"] != "temporal" or not _ASKS_FOR_A_DAY.match(question["question"]):
            continue
        conversation = question["project"].rpartition("-")[2]
        for kind, known in (("day", DAYS), ("weekday", WEEKDAYS)):
            days = [known[conversation][id] for id in question["evidence"] if id in known[conversation]]
            if days:
                evidence = tuple(question["evidence"])
                day = date.fromisoformat(days[0])
                yield Asked(kind, question["project"], question["question"], day, evidence)


def _holds(backend: EmbeddedBackend, asked: Asked, budget: int) -> bool:
    request = ContextRequest(intent=asked.question, tokens_max=budget, time_ms=TIME_MS, tokenizer="wordpiece")
    page = assemble_context(backend.ports, LOCAL_PRINCIPAL, asked.project, request).assembled.rendered
    return any(re.search(rf"(?<!\d){re.escape(written)}(?!\d)", page) for written in notations(asked.day))


def notations(day: date) -> list[str]:
    """Usual ways to write a day."""
    names = [_MONTHS[day.month - 1], _MONTHS[day.month - 1][:3]]
    written = [f"{day.day} {name} {day.year}" for name in names]
    written += [f"{name} {day.day}, {day.year}" for name in names]
    return [day.isoformat(), *written]


def _print(report: Mapping[str, Any]) -> None:
    table = Table("day told by", "questions", *(f"held at {budget}" for budget in BUDGETS))
    for kind, count in report["questions"].items():
        table.add_row(kind, str(count), *(str(report["held"][kind][budget]) for budget in BUDGETS))
    Console().print(table)
    for kind, budget, question, day in report["missing"]:
        Console().print(f"{budget} {kind} {day} {question}")


if __name__ == "__main__":
    main()
