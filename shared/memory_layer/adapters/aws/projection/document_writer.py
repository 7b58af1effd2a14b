"""Writer of changes as documents, into every index of a search domain that is written to."""

from collections.abc import Callable, Sequence

from memory_layer.adapters.aws.projection.bulk_writes import BulkResult, BulkWriter
from memory_layer.adapters.aws.projection.item_documents import ItemDocuments, documents_of, needs_body
from memory_layer.adapters.aws.projection.stream_changes import RecordChange
from memory_layer.adapters.aws.search.aliases import WriteTarget
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.errors import StoreUnavailable

BATCH_S = 30.0
"""Seconds after which no attempt is begun: half of the function's time-out, as one may last 22 s."""


class DocumentWriter:
    """Writer of the documents of changes.

    Args:
        targets: the indexes of now.
        writer: waits until what it wrote can be found.
        bodies: with the words of what is warm.
        seconds: for the writing of one batch.
    """

    def __init__(
        self,
        targets: Callable[[], Sequence[WriteTarget]],
        writer: BulkWriter,
        bodies: Bodies,
        *,
        seconds: float = BATCH_S,
    ) -> None:
        self._targets = targets
        self._writer = writer
        self._bodies = bodies
        self._seconds = seconds

    def write(self, changes: Sequence[RecordChange]) -> BulkResult:
        """Writes the documents of changes; refused are also those of which none can be made."""
        documents, wordless = self._documents(changes)
        whole = list(documents.made.values())
        written = self._writer.write(whole, self._targets, seconds=self._seconds) if whole else BulkResult()
        written.waiting |= wordless
        written.refused = {**documents.broken, **written.refused}
        return written

    def _documents(self, changes: Sequence[RecordChange]) -> tuple[ItemDocuments, dict[str, str]]:
        """Documents of changes; where bodies cannot be read now, those with words there wait, with the reason."""
        try:
            return documents_of([change.image for change in changes], self._bodies), {}
        except StoreUnavailable as error:
            waiting = {change.id: error.detail for change in changes if needs_body(change.image)}
        others = [change.image for change in changes if change.id not in waiting]
        return documents_of(others, self._bodies), waiting
