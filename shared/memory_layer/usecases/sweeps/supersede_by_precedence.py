"""Supersession by precedence: without a person, where that is safe and can be undone."""

from dataclasses import replace

from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.conflicts.pair_verdict import PairFinding, open_pair, precedence_obstacle
from memory_layer.domain.lifecycle import hidden_because, supersede
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Scope
from memory_layer.errors import DamagedSettings, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps.step import SweepWalk
from memory_layer.usecases.write.commit_change import commit_changes

SUPERSEDED = "superseded"


class ConflictResolver:
    """Resolves conflicts of one project one by one; each decision sees the changes of those before."""

    def __init__(self, ports: Ports, walk: SweepWalk, scope: Scope) -> None:
        self._ports = ports
        self._walk = walk
        self._scope = scope
        self._changed: dict[str, Memory] = {}
        self.retired: set[str] = set()

    def now(self, memory: Memory) -> Memory:
        """Memory after the decisions made here."""
        return self._changed.get(memory.id, memory)

    def why_not(self, finding: PairFinding) -> str | None:
        """Reason for which a person has to decide; None: the conflict may be settled here."""
        winner, loser = self._ends(finding)
        if not (winner.is_active and loser.is_active):
            return "one of them was superseded a moment ago"
        return precedence_obstacle(winner, loser) or self._hidden(winner) or self._undone(winner, loser)

    def _ends(self, finding: PairFinding) -> tuple[Memory, Memory]:
        one, other = self.now(finding.one), self.now(finding.other)
        return (one, other) if finding.winner == one.id else (other, one)

    def _hidden(self, winner: Memory) -> str | None:
        """Reason for which recalls hide the winner, which may then supersede nothing; None: they show it."""
        try:
            policy = self._ports.store.projects.policy(self._scope)
        except DamagedSettings:
            return "the settings of the project are damaged"
        viewer = Viewer.of(winner.persona)
        reason = hidden_because(winner, viewer=viewer, now=self._walk.at, policy=policy)
        return None if reason is None else f"recalls do not show {winner.id}: {reason}"

    def _undone(self, winner: Memory, loser: Memory) -> str | None:
        """Reason not to settle a conflict again after somebody undid it, and so knew better; None: nobody did."""
        history = self._ports.store.history.of(self._scope, loser.id)
        was_settled = any(
            version.by == self._walk.by and version.memory.superseded_by == winner.id for version in history
        )
        return f"{loser.id} was superseded so before, and brought back" if was_settled else None

    def settle(self, finding: PairFinding, before: Pair | None) -> bool:
        """Supersedes the loser by the winner; the pair is resolved first, so that after a crash the next walk goes on.

        Returns:
            True if it is done; False: somebody was faster.
        """
        winner, loser = self._ends(finding)
        said = f"superseded automatically: {finding.why_precedence}; undo brings it back"[:REASON_MAX_CHARS]
        retired, installed, problem = supersede(loser, winner, self._walk.at, said)
        if problem is not None:
            return False
        changes = (
            Change(retired, loser.version, SUPERSEDED, self._walk.by, self._walk.at, said),
            Change(installed, winner.version, "supersedes", self._walk.by, self._walk.at, said),
        )
        if not (self._walk.is_dry_run or self._written(finding, before, changes, [loser, winner])):
            return False
        self._changed |= {retired.id: retired, installed.id: installed}
        self.retired.add(retired.id)
        return True

    def _written(
        self, finding: PairFinding, before: Pair | None, changes: tuple[Change, ...], ends: list[Memory]
    ) -> bool:
        pair = resolved_by_precedence(finding, before, self._walk)
        if pair is not before and self._ports.store.pairs.put([pair]) != [True]:
            return False
        try:
            commit = Commit(scope=self._scope, changes=changes)
            commit_changes(self._ports, commit, ends, self._walk.by)
        except VersionConflict:
            self._ports.store.pairs.put([open_pair(finding, pair, self._walk.at)])
            return False
        return True


def resolved_by_precedence(finding: PairFinding, before: Pair | None, walk: SweepWalk) -> Pair:
    """Pair as resolved by precedence; the stored one if it is resolved so already."""
    pair = open_pair(finding, before, walk.at)
    if before is not None and (before.resolution, before.content_hashes) == (
        "precedence",
        pair.content_hashes,
    ):
        return before
    return replace(pair, status="resolved", resolution="precedence", resolved_by=walk.by, resolved_at=walk.at)
