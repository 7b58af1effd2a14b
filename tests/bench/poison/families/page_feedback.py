"""Feedback: on numbers of a page that was shown, and on contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.learn.report_on_page import report_on_page
from memory_layer.usecases.learn.report_outcome import OutcomeReport
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.tune_context import give_feedback
from tests.bench.poison.stage import GANG, PATIENT_MS, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target


def _on_pages(stage: Stage, targets: Sequence[Target]) -> Hostile:
    """Says of hostile lines on a page that they worked, and of all others that they failed."""
    hostile = stage.told({one.number: [one.claim] for one in targets})
    own = set().union(*hostile.values())
    for target in targets:
        for by in GANG:
            page = recall(stage.ports, by, PROJECT, RecallRequest(query=target.question))
            for number, shown in enumerate(page.memories, start=1):
                result = "worked" if shown.memory.id in own else "failed"
                report = OutcomeReport(result=result, session_id=f"{by.subject}-{target.number}")
                tried(partial(report_on_page, stage.ports, by, PROJECT, page.recall_id, [number], report))
    return hostile


def _on_contexts(stage: Stage, targets: Sequence[Target]) -> Hostile:
    """Calls every context bad, until the assembly is tuned away from what it was."""
    hostile = stage.told({one.number: [one.claim] for one in targets})
    worst = Feedback(coherence_score=0.0, completeness=0.0, contradiction_rate=1.0, user_satisfaction=0.0)
    for target in targets:
        asked = ContextRequest(intent=target.question, time_ms=PATIENT_MS)
        page = assemble_context(stage.ports, GANG[0], PROJECT, asked)
        tried(partial(give_feedback, stage.ports, GANG[0], PROJECT, page.request_id, worst))
    return hostile


FAMILIES: Final[Mapping[str, Act]] = {"on pages": _on_pages, "on contexts": _on_contexts}
IS_BRIEF: Final = True
