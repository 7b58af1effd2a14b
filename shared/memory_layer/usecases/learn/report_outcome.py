"""Outcome reports: a verdict (worked, partial, failed) on a memory, its effect on scores and status, and its quotas."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from memory_layer.domain.access import SHARED_PROJECT, Principal, agent_voice
from memory_layer.domain.doubt import doubt_failure
from memory_layer.domain.learning.learned_relevance import with_learned_relevance
from memory_layer.domain.memory import Memory, OutcomeResult, Scope
from memory_layer.domain.outcome import apply_verdict, withdraw_verdict
from memory_layer.domain.policy import Policy
from memory_layer.domain.verdict_bounds import allowed_move, limit_to_score, speaker_of
from memory_layer.errors import InFlight, Invalid, Unavailable
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord, Quota, Verdict
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit, without_order
from memory_layer.usecases.ground.archival_cause import was_refuted
from memory_layer.usecases.ground.change_record import made_hot, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.own_receipts import own_receipt, unknown_recall
from memory_layer.usecases.ground.queries import as_stored, get_memory
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.screening import suspicion_of_names

HOUR_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReport:
    """Verdict of a caller on a memory that they used. Args: is_run_credit: of a run that cited it; not rationed."""

    result: OutcomeResult
    session_id: str | None = None
    run_id: str | None = None
    recall_id: str | None = None
    note: str | None = None
    is_run_credit: bool = False


@dataclass(frozen=True, slots=True)
class OutcomeAnswer:
    """Memory after the verdict. Args: note: what else the caller should know; None: nothing."""

    memory: Memory
    note: str | None = None


def report_outcome(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    report: OutcomeReport,
    *,
    once: IdempotentRequest | None = None,
) -> OutcomeAnswer | IdempotencyRecord:
    """Moves a memory by one verdict; in the same run a later verdict of the same principal replaces it.

    An unknown recall id gives a note and no error: it credits nothing by itself, and its receipt may be on its way.

    Raises:
        NotFound: as `get_memory`.
        TooMany: too many `failed` in an hour, of this session or this principal.
        KeyReused: as `earlier_answer`.
        Invalid: session, run or recall look like a secret, or like an order to a model.
    """
    scope = principal.scope(project)

    def attempt() -> OutcomeAnswer | IdempotencyRecord:
        now = ports.clock.now()
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        if answer is not None:
            return answer
        note = _unknown_recall(ports, principal, scope, report)
        noted = (
            replace(once, render=lambda memory: once.render(OutcomeAnswer(memory, note))) if once else None
        )
        judged = draft_outcome(ports, principal, scope, id, report, now, once=noted)
        if judged.commit is not None:
            commit_change(ports, judged.commit, judged.before, principal.name)
        return OutcomeAnswer(judged.after, note)

    try:
        return retry_on_conflict(attempt)
    except InFlight:
        return attempt()


def _unknown_recall(ports: Ports, principal: Principal, scope: Scope, report: OutcomeReport) -> str | None:
    """Note for a recall id without a receipt; none for shared memories, which the recalls of any project may show."""
    if report.recall_id is None or scope.project == SHARED_PROJECT:
        return None
    try:
        known = own_receipt(ports, principal, scope, report.recall_id)
    except Unavailable as error:
        return f"whether there was a recall {report.recall_id} cannot be told: {error.detail}"
    if known is not None:
        return None
    return f"{unknown_recall(report.recall_id, scope.project)}; the verdict counts all the same"


def _refuse_orders_in_names(principal: Principal, report: OutcomeReport) -> None:
    """Refuses a run or a session whose name reads as an order to a model: a doubt names them beside the memory.

    Raises:
        Invalid
    """
    named = {"/run_id": report.run_id, "/session_id": report.session_id}
    for pointer, name in named.items() if principal.is_screened and not report.is_run_credit else ():
        doubt = suspicion_of_names([name]) if name else None
        if doubt is not None:
            raise Invalid.at(pointer, f"{doubt}; name it otherwise")


@dataclass(frozen=True, slots=True)
class JudgedMemory:
    """Memory before and after a verdict, and the commit that makes it so (None: it was reported before)."""

    before: Memory
    after: Memory
    commit: Commit | None


def draft_outcome(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    id: str,
    report: OutcomeReport,
    now: datetime,
    *,
    once: IdempotentRequest | None = None,
) -> JudgedMemory:
    """Computes the effect of a report, not written yet.

    Raises:
        NotFound, Invalid: as `report_outcome`.
    """
    _refuse_orders_in_names(principal, report)
    memory = made_hot(get_memory(ports, principal, scope.project, id))
    policy = ports.store.projects.policy(scope)
    verdicts = ports.store.history.verdicts(scope, id)
    earlier = _replaced(verdicts, principal, report)
    if earlier is not None and report.is_run_credit:
        # reported again, perhaps after a crash; or the run's reporter has judged this one by itself
        return JudgedMemory(memory, memory, None)
    standing = [verdict for verdict in verdicts if verdict is not earlier]
    judged = memory if earlier is None else _without(ports, principal, memory, earlier)
    step = allowed_move(judged, report.result, principal, standing, run_id=report.run_id)
    applied = apply_verdict(judged, report.result, at=now, policy=policy, step=step)
    is_private = principal.user is not None and memory.persona != principal.user
    verdict = Verdict(
        id=ports.new_id("out_"),
        memory_id=id,
        result=report.result,
        principal=principal.name,
        at=now,
        session_id=None if is_private else report.session_id,  # what an end user said is theirs alone
        run_id=report.run_id,
        recall_id=report.recall_id,
        note=None if is_private else without_order(principal, admit(asdict(report), policy).fields["note"]),
        score_moved=applied.score_moved,
        confidence_moved=applied.confidence_moved,
        speaker=speaker_of(principal, judged),
    )
    weighed = with_learned_relevance(applied.memory, [*standing, verdict])
    learned = _with_doubt(ports, principal, memory, weighed, verdict)
    after, stored = _as_next_version(memory, learned), as_stored(ports, memory)
    commit = Commit(
        scope=scope,
        changes=() if after is memory else (_change(stored, after, verdict),),
        verdicts=(verdict,),
        replaces=() if earlier is None else ((earlier.id, verdict.id),),
        quotas=_quotas(scope, principal, report, policy, now),
        answer=once.answer(after, now, memory_id=id) if once else None,
    )
    return JudgedMemory(stored, after, commit)


def _without(ports: Ports, principal: Principal, memory: Memory, earlier: Verdict) -> Memory:
    may_lift = memory.is_active or was_refuted(ports, memory)
    withdrawn = withdraw_verdict(memory, earlier, may_lift=may_lift)
    is_bound = principal.is_agent and memory.is_trusted
    return limit_to_score(memory, withdrawn) if is_bound else withdrawn


def _with_doubt(
    ports: Ports, principal: Principal, before: Memory, after: Memory, verdict: Verdict
) -> Memory:
    """Memory doubted if an agent reports that a trusted one failed: a person is to see it, however little it moved."""
    if verdict.result != "failed" or not (before.is_trusted and principal.is_agent):
        return after
    run = verdict.run_id
    known = None if run is None else ports.store.learnings.run(before.scope, run)
    reporter = None if known is None else known.created_by
    return doubt_failure(after, by=verdict.principal, at=verdict.at, run=run, reported_by=reporter)


def _replaced(verdicts: Sequence[Verdict], principal: Principal, report: OutcomeReport) -> Verdict | None:
    """Finds the same principal's verdict in the same run, which this report replaces."""
    if report.run_id is None:
        return None
    same = (v for v in verdicts if v.run_id == report.run_id and v.principal == principal.name)
    return next(same, None)


