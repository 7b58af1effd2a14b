"""More lines than memory holds, in order: sorted piece by piece, the pieces merged from a file."""

import heapq
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO

PIECE_LINES = 100_000
"""Some 20 MB of manifest lines."""


class SortedLines:
    """Takes lines in any order and gives each once, in the order of their characters."""

    def __init__(self, piece_lines: int = PIECE_LINES) -> None:
        self._piece_lines = piece_lines
        self._waiting: list[str] = []
        self._pieces: list[IO[str]] = []

    def add(self, line: str) -> None:
        """Args: line: with its line end, and with none inside."""
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
