"""Commits as one TransactWriteItems each: planned, sent, and planned anew as long as others get in between."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from memory_layer.adapters.aws.store import commit_actions, news_gate, partition_erasure
from memory_layer.adapters.aws.store.staging_actions import note_actions, staging_actions
from memory_layer.adapters.aws.table import keys, record_seals, request_items
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import Item, text_of
from memory_layer.adapters.aws.table.records_table import CancellationReason, ConditionFailed, RecordsTable
from memory_layer.adapters.aws.table.request_items import is_unexpired
from memory_layer.errors import (
    ContentTaken,
    Invalid,
    MemoryLayerError,
    StoreUnavailable,
    TooLarge,
    TooMany,
    VersionConflict,
)
from memory_layer.ports.commit import ANSWER_LIFETIME, Change, Commit, HourlyUse
from memory_layer.ports.process import Clock

ACTIONS_MAX = 100
TRANSACTION_MAX_BYTES = 4 * 2**20
ITEM_MAX_BYTES = 400 * 2**10
"""Source: Amazon DynamoDB Developer Guide, Quotas."""


class CommitTransactions:
    """Writer of commits to the table.

    Args:
        clock: says when a change enters the project's log.
        new_token: makes a client token, never the same.
    """

    def __init__(self, table: RecordsTable, clock: Clock, new_token: Callable[[], str]) -> None:
        self._table = table
        self._clock = clock
        self._new_token = new_token

    def run(self, commit: Commit, announced: Key | None = None) -> None:
        """Carries out a commit as ports.record_store.CommitWriter.commit.

        Args:
            announced: key of the announcement that must still stand.

        Raises:
            AnnouncementCancelled: it does not.
            Invalid, TooLarge: no transaction holds it.
            TooMany: an allowance or a quota is used up.
            StoreUnavailable: too many others write the same, or the table cannot be reached.
        """
        self._use_hours(commit)
        leftovers = {
            e.id: partition_erasure.remaining_keys(self._table, commit.scope, e.id) for e in commit.erasures
        }
        learned = commit_actions.RetryKnowledge()
        for _ in self._table.backoff.rounds():
            later = self._attempt(commit, leftovers, learned, announced)
            if later is not None:
                self._finish(commit, leftovers, later)
                return
        raise StoreUnavailable(
            f"{_subjects(commit)}: others wrote the same at each of {self._table.backoff.attempts} attempts; "
            "nothing was written, send it again"
        )

    def _use_hours(self, commit: Commit) -> None:
        """Counts uses of an hour ahead of the transaction: in it, writers of one principal would wait for each other.

        Raises:
            TooMany: there is no room for one; those before it are given back.
        """
        for position, use in enumerate(commit.uses):
            if not self._has_counted(commit.scope.tenant, use):
                for counted in commit.uses[:position]:
                    self._has_counted(commit.scope.tenant, replace(counted, amount=-counted.amount))
                raise use.refusal

    def _has_counted(self, tenant: str, use: HourlyUse) -> bool:
        """Counts a use if there is room for it; an item of the hour that is not there yet has room for anything."""
        if use.amount > use.limit:
            return False
        try:
            self._table.update(**request_items.hourly_update(tenant, use))
        except ConditionFailed:
            return False
        return True

    def _attempt(
        self,
        commit: Commit,
        leftovers: dict[str, list[Key]],
        learned: commit_actions.RetryKnowledge,
        announced: Key | None,
    ) -> Sequence[commit_actions.Action] | None:
        """Sends a plan; returns the rewritings that it had no room for and that are left to do; None: plan anew."""
        actions = self._planned(commit, learned)
        if announced is not None:
            actions.append(news_gate.announced_action(announced))
        if not actions:
            return []
        _check(actions)
        actions, waiting = _filled_up(actions, partition_erasure.context_removals(self._table, commit))
        actions, _ = _filled_up(actions, [commit_actions.delete_action(key) for key in _each_once(leftovers)])
        reasons = self._table.transact([{a.kind: a.body} for a in actions], self._new_token())
        if reasons is None:
            return waiting
        _explain(actions, reasons)
        return None

    def _planned(self, commit: Commit, learned: commit_actions.RetryKnowledge) -> list[commit_actions.Action]:
        """Plans the actions; where several conditions fail, the first in order gives the error."""
        answers = commit_actions.answer_actions(commit)
        quotas = list(self._quotas(commit))
        now = self._clock.now()
        changes, learnt = commit_actions.change_actions(commit, now, learned), staging_actions(commit, now)
        notes = note_actions(commit, now, self._new_token)
        return [*answers, *quotas, *changes, *learnt, *notes, *self._claims(commit, learned)]

    def _quotas(self, commit: Commit) -> Iterator[commit_actions.Action]:
        """Actions that use the quotas of a commit.

        Raises:
            TooMany: one is used up; InFlight if that is so because another request with this key came first.
        """
        for quota in commit.quotas:
            stored = self._table.get(keys.quota_key(commit.scope.tenant, quota.key))
            try:
                yield commit_actions.quota_action(commit.scope.tenant, quota, stored)
            except TooMany:
                self._refuse_answered(commit)
                raise

    def _refuse_answered(self, commit: Commit) -> None:
        if commit.answer is None:
            return
        met = self._table.get(keys.answer_key(commit.scope, commit.answer.key))
        if met is not None and is_unexpired(met, commit.answer.expires_at - ANSWER_LIFETIME):
            raise commit_actions.answered_already()

    def _claims(self, commit: Commit, learned: commit_actions.RetryKnowledge) -> list[commit_actions.Action]:
        news = [change for change in commit.changes if change.is_news]
        return [self._claim(change, learned) for change in news]

    def _claim(self, change: Change, learned: commit_actions.RetryKnowledge) -> commit_actions.Action:
        memory = change.memory
        key = keys.claim_key(memory.scope, memory.content_hash, memory.persona)
        claim = (key["pk"]["S"], key["sk"]["S"])

        def refused(met: Item | None) -> MemoryLayerError | None:
            """Checks that the holder of the claim exists, is in use, and still has this content."""
            holder = text_of(met or {}, "id")
            if holder is None:
                return None
            if holder != memory.id and self._says_the_same(change, holder):
                return ContentTaken(holder)
            learned.claims[claim] = holder
            return None

        return commit_actions.claim_action(change, learned.claims.get(claim), refused)

    def _says_the_same(self, change: Change, holder: str) -> bool:
        item = self._table.get(keys.record_key(change.memory.scope, holder))
        other = None if item is None else record_seals.sound_memory_or_none(item)
        if other is None:
            return False
        is_in_use = other.is_active and not other.has_expired(change.at)
        said = (change.memory.content_hash, change.memory.persona)
        return is_in_use and (other.content_hash, other.persona) == said

    def _finish(
        self, commit: Commit, leftovers: dict[str, list[Key]], waiting: Sequence[commit_actions.Action]
    ) -> None:
        for action in waiting:
            partition_erasure.remove_context(self._table, action)
        for erased in commit.erasures:
            partition_erasure.finish_erasure(
                self._table, commit.scope, erased.id, erased.before + 1, leftovers[erased.id]
            )


def _check(actions: Sequence[commit_actions.Action]) -> None:
    """Checks that the actions fit into one transaction.

    Raises:
        VersionConflict: two actions on one item.
        Invalid, TooLarge: more than DynamoDB takes.
    """
    twice = [key for key, count in Counter(action.key for action in actions).items() if count > 1]
    if twice:
        raise VersionConflict(f"the commit writes {' '.join(twice[0])} twice; make it two commits")
    if len(actions) > ACTIONS_MAX:
        raise Invalid(
            f"the commit takes {len(actions)} actions, {ACTIONS_MAX} is the most; send less of it at a time"
        )
    sizes = [action.size_bytes for action in actions]
    for action, size_bytes in zip(actions, sizes, strict=True):
        if size_bytes > ITEM_MAX_BYTES:
            raise TooLarge(
                f"{' '.join(action.key)} takes {size_bytes} bytes, {ITEM_MAX_BYTES} is the most; shorten it"
            )
    if sum(sizes) > TRANSACTION_MAX_BYTES:
        raise TooLarge(
            f"the commit takes {sum(sizes)} bytes, {TRANSACTION_MAX_BYTES} is the most; send less at a time"
        )


def _filled_up(
    actions: list[commit_actions.Action], more: Sequence[commit_actions.Action]
) -> tuple[list[commit_actions.Action], Sequence[commit_actions.Action]]:
    """Actions with as many more as there is room for, and the rest."""
    if not more:
        return actions, more
    written = {action.key for action in actions}
    more = [action for action in more if action.key not in written]
    room_bytes = TRANSACTION_MAX_BYTES - sum(action.size_bytes for action in actions)
    sizes = accumulate(action.size_bytes for action in more)
    fitting = min(ACTIONS_MAX - len(actions), sum(size <= room_bytes for size in sizes))
    return [*actions, *more[:fitting]], more[fitting:]


def _each_once(leftovers: dict[str, list[Key]]) -> list[Key]:
    """Keys without repetition: two records that are erased together may have a pair in common."""
    found = (key for keys_of_one in leftovers.values() for key in keys_of_one)
    return list({(key["pk"]["S"], key["sk"]["S"]): key for key in found}.values())


def _explain(actions: Sequence[commit_actions.Action], reasons: Sequence[CancellationReason]) -> None:
    """Raises the first failed condition's error; returns if another attempt is worth it."""
    for action, reason in zip(actions, reasons, strict=True):
        if reason.code == "ValidationError":
            raise Invalid(f"{' '.join(action.key)} cannot be stored: {reason.message}")
        error = action.refused(reason.item) if reason.code == "ConditionalCheckFailed" else None
        if error is not None:
            raise error


def _subjects(commit: Commit) -> str:
    """Ids and kinds that a commit is about, for people."""
    ids = [*(change.memory.id for change in commit.changes), *(erased.id for erased in commit.erasures)]
    ids += [run.run_id for run in commit.runs]
    ids += [staged.id for staged in (*commit.staged, *commit.unstaged)]
    return ", ".join(ids or [quota.subject for quota in commit.quotas] or [commit.scope.project])
