"""Receipts of a context: of the recall that it is, and of the request that feedback finds it by."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import RECEIPT_TIMEOUT_S, Deadline, DeadlinePassed, Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground.own_receipts import receipt_for

_log: Final = logging.getLogger(__name__)


def leave_receipts(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    assembled: AssembledContext,
    ids: tuple[str, str],
    deadline: Deadline,
) -> None:
    """Writes the receipts in the background; the caller waits for them until the deadline at most.

    A receipt that fails never fails the context.

    Args:
        ids: of the recall, and of the note of the request.
    """
    contexts, (recall_id, named) = ports.contexts, ids
    refs = tuple(dict.fromkeys(Ref(part.project, part.id) for part in assembled.fragments))
    receipt = receipt_for(principal, recall_id, scope, refs, ports.clock.now())
    signals = tuple(part.signals for part in assembled.fragments)
    receipts = receipt, replace(receipt, recall_id=named, refs=(), signals=signals)
    later = Deadline(contexts.timer() + RECEIPT_TIMEOUT_S, contexts.timer)
    try:
        contexts.workers.begin("receipt", partial(_note_all, ports, receipts), later).result(deadline)
    except DeadlinePassed:
        _log.info("the receipt %s is on its way", recall_id)
    except MemoryLayerError as error:
        _log.warning("no receipt %s: %s", recall_id, error.detail)
    except Exception:
        _log.exception("no receipt %s", recall_id)


def _note_all(ports: Ports, receipts: Iterable[RecallReceipt]) -> None:
    for receipt in receipts:
        ports.store.receipts.note(receipt)
