"""Frames of a write-ahead log, judged one by one. Format: sqlite.org/fileformat2.html#the_write_ahead_log.

SQLite reads a log up to the first frame that does not check, and takes the rest for what a crash left half-written.
A flipped bit looks the same to it: all commits behind that frame are dropped without a word. This module tells
the two apart: of a log that is written in order, a frame behind a commit proves that the commit had reached the disk.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24
CHUNK_BYTES: Final = 8 << 20
READ_ATTEMPTS: Final = 5

_MAGIC: Final = {0x377F0682: "<u4", 0x377F0683: ">u4"}
"""Order of the bytes in the words that are summed up, by the magic number."""

_MASK: Final = 0xFFFFFFFF
_WORD = struct.Struct(">I")

Words = NDArray[np.uint32]
Verdict = Literal["sound", "torn", "doubtful", "damaged", "cut"]


@dataclass(frozen=True, slots=True)
class LogReport:
    """State of a log.

    Args:
        verdict: `torn`: a crash left an unfinished write, which nobody was told of; `doubtful`: the last commit does
            not check, and may never have been acknowledged; `damaged`: acknowledged commits do not check; `cut`: its
            end is missing, by what its index says.
        frames: those that SQLite reads, up to the last commit.
        lost_frames, lost_commits, lost_pages: those that it does not read though they were committed.
        identity: of the damage, the same until the log is written over.
    """

    verdict: Verdict
    frames: int = 0
    lost_frames: int = 0
    lost_commits: int = 0
    lost_pages: int = 0
    lost_bytes: int = 0
    identity: str = ""

    @property
    def is_alarming(self) -> bool:
        return self.verdict in ("doubtful", "damaged", "cut")


SOUND: Final = LogReport("sound")


@dataclass(frozen=True, slots=True)
class _Header:
    """Header of a log: order of its words, size of a page, both salts, and the checksum that the frames go on from."""

    order: str
    page_bytes: int
    salts: tuple[int, int]
    checksum: tuple[int, int]

    @property
    def frame_bytes(self) -> int:
        return FRAME_HEADER_BYTES + self.page_bytes


@dataclass(frozen=True, slots=True)
class _Frames:
    """Columns of a log's frames. Args: error: the stored checksum less the one that its words give, two words each."""

    page: Words
    commit: Words
    salts: Words
    error: Words

    def __len__(self) -> int:
        return len(self.page)


def examine_log(path: Path) -> LogReport:
    """Judges a log, also one that is being written. A log that begins anew meanwhile is read again.

    Raises:
        OSError: the file cannot be read.
    """
    for _ in range(READ_ATTEMPTS):
        with path.open("rb") as file:
            report = _examine(file.fileno())
            if report is not None:
                return report
    return SOUND  # it is emptied as often as it is read: whoever writes it reads all of it


def _examine(file: int) -> LogReport | None:
    """Judges an open log; None: its header changed meanwhile, so that the frames are of two generations."""
    raw = os.pread(file, HEADER_BYTES, 0)
    found = _header(raw)
    if found is not None:
        report = _judge(found, _read_frames(file, found))
    elif len(raw) == HEADER_BYTES and any(raw):
        report = _without_header(file, raw)
    else:
        report = SOUND
    return report if os.pread(file, HEADER_BYTES, 0) == raw else None


def _header(raw: bytes) -> _Header | None:
    """Header of these bytes; None: SQLite would not read the log either."""
    if len(raw) < HEADER_BYTES:
        return None
    magic, _, page_bytes, _, first, second, *checksum = struct.unpack(">8I", raw)
    order = _MAGIC.get(magic)
    if order is None or sum_up(raw[:24], order) != tuple(checksum) or not _is_page_size(page_bytes):
        return None
    return _Header(order, page_bytes, (first, second), (checksum[0], checksum[1]))


def _is_page_size(page_bytes: int) -> bool:
    return 512 <= page_bytes <= 65_536 and page_bytes & (page_bytes - 1) == 0


