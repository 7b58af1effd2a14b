"""Replay of recorded operations without those of some principals: each memory as it would be.

A memory that no excluded operation has touched, by itself or by another memory, comes out as it is on record. Of others
each further operation is done anew on the state that there is then, by the functions that did it first.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.conflicts.sameness import says_all
from memory_layer.domain.conflicts.united_words import united_words, with_words_of
from memory_layer.domain.duplicates import merged_ids
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.lifecycle import archive_if_expired
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.outcome import settle_status
from memory_layer.domain.portability.redacted_version import redaction_of, without_redacted_words
from memory_layer.domain.proposals import OVERRULED, targets, without_links, without_proposals
from memory_layer.domain.rollback.carry_over import carried_over, differing
from memory_layer.domain.rollback.exclusions import OWN_VERBS, TAKEN_OVER, Exclusion, Refusal, is_excluded
from memory_layer.domain.rollback.learning_replay import PROMOTED, learned_again, runs_of
from memory_layer.domain.rollback.recorded import (
    SWEEPS,
    RecordedChange,
    RecordedOperation,
    Records,
    ReplayedVerdict,
    merged_at_once,
    operations_of,
    speaker_of,
)
from memory_layer.domain.rollback.verdict_replay import judged_again, replaced_by
from memory_layer.domain.time.decay import decayed
from memory_layer.domain.united_memories import in_lowest_standing, united_memory, with_fresh_evidence

DECIDED: Final[Mapping[str, tuple[str, ...]]] = {
    "approved": ("status", "status_reason", "confidence", "approved_by", "approved_at", "doubted"),
    "rejected": ("status", "status_reason", "approved_by", "approved_at"),
    OVERRULED: ("status", "status_reason", "approved_by", "approved_at"),
    "confirmed": ("status", "status_reason"),
    "archived": ("status", "status_reason"),
}
"""Fields that a decision sets, whatever they were before."""

GONE: Final = "there would be no such memory"
NO_SUCCESSOR: Final = "what took its place would not be there"
NO_SOURCE: Final = "what was merged into it would not be there"
POOLED: Final = "what it taught is pooled with what is taken back, and cannot be told apart any more"
TAKEN_BACK_WORDS: Final = "it brought words back that are taken back"


@dataclass(frozen=True, slots=True)
class Replayed:
    """Outcome of a replay. Args: states, verdicts: by memory; one that would not be there is in neither."""

    states: Mapping[str, Memory]
    verdicts: Mapping[str, Sequence[ReplayedVerdict]]
    refused: Sequence[Refusal]


def replay(records: Records, exclusions: Collection[Exclusion]) -> Replayed:
    """Does all operations again but the excluded ones."""
    work = _Replay(records, exclusions)
    for operation in operations_of(records):
        work.take(operation)
    work.unlink()
    work.archive_redacted()
    return Replayed(work.states, work.standing, work.refused)


@dataclass(slots=True)
class _Replay:
    """State of a replay: `recorded` has each memory as it was on record, `touched` those that came out otherwise."""

    records: Records
    exclusions: Collection[Exclusion]
    states: dict[str, Memory] = field(default_factory=dict)
    recorded: dict[str, Memory] = field(default_factory=dict)
    standing: dict[str, list[ReplayedVerdict]] = field(default_factory=lambda: defaultdict(list))
    touched: set[str] = field(default_factory=set)
    taken_back: set[str] = field(default_factory=set)
    withheld: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: list[Refusal] = field(default_factory=list)
    runs: Mapping[str, RunRecord] = field(init=False)
    merges: Mapping[tuple[str, datetime, str], list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.merges = merged_at_once(self.records)
        self.runs = {id: run for id, run in self.records.runs.items() if not self._is_from_excluded(run)}

    def _is_from_excluded(self, run: RunRecord) -> bool:
        return is_excluded(self.exclusions, run.created_by, run.received_at)

    def take(self, operation: RecordedOperation) -> None:
        """Does one operation, or leaves it out."""
        before = self.recorded.get(operation.id)
        if operation.change is not None:
            self.recorded[operation.id] = operation.change.memory
        if operation.verb in OWN_VERBS:
            self._follow(operation)
        elif is_excluded(self.exclusions, speaker_of(operation), operation.at):
            self._leave_out(operation, before)
        elif operation.change is not None and operation.verb == PROMOTED:
            self._learn(operation, operation.change, before)
        elif operation.verdict is not None:
            self._judge(operation, operation.verdict)
        elif operation.change is not None:
            self._change(operation, operation.change, before)

    def _follow(self, operation: RecordedOperation) -> None:
        """Passes by a change that a rollback made: what comes after it was done on another state than the replay's."""
        self.taken_back.add(operation.id)
        state, recorded = self.states.get(operation.id), self.recorded[operation.id]
        if state is None or differing(state, recorded):
            self.touched.add(operation.id)

    def _leave_out(self, operation: RecordedOperation, before: Memory | None) -> None:
        self.touched.add(operation.id)
        change = operation.change
        if change is not None and (before is None or change.memory.content != before.content):
            self.withheld[operation.id].add(change.memory.content)

    def _refuse(self, operation: RecordedOperation, why: str) -> None:
        self.touched.add(operation.id)
        if operation.by.startswith(SWEEPS):
            return
        version, verb = operation.version, operation.verb
        self.refused.append(Refusal(id=operation.id, version=version, verb=verb, by=operation.by, why=why))

    def _judge(self, operation: RecordedOperation, verdict: ReplayedVerdict) -> None:
        id, standing = operation.id, self.standing[operation.id]
        state, earlier = self.states.get(id), replaced_by(verdict, standing)
        if state is None:
            self._refuse(operation, GONE)
            return
        if id in self.touched:
            state, verdict = judged_again(state, verdict, standing, self.records.policy, self.runs)
        elif operation.change is not None:
            state = operation.change.memory
        self.states[id] = state
        self.standing[id] = [*(one for one in standing if one is not earlier), verdict]

    def _learn(self, operation: RecordedOperation, change: RecordedChange, before: Memory | None) -> None:
        """Promotes again what counted runs taught; all else of the promotion is left out."""
        id, added = operation.id, runs_of(change, before)
        withheld = [run for run in added if run in self.records.runs and run not in self.runs]
        if not withheld and id not in self.touched:
            self.states[id] = change.memory
            return
        if withheld:
            self._leave_out(operation, before)
        state, first = self.states.get(id), self.records.histories[id][0].memory
        learned = learned_again(change, before, state, first, self.records, self.runs)
        if learned is not None:
            self.states[id] = learned
        elif len(withheld) < len(added):
            self._refuse(operation, POOLED)

    def _change(self, operation: RecordedOperation, change: RecordedChange, before: Memory | None) -> None:
        state, after, id = self.states.get(operation.id), change.memory, operation.id
        if before is None or change.verb == TAKEN_OVER:
            self.states[id] = self._without_labels_of_gone(after)
            return
        if state is None:
            self._on_missing(operation, after)
            return
        others = self.merges.get((id, change.at, change.by), []) if change.verb == "merged" else []
        if others:
            self._merge(operation, change, before, state, others)
        elif after.superseded_by is not None and after.superseded_by != before.superseded_by:
            self._retire(operation, before, state, after)
        else:
            self._carry(operation, change, before, state)

    def _without_labels_of_gone(self, new: Memory) -> Memory:
        """A correction of what would not be there stands by itself, without the labels that it had from that."""
        olds = [id for id in (new.supersedes, *targets(new)) if id is not None and self._is_gone(id)]
        if not olds:
            return new
        self.touched.add(new.id)
        old = self.recorded[olds[0]]
        links = without_links(new, self._is_gone).relations
        inherited: dict[str, Any] = {
            name: () for name in ("tags", "entities") if getattr(new, name) == getattr(old, name)
        }
        return replace(new, relations=() if links == old.relations else links, **inherited)

    def _on_missing(self, operation: RecordedOperation, after: Memory) -> None:
        """An operation on what is not there is refused, unless somebody brings back what was rolled back."""
        if operation.id in self.taken_back and after.is_active:
            self.states[operation.id] = after
        else:
            self._refuse(operation, GONE)

    def _carry(
        self, operation: RecordedOperation, change: RecordedChange, before: Memory, state: Memory
    ) -> None:
        id, after = operation.id, change.memory
        if id not in self.touched:
            self.states[id] = after
        elif change.verb == OVERRULED and not self._proposed_for(id):
            self._refuse(operation, GONE)
        elif change.verb == "restored" and after.content in self.withheld[id] - {state.content}:
            self._refuse(operation, TAKEN_BACK_WORDS)
        elif change.by == f"{SWEEPS}decay":
            self.states[id] = decayed(state, change.at)
        elif change.by == f"{SWEEPS}expiry":
            self.states[id] = archive_if_expired(state, change.at)
        else:
            decided = {name: getattr(after, name) for name in DECIDED.get(change.verb, ())}
            self.states[id] = replace(carried_over(before, after, state), **decided)

    def _retire(self, operation: RecordedOperation, before: Memory, state: Memory, after: Memory) -> None:
        id, successor = operation.id, str(after.superseded_by)
        if successor not in self.recorded or self.touched.isdisjoint({id, successor}):
            self.states[id] = after if id not in self.touched else carried_over(before, after, state)
            return
        then = self.states.get(successor)
        if (
            then is None
            or state.status in ENDED_STATUSES
            or (successor in self.touched and not then.is_active)
        ):
            self._refuse(operation, NO_SUCCESSOR)
        else:
            self.states[id] = carried_over(before, after, state)

    def _merge(
        self,
        operation: RecordedOperation,
        change: RecordedChange,
        before: Memory,
        state: Memory,
        others: Sequence[str],
    ) -> None:
        """Merges what there is of the others; one that is touched is merged with what it is now."""
        id, named = operation.id, [one for one in merged_ids(change.memory) if one in others]
        if self.touched.isdisjoint({id, *others}):
            self.states[id] = change.memory
            return
        found = [self.states[one] for one in named if one in self.states]
        present = [one for one in found if one.status not in ENDED_STATUSES and redaction_of(one) is None]
        if not present:
            self._refuse(operation, NO_SOURCE)
            return
        self.touched.add(id)
        recorded = [self.recorded[one] for one in named]
        self.states[id] = _merged_again(change, before, recorded, state, present)

    def archive_redacted(self) -> None:
        """Archives what would say words that were taken out: nothing is in force in their place."""
        for id in self.touched & self.states.keys():
            self.states[id] = without_redacted_words(self.states[id])

    def unlink(self) -> None:
        """Cuts the links of corrections and proposals whose other end came out otherwise."""
        for id, state in self.states.items():
            self.states[id] = state = without_links(state, self._is_gone)
            if state.supersedes is not None and self._is_let_go(id, state.supersedes):
                self.states[id] = replace(state, supersedes=None)
        for id, state in self.states.items():
            proposals = state.doubted.proposals if state.doubted else ()
            idle = [one for one in proposals if one in self.recorded and not self._proposed_for(one)]
            self.states[id] = without_proposals(state, idle)

    def _proposed_for(self, id: str) -> list[str]:
        """Memories that are there and whose place one that is there would take, as it says itself."""
        return [
            one for one in (targets(self.states[id]) if id in self.states else ()) if not self._is_gone(one)
        ]

    def _is_gone(self, id: str) -> bool:
        return id in self.recorded and id not in self.states

    def _is_let_go(self, id: str, old: str) -> bool:
        if old not in self.recorded or self.touched.isdisjoint({id, old}):
            return False
        then = self.states.get(old)
        return then is None or then.superseded_by != id


def _merged_again(
    change: RecordedChange,
    before: Memory,
    recorded: Sequence[Memory],
    state: Memory,
    present: Sequence[Memory],
) -> Memory:
    """Merge of other states than those of before; words that the caller gave are given again."""
    usual = united_words((before, *with_fresh_evidence(before, recorded)), says_all)
    fresh = with_fresh_evidence(state, present)
    wording = united_words((state, *fresh), says_all)
    if wording is None or usual is None or usual.content != change.memory.content:
        wording = with_words_of((state, *present), change.memory.content)
    united = united_memory(state, fresh, wording, change.at)
    return settle_status(in_lowest_standing(united, (state, *present)))
