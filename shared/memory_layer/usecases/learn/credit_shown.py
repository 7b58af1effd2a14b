"""Weak credit: the verdict of a run that cites nothing meets what it was shown (SPEC 4.27, 12)."""

from memory_layer.domain.learning.implicit_feedback import (
    ImplicitFeedback,
    is_counted,
    learned_from_run,
    runs_to_compare,
)
from memory_layer.domain.learning.judged_run import compared, judged_run
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Ports


def feedback_of_run(ports: Ports, scope: Scope, record: RunRecord) -> tuple[ImplicitFeedback, ...]:
    """Implicit feedback after a run, not written yet; none if the run judges nothing of what it was shown.

    Args:
        record: with its result, which tells if its tools failed.
    """
    run = judged_run(record)
    if run is None:
        return ()
    sources = [source for froms in run.sources.values() for source in froms]
    known = ports.store.learnings.feedback(scope, [*run.shown, *sources])
    if is_counted(known.values(), run):
        return ()
    earlier = compared(ports.store.learnings.runs_named(scope, runs_to_compare(known.values(), run)))
    others = {name for one in earlier for name in one.shown} - known.keys() - set(run.shown)
    known |= ports.store.learnings.feedback(scope, sorted(others)) if others else {}
    return tuple(learned_from_run(known, run, earlier).values())