def sum_up(raw: bytes, order: str) -> tuple[int, int]:
    """Checksum of SQLite's logs. Args: raw: pairs of words of four bytes; order: `<u4` or `>u4`."""
    first = second = 0
    words = struct.unpack(f"{order[0]}{len(raw) // 4}I", raw)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second


def _without_header(file: int, raw: bytes) -> LogReport:
    """Judges a log whose header does not check: damaged if, but for one bit, its frames go on from it."""
    for bit in range(HEADER_BYTES * 8):
        mended = bytearray(raw)
        mended[bit // 8] ^= 1 << bit % 8
        header = _header(bytes(mended))
        if header is not None and (report := _all_lost(header, _read_frames(file, header))):
            return report
    return (
        LogReport("doubtful", identity=raw[16:24].hex()) if os.fstat(file).st_size > HEADER_BYTES else SOUND
    )


def _all_lost(header: _Header, frames: _Frames) -> LogReport | None:
    checking = _checking(header, frames)
    commits = np.flatnonzero(frames.commit[:checking])
    return _lost(header, frames, "damaged", 0, int(commits[-1]) + 1, 0) if len(commits) else None


def _read_frames(file: int, header: _Header) -> _Frames:
    """Frames of a log, until a whole chunk is of earlier generations."""
    columns = list(_chunks(file, header))
    if not columns:
        empty = np.empty(0, np.uint32)
        return _Frames(empty, empty, empty.reshape(0, 2), empty.reshape(0, 2))
    page, commit, salts, error = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return _Frames(page, commit, salts, error)


def _chunks(file: int, header: _Header) -> Iterator[tuple[Words, Words, Words, Words]]:
    at, before = HEADER_BYTES, np.array([header.checksum], np.uint32)
    step = max(1, CHUNK_BYTES // header.frame_bytes) * header.frame_bytes
    while raw := os.pread(file, step, at):
        whole = len(raw) // header.frame_bytes
        rows = np.frombuffer(raw, np.uint8, whole * header.frame_bytes).reshape(whole, header.frame_bytes)
        heads = np.ascontiguousarray(rows[:, :FRAME_HEADER_BYTES]).view(">u4").astype(np.uint32)
        stored = heads[:, 4:6]
        chained = np.concatenate([before, stored])[:whole]
        yield heads[:, 0], heads[:, 1], heads[:, 2:4], stored - _expected(rows, chained, header)
        if whole < step // header.frame_bytes or not _is_live(header, heads[:, 2:4]).any():
            return
        at, before = at + step, stored[-1:]


def _expected(rows: NDArray[np.uint8], before: Words, header: _Header) -> Words:
    """Checksum of each frame, which goes on from that of the frame before it."""
    weights, carried = _weights(header.page_bytes)
    words = rows.view(header.order).astype(np.uint32, copy=False)
    found: Words = words @ weights + before @ carried
    return found


@cache
def _weights(page_bytes: int) -> tuple[Words, Words]:
    """Weight of each of a frame's words in both sums, and of the sums before it: all is linear modulo 2**32.

    A pair of words (x, y) takes the sums (s, t) to (s + t + x, s + 2t + x + y).
    """
    pairs = (page_bytes + 8) // 8
    a, b, c, d = 1, 0, 0, 1  # the matrix to the power of the pairs that follow
    summed: list[tuple[int, int]] = []
    for _ in range(pairs):
        summed += [(b & _MASK, d & _MASK), ((a + b) & _MASK, (c + d) & _MASK)]  # odd word, even word
        a, b, c, d = (a + b) & _MASK, (a + 2 * b) & _MASK, (c + d) & _MASK, (c + 2 * d) & _MASK
    ordered = summed[::-1]
    rows = [*ordered[:2], *[(0, 0)] * 4, *ordered[2:]]  # salts and checksum of the frame's head count nothing
    return np.array(rows, np.uint32), np.array([[a, c], [b, d]], np.uint32)


def _is_live(header: _Header, salts: Words) -> NDArray[np.bool_]:
    """Frames of this generation: one salt is enough, as a new generation has two new ones."""
    first, second = header.salts
    is_live: NDArray[np.bool_] = (salts[:, 0] == first) | (salts[:, 1] == second)
    return is_live


def _checking(header: _Header, frames: _Frames) -> int:
    """Count of the frames from the first on that check."""
    is_own = (frames.salts == np.array(header.salts, np.uint32)).all(axis=1)
    fails = ~(is_own & (frames.page != 0) & ~frames.error.any(axis=1))
    return int(fails.argmax()) if fails.any() else len(frames)


def _judge(header: _Header, frames: _Frames) -> LogReport:
    broken = _checking(header, frames)
    commits = np.flatnonzero(frames.commit[:broken])
    read = int(commits[-1]) + 1 if len(commits) else 0
    live = np.flatnonzero(_is_live(header, frames.salts[broken:])) + broken
    if not len(live):
        return LogReport("sound", read)
    verdict, end = _verdict(header, frames, broken, live)
    return _lost(header, frames, verdict, read, end, broken) if end else LogReport(verdict, read)


def _verdict(header: _Header, frames: _Frames, broken: int, live: NDArray[Any]) -> tuple[Verdict, int]:
    """Judges the first frame that does not check by those of its generation behind it.

    Some may be of writers that were killed: the next one goes on behind the last commit, over their frames, so that
    those that are left go on from none before them, and their commit is at most a head without its page.

    Returns:
        the verdict, and the end of what is lost; 0 if nothing is.
    """
    goes_on, last = _goes_on(header, frames), int(live[-1])
    commits = live[frames.commit[live] != 0]
    if goes_on[commits[commits < last] + 1].any():  # it was written after the flush of the commit before it
        return "damaged", last + 1
    whole = commits[goes_on[commits]]
    if _is_one_bit(header, frames, broken) and (len(whole) or last == broken or frames.commit[broken]):
        return "damaged", last + 1
    return ("doubtful", int(whole[-1]) + 1) if len(whole) else ("torn", 0)


def _goes_on(header: _Header, frames: _Frames) -> NDArray[np.bool_]:
    """Frames whose checksum goes on from that of the frame before them, as it is stored or as it should be."""
    _, carried = _weights(header.page_bytes)
    off = np.concatenate([frames.error[:1] * 0, frames.error[:-1] @ carried])
    found: NDArray[np.bool_] = ~frames.error.any(axis=1) | ~(frames.error + off).any(axis=1)
    return found


def _is_one_bit(header: _Header, frames: _Frames, at: int) -> bool:
    """Tells if one flipped bit explains a frame that does not check: of a torn one the sums are anything."""
    if (frames.salts[at] != np.array(header.salts, np.uint32)).any():
        return True  # of the other salt it is; a torn frame's head is written whole
    bits = np.left_shift(np.uint32(1), np.arange(32, dtype=np.uint32))
    weights, _ = _weights(header.page_bytes)
    in_words = weights[:, None, :] * bits[None, :, None]
    in_sums = np.stack([np.stack([bits, 0 * bits], 1), np.stack([0 * bits, bits], 1)])
    flips = np.concatenate([in_words.reshape(-1, 2), in_sums.reshape(-1, 2)])
    error = frames.error[at]
    return bool(((flips == error) | (flips == np.uint32(0) - error)).all(axis=1).any())


def _lost(header: _Header, frames: _Frames, verdict: Verdict, read: int, end: int, broken: int) -> LogReport:
    """Report of the frames between what is read and the end of what was committed."""
    lost = slice(read, end)
    return LogReport(
        verdict,
        read,
        lost_frames=end - read,
        lost_commits=max(1, int(np.count_nonzero(frames.commit[lost]))),
        lost_pages=len(np.unique(frames.page[lost])),
        lost_bytes=(end - read) * header.frame_bytes,
        identity=f"{header.salts[0]:08x}{header.salts[1]:08x}-{broken + 1}",
    )
