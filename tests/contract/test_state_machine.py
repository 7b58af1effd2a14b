"""Anything a caller may do to a record, in any order, against a plain model of what must then be so.

After every step each record is compared by get, list and recall: on the connection that wrote, and on another one; and
now and then as of some earlier moment.
A month may pass until what nobody reads is moved to another tier: reads differ in nothing, but that recall leaves out
what is cold.
Falls without expiry checked at read time, tombstones that outlive a hard delete, or If-Match. That writes are seen at
once rests on two safeguards, the index's catch-up and the scoring of what it has not seen: it falls without both.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.conflicts.sameness import says_all
from memory_layer.domain.conflicts.united_text import united_text
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import CONTENT_MAX_BYTES
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, with_overrides
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import Conflict, Duplicate, Invalid, NotFound, StaleVersion
from memory_layer.ports.commit import Change, Commit
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.queries import get_memory, list_memories
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.as_of import list_memories_at, memory_at
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.fuzzing import examples
from tests.given import ADMIN, START, Counter, NoEmbedder, StandingClock

IDS = st.sampled_from(["a", "b", "c", "d"])
WORDS = st.sampled_from(["journal", "tombstone", "projector", "receipt"])
PADDING = ", and so on" * 100
"""With it words leave their row once they are warm."""

STEPS = {"worked": (200, 100), "failed": (-300, -100), "partial": (50, 0)}
ENDED = ("archived", "superseded", "rejected")


@dataclass(frozen=True)
class Known:
    """What must be so of one record, as it is stored; scores in thousandths."""

    content: str
    version: int
    status: str = "active"
    why: str | None = None
    score: int = 0
    confidence: int = 1000
    used: int = 0
    expires_at: datetime | None = None
    approved_at: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    taken_in: tuple[str, ...] = ()
    tier: str = "hot"
    created_at: datetime = START
    used_at: datetime | None = None
    drifted_at: datetime | None = None

    @property
    def is_near(self) -> bool:
        return self.tier in ("hot", "warm")

    @property
    def is_freezing(self) -> bool:
        return self.tier == "cold" and self.status in ENDED

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def at(self, now: datetime) -> Known:
        """As readers see it."""
        is_over = self.has_expired(now) and self.status not in ENDED
        return replace(self, status="archived") if is_over else self

    @property
    def standing(self) -> tuple[object, ...]:
        return self.status, self.why, self.superseded_by, self.approved_at

    @property
    def is_refuted(self) -> bool:
        return self.status in ("active", "stale") and (self.score < -500 or self.confidence < 200)

    def decayed(self, now: datetime) -> Known:
        """As the sweep leaves it: what is refuted is out of use; what is left forgets, each day beyond thirty."""
        if self.status in ENDED or self.has_expired(now):
            return self
        if self.is_refuted and self.score < -500:
            return replace(self, status="archived", why="outcome")
        settled = replace(self, status="inactive", why="confidence") if self.is_refuted else self
        last_use = self.used_at or self.created_at
        unused, swept = (now - last_use).days, ((self.drifted_at or last_use) - last_use).days
        if self.score == 0 or unused <= max(30, swept):
            return settled
        size = abs(self.score)
        for _ in range(max(30, swept), unused):
            size = size * 95 // 100
        score = size if self.score > 0 else -size
        return replace(settled, score=score, drifted_at=last_use + timedelta(days=unused))

    def goes_out_again(self, now: datetime) -> bool:
        return self.status not in ENDED and (self.has_expired(now) or self.is_refuted)


def saying(word: str, where: str) -> str:
    """Some are long and some are short."""
    return f"marker {word} {where}{PADDING if word in ('journal', 'projector') else ''}"


def united(into: Known, others: Mapping[str, Known]) -> Known | None:
    """Nothing that was said is lost, what has been proven is summed once; None: it is too long."""
    summed = {id for one in (into, *others.values()) for id in one.taken_in}
    said = _said_together((into, *others.values()))
    if said is None:
        return None
    for id, other in others.items():
        into = _with_evidence(into, other, id, is_new=id not in summed)
    return replace(into, **said)


def _said_together(parts: Sequence[Known]) -> dict[str, Any] | None:
    """Words of all, believed as the least of those whose words they are."""
    tried = sorted(parts, key=lambda one: (len(one.content), one.confidence), reverse=True)
    text = united_text([one.content for one in tried], says_all, CONTENT_MAX_BYTES)
    if text is None:
        return None
    speakers = [tried[at] for at in text.sources]
    approvals = [one.approved_at for one in speakers]
    return {
        "content": text.text,
        "confidence": min(one.confidence for one in speakers),
        "approved_at": approvals[0] if None not in approvals else None,
    }


def _with_evidence(into: Known, other: Known, other_id: str, *, is_new: bool) -> Known:
    expiries = [at for at in (into.expires_at, other.expires_at) if at is not None]
    uses = [at for at in (into.used_at, other.used_at) if at is not None]
    return replace(
        into,
        score=max(-1000, min(1000, into.score + other.score * is_new)),
        used=into.used + other.used * is_new,
        used_at=max(uses, default=None),
        expires_at=max(expiries) if into.expires_at else None,
        taken_in=tuple(dict.fromkeys((*into.taken_in, other_id, *other.taken_in))),
    )


def limits(has_room: bool) -> dict[str, Any]:
    """However often it is recalled; else this test's own recalls would keep all of it hot."""
    seldom = {"compress": {"access_threshold": 1_000_000}}
    tight = {} if has_room else {"evict": {"max_total_size_gb": 1e-9}, "pin": {"max_size_mb": 0}}
    general = with_overrides(DEFAULT_TIER_POLICY["general"], {**seldom, **tight})
    return {"tier_policy": {**DEFAULT_TIER_POLICY, "general": general}}


