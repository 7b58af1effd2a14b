"""Intake of a finished run: learnings extracted, staged, validated and promoted, and cited memories credited."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256

from memory_layer.domain.access import SHARED_PROJECT, Principal, agent_voice, viewer_of
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.approaches import approach_of
from memory_layer.domain.learning.run import (
    Run,
    RunMode,
    RunRecord,
    is_of_other_reporter,
    may_be_told_apart,
    run_id_of_reporter,
)
from memory_layer.domain.learning.run_extraction import approach_texts, extract
from memory_layer.domain.learning.said_once import learnings_said
from memory_layer.domain.learning.staging import Learning, StagedLearning, learning_id, staged_id
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.learning.tool_failures import failed_by_tools
from memory_layer.domain.learning.voices import voice_of
from memory_layer.domain.memory import Scope
from memory_layer.errors import Conflict, Forbidden, InFlight, Invalid, TooMany, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_names
from memory_layer.usecases.ground.allowances import use_of_citations, use_of_learnings
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.run_history import RunHistories, words_of
from memory_layer.usecases.learn.credit_run import credit_run, known_ids
from memory_layer.usecases.learn.credit_shown import feedback_of_run
from memory_layer.usecases.learn.promote_learnings import promote_all, validate_all
from memory_layer.usecases.learn.redact_run import without_secrets
from memory_layer.usecases.learn.shown_lists import shown_lists
from memory_layer.usecases.learn.unknown_ids import unknown_ids
from memory_layer.usecases.write.recalled_text import recalled_texts_among
from memory_layer.usecases.write.screening import suspicion_of_names

LEARNINGS_MAX = 48
"""Learnings of one transaction: two actions each, of at most 100 with the run's two and one for the audit log; also the
most that are computed of one run."""

OBJECTIVE_CHARS = 1_024

ECHOES_MAX = 30
"""Most frequent texts of strategies that are compared with the memories that recalls returned."""


@dataclass(frozen=True, slots=True)
class RunReceipt:
    """Stored run with the counts of its learnings.

    Args:
        is_replay: it had been reported before.
        unknown: ids of its report that are of no memory and no recall; its verdict meets none of them.
    """

    record: RunRecord
    is_replay: bool = False
    unknown: tuple[str, ...] = ()


def learn_from_run(ports: Ports, principal: Principal, project: str, run: Run, mode: RunMode) -> RunReceipt:
    """Takes a run in, once; reported again it is answered as before, or completed if a crash came between.

    Where an agent has reported another run under this id, it is kept under an id of its reporter's own: whoever knows
    what CI calls its next run would otherwise keep CI from reporting it. Such an id of another's is nobody else's.

    The run is stored in one transaction with its staged learnings, those beyond its room in the next ones; every later
    step can be done again.

    Args:
        mode: `auto` validates and promotes; `staged` leaves all pending, for people.

    Raises:
        Invalid: a name in it looks like a secret, or a text does and the project refuses those.
        Forbidden: runs of the tenant's shared project are reported by a reviewer.
        Conflict: another run has this id.
        TooMany: the principal's runs cite or teach too much in an hour; nothing of the run is stored.
        InFlight: the same run, reported by somebody else, is still being taken in.
    """
    scope = principal.scope(project)
    if project == SHARED_PROJECT and not principal.is_reviewer:
        raise Forbidden("what a whole tenant shares is written by a reviewer")
    fingerprint = _fingerprint(run)
    if is_of_other_reporter(run.run_id, principal):
        run = replace(run, run_id=run_id_of_reporter(run.run_id, principal))
    record = ports.store.learnings.run(scope, run.run_id)
    if record is not None and record.fingerprint != fingerprint and may_be_told_apart(record, principal):
        run = replace(run, run_id=run_id_of_reporter(run.run_id, principal))
        record = ports.store.learnings.run(scope, run.run_id)
    record = record or _taken_in(ports, principal, scope, run, mode, fingerprint)
    if record.fingerprint != fingerprint or not viewer_of(principal).may_see(record.persona):
        raise Conflict(
            f"run {run.run_id} was taken in with another report; a run is reported once, after it has ended"
        )
    unknown = unknown_ids(ports, principal, scope, run, record)
    if record.result is not None:
        return RunReceipt(record, is_replay=True, unknown=unknown)
    if record.created_by != principal.name:
        raise InFlight(f"run {run.run_id} is being taken in for somebody else; ask for it in a moment")
    _stage_missing(ports, principal, scope, run, record)
    done = _finished(ports, principal, scope, record, failed_by_tools(run.iterations))
    return RunReceipt(done, unknown=unknown)


def _fingerprint(run: Run) -> str:
    """Digest of a report; one without `recall_ids` has that of earlier releases, which knew none."""
    document = {name: value for name, value in asdict(run).items() if value or name != "recall_ids"}
    return sha256(canonical_json(document).encode()).hexdigest()


def _taken_in(
    ports: Ports, principal: Principal, scope: Scope, run: Run, mode: RunMode, fingerprint: str
) -> RunRecord:
    """Stores the run with all its learnings in one transaction; or reads it if somebody else has just stored it."""
    now, policy = ports.clock.now(), ports.store.projects.policy(scope)
    refuse_secret_names({"run_id": run.run_id, "project": scope.project}, policy)
    run = without_secrets(run, policy)
    _refuse_orders_in_names(run)
    staged = _staged_of(ports, principal, scope, run, now)
    record = RunRecord(
        run_id=run.run_id,
        fingerprint=fingerprint,
        objective=run.objective[:OBJECTIVE_CHARS],
        status=run.status,
        outcome=run.outcome,
        task_type=detect_task_type(run.objective),
        iterations=len(run.iterations),
        mode=mode,
        memories_used=known_ids(ports, principal, scope.project, run.memories_used),
        staged_ids=tuple(item.id for item in staged),
        created_by=principal.name,
        persona=principal.persona,
        received_at=now,
        is_vouched=not principal.is_agent,
        shown=shown_lists(ports, principal, scope.project, run),
        history=RunHistories(ports.blobs, scope).keep(run),
        words=words_of(run),
    )
    cited = 0 if record.status == "crashed" else len(record.memories_used)
    uses = use_of_learnings(principal, scope, policy.limits, now, max(1, len(staged)))
    uses += use_of_citations(principal, scope, policy.limits, now, cited)
    try:
        ports.store.writer.commit(
            Commit(scope=scope, runs=(record,), staged=tuple(staged[:LEARNINGS_MAX]), uses=uses)
        )
    except (TooMany, VersionConflict) as refusal:
        return _other_delivery(ports, scope, record, refusal)
    _stage(ports, scope, staged[LEARNINGS_MAX:])
    return record


def _other_delivery(
    ports: Ports, scope: Scope, record: RunRecord, refusal: VersionConflict | TooMany
) -> RunRecord:
    """Reads the run as somebody else has just stored it; of one that is refused no iterations stay."""
    stored = ports.store.learnings.run(scope, record.run_id)
    if stored is None or stored.history != record.history:
        RunHistories(ports.blobs, scope).forget_one(record.run_id, record.history)
    if stored is not None:
        return stored
    if isinstance(refusal, TooMany):
        raise refusal
    raise VersionConflict(f"run {record.run_id} cannot be stored: learnings of it are staged already")


def _refuse_orders_in_names(run: Run) -> None:
    """Refuses a run id that reads as an order to a model: it stands beside every memory that the run teaches.

    Raises:
        Invalid
    """
    doubt = suspicion_of_names([run.run_id])
    if doubt is not None:
        raise Invalid.at("/run_id", f"{doubt}; name the run otherwise")


def _stage_missing(ports: Ports, principal: Principal, scope: Scope, run: Run, record: RunRecord) -> None:
    """Stages the learnings that the run's own transaction had no room for; again, where a crash came between."""
    if len(record.staged_ids) <= LEARNINGS_MAX:
        return
    stored, run = _stored(ports, scope, record), without_secrets(run, ports.store.projects.policy(scope))
    wanted = set(record.staged_ids) - stored.keys()
    rows = _staged_of(ports, principal, scope, run, record.received_at) if wanted else []
    _stage(ports, scope, [row for row in rows if row.id in wanted])


