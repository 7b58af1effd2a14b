"""A data folder, one flipped bit in bytes of it that are in use, and what is answered and told then."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from memory_layer.adapters.embedded import store
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.errors import MemoryLayerError
from memory_layer.local.doctor import diagnose
from memory_layer.local.server import application
from memory_layer.settings import EmbeddedSettings, read_settings
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.given import START

API: Final = "/v1/projects/web"
COUNTED: Final = ("access_count", "last_accessed_at")
"""Counts of recalls, which are no evidence: damaged ones begin anew, and a verification names them."""

LEAF_AND_INTERIOR: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""Length of a page's head by its kind. Source: sqlite.org/fileformat.html, 1.6."""


def settings_in(folder: Path) -> EmbeddedSettings:
    return read_settings({}, data_dir=folder, model_dir=folder / "no-model")


def live_bytes(path: Path) -> list[int]:
    """Offsets in use: heads, cell pointers and cells of the pages of trees, without free blocks."""
    file = path.read_bytes()
    size = int.from_bytes(file[16:18], "big") or 65_536
    return [offset for start in range(0, len(file), size) for offset in _live_in_page(file, start, size)]


def _live_in_page(file: bytes, start: int, size: int) -> Iterator[int]:
    head = start + (100 if start == 0 else 0)
    if file[head] not in LEAF_AND_INTERIOR:
        return
    pointers = head + LEAF_AND_INTERIOR[file[head]]
    cells = int.from_bytes(file[head + 3 : head + 5], "big")
    content = int.from_bytes(file[head + 5 : head + 7], "big") or 65_536
    free = {start + offset for offset in _free_in_page(file, start, head)}
    yield from range(head, pointers + 2 * cells)
    yield from (offset for offset in range(start + content, start + size) if offset not in free)


def _free_in_page(file: bytes, start: int, head: int) -> Iterator[int]:
    block = int.from_bytes(file[head + 1 : head + 3], "big")
    while block:
        length = int.from_bytes(file[start + block + 2 : start + block + 4], "big")
        yield from range(block + 4, block + length)
        block = int.from_bytes(file[start + block : start + block + 2], "big")


def flip(path: Path, offset: int, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ (1 << bit)]))


