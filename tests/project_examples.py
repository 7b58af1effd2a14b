"""A small project with something of everything: versions, a conversation, relations, an erased record."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.learning.implicit_feedback import FeedbackEntry, ImplicitFeedback, name_of
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import Learning, StagedLearning
from memory_layer.domain.memory import Ref, Relation
from memory_layer.domain.policy import Policy
from memory_layer.ports.commit import Commit, IdempotencyRecord, Quota, Verdict
from memory_layer.ports.receipts import Exploration, RecallReceipt
from memory_layer.ports.records import Operation
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from tests.given import PROJECT


def fill(backend: EmbeddedBackend, admin: Principal) -> list[str]:
    """Returns: the ids that are there, in order."""
    said = [
        {"id": "pnpm", "content": "This project uses pnpm, never npm.", "tags": ["tooling", "src/**"]},
        {"id": "wal", "content": "SQLite runs in WAL mode.", "entities": ["urn:tech:sqlite"]},
        {"id": "deploy", "content": "Deploys go out on Tuesdays.", "detail": {"days": ["Tue"], "n": 1.5}},
        {"id": "secret-ish", "content": "Rotate keys every quarter.", "context": "From the runbook."},
        {"id": "gone", "content": "This was told in confidence."},
    ]
    for fields in said:
        remember(backend.ports, admin, PROJECT, RememberRequest(fields=fields))
    revise(backend.ports, admin, PROJECT, "wal", {"content": "SQLite runs in WAL mode, synchronous FULL."})
    revise(backend.ports, admin, PROJECT, "wal", {"relations": (Relation("about", "urn:tech:sqlite"),)})
    revise(
        backend.ports, admin, PROJECT, "deploy", {"expires_at": backend.ports.clock.now().replace(year=2030)}
    )
    turns = ["We ship on Friday.", "Friday is a holiday.", "Then on Thursday."]
    add_turns(
        backend.ports, admin, PROJECT, "talk", [RememberRequest(fields={"content": text}) for text in turns]
    )
    backend.drain()
    erase_memory(backend.ports, admin, PROJECT, "gone")
    backend.drain()
    return ids_of(backend, admin)


def ids_of(backend: EmbeddedBackend, admin: Principal) -> list[str]:
    return sorted(
        memory.id
        for memory in backend.ports.store.memories.every(admin.scope(PROJECT), after=None, limit=99).memories
    )


def fill_beside(backend: EmbeddedBackend, admin: Principal, id: str) -> None:
    """One of everything that is kept beside the records, no field of it empty; `id` is of the memory spoken of.

    The last write has not reached an index yet.
    """
    store, now, scope = backend.ports.store, backend.ports.clock.now(), admin.scope(PROJECT)
    first = Verdict(
        id="vrd_1", memory_id=id, result="worked", principal="ada", at=now, session_id="talk", run_id="r-1",
        recall_id="rcl_1", note="It held.", score_moved=0.1, confidence_moved=0.05, speaker="reviewer",
    )  # fmt: skip
    second = replace(first, id="vrd_2", result="failed")
    store.writer.commit(Commit(scope=scope, verdicts=(first,)))
    store.writer.commit(Commit(scope=scope, verdicts=(second,), replaces=(("vrd_1", "vrd_2"),)))
    answer = IdempotencyRecord(
        "key-1", "f" * 64, 201, '{"id": "told", "context": null}', now + timedelta(days=1), id
    )
    quota = Quota("outcome:ada", 100, 3600, now, "ada")
    run = RunRecord(
        run_id="r-1", fingerprint="f" * 64, objective="Fix the tests", status="completed", outcome="worked",
        task_type="bug-fix", iterations=3, mode="auto", memories_used=(id,), staged_ids=("stg_1",), created_by="ada",
        persona="coder", received_at=now, finished_at=now, result={"staged": 1}, history="e" * 64,
    )  # fmt: skip
    learning = Learning(
        type="strategy", task_type="bug-fix", content="Run one test first.", detail={"n": 1}, confidence=0.5,
        success_rate=0.5, source_runs=("r-1",),
    )  # fmt: skip
    staged = StagedLearning(
        id="stg_1", run_id="r-1", learning=learning, status="rejected", rejection_reason="weak", staged_at=now,
        validated_at=now, decided_by="ada", decided_at=now, memory_id=id, created_by="ada", persona="coder",
    )  # fmt: skip
    entry = FeedbackEntry(voice="agent:ada", reporter="ada", task_type="bug-fix", worked=1.0, runs=1, at=now)
    feedback = ImplicitFeedback(memory=name_of(Ref(scope.project, id)), entries=(entry,), updated_at=now)
    policy = Policy(privacy_mode="personal", version=1)
    all_at_once = Commit(
        scope=scope, answer=answer, quotas=(quota,), runs=(run,), staged=(staged,), feedback=(feedback,), policy=policy
    )  # fmt: skip
    store.writer.commit(all_at_once)
    store.sessions.take_positions(scope, "talk", 2)
    store.sessions.take_positions(scope, "talk", 1)
    store.requests.put_operation(
        Operation(
            "op_1", scope.tenant, "ada", "import", "failed", 1, 2, now, "ops/in", {"n": 1}, {"title": "no"}
        )
    )
    for recall_id in ("rcl_1", "rcl_2"):
        store.receipts.note(
            RecallReceipt(
                recall_id,
                scope,
                "ada",
                (Ref(PROJECT, id),),
                now,
                "r-1",
                Exploration(1, (0.5,)),
                ((500,),),
                "ada's",
            )
        )
        store.receipts.get(scope, recall_id)
    backend.drain()
    revise(backend.ports, admin, PROJECT, id, {"tags": ("seen",)})