def _stage(ports: Ports, scope: Scope, rows: Sequence[StagedLearning]) -> None:
    chunks = [tuple(rows[start : start + LEARNINGS_MAX]) for start in range(0, len(rows), LEARNINGS_MAX)]
    for error in ports.store.writer.commit_each([Commit(scope=scope, staged=chunk) for chunk in chunks]):
        if error is not None and not isinstance(
            error, VersionConflict
        ):  # another delivery has just staged them
            raise error


def _staged_of(
    ports: Ports, principal: Principal, scope: Scope, run: Run, now: datetime
) -> list[StagedLearning]:
    """Rows of all that the run teaches, each once: first what is computed, then what its iterations said."""
    found = (_staged(run, one, principal, now) for one in _learnings(ports, principal, scope, run))
    return list({row.id: row for row in found}.values())


def _learnings(ports: Ports, principal: Principal, scope: Scope, run: Run) -> Sequence[Learning]:
    """Learnings of the run without echoes of recalled memories."""
    computed, echoes = extract(run), set[str]()
    texts = [text for text in approach_texts(run)[:ECHOES_MAX] if _is_its_own_wording(text)]
    if texts and any(learning.type == "strategy" for learning in computed):
        echoes = recalled_texts_among(ports, scope, principal.persona, texts, ports.clock.now())
        computed = extract(run, echoes=echoes) if echoes else computed
    return [*computed[:LEARNINGS_MAX], *_said(ports, principal, scope, run, computed, echoes)]


