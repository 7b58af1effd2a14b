"""Outcome reports by reference: one verdict on the memories that a page showed under these numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import Ref
from memory_layer.errors import Invalid, MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answers
from memory_layer.usecases.ground.own_receipts import own_receipt, unknown_recall
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer, OutcomeReport, report_outcome


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """Reference with its memory, and what became of the verdict: an answer, or the refusal."""

    ref: int
    memory: Ref
    outcome: OutcomeAnswer | IdempotencyRecord | MemoryLayerError


def report_on_page(
    ports: Ports,
    principal: Principal,
    project: str,
    recall_id: str,
    refs: Sequence[int],
    report: OutcomeReport,
    *,
    once: Callable[[int], IdempotentRequest | None] = lambda _: None,
) -> list[JudgedReference]:
    """Reports one result on each memory that a recall, prompt or context showed under these numbers.

    Nothing is reported unless all of them stand on the page; then each is a report of its own.

    Args:
        refs: numbers from 1, in the order of the page; repeated ones count once.
        once: the idempotent request of the first, second … of them, from 1.

    Raises:
        Invalid: the recall is not known, or a number is not on its page.
        KeyReused: a key came with another report.
    """
    shown = _shown(ports, principal, project, recall_id)
    wanted = list(dict.fromkeys(refs))
    _check(wanted, shown, recall_id)
    wishes = [once(line) for line in range(1, len(wanted) + 1)]
    _refuse_reused(ports, principal, project, wishes)
    named = replace(report, recall_id=recall_id)
    return [
        _judged(ports, principal, ref, shown[ref - 1], named, wish)
        for ref, wish in zip(wanted, wishes, strict=True)
    ]


def memory_on_page(ports: Ports, principal: Principal, project: str, recall_id: str, ref: int) -> Ref:
    """Memory that a recall, prompt or context showed under a number. Raises: Invalid: as `report_on_page`."""
    shown = _shown(ports, principal, project, recall_id)
    _check([ref], shown, recall_id)
    return shown[ref - 1]


def _refuse_reused(
    ports: Ports, principal: Principal, project: str, wishes: Sequence[IdempotentRequest | None]
) -> None:
    """Refuses keys that came with another report, before any is carried out; answers lie with their memories."""
    for name in (project, SHARED_PROJECT):
        answers = earlier_answers(ports.store.requests, principal.scope(name), wishes, ports.clock.now())
        for wish in wishes:
            if wish is not None and wish.key in answers:
                wish.refuse_other(answers[wish.key])


def _shown(ports: Ports, principal: Principal, project: str, recall_id: str) -> tuple[Ref, ...]:
    receipt = own_receipt(ports, principal, principal.scope(project), recall_id)
    if receipt is None:
        raise Invalid.at("/recall_id", unknown_recall(recall_id, project))
    return receipt.refs


def _check(wanted: Sequence[int], shown: Sequence[Ref], recall_id: str) -> None:
    """Refuses numbers that are not on the page, and says which are."""
    absent = [ref for ref in wanted if not 1 <= ref <= len(shown)]
    if absent:
        there = f"it has 1 to {len(shown)}" if shown else "it shows no memory"
        named = ", ".join(map(str, absent))
        raise Invalid.at("/refs", f"{named}: not on the page of {recall_id}; {there}")


def _judged(
    ports: Ports,
    principal: Principal,
    ref: int,
    memory: Ref,
    report: OutcomeReport,
    once: IdempotentRequest | None,
) -> JudgedReference:
    try:
        answer = report_outcome(ports, principal, memory.project, memory.id, report, once=once)
    except MemoryLayerError as error:
        return JudgedReference(ref, memory, error)
    return JudgedReference(ref, memory, answer)
