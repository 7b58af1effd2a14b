"""External merge sort of more lines than memory holds: pieces sorted, written to files and merged."""

import heapq
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

PIECE_LINES = 100_000
"""Lines of a piece; as manifest lines some 20 MB."""


class SortedLines:
    """Collection of lines, added in any order and iterated once each, in the order of their characters."""

    def __init__(self, piece_lines: int = PIECE_LINES) -> None:
        self._piece_lines = piece_lines
        self._waiting: list[str] = []
        self._pieces: list[IO[str]] = []

    def add(self, line: str) -> None:
        """Adds a line. Args: line: with its line end, and with none inside."""
        self._waiting.append(line)
        if len(self._waiting) >= self._piece_lines:
            self._pieces.append(_written(sorted(self._waiting)))
            self._waiting = []

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            piece.seek(0)
        previous = None
        for line in heapq.merge(*self._pieces, sorted(self._waiting)):
            if line != previous:
                yield line
            previous = line

    def close(self) -> None:
        for piece in self._pieces:
            piece.close()


def _written(lines: list[str]) -> IO[str]:
    piece = TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
    piece.writelines(lines)
    return piece