def _said(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    run: Run,
    computed: Sequence[Learning],
    echoes: Collection[str],
) -> list[Learning]:
    """Learnings in the words of the iterations; one that a recall has handed out teaches nothing new."""
    strategies = [learning.content for learning in computed if learning.type == "strategy"]
    said = learnings_said(run, strategies, echoes)
    texts = [learning.content for learning in said]
    recalled = recalled_texts_among(ports, scope, principal.persona, texts, ports.clock.now(), by_words=True)
    return [learning for learning in said if learning.content not in recalled]


def _is_its_own_wording(text: str) -> bool:
    """Tells if a text is its approach word for word; a text in other words is evidence of the run's own."""
    said = " ".join(text.split()).casefold()
    return said.startswith((approach_of(text) or "").casefold())


def _staged(run: Run, learning: Learning, principal: Principal, now: datetime) -> StagedLearning:
    voices = [voice_of(agent_voice(principal.name), run.objective)]
    return StagedLearning(
        id=staged_id(run.run_id, learning_id(learning, principal.persona)),
        run_id=run.run_id,
        learning=replace(learning, detail={**learning.detail, "voices": voices}),
        staged_at=now,
        created_by=principal.name,
        persona=principal.persona,
    )


def _finished(
    ports: Ports, principal: Principal, scope: Scope, record: RunRecord, failed_by: str | None
) -> RunRecord:
    """Validates, promotes and credits; every step skips what it finds done, so the same call goes on after a crash."""
    if record.mode == "auto":
        validate_all(ports, scope, _stored(ports, scope, record).values())
        promote_all(ports, principal, scope, _stored(ports, scope, record).values())
    cause = {} if failed_by is None else {"failed_by": failed_by}
    credited = credit_run(ports, principal, scope.project, replace(record, result=cause))
    counts = _counts(record.staged_ids, _stored(ports, scope, record))
    result = {**counts, "credited": credited, **cause}
    done = replace(record, result=result, finished_at=ports.clock.now(), version=record.version + 1)

    def ended() -> RunRecord:
        try:
            feedback = feedback_of_run(ports, scope, done)
            ports.store.writer.commit(Commit(scope=scope, runs=(done,), feedback=feedback))
        except VersionConflict:
            stored = ports.store.learnings.run(scope, record.run_id)
            if stored is None or stored.result is not None:  # reported twice at once: the other one was first
                return stored or done
            raise
        return done

    return retry_on_conflict(ended)


def _stored(ports: Ports, scope: Scope, record: RunRecord) -> Mapping[str, StagedLearning]:
    return ports.store.learnings.staged(scope, record.staged_ids)


def _counts(ids: Collection[str], stored: Mapping[str, StagedLearning]) -> dict[str, int]:
    staged = list(stored.values())
    promoted = [item for item in staged if item.status == "promoted"]
    return {
        "extracted": len(ids),
        "staged": len(ids),
        "validated": sum(item.status in ("validated", "promoted") for item in staged),
        "rejected": sum(item.status == "rejected" for item in staged),
        "promoted": sum(not item.is_merged for item in promoted),
        "merged": sum(item.is_merged for item in promoted),
    }
