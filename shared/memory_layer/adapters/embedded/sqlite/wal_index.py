"""Index of a write-ahead log, as the last process left it: it knows how many frames the log had.

A log that lost its end, or all of it, looks like a shorter one that is sound. A process that is killed leaves the index
beside the log; one that ends in order removes both. Format: sqlite.org/walformat.html#the_wal_index_file_format.
"""

import os
import struct
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memory_layer.adapters.embedded.sqlite.wal_frames import (
    FRAME_HEADER_BYTES,
    HEADER_BYTES,
    READ_ATTEMPTS,
    SOUND,
    LogReport,
    examine_log,
    sum_up,
)

_VERSION: Final = 3_007_000
_HEADER: Final = struct.Struct("=3I2BH4I8s2I")
"""Version, -, change, is it begun, order of sums, bytes of a page, frames, pages, sums, salts, sum of all before."""
_SUMMED_BYTES: Final = 40
_MOVED: Final = struct.Struct("=I")
"""Frames that are in the database already, behind two copies of the header."""

_GENERATIONS: Final = 1 << 16
"""Generations by which a log may be ahead of an index that did not reach the disk."""


held_here: Final[Counter[Path]] = Counter()
"""Databases that this process has open, by resolved path. Their indexes are not read: to close a file gives up the
locks that SQLite holds on it in the same process. Source: sqlite.org/howtocorrupt.html, 2.2."""


@dataclass(frozen=True, slots=True)
class WalIndex:
    """Facts that an index has of its log. Args: frames: committed ones; moved: those of them that the database has."""

    frames: int
    moved: int
    salts: bytes
    page_bytes: int


def read_wal_index(path: Path) -> WalIndex | None:
    """Index of a log; None: there is none, or it is none any more, and SQLite makes it anew."""
    try:
        raw = path.read_bytes()[: 2 * _HEADER.size + _MOVED.size]
    except OSError:
        return None
    first, second = raw[: _HEADER.size], raw[_HEADER.size : 2 * _HEADER.size]
    if len(raw) < 2 * _HEADER.size + _MOVED.size or first != second:
        return None
    version, _, _, is_begun, _, page, frames, _, _, _, salts, *checksum = _HEADER.unpack(first)
    order = "<u4" if sys.byteorder == "little" else ">u4"
    if version != _VERSION or not is_begun or sum_up(first[:_SUMMED_BYTES], order) != tuple(checksum):
        return None
    (moved,) = _MOVED.unpack(raw[2 * _HEADER.size :])
    return WalIndex(frames, min(moved, frames), salts, (page & 0xFE00) | (page & 1) << 16)


def examine_against_index(log: Path, index: Path) -> LogReport:
    """Judges a log, and holds it against its index. A log that moves on meanwhile is judged again.

    Raises:
        OSError: the log cannot be read.
    """
    report = SOUND
    for _ in range(READ_ATTEMPTS):
        known = read_wal_index(index)
        report, salts = _report_and_salts(log)
        if report.is_alarming or known is None:
            return report
        missing = _missing(known, report, salts)
        if not missing or read_wal_index(index) == known:
            return _cut(report, known, missing) if missing else report
    return report


def _report_and_salts(log: Path) -> tuple[LogReport, bytes | None]:
    """Report on a log, and the salts of its generation; None: it has none."""
    try:
        report = examine_log(log)
        with log.open("rb") as file:
            head = os.pread(file.fileno(), HEADER_BYTES, 0)
    except FileNotFoundError:
        return SOUND, None
    return report, head[16:24] if len(head) == HEADER_BYTES and any(head) else None


def _missing(known: WalIndex, report: LogReport, salts: bytes | None) -> int:
    """Number of committed frames that neither the log nor the database has."""
    if salts == known.salts:
        return max(0, known.frames - max(report.frames, known.moved))
    if salts is not None and 0 < _generation(salts) - _generation(known.salts) < _GENERATIONS:
        return 0  # all of an earlier generation is in the database
    return known.frames - known.moved


def _generation(salts: bytes) -> int:
    return int.from_bytes(salts[:4], "big")


def _cut(report: LogReport, known: WalIndex, missing: int) -> LogReport:
    return replace(
        report,
        verdict="cut",
        lost_frames=missing,
        lost_bytes=missing * (FRAME_HEADER_BYTES + known.page_bytes),
        identity=f"{known.salts.hex()}-{known.frames}-cut",
    )