def _as_next_version(before: Memory, after: Memory) -> Memory:
    """Memory one version on; the very same record if nothing moved."""
    settled = replace(after, version=before.version)
    return before if settled == before else replace(settled, version=before.version + 1)


def _change(stored: Memory, after: Memory, verdict: Verdict) -> Change:
    """Change by a verdict; an expired memory keeps its stored status, since archived is only the clock's reading."""
    if stored.status != after.status and stored.has_expired(verdict.at):
        after = replace(after, status=stored.status, status_reason=stored.status_reason)
    return Change(after, after.version - 1, verdict.result, verdict.principal, verdict.at, verdict.note)


def _quotas(
    scope: Scope, principal: Principal, report: OutcomeReport, policy: Policy, now: datetime
) -> tuple[Quota, ...]:
    """Quotas of `failed` verdicts, so that a bad day does not become everybody's; `worked` has none."""
    if report.result != "failed" or report.is_run_credit:
        return ()
    limits, own = policy.limits, f"failed:{scope.project}:{agent_voice(principal.name)}"
    in_all = Quota(own, limits.failed_per_principal_hour, HOUR_S, now, f"failed verdicts of {principal.name}")
    if report.session_id is None:
        return (in_all,)
    key = _session_key(scope, principal, report.session_id)
    most = limits.failed_per_session_hour
    return (Quota(key, most, HOUR_S, now, "failed verdicts of this session"), in_all)


def _session_key(scope: Scope, principal: Principal, session_id: str) -> str:
    """Quota key of a session, shared by all agents who speak in it; a person has one that no agent uses up."""
    if not principal.is_agent:
        return f"failed-person:{scope.project}:{principal.name}:{session_id}"
    return f"failed-session:{scope.project}:{session_id}"
