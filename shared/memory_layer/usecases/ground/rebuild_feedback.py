"""Implicit feedback made anew of reporters' runs, after some of these were taken back, brought back or erased."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.judged_run import feedback_of_runs, with_reporters
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports

PAGE: Final = 200
COMMIT_MAX: Final = 50
"""Memories of one transaction."""


def rebuild_feedback(
    ports: Ports, scope: Scope, reporters: Collection[str], runs: Iterable[RunRecord]
) -> int:
    """Makes the entries of some reporters what these runs make of them; others' stay.

    Args:
        runs: those that count; runs of others bring back what these reporters' entries had pushed out.

    Returns:
        Number of memories whose feedback changed.

    Raises:
        VersionConflict: others write the same feedback all the time; repeat it.
    """
    rebuilt = _of_present(ports, scope, feedback_of_runs(runs))
    stored = {row.memory: row for row in _every(ports, scope)}
    changed = [
        moved
        for name in sorted(stored.keys() | rebuilt.keys())
        if (moved := with_reporters(stored.get(name), reporters, rebuilt.get(name))) is not None
    ]
    chunks = [tuple(changed[at : at + COMMIT_MAX]) for at in range(0, len(changed), COMMIT_MAX)]
    commits = [Commit(scope=scope, feedback=chunk) for chunk in chunks]
    errors = [error for error in ports.store.writer.commit_each(commits) if error is not None]
    if any(isinstance(error, VersionConflict) for error in errors):
        raise VersionConflict(f"runs of {', '.join(sorted(reporters))} are being taken in; repeat it")
    if errors:
        raise errors[0]
    return len(changed)


def _of_present(
    ports: Ports, scope: Scope, rebuilt: Mapping[str, ImplicitFeedback]
) -> dict[str, ImplicitFeedback]:
    """Feedback on memories that were not erased since."""
    refs = {Ref(*name.split("/", 1)): row for name, row in rebuilt.items()}
    there = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False) if refs else {}
    return {row.memory: row for ref, row in refs.items() if ref in there}


def _every(ports: Ports, scope: Scope) -> Iterator[ImplicitFeedback]:
    after: str | None = None
    while True:
        page = ports.store.learnings.feedback_page(scope, after=after, limit=PAGE)
        yield from page.feedback
        if page.next_key is None:
            return
        after = page.next_key