def flip_in_cell(database: Path, name: str, cell: bytes) -> None:
    """Flips a bit of the last byte of a cell of a table or an index that has one page."""
    with closing(sqlite3.connect(database)) as connection:
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (page,) = connection.execute(sql, (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    end = database.read_bytes().index(cell, (page - 1) * size, page * size) + len(cell)
    flip(database, end - 1, 0)


def head_of_row(database: Path, texts: bytes) -> range:
    """Offsets of the head of a row, behind its length. Args: texts: the first of its cells, behind a number."""
    file = database.read_bytes()
    end = file.index(texts)
    begin = next(at for at in range(end - 1, 0, -1) if end - at - file[at] in (1, 2) and file[at + 1] == 0)
    return range(begin + 1, begin + file[begin])


Flip = tuple[Path, int, int]
"""File, byte and bit."""

Request = tuple[str, str, Any]
Answers = Mapping[str, tuple[int, Any]]
"""Status and document by request."""


async def _asked(client: httpx2.AsyncClient, requests: Sequence[Request]) -> Answers:
    found: dict[str, tuple[int, Any]] = {}
    for method, path, body in requests:
        answer = await client.request(method, path, json=body)
        is_json = "json" in answer.headers.get("content-type", "")
        found[f"{method} {path} {body or ''}"] = (
            answer.status_code,
            answer.json() if is_json else answer.text,
        )
    return found


def ask(backend: EmbeddedBackend, folder: Path, requests: Sequence[Request]) -> Answers:
    """Sends requests to the application in this process; what it raises is a 500."""

    async def through() -> Answers:
        app = application(backend, folder, with_auth=False)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            return await _asked(client, requests)

    return asyncio.run(through())


def requests_of(ids: Sequence[str], questions: Sequence[str]) -> list[Request]:
    """Every way to read: by id, in lists, by recall, and what lies beside the records."""
    by_id = [("GET", f"{API}/memories/{id}{more}", None) for id in ids for more in ("", "/history")]
    lists = ("memories?limit=7", "memories?status=archived", "memories?tags=tooling", "memories?limit=200")
    beside = (
        "runs",
        "runs/r-1",
        "staging?status=rejected",
        "reviews",
        "stale",
        "settings",
        "conflicts",
        "stats",
    )
    asked = [("POST", f"{API}/recall", {"query": question}) for question in questions]
    context = ("POST", f"{API}/context", {"intent": questions[0], "session_id": "talk"})
    return [
        *by_id,
        *(("GET", f"{API}/{path}", None) for path in (*lists, *beside)),
        *asked,
        context,
        ("GET", "/readyz", None),
    ]


@dataclass(slots=True)
class Damage:
    """What one flipped bit led to. Args: lacking: what an answer with 200 leaves out."""

    where: str
    wrong: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    healed: int = 0

    @property
    def is_told(self) -> bool:
        return bool(self.told)


def judged(where: str, before: Answers, after: Answers) -> Damage:
    """Compares answers with those of the sound folder: with 200, nothing may say what was not said there."""
    found = Damage(where)
    said = {
        _frozen(part) for status, document in before.values() if status == 200 for part in _parts(document)
    }
    for request, (status, document) in after.items():
        if status >= 500 and status != 503:
            found.failed.append(f"{request}: {status} {document}")
        elif status == 503 or (
            isinstance(document, dict) and document.get("note") != before[request][1].get("note")
        ):
            found.told.append(f"{request}: {status}")
        elif status == 200 and "/readyz" in request:
            found.told += [document["damage"]] if document["damage"] else []
        elif status == 200:
            parts = {_frozen(part) for part in _parts(document)}
            found.wrong += [f"{request}: {part}" for part in _parts(document) if _frozen(part) not in said]
            found.lacking += [
                f"{request} lacks {part}" for part in _parts(before[request][1]) if _frozen(part) not in parts
            ]
        elif status != before[request][0] and not (status == 404 and before[request][0] == 200):
            found.wrong.append(f"{request}: {status} {document}")
    return found


def _parts(document: Any) -> Iterator[Mapping[str, Any]]:
    """The records, versions, runs and so on in an answer: objects with an id, without what recalls count."""
    if isinstance(document, list):
        for item in document:
            yield from _parts(item)
    elif isinstance(document, dict):
        if "content_hash" in document or "run_id" in document or "learning" in document:
            yield {name: value for name, value in document.items() if name not in _VARYING}
        for name, item in document.items():
            if name not in ("content_hash", "learning"):
                yield from _parts(item)


_VARYING: Final = (
    *COUNTED,
    *("signals", "score", "rank", "placed_by", "provenance", "why", "relevance", "memory", "note"),
)


def _frozen(part: Any) -> Any:
    if isinstance(part, dict):
        return frozenset((name, _frozen(value)) for name, value in part.items())
    return tuple(map(_frozen, part)) if isinstance(part, list) else part


@dataclass(frozen=True, slots=True)
class SoundFolder:
    """A sound data folder, what is asked of it, and what it answers. Args: opens: a copy of it."""

    folder: Path
    requests: Sequence[Request]
    answers: Answers
    opens: Callable[[Path], EmbeddedBackend]

    def after_flip(self, copy: Path, flips: Sequence[Flip]) -> Damage:
        """Flips bits in a copy of the folder, asks everything of it, then the verification and the doctor."""
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy)
        for path, offset, bit in flips:
            flip(copy / path, offset, bit)
        where = "; ".join(_place(self.folder, *each) for each in flips)
        doctor = [one.what for one in diagnose(settings_in(copy), now=START) if one.level == "error"]
        healed = _HealedRows()
        try:
            with healed, closing(self.opens(copy)) as backend:
                found = judged(where, self.answers, ask(backend, copy, self.requests))
                report = run_sweep(backend.ports, "verify", holder="test", seconds=600)
                found.told += [*report.failed, *(f"{count} {what}" for what, count in report.did.items())]
        except MemoryLayerError as error:
            found = Damage(where, told=[error.detail])
        found.told += [*doctor, *healed.sentences]
        found.healed = len(healed.sentences)
        return found


def _place(folder: Path, path: Path, offset: int, bit: int) -> str:
    """File, place and what lies there."""
    file = (folder / path).read_bytes()
    return f"{path} byte {offset} bit {bit}: {file[max(0, offset - 60) : offset]!r} > {file[offset : offset + 40]!r}"


def is_in_schema(path: Path, offset: int) -> bool:
    """True for a byte of the schema that says nothing: case of a keyword, table of an automatic index."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type || name || tbl_name || ifnull(sql, '') FROM sqlite_schema")
        texts = "\0".join(text for (text,) in rows)
    file = path.read_bytes()
    return any(part in texts.encode() for part in (file[offset - 8 : offset + 1], file[offset : offset + 9]))


class _HealedRows(logging.Handler):
    """Sentences that the store logs of rows that it heals."""

    def __init__(self) -> None:
        super().__init__()
        self.sentences: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "healed" in record.getMessage():
            self.sentences.append(record.getMessage())

    def __enter__(self) -> None:
        logging.getLogger(store.__name__).addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger(store.__name__).removeHandler(self)
