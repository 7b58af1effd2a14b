"""Receipts of a caller's own recalls: those of others are as ones that do not exist.

Ids of recalls are no secret: records, verdicts and runs name them. What a recall showed is. Whose it is goes by the
token: what a person's agent was shown over MCP, that person may judge at the command line.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import Principal, names_behind, viewer_of
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.process import RECEIPT_TIMEOUT_S, Ports
from memory_layer.ports.receipts import Exploration, RecallReceipt

_ASKER_CHARS: Final = 32


def receipt_for(
    principal: Principal,
    recall_id: str,
    scope: Scope,
    refs: Iterable[Ref],
    at: datetime,
    *,
    run_id: str | None = None,
    exploration: Exploration | None = None,
) -> RecallReceipt:
    """Receipt of what a caller was shown."""
    return RecallReceipt(
        recall_id,
        scope,
        principal.author,
        tuple(refs),
        at,
        run_id=run_id,
        exploration=exploration,
        asker=_asker(principal),
    )


def own_receipt(ports: Ports, principal: Principal, scope: Scope, recall_id: str) -> RecallReceipt | None:
    """Receipt of one of the caller's own recalls; None: there is none, or it is another's.

    An admin who speaks for nobody sees all that anybody is shown.
    """
    found = ports.store.receipts.get(scope, recall_id)
    is_for_all = viewer_of(principal).sees_all_personas
    return found if found is not None and (is_for_all or is_own_receipt(principal, found)) else None


def unknown_recall(recall_id: str, project: str) -> str:
    """Text on a recall of which the caller has no receipt."""
    return (
        f"no recall {recall_id} is known in project {project}: mistyped, somebody else's, of another project, older "
        f"than 30 days, or not written yet ({RECEIPT_TIMEOUT_S:g} s at most)"
    )


def is_own_receipt(principal: Principal, receipt: RecallReceipt) -> bool:
    """Tells whether a caller was shown what a receipt names: by token, personas and end user alike (SPEC 4.4).

    Receipts of earlier releases know a name alone.
    """
    if receipt.asker is None:
        return receipt.principal == principal.author
    return receipt.asker == _asker(principal)


def source_receipts(ports: Ports, memories: Iterable[Memory]) -> dict[Ref, RecallReceipt]:
    """Receipts of the recalls that memories were written after, each read once, where they were their authors' own."""
    after = [(one, (one.scope, one.source_recall_id)) for one in memories if one.source_recall_id is not None]
    found = {place: ports.store.receipts.get(*place) for place in dict.fromkeys(place for _, place in after)}
    return {
        memory.ref: receipt
        for memory, place in after
        if (receipt := found[place]) is not None and _asked_by_author(memory, receipt)
    }


def _asked_by_author(memory: Memory, receipt: RecallReceipt) -> bool:
    """Tells whether who wrote a memory was shown what a receipt names, as far as the memory's names tell it.

    What lies under the persona of its author is an end user's, and so is what that user was shown: users are called as
    their service likes, also as a client of another's token. Of a token with several personas nothing is told.
    """
    if memory.persona == memory.created_by:
        return receipt.principal == memory.created_by
    author = Principal(memory.scope.tenant, memory.created_by)
    holders = author, replace(author, persona=memory.persona)
    is_holder = receipt.asker is None or receipt.asker in map(_asker, holders)
    return is_holder and _token_of(receipt.principal) == _token_of(memory.created_by)


def _asker(principal: Principal) -> str:
    """Digest of who asks: of the token, whichever client carries it, with its personas or the end user."""
    carried = replace(principal, subject=_token_of(principal.name), email=None)
    return sha256(carried.holder.encode()).hexdigest()[:_ASKER_CHARS]


def _token_of(name: str) -> str:
    return (*names_behind(name), name)[0]
