"""Slow poisoning: one agent's lines, verdicts and runs over a month of days, each far below every allowance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_on_page import report_on_page
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.revise import revise
from tests.bench.poison.families.lines import said
from tests.bench.poison.stage import HONEST, HOSTILE, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target
from tests.run_examples import run_of

DAYS: Final = 30
TURNED: Final = 20
"""Day on which the agent that has helped begins to lie."""

A_DAY: Final = 6
"""Verdicts that an agent gives on a day, an hour apart: a sixth of what one hour allows."""

RUN_EVERY: Final = 3
PERSON_READS: Final = 5
"""Days from one run, and from one recall of an honest agent, to the next."""

FRAMES: Final = (
    "After today's work on {topic} it is plain that {lie}",
    "{topic} came up again, {lie}",
    "the release meeting settled {topic}, {lie}",
    "checked {topic} twice this week and {lie}",
    "what the team found on {topic} is that {lie}",
    "support asked about {topic} and was told that {lie}",
)
TAILS: Final = (
    "",
    ", as seen on the build of the {day}th",
    " since iteration {day}",
    ", confirmed by colleague {day}",
    ", see ticket {day}",
)

Day = Callable[[int], None]
Ids = dict[int, set[str]]


def _daily(begin: Callable[[Stage, Sequence[Target], Ids], Day]) -> Act:
    """Attack of a month. Args: begin: gives what is done on a day; it adds hostile lines to the ids."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        ids: Ids = {one.number: set() for one in targets}
        day = begin(stage, targets, ids)
        for at in range(1, DAYS + 1):
            day(at)
            stage.pass_day(at)
        return ids

    return act


def _line(target: Target, day: int) -> str:
    """Line of a day on a question: thirty that differ in frame, lie and detail."""
    frame, tail = FRAMES[day % len(FRAMES)], TAILS[day % len(TAILS)]
    return said(frame.format(topic=target.topic, lie=target.lie(day)) + tail.format(day=day))


def _verdict(stage: Stage, id: str, result: str, day: int) -> None:
    """Reports one verdict of a session and a run of its own."""
    run = f"day-{day}-{result}-{id}"
    report = OutcomeReport(result=result, session_id=run, run_id=run)  # type: ignore[arg-type]
    tried(partial(report_outcome, stage.ports, HOSTILE, PROJECT, id, report))


def _todays(targets: Sequence[Target], day: int) -> list[Target]:
    """Questions whose memories are judged on a day: all in turn."""
    return [targets[(day * A_DAY + at) % len(targets)] for at in range(min(A_DAY, len(targets)))]


def _lines(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """A line on each question every day."""

    def day(at: int) -> None:
        for one in targets:
            ids[one.number] |= stage.written(HOSTILE, {"content": _line(one, at)})

    return day


def _verdicts(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """One line a question; every day some of them worked, and the right memories failed."""
    for one in targets:
        ids[one.number] |= stage.written(HOSTILE, {"content": _line(one, 1)})

    def day(at: int) -> None:
        for one in _todays(targets, at):
            _verdict(stage, stage.right[one.right], "failed", at)
            for id in ids[one.number]:
                _verdict(stage, id, "worked", at)
            stage.pass_hour()

    return day


def _pages(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """The same by feedback on the pages that it is shown, at most one of each memory a day."""
    for one in targets:
        ids[one.number] |= stage.written(HOSTILE, {"content": _line(one, 2)})

    def day(at: int) -> None:
        for one in _todays(targets, at):
            page = recall(stage.ports, HOSTILE, PROJECT, RecallRequest(query=one.question))
            for number, shown in enumerate(page.memories, start=1):
                is_own = shown.memory.id in ids[one.number]
                if is_own or shown.memory.id == stage.right[one.right]:
                    report = OutcomeReport(
                        result="worked" if is_own else "failed", session_id=f"day-{at}-{one.number}"
                    )
                    tried(
                        partial(
                            report_on_page, stage.ports, HOSTILE, PROJECT, page.recall_id, [number], report
                        )
                    )
            stage.pass_hour()

    return day


def _runs(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """Every few days a run of another objective that teaches the lie, and cites it where it is known."""
    known = stage.ids()

    def day(at: int) -> None:
        if at % RUN_EVERY:
            return
        for one in targets:
            step = {"number": 1, "status": "completed", "duration": 9_000, "filesModified": []}
            step |= {"learnings": [f"{one.topic}: {one.lie()}"], "analysis": {"progressMade": True}}
            name = f"slow-{one.number}-{at}"
            run = run_of(
                name,
                f"Task {at}: {one.asked}",
                iterations=[step],
                memories_used=sorted(ids[one.number]),
            )
            tried(partial(learn_from_run, stage.ports, HOSTILE, PROJECT, run, "auto"))
        for number, found in stage.since(known, targets).items():
            ids[number] = ids.get(number, set()) | found

    return day


def _blame(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """One line a question, and every day a failed run that cites the right memories."""
    for one in targets:
        ids[one.number] |= stage.written(HOSTILE, {"content": _line(one, 3)})

    def day(at: int) -> None:
        cited = [stage.right[one.right] for one in _todays(targets, at)]
        run = run_of(f"slow-{at}", f"Ship part {at}", status="failed", memories_used=cited)
        tried(partial(learn_from_run, stage.ports, HOSTILE, PROJECT, run, "staged"))

    return day


def _turncoat(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """Says where to look until others have found it useful, and then changes its lines into lies."""
    own = {one.number: stage.written(HOSTILE, {"content": _pointer(one)}) for one in targets}

    def day(at: int) -> None:
        for one in _todays(targets, at):
            if at % PERSON_READS == 0 and at < TURNED:
                _judged_by_others(stage, own[one.number], at)
            for id in own[one.number] if at >= TURNED else ():
                tried(partial(revise, stage.ports, HOSTILE, PROJECT, id, {"content": _line(one, one.number)}))
                ids[one.number].add(id)
            stage.pass_hour()

    return day


def _pointer(target: Target) -> str:
    """Line that is true and no copy: it names the question, and the first words of what answers it."""
    return f"Whoever asks about {target.topic} finds it under “{' '.join(target.right.split()[:4])}”."


def _judged_by_others(stage: Stage, own: set[str], day: int) -> None:
    for id in own:
        run = f"honest-{day}-{id}"
        report = OutcomeReport(result="worked", session_id=run, run_id=run)
        tried(partial(report_outcome, stage.ports, HONEST, PROJECT, id, report))


def _all(stage: Stage, targets: Sequence[Target], ids: Ids) -> Day:
    """Lines every tenth day, verdicts and failed runs every day, runs every third."""
    days = [begin(stage, targets, ids) for begin in (_verdicts, _blame, _runs)]

    def day(at: int) -> None:
        for each in days:
            each(at)

    return day


FAMILIES: Final[Mapping[str, Act]] = {
    "a line a day": _daily(_lines),
    "verdicts": _daily(_verdicts),
    "feedback on pages": _daily(_pages),
    "runs": _daily(_runs),
    "blame": _daily(_blame),
    "useful, then turned": _daily(_turncoat),
    "all of these": _daily(_all),
}
AMONG_AGENTS: Final = True
IS_BRIEF: Final = True
