"""Outcome reports by reference: one verdict on the memories that a page showed under these numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Ref
from memory_layer.errors import Invalid, MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import RECEIPT_TIMEOUT_S, Ports
from memory_layer.usecases.ground.idempotency import IdempotentRequest
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
        once: the idempotent request of one reference.

    Raises:
        Invalid: the recall is not known, or a number is not on its page.
    """
    shown = _shown(ports, principal, project, recall_id)
    wanted = list(dict.fromkeys(refs))
    _check(wanted, shown, recall_id)
    named = replace(report, recall_id=recall_id)
    return [_judged(ports, principal, ref, shown[ref - 1], named, once(ref)) for ref in wanted]


def _shown(ports: Ports, principal: Principal, project: str, recall_id: str) -> tuple[Ref, ...]:
    receipt = ports.store.receipts.get(principal.scope(project), recall_id)
    if receipt is None:
        raise Invalid.at(
            "/recall_id",
            f"no recall {recall_id} is known in project {project}: mistyped, of another project, older than 30 days, "
            f"or not written yet ({RECEIPT_TIMEOUT_S:g} s at most)",
        )
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
