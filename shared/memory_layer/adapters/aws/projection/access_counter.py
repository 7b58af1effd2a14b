"""Counting of recalls from the table's stream: many receipts together, each memory's count written once a batch."""

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from memory_layer.adapters.aws.projection.item_documents import ITEM_ERRORS, item_flaw
from memory_layer.adapters.aws.projection.projector import ProjectionResult
from memory_layer.adapters.aws.projection.stream_changes import StreamRecord, is_new_receipt
from memory_layer.adapters.aws.store.receipts import receipt_of
from memory_layer.adapters.aws.store.stream_positions import Showing, showing
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.receipts import RecallReceipt

CountAccesses = Callable[[Mapping[tuple[Scope, str], Sequence[Showing]]], None]
"""As `AccessCounts.count`."""

_log = logging.getLogger(__name__)


class AccessCounter:
    """Counter of the receipts in batches of the stream; it reads nothing of the index, and holds up none of it."""

    def __init__(self, count: CountAccesses) -> None:
        self._count = count

    def take(self, records: Sequence[StreamRecord]) -> ProjectionResult:
        """Counts the new receipts of a batch; where the table is busy, all of them are told again, and count once.

        Args:
            records: of a Lambda event, in order; what is no new receipt is passed over.
        """
        events = [record["dynamodb"] for record in records if is_new_receipt(record["dynamodb"])]
        receipts = [(event, receipt) for event in events if (receipt := _readable(event)) is not None]
        if not receipts:
            return ProjectionResult([])
        showings: defaultdict[tuple[Scope, str], list[Showing]] = defaultdict(list)
        for event, receipt in receipts:
            shown = showing(event, receipt.at)
            for ref in receipt.refs:
                showings[Scope(receipt.scope.tenant, ref.project), ref.id].append(shown)
        try:
            self._count(showings)
        except StoreUnavailable as error:
            _log.error("%d receipts are not counted yet: %s", len(receipts), error.detail)
            return ProjectionResult([events[0]["SequenceNumber"]])
        return ProjectionResult([])


def _readable(event: Mapping[str, Mapping[str, object]]) -> RecallReceipt | None:
    """Receipt of an event; None for a damaged one, which counts nothing and which a verification names."""
    image = event["NewImage"]
    try:
        return receipt_of(image)
    except ITEM_ERRORS as error:
        _log.error("the receipt %s is damaged and counts nothing: %s", image.get("sk"), item_flaw(error))
        return None
