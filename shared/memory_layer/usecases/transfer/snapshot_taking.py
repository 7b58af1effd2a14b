"""Lines of a snapshot, made of stored records page by page; damaged ones are left out and named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_layer.domain.integrity.digests import manifest_line, record_digest
from memory_layer.domain.integrity.snapshot import LEFT_OUT_MAX, SnapshotLine, line_text
from memory_layer.domain.integrity.verification import StoredRecord, broken_state
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.stored_state import newest_lines, with_bodies
from memory_layer.usecases.transfer.sorted_lines import SortedLines


class SnapshotTaking:
    """Makes the record lines of pages, and collects their manifest lines.

    Args:
        left_out, left_out_count: of the pages before.
    """

    def __init__(
        self, ports: Ports, scope: Scope, left_out: Sequence[str] = (), left_out_count: int = 0
    ) -> None:
        self._ports = ports
        self._scope = scope
        self._lines = SortedLines()
        self.left_out = list(left_out)
        self.left_out_count = left_out_count

    def record_lines(self, page: Sequence[StoredRecord]) -> Iterator[str]:
        """Yields the line of each record of a page, with its words and vectors."""
        store = self._ports.store
        for kept in with_bodies(store.memories, store.integrity, self._scope, page):
            line = self._line(kept) if kept.is_there else None
            if line is not None and kept.seal is not None:
                self.add(manifest_line(line.memory.id, line.memory.version, kept.seal.found))
                yield line_text(line)

    def add(self, line: str) -> None:
        """Adds a manifest line that a run before made."""
        self._lines.add(line)

    def manifest_lines(self) -> Iterator[str]:
        """Yields the manifest lines of all pages in order, one a record."""
        return newest_lines(self._lines)

    def close(self) -> None:
        self._lines.close()

    def _line(self, kept: StoredRecord) -> SnapshotLine | None:
        """Line of a record, without damaged vectors: they can be made again. None: the record itself is damaged."""
        embedder = self._ports.embedder
        broken = {
            one.part for one in broken_state(kept, model=embedder.model, dimensions=embedder.dimensions)
        }
        if kept.memory is None or kept.seal is None or broken - {"vectors"}:
            self._leave_out(kept.id)
            return None
        vectors = () if broken else (kept.content_vector, kept.context_vector)
        return SnapshotLine(kept.memory, record_digest(kept.memory), *vectors)

    def _leave_out(self, id: str) -> None:
        self.left_out_count += 1
        self.left_out += [id] if len(self.left_out) < LEFT_OUT_MAX else []
