"""Questions for a period: right rows missed, and rows of other days shown, on LoCoMo and on a dated changelog.

    python -m tests.bench.asked_periods LOCOMO_FOLDER CHANGELOG [--json FILE]

The days of LoCoMo's turns are those read by hand for `exact_days`; the day of a line of the changelog is that of its
heading. The questions for the changelog are made for that of google-auth-library-python up to 2.24.0.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Memory
from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.transfer.import_foreign import import_foreign
from tests.bench.exact_days import DAYS, WEEKDAYS
from tests.bench.retrieval import lines, load
from tests.given import StandingClock

ASKED_AT: Final = datetime(2023, 12, 1, 9, tzinfo=UTC)
SHOWN: Final = 10
FIRST: Final = 5


class Asked(NamedTuple):
    """Question for a period in a project, with its first and its last day."""

    project: str
    question: str
    first: str
    last: str

    def has(self, day: date) -> bool:
        return date.fromisoformat(self.first) <= day <= date.fromisoformat(self.last)


LOCOMO: Final = tuple(
    Asked(f"locomo-{conversation}", question, first, last)
    for conversation, question, first, last in (
        ("26", "What did Caroline do between 1 and 10 May 2023?", "2023-05-01", "2023-05-10"),
        ("26", "What happened to Melanie from 1 July to 12 July 2023?", "2023-07-01", "2023-07-12"),
        ("26", "What did Melanie do since 1 October 2023?", "2023-10-01", "9999-12-31"),
        ("26", "What did Caroline do until the end of May 2023?", "0001-01-01", "2023-05-31"),
        ("26", "What happened in Q2 2023?", "2023-04-01", "2023-06-30"),
        ("26", "What did Caroline do in summer 2023?", "2023-06-01", "2023-08-31"),
        ("26", "What did Melanie do in the first half of July 2023?", "2023-07-01", "2023-07-15"),
        ("26", "What did Caroline do in mid August 2023?", "2023-08-11", "2023-08-20"),
        ("26", "What did Melanie do after 20 August 2023?", "2023-08-21", "9999-12-31"),
        ("26", "Was tat Melanie zwischen dem 3. und 15. Juli 2023?", "2023-07-03", "2023-07-15"),
        ("26", "What happened in the third quarter of 2023?", "2023-07-01", "2023-09-30"),
        ("30", "What did Jon do before 1 February 2023?", "0001-01-01", "2023-01-31"),
        ("30", "What did Gina do from January to March 2023?", "2023-01-01", "2023-03-31"),
        ("30", "What happened between 10 and 30 June 2023?", "2023-06-10", "2023-06-30"),
        ("30", "What did Jon do in late May 2023?", "2023-05-21", "2023-05-31"),
        ("30", "What did Gina do in the second half of July 2023?", "2023-07-16", "2023-07-31"),
        ("30", "Was tat Jon im April 2023?", "2023-04-01", "2023-04-30"),
        ("30", "Was geschah bis Ende Februar 2023?", "0001-01-01", "2023-02-28"),
        ("41", "What did John do before January 2023?", "0001-01-01", "2022-12-31"),
        ("41", "What did Maria do since the middle of July 2023?", "2023-07-11", "9999-12-31"),
        ("41", "Was geschah Anfang August 2023?", "2023-08-01", "2023-08-10"),
        ("42", "What did Nate do between 15 and 25 January 2022?", "2022-01-15", "2022-01-25"),
        ("42", "What did Joanna do in spring 2022?", "2022-03-01", "2022-05-31"),
        ("42", "What did Nate do from June 2022 to July 2022?", "2022-06-01", "2022-07-31"),
        ("42", "What did Joanna do since 1 October 2022?", "2022-10-01", "9999-12-31"),
        ("42", "Was tat Nate im Herbst 2022?", "2022-09-01", "2022-11-30"),
        ("42", "What did Joanna do in mid September 2022?", "2022-09-11", "2022-09-20"),
        ("42", "What did Joanna do in the last quarter of 2022?", "2022-10-01", "2022-12-31"),
        ("43", "What did Tim do between 10 and 20 August 2023?", "2023-08-10", "2023-08-20"),
        ("43", "What did John do after 1 December 2023?", "2023-12-02", "9999-12-31"),
    )
)

CHANGELOG: Final = tuple(
    Asked("changelog", question, first, last)
    for question, first, last in (
        ("What changed between 1 March and 30 April 2022?", "2022-03-01", "2022-04-30"),
        ("What was fixed from 1 June to 31 July 2021?", "2021-06-01", "2021-07-31"),
        ("What changed since 1 September 2023?", "2023-09-01", "9999-12-31"),
        ("What was fixed since October 2023?", "2023-10-01", "9999-12-31"),
        ("What changed until the end of January 2020?", "0001-01-01", "2020-01-31"),
        ("What was added before 15 December 2019?", "0001-01-01", "2019-12-14"),
        ("Which fixes came after 1 June 2023?", "2023-06-02", "9999-12-31"),
        ("What changed in Q3 2021?", "2021-07-01", "2021-09-30"),
        ("What was added in the fourth quarter of 2021?", "2021-10-01", "2021-12-31"),
        ("What changed in summer 2022?", "2022-06-01", "2022-08-31"),
        ("What was fixed in the first half of 2020?", "2020-01-01", "2020-06-30"),
        ("Which features came in the second half of 2022?", "2022-07-01", "2022-12-31"),
        ("What changed last month?", "2023-11-01", "2023-11-30"),
        ("What changed in the last quarter?", "2023-07-01", "2023-09-30"),
        ("What changed in the past two weeks?", "2023-11-17", "2023-12-01"),
        ("What was fixed in the past three months?", "2023-09-01", "2023-12-01"),
        ("What changed in early June 2020?", "2020-06-01", "2020-06-10"),
        ("What was fixed in mid September 2020?", "2020-09-11", "2020-09-20"),
        ("What changed in late August 2021?", "2021-08-21", "2021-08-31"),
        ("What changed at the end of March 2023?", "2023-03-21", "2023-03-31"),
        ("Was wurde zwischen dem 1. und 20. Mai 2020 ge\u00e4ndert?", "2020-05-01", "2020-05-20"),
        ("Was wurde seit August 2023 ge\u00e4ndert?", "2023-08-01", "9999-12-31"),
        ("Was wurde bis Ende Dezember 2019 ge\u00e4ndert?", "0001-01-01", "2019-12-31"),
        ("Was kam im Herbst 2021 dazu?", "2021-09-01", "2021-11-30"),
        ("Was wurde im ersten Halbjahr 2021 behoben?", "2021-01-01", "2021-06-30"),
        ("What was released in week 12 of 2023?", "2023-03-20", "2023-03-26"),
        ("Was kam in KW 22 2023?", "2023-05-29", "2023-06-04"),
        ("What changed about the metadata server since 2022?", "2022-01-01", "9999-12-31"),
        ("Which changes to impersonated credentials came before 2021?", "0001-01-01", "2020-12-31"),
        (
            "What changed for external accounts between June 2021 and October 2022?",
            "2021-06-01",
            "2022-10-31",
        ),
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", type=Path)
    parser.add_argument("changelog", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = measured(arguments.locomo, arguments.changelog)
    for name, rows in report.items():
        print(f"{name}: {json.dumps(_sums(rows))}")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2, ensure_ascii=False))


def measured(locomo: Path, changelog: Path) -> dict[str, list[dict[str, Any]]]:
    """Counts for each question: right rows, those among the first ten, rows among the first five, those outside."""
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data_dir=Path(folder))
        with closing(open_embedded(settings, clock=StandingClock(ASKED_AT))) as backend:
            asked = {one.project for one in LOCOMO}
            turns = [turn for turn in lines(locomo / "memories.jsonl") if turn["project"] in asked]
            load(backend, Path(folder), turns)
            file = read_markdown(changelog.read_text("utf-8"), changelog.name)
            import_foreign(backend.ports, LOCAL_PRINCIPAL, "changelog", file)
            backend.drain()
            return {
                "LoCoMo": [_counted(backend, one, _turn_days, _right_turns(one, turns)) for one in LOCOMO],
                "changelog": [_counted(backend, one, _line_days, None) for one in CHANGELOG],
            }


def _right_turns(asked: Asked, turns: Sequence[dict[str, Any]]) -> set[str]:
    """Turns whose day was read by hand that tell of the period; of a question for a person, those by that person."""
    conversation = asked.project.rpartition("-")[2]
    days = {**DAYS[conversation], **WEEKDAYS[conversation]}
    speakers = {turn["id"]: turn["speaker"] for turn in turns if turn["project"] == asked.project}
    named = {name for name in speakers.values() if name in asked.question} or set(speakers.values())
    within = (turn for turn, day in days.items() if asked.has(date.fromisoformat(day)))
    return {turn for turn in within if speakers[turn] in named}


def _counted(
    backend: EmbeddedBackend,
    asked: Asked,
    days_of: Callable[[Memory], Iterator[tuple[date, date]]],
    right: set[str] | None,
) -> dict[str, Any]:
    request = RecallRequest(query=asked.question, limit=SHOWN)
    shown = [one.memory for one in recall(backend.ports, LOCAL_PRINCIPAL, asked.project, request).memories]
    within = [_is_within(asked, days_of(memory)) for memory in shown]
    found = sum(within) if right is None else len(right.intersection(memory.id for memory in shown))
    return {
        "question": asked.question,
        "right": min(SHOWN, len(right) if right is not None else _dated_within(backend, asked)),
        "found": found,
        "shown": len(within[:FIRST]),
        "outside": within[:FIRST].count(False),
        "rows": [memory.content[:80] for memory in shown],
    }


def _is_within(asked: Asked, spans: Iterator[tuple[date, date]]) -> bool:
    period = date.fromisoformat(asked.first), date.fromisoformat(asked.last)
    return any(first <= period[1] and period[0] <= last for first, last in spans)


def _turn_days(memory: Memory) -> Iterator[tuple[date, date]]:
    """Days that a turn tells of, else the day on which it was said."""
    yield from ((time.from_, time.to) for time in memory.times)
    if not memory.times:
        yield from _own(memory.valid_from or memory.created_at)


def _line_days(memory: Memory) -> Iterator[tuple[date, date]]:
    yield from _own(memory.said_at or memory.created_at)


def _own(moment: datetime) -> Iterator[tuple[date, date]]:
    yield moment.date(), moment.date()


def _dated_within(backend: EmbeddedBackend, asked: Asked) -> int:
    memories = every_record(backend.ports.store.memories, LOCAL_PRINCIPAL.scope(asked.project))
    return sum(_is_within(asked, _line_days(memory)) for memory in memories)


def _sums(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in ("right", "found", "shown", "outside")}


if __name__ == "__main__":
    main()
