"""Writers of two indexes as one: a log entry goes when both have the change, so that either may be searched."""

from collections.abc import Sequence

from memory_layer.adapters.aws.projection.bulk_writes import BulkResult
from memory_layer.adapters.aws.projection.projector import IndexWriter
from memory_layer.adapters.aws.projection.stream_changes import RecordChange


class IndexWriters:
    """Writer of the changes to each of several indexes, one after the other."""

    def __init__(self, writers: Sequence[IndexWriter]) -> None:
        self._writers = writers

    def write(self, changes: Sequence[RecordChange]) -> BulkResult:
        """Writes to all; what waits for one waits, what one refuses is refused."""
        written = BulkResult()
        for writer in self._writers:
            found = writer.write(changes)
            written.waiting |= found.waiting
            written.refused |= found.refused
        return written