class RecordMachine(RuleBasedStateMachine):
    project = "machine"
    admin = ADMIN

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = StandingClock()
        self.new_id = Counter()
        self.known: dict[str, Known] = {}
        self.past: dict[str, list[tuple[datetime, Known]]] = {}
        self.moments = [self.clock.moment]
        self.last_version: dict[str, int] = {}
        self.walked_until: dict[str, datetime] = {}
        self.in_doubt: set[str] = set()
        self.writer, self.other = self._open(), self._open()

    def _open(self) -> EmbeddedBackend:
        """As another process would."""
        configured = read_settings({}, data_dir=self.folder, model_dir=self.folder / "none")
        return open_embedded(configured, embedder=NoEmbedder(), clock=self.clock, make_id=self.new_id)

    def teardown(self) -> None:
        if hasattr(self, "writer"):
            self.writer.close()
            self.other.close()
            shutil.rmtree(self.folder)

    def _moved(self, id: str, **changed: object) -> None:
        before = self.known[id]
        self._write(id, replace(before, version=before.version + 1, **changed))  # type: ignore[arg-type]

    def _swept(self, id: str, **changed: object) -> None:
        """What no caller does leaves a record in its tier."""
        before = self.known[id]
        self._keep(id, replace(before, version=before.version + 1, **changed))  # type: ignore[arg-type]

    def _write(self, id: str, known: Known) -> None:
        """Whatever a caller changes is hot again."""
        self._keep(id, replace(known, tier="hot"))

    def _keep(self, id: str, known: Known) -> None:
        self.known[id] = known
        self.past.setdefault(id, []).append((self.clock.moment, known))
        self.last_version[id] = known.version

    def _seen(self, id: str) -> Known:
        return self.known[id].at(self.clock.moment)

    def _is_said(self, content: str, *but: str | None) -> bool:
        """Whether another record in use says the very same."""
        now = self.clock.moment
        return any(
            known.content == content and known.at(now).status == "active"
            for id, known in self.known.items()
            if id not in but
        )

    @rule(id=IDS, word=WORDS, days=st.sampled_from([None, 1, 3]))
    def put(self, id: str, word: str, days: int | None) -> None:
        expires_at = None if days is None else self.clock.moment + timedelta(days=days)
        content = saying(word, f"in record {id}")
        said = {"content": content, "type": "pattern", "expires_at": expires_at}
        if id in self.known and self.known[id].status == "superseded":
            with pytest.raises(Conflict):
                put_memory(self.writer.ports, self.admin, self.project, id, said)
            return
        stored = put_memory(self.writer.ports, self.admin, self.project, id, said)
        if id not in self.known:
            version, now = self.last_version.get(id, 0) + 1, self.clock.moment
            self._write(id, Known(content, version, expires_at=expires_at, created_at=now))
            assert stored.is_new
            return
        before = self._unexpired(id)
        is_revived = before.status == "archived"
        has_lost_its_note = bool(before.taken_in)
        if is_revived or has_lost_its_note or (before.content, before.expires_at) != (content, expires_at):
            status, why = ("active", None) if is_revived else (before.status, before.why)
            said_now = {"content": content, "expires_at": expires_at, "taken_in": ()}
            self._moved(id, status=status, why=why, **said_now)
        assert not stored.is_new

    def _unexpired(self, id: str) -> Known:
        """As if no sweep had come by: what it archived for its age has the status that it had before."""
        known = self.known[id]
        if known.why != "expired" or not known.has_expired(self.clock.moment):
            return known
        before = next(old for _, old in reversed(self.past[id]) if old.status != "archived")
        return replace(known, status=before.status, why=before.why)

    @rule(id=IDS, word=WORDS, is_stale=st.booleans())
    def update(self, id: str, word: str, is_stale: bool) -> None:
        known = self.known.get(id)
        content = saying(word, f"in record {id}")
        expected = None if known is None else known.version - is_stale
        error: type[Exception] | None = None
        if known is None or is_stale:
            error = NotFound if known is None else StaleVersion
        elif known.status == "active" and known.content != content and self._is_said(content, id):
            error = Duplicate
        if known is None or error is not None:
            with pytest.raises(error or NotFound):
                revise(
                    self.writer.ports, self.admin, self.project, id, {"content": content}, expected=expected
                )
            return
        revise(self.writer.ports, self.admin, self.project, id, {"content": content}, expected=expected)
        if known.content != content:
            self._moved(id, content=content)

    @rule(id=IDS)
    def archive(self, id: str) -> None:
        if id not in self.known:
            with pytest.raises(NotFound):
                archive_memory(self.writer.ports, self.admin, self.project, id)
            return
        archive_memory(self.writer.ports, self.admin, self.project, id)
        if self._seen(id).status not in ENDED:
            self._moved(id, status="archived", why="by hand")

    @rule(id=IDS)
    def erase(self, id: str) -> None:
        if id not in self.known:
            with pytest.raises(NotFound):
                erase_memory(self.writer.ports, self.admin, self.project, id)
            return
        erase_memory(self.writer.ports, self.admin, self.project, id)
        self.last_version[id] = self.known.pop(id).version + 1
        del self.past[id]

    @precondition(lambda self: self.known)
    @rule(data=st.data(), result=st.sampled_from(sorted(STEPS)))
    def outcome(self, data: st.DataObject, result: str) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        self.clock.advance(hours=2)
        report_outcome(self.writer.ports, self.admin, self.project, id, OutcomeReport(result=result))  # type: ignore[arg-type]
        known = self.known[id]
        score_step, confidence_step = STEPS[result]
        score = max(-1000, min(1000, known.score + score_step))
        confidence = max(0, min(1000, known.confidence + confidence_step))
        if result == "failed" and (score, confidence) == (known.score, known.confidence):
            return
        now = self.clock.moment
        moved: dict[str, object] = {"score": score, "confidence": confidence, "used": known.used + 1}
        moved["used_at"] = max(now, known.used_at or now)
        is_in_use = self._seen(id).status in ("active", "stale")
        if is_in_use and score < -500:
            moved |= {"status": "archived", "why": "outcome"}
        elif is_in_use and confidence < 200:
            moved |= {"status": "inactive", "why": "confidence"}
        self._moved(id, **moved)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def approve(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        if self._seen(id).status in ENDED:
            with pytest.raises(Conflict):
                approve_memory(self.writer.ports, self.admin, self.project, id)
            return
        approve_memory(self.writer.ports, self.admin, self.project, id)
        self._moved(id, status="active", why=None, confidence=1000, approved_at=self.clock.moment)

    @precondition(lambda self: self.known)
    @rule(data=st.data(), word=WORDS)
    def supersede(self, data: st.DataObject, word: str) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        content = saying(word, f"instead of {id}")
        said = {"content": content, "type": "pattern", "expires_at": None}
        if self._seen(id).status in ENDED or self._is_said(content, id):
            with pytest.raises(Conflict):
                supersede_memory(self.writer.ports, self.admin, self.project, id, said)
            return
        stored = supersede_memory(self.writer.ports, self.admin, self.project, id, said)
        successor = stored.memory  # type: ignore[union-attr]
        self._moved(id, status="superseded", why=successor.id, superseded_by=successor.id)
        now = self.clock.moment
        self._write(successor.id, Known(content, successor.version, supersedes=id, created_at=now))

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def supersede_by_one_that_is_there(self, data: st.DataObject) -> None:
        old, new = (data.draw(st.sampled_from(sorted(self.known))) for _ in range(2))
        may = self._may_give_way(old, new) and self.known[new].supersedes is None
        if not may:
            with pytest.raises(Conflict):
                supersede_memory(self.writer.ports, self.admin, self.project, old, {"id": new})
            return
        supersede_memory(self.writer.ports, self.admin, self.project, old, {"id": new})
        self._moved(old, status="superseded", why=new, superseded_by=new)
        self._moved(new, supersedes=old)

    def _may_give_way(self, old: str, new: str) -> bool:
        return old != new and self._seen(old).status not in ENDED and self._seen(new).status == "active"

    @precondition(lambda self: len(self.known) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        into, *others = data.draw(
            st.lists(st.sampled_from(sorted(self.known)), min_size=2, max_size=3, unique=True)
        )
        together = united(self.known[into], {other: self.known[other] for other in others})
        may = all(self._may_give_way(other, into) for other in others)
        if not may or together is None or together.score < -500 or together.confidence < 200:
            with pytest.raises(Conflict if not may or together is not None else Invalid):
                merge_memories(self.writer.ports, self.admin, self.project, into, others)
            return
        merge_memories(self.writer.ports, self.admin, self.project, into, others)
        self._write(into, replace(together, version=together.version + 1))
        for other in others:
            self._moved(other, status="superseded", why=into, superseded_by=into)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        plan = self._undone(id)
        if plan is None:
            with pytest.raises(Conflict):
                undo_last_change(self.writer.ports, self.admin, self.project, id)
            return
        undo_last_change(self.writer.ports, self.admin, self.project, id)
        for changed, known in plan.items():
            self._write(changed, known)

    def _undone(self, id: str) -> dict[str, Known] | None:
        """The records that an undo writes; None: there is nothing to undo, or something stands in the way."""
        known, versions = self.known[id], [version for _, version in self.past[id]]
        pairs = list(pairwise(versions))
        last = next((pair for pair in reversed(pairs) if pair[0].standing != pair[1].standing), None)
        if last is None:
            return None
        before, after = last
        says_else = (before.content, before.taken_in) != (after.content, after.taken_in)
        back = replace(
            known,
            version=known.version + 1,
            status=before.status,
            why=before.why,
            superseded_by=before.superseded_by,
        )
        if before.approved_at != after.approved_at:
            is_same = (known.content, known.taken_in) == (before.content, before.taken_in)
            confidence = max(0, min(1000, known.confidence - (after.confidence - before.confidence)))
            back = replace(back, approved_at=before.approved_at if is_same else None, confidence=confidence)
        is_taken = back.status == "active" and self._is_said(back.content, id, known.superseded_by)
        if says_else or is_taken or back.goes_out_again(self.clock.moment):
            return None
        return self._with_links(id, before, back)

    def _with_links(self, id: str, before: Known, back: Known) -> dict[str, Known] | None:
        known = self.known[id]
        if known.superseded_by is not None:
            successor = self.known.get(known.superseded_by)
            if successor is None or successor.supersedes != id:
                return {id: back}
            let_go = replace(successor, version=successor.version + 1, supersedes=None)
            return {id: back, known.superseded_by: let_go}
        if before.superseded_by is None:
            return {id: back}
        new = before.superseded_by
        if new not in self.known or not self._may_give_way(id, new):
            return None
        successor = self.known[new]
        if id in successor.taken_in:
            return {id: back}
        if successor.supersedes is not None:
            return None
        return {id: back, new: replace(successor, version=successor.version + 1, supersedes=id)}

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def restore_version(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        then = data.draw(st.sampled_from([version for _, version in self.past[id]]))
        known, now = self.known[id], self.clock.moment
        back = replace(known, content=then.content, taken_in=known.taken_in or then.taken_in)
        if known.has_expired(now):
            back = replace(back, expires_at=None)
        if known.status == "archived":
            back = replace(back, status="active", why=None)
        is_refuted = known.status == "archived" and back.goes_out_again(now)
        is_taken = (
            back.status == "active" and back.content != known.content and self._is_said(back.content, id)
        )
        if known.status == "superseded" or is_refuted or is_taken:
            with pytest.raises(Conflict):
                restore_version(self.writer.ports, self.admin, self.project, id, then.version)
            return
        restore_version(self.writer.ports, self.admin, self.project, id, then.version)
        if back != known:
            self._write(id, replace(back, version=known.version + 1))

    @precondition(lambda self: self.known)
    @rule(data=st.data(), is_confirmed=st.booleans())
    def go_stale(self, data: st.DataObject, is_confirmed: bool) -> None:
        """As the staleness sweep writes it; then somebody says that it still holds, or it waits."""
        id = data.draw(st.sampled_from(sorted(self.known)))
        if self._seen(id).status != "active":
            return
        memory = get_memory(self.writer.ports, self.admin, self.project, id)
        stale = replace(memory, status="stale", status_reason="gone", version=memory.version + 1)
        change = Change(stale, memory.version, "staled", "sweep staleness", self.clock.moment, "gone")
        self.writer.ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
        self._swept(id, status="stale", why="gone")
        if is_confirmed:
            confirm_memory(self.writer.ports, self.admin, self.project, id)
            self._moved(id, status="active", why=None)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def confirm(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        if self._seen(id).status not in ("active", "stale"):
            with pytest.raises(Conflict):
                confirm_memory(self.writer.ports, self.admin, self.project, id)
            return
        confirm_memory(self.writer.ports, self.admin, self.project, id)
        if self._seen(id).status == "stale":
            self._moved(id, status="active", why=None)

    @rule(data=st.data())
    def look_back(self, data: st.DataObject) -> None:
        """A jump of the clock in between changes nothing of what was; what is to come nobody may ask for."""
        moment = data.draw(st.sampled_from(self.moments))
        if moment > self.clock.moment:
            with pytest.raises(Invalid):
                list_memories_at(
                    self.other.ports, self.admin, self.project, Filters(), moment, after=None, limit=200
                )
            return
        expected = {}
        for id, versions in self.past.items():
            until_then = [known for at, known in versions if max(at, known.created_at) <= moment]
            if until_then:
                expected[id] = until_then[-1].at(moment)
        for id in self.known.keys() - expected.keys():
            with pytest.raises(NotFound):
                memory_at(self.writer.ports, self.admin, self.project, id, moment)
        for id, known in expected.items():
            then = memory_at(self.writer.ports, self.admin, self.project, id, moment)
            assert (then.version, then.status, then.content) == (known.version, known.status, known.content)
        active = {id: known for id, known in expected.items() if known.status == "active"}
        ports = self.other.ports
        page = list_memories_at(ports, self.admin, self.project, Filters(), moment, after=None, limit=200)
        assert {memory.id: memory.version for memory in page.memories} == {
            id: known.version for id, known in active.items()
        }
        request = RecallRequest(query="marker", strategy="lexical", limit=100, as_of=moment)
        found = recall(ports, self.admin, self.project, request).memories
        assert {item.memory.id: item.memory.version for item in found} == {
            id: known.version
            for id, known in active.items()
            if known.score >= -500 and known.is_near and self.known[id].is_near
        }

    @rule()
    def sweep_expiry(self) -> None:
        """What has expired is archived for good; readers saw it so before, and see no other thing now."""
        self._run("expiry")
        for id, known in self._within_reach():
            if known.has_expired(self.clock.moment) and known.status not in ENDED:
                self._swept(id, status="archived", why="expired")

    @rule(days=st.sampled_from([0, 1, 40]), times=st.sampled_from([1, 2]))
    def sweep_decay(self, days: int, times: int) -> None:
        """However often, and whatever the clock has done since the last time."""
        for _ in range(times):
            self._pass(days)
            self._decay()

    def _decay(self) -> None:
        self._run("decay")
        for id, known in self._within_reach():
            after = known.decayed(self.clock.moment)
            if after != known:
                self._keep(id, replace(after, version=known.version + 1))

    def _within_reach(self) -> list[tuple[str, Known]]:
        """What was written by a clock that has been set back since waits until that time has come again; what is due
        at once, since its creation, for that one."""
        found = []
        for id, known in self.known.items():
            written_at, _ = self.past[id][-1]
            if (max(written_at, known.created_at) if known.is_refuted else written_at) <= self.clock.moment:
                found.append((id, known))
        return found

    def _run(self, name: SweepName) -> None:
        """It may begin where the last one began; where the clock was set back since, and is past that time again
        before anybody has swept, it makes up for it with the first walk of a month."""
        if name in self.in_doubt and self.walked_until[name] <= self.clock.moment:
            self._pass(days=31)
        report = run_sweep(self.writer.ports, name, holder="machine", seconds=3_600)
        assert (report.is_complete, report.failed) == (True, ())
        self.walked_until[name] = self.clock.moment
        self.in_doubt.discard(name)

    @rule(data=st.data())
    def set_the_clock_back(self, data: st.DataObject) -> None:
        """Nothing is lost, nothing comes twice, no version falls."""
        self.clock.moment = min(self.clock.moment, data.draw(st.sampled_from(self.moments)))
        self.in_doubt.update(self.walked_until)

    def _pass(self, days: int) -> None:
        self.clock.advance(days=days)
        self.moments.append(self.clock.moment)

    @rule(has_room=st.booleans())
    def move_tiers(self, has_room: bool) -> None:
        """The clock is right, and a month later what was hot is warm, or, where there is no room, cold; what was so
        for a year freezes."""
        self.clock.moment = max(self.clock.moment, *self.moments)
        self._pass(days=31)
        set_policy(
            self.writer.ports, self.admin, self.project, lambda before: replace(before, **limits(has_room))
        )
        self._index_is_told()
        self._run("tiering")
        for id, known in list(self.known.items()):
            if known.is_freezing and self._freezes_at(id) <= self.clock.moment:
                self._swept(id, tier="frozen")
            if known.tier == "hot":
                self._swept(id, tier="warm")
            if known.is_near and not has_room:
                self._swept(id, tier="cold")

    def _index_is_told(self) -> None:
        """What moves is found there."""

    def _freezes_at(self, id: str) -> datetime:
        written_at, _ = self.past[id][-1]
        return written_at + timedelta(days=365)

    @rule(days=st.sampled_from([1, 2, 400]))
    def time_passes(self, days: int) -> None:
        """A day at a time, or as after a long sleep of the machine."""
        self._pass(days)

    @rule()
    def restart(self) -> None:
        self.writer.close()
        self.writer = self._open()

    @rule()
    def swap_connections(self) -> None:
        self.writer, self.other = self.other, self.writer

    @invariant()
    def everybody_sees_what_was_written(self) -> None:
        if not hasattr(self, "known"):
            return
        for backend in (self.writer, self.other):
            self._check(backend)

    def _check(self, backend: EmbeddedBackend) -> None:
        now = self.clock.moment
        expected = {id: known.at(now) for id, known in self.known.items()}
        for id, known in expected.items():
            memory = get_memory(backend.ports, self.admin, self.project, id)
            assert (memory.version, memory.status) == (known.version, known.status), id
            assert (round(memory.outcome_score * 1000), round(memory.confidence * 1000)) == (
                known.score,
                known.confidence,
            )
            assert memory.use_count == known.used
            times = (memory.created_at, memory.last_used_at, memory.drifted_at)
            assert times == (known.created_at, known.used_at, known.drifted_at), id
            assert (memory.content, memory.tier) == (known.content, known.tier)
            links = (memory.supersedes, memory.superseded_by, memory.approved_at)
            assert links == (known.supersedes, known.superseded_by, known.approved_at), id
        listed = list_memories(
            backend.ports, self.admin, self.project, Filters(), after=None, limit=200
        ).memories
        active = {id: known for id, known in expected.items() if known.status == "active"}
        assert {memory.id for memory in listed} == set(active)
        request = RecallRequest(query="marker", strategy="lexical", limit=100)
        found = recall(backend.ports, self.admin, self.project, request).memories
        recallable = {id for id, known in active.items() if known.score >= -500 and known.is_near}
        assert {item.memory.id: (item.memory.version, item.memory.content) for item in found} == {
            id: (expected[id].version, expected[id].content) for id in recallable
        }


RecordMachine.TestCase.settings = settings(
    max_examples=examples(300),
    stateful_step_count=35,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestRecordMachine = RecordMachine.TestCase
