"""Page of an assembled context, with its ids, its time and its price."""

from dataclasses import dataclass
from hashlib import sha256

from memory_layer.domain.access import Principal
from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.domain.context.token_prices import TokenPrice
from memory_layer.ports.receipts import REQUEST_NOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledPage:
    """Assembled context with its ids and time taken.

    Args:
        was_kept: reused from an earlier, equal request.
        model: the one that the request names.
        price: of that model; None: none is named, or nobody knows its price.
    """

    request_id: str
    recall_id: str
    assembled: AssembledContext
    tokenizer: str
    assembly_time_ms: float
    was_kept: bool
    model: str | None = None
    price: TokenPrice | None = None

    @property
    def cost(self) -> float | None:
        """Cost of the page as the model's input, US dollars; None: no model with a known price is named."""
        return None if self.price is None else self.price.cost(self.assembled.total_tokens)


def request_receipt_id(principal: Principal, request_id: str) -> str:
    """Id of the note, kept beside the receipt, that says when the caller was last answered under this request id.

    Receipts have ids of their own, so that a request id used again overwrites none.
    """
    named = "\n".join((principal.holder, request_id))
    return f"{REQUEST_NOTE}{sha256(named.encode()).hexdigest()[:32]}"
