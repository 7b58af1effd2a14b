"""Anything a caller may do to a record, in any order, against a plain model of what must then be so.

After every step each record is compared by get, list and recall: on the connection that wrote, and on another one.
Falls without expiry checked at read time, tombstones that outlive a hard delete, or If-Match. That writes are seen at
once rests on two safeguards, the index's catch-up and the scoring of what it has not seen: it falls without both.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.typing import NDArray

from memory_layer.bootstrap import Embedded, embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.errors import Conflict, EmbedderUnavailable, NotFound, StaleVersion
from memory_layer.settings import read_settings
from memory_layer.usecases.approve import approve_memory
from memory_layer.usecases.forget import archive_memory, erase_memory
from memory_layer.usecases.put import put_memory
from memory_layer.usecases.read import get_memory, list_memories
from memory_layer.usecases.recall import RecallRequest, recall
from memory_layer.usecases.report_outcome import Report, report_outcome
from memory_layer.usecases.revise import revise
from memory_layer.usecases.supersede import supersede_memory
from tests.conftest import Counter, StandingClock

ADMIN = Principal(tenant="acme", subject="ada", roles=frozenset({"admin"}))
IDS = st.sampled_from(["a", "b", "c", "d"])
WORDS = st.sampled_from(["journal", "tombstone", "projector", "receipt"])
STEPS = {"worked": (200, 100), "failed": (-300, -100), "partial": (50, 0)}
ENDED = ("archived", "superseded", "rejected")


class NoEmbedder:
    """The product without its model: recall by words, which is what this test reads back."""

    model = "none"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbedderUnavailable(f"no model for {len(texts)} texts")


@dataclass(frozen=True)
class Known:
    """What must be so of one record; scores in thousandths."""

    word: str
    version: int
    status: str = "active"
    score: int = 0
    confidence: int = 1000
    used: int = 0
    expires_at: datetime | None = None

    def at(self, now: datetime) -> Known:
        has_expired = self.expires_at is not None and self.expires_at <= now
        return replace(self, status="archived") if has_expired and self.status not in ENDED else self


class RecordMachine(RuleBasedStateMachine):
    project = "machine"
    admin = ADMIN

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = StandingClock()
        self.new_id = Counter()
        self.known: dict[str, Known] = {}
        self.last_version: dict[str, int] = {}
        self.writer, self.other = self._open(), self._open()

    def _open(self) -> Embedded:
        """As another process would."""
        configured = read_settings({}, data_dir=self.folder, model_dir=self.folder / "none")
        return embedded(configured, embedder=NoEmbedder(), clock=self.clock, make_id=self.new_id)

    def teardown(self) -> None:
        if hasattr(self, "writer"):
            self.writer.close()
            self.other.close()
            shutil.rmtree(self.folder)

    def _moved(self, id: str, **changed: object) -> None:
        before = self.known[id].at(self.clock.moment)
        self.known[id] = replace(before, version=before.version + 1, **changed)  # type: ignore[arg-type]
        self.last_version[id] = self.known[id].version

    @rule(id=IDS, word=WORDS, days=st.sampled_from([None, 1, 3]))
    def put(self, id: str, word: str, days: int | None) -> None:
        expires_at = None if days is None else self.clock.moment + timedelta(days=days)
        said = {"content": f"marker {word} in record {id}", "type": "pattern", "expires_at": expires_at}
        if id in self.known and self.known[id].status == "superseded":
            with pytest.raises(Conflict):
                put_memory(self.writer.ports, self.admin, self.project, id, said)
            return
        stored = put_memory(self.writer.ports, self.admin, self.project, id, said)
        if id not in self.known:
            version = self.last_version.get(id, 0) + 1
            self.known[id] = Known(word, version, expires_at=expires_at)
            self.last_version[id] = version
            assert stored.is_new
            return
        before = self.known[id].at(self.clock.moment)
        is_revived = before.status == "archived"
        if is_revived or (before.word, before.expires_at) != (word, expires_at):
            status = "active" if is_revived else before.status
            self._moved(id, word=word, expires_at=expires_at, status=status)
        assert not stored.is_new

    @rule(id=IDS, word=WORDS, is_stale=st.booleans())
    def update(self, id: str, word: str, is_stale: bool) -> None:
        known = self.known.get(id)
        content = {"content": f"marker {word} in record {id}"}
        expected = None if known is None else known.version - is_stale
        if known is None or is_stale:
            with pytest.raises(NotFound if known is None else StaleVersion):
                revise(self.writer.ports, self.admin, self.project, id, content, expected=expected)
            return
        revise(self.writer.ports, self.admin, self.project, id, content, expected=expected)
        if known.word != word:
            self._moved(id, word=word)

    @rule(id=IDS)
    def archive(self, id: str) -> None:
        if id not in self.known:
            with pytest.raises(NotFound):
                archive_memory(self.writer.ports, self.admin, self.project, id)
            return
        archive_memory(self.writer.ports, self.admin, self.project, id)
        if self.known[id].at(self.clock.moment).status not in ENDED:
            self._moved(id, status="archived")

    @rule(id=IDS)
    def erase(self, id: str) -> None:
        if id not in self.known:
            with pytest.raises(NotFound):
                erase_memory(self.writer.ports, self.admin, self.project, id)
            return
        erase_memory(self.writer.ports, self.admin, self.project, id)
        self.last_version[id] = self.known.pop(id).version + 1

    @precondition(lambda self: self.known)
    @rule(data=st.data(), result=st.sampled_from(sorted(STEPS)))
    def outcome(self, data: st.DataObject, result: str) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        known = self.known[id].at(self.clock.moment)
        self.clock.advance(hours=2)
        known = known.at(self.clock.moment)
        report_outcome(self.writer.ports, self.admin, self.project, id, Report(result=result))  # type: ignore[arg-type]
        score_step, confidence_step = STEPS[result]
        score = max(-1000, min(1000, known.score + score_step))
        confidence = max(0, min(1000, known.confidence + confidence_step))
        if result == "failed" and (score, confidence) == (known.score, known.confidence):
            return
        status = known.status
        if status == "active":
            status = "archived" if score < -500 else "inactive" if confidence < 200 else "active"
        self._moved(id, score=score, confidence=confidence, used=known.used + 1, status=status)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def approve(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        if self.known[id].at(self.clock.moment).status in ENDED:
            with pytest.raises(Conflict):
                approve_memory(self.writer.ports, self.admin, self.project, id)
            return
        approve_memory(self.writer.ports, self.admin, self.project, id)
        self._moved(id, status="active", confidence=1000)

    @precondition(lambda self: self.known)
    @rule(data=st.data(), word=WORDS)
    def supersede(self, data: st.DataObject, word: str) -> None:
        id = data.draw(st.sampled_from(sorted(self.known)))
        said = {"content": f"marker {word} instead of {id}", "type": "pattern", "expires_at": None}
        if self.known[id].at(self.clock.moment).status in ENDED:
            with pytest.raises(Conflict):
                supersede_memory(self.writer.ports, self.admin, self.project, id, said)
            return
        stored = supersede_memory(self.writer.ports, self.admin, self.project, id, said)
        successor = stored.memory  # type: ignore[union-attr]
        self._moved(id, status="superseded")
        self.known[successor.id] = Known(word, successor.version)
        self.last_version[successor.id] = successor.version

    @rule(days=st.sampled_from([1, 2]))
    def time_passes(self, days: int) -> None:
        self.clock.advance(days=days)

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

    def _check(self, backend: Embedded) -> None:
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
            assert known.word in memory.content
        listed = list_memories(
            backend.ports, self.admin, self.project, Filters(), after=None, limit=200
        ).memories
        active = {id: known for id, known in expected.items() if known.status == "active"}
        assert {memory.id for memory in listed} == set(active)
        request = RecallRequest(query="marker", strategy="lexical", limit=100)
        found = recall(backend.ports, self.admin, self.project, request).memories
        recallable = {id for id, known in active.items() if known.score >= -500}
        assert {item.memory.id: item.memory.version for item in found} == {
            id: expected[id].version for id in recallable
        }


RecordMachine.TestCase.settings = settings(
    max_examples=300,
    stateful_step_count=35,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestRecordMachine = RecordMachine.TestCase
