"""Bulk writes: each document is sent until every index has it or refuses it, or the time is over."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.search.aliases import WriteTarget
from memory_layer.adapters.aws.search.documents import Document, document_id
from memory_layer.adapters.aws.search.opensearch_client import opensearch_errors, slow_request_params
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable

BULK_BACKOFF = Backoff(attempts=100, base_s=0.1, longest_s=3.0)
"""A full queue empties in seconds; each write sets the time for which it goes on."""

BulkVerdict = Literal["settled", "busy", "refused"]

REQUEST_MAX_BYTES = 5_000_000
"""A small domain takes requests of 10 MB at most."""

REQUEST_MAX_LINES = 500

_CONFLICT, _REFUSED = 409, 400


def verdict_on(status: int) -> BulkVerdict:
    """Meaning of an item's status in a bulk answer for its document.

    A conflict is a success that came late: the index has this version or a newer one. All that may pass is tried
    again: a full queue (429), a full disk (403), a node that fails (5xx), an index that a rebuild dropped meanwhile
    (404), which the next look at the aliases leaves out.
    """
    if status < 300 or status == _CONFLICT:
        return "settled"
    return "refused" if status == _REFUSED else "busy"


@dataclass(slots=True)
class BulkResult:
    """Result of a bulk write, by `_id`.

    Args:
        refused: those that an index will never take, with the reason.
        waiting: those that were not settled in time, with the reason.
    """

    refused: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> dict[str, str]:
        return {**self.waiting, **self.refused}


@dataclass(frozen=True, slots=True)
class _Line:
    """Document on its way to one index."""

    id: str
    target: str
    text: bytes


class BulkWriter:
    """Writer of whole documents with versions of their own: nothing older replaces a newer one (`external_gte`).

    Args:
        backoff: between attempts at what an index is too busy for.
        monotonic: seconds of a clock that only goes forward.
        waits_for_refresh: each answer comes when its documents can be found.
    """

    def __init__(
        self,
        client: OpenSearch,
        *,
        backoff: Backoff = BULK_BACKOFF,
        monotonic: Callable[[], float] = time.monotonic,
        waits_for_refresh: bool = True,
    ) -> None:
        self._client = client
        self._backoff = backoff
        self._monotonic = monotonic
        self._refresh = "wait_for" if waits_for_refresh else "false"

    def write(
        self, documents: Sequence[Document], targets: Callable[[], Sequence[WriteTarget]], *, seconds: float
    ) -> BulkResult:
        """Writes into every target; targets are read anew before each attempt, as a rebuild may add or drop one.

        Args:
            documents: of different records.
            seconds: after which no attempt is begun.
        """
        deadline = self._monotonic() + seconds
        settled: set[tuple[str, str]] = set()
        written = BulkResult()
        for attempt in self._backoff.rounds():
            if attempt and self._monotonic() >= deadline:
                break
            self._attempt(documents, targets, settled, written)
            if not written.waiting:
                break
        return written

    def _attempt(
        self,
        documents: Sequence[Document],
        targets: Callable[[], Sequence[WriteTarget]],
        settled: set[tuple[str, str]],
        written: BulkResult,
    ) -> None:
        try:
            lines = list(_lines(documents, targets(), settled))
        except IndexUnavailable as error:
            written.waiting = {_id(document): error.detail for document in documents}
            return
        written.waiting = {}
        for request in _requests(lines):
            self._send(request, settled, written)

    def _send(self, lines: Sequence[_Line], settled: set[tuple[str, str]], written: BulkResult) -> None:
        params = slow_request_params(refresh=self._refresh, require_alias="true", filter_path=_OUTCOMES)
        body = b"".join(line.text for line in lines)
        try:
            with opensearch_errors("writing to the search index"):
                answer = self._client.bulk(body=body, params=params)
        except IndexUnavailable as error:
            written.waiting |= {line.id: error.detail for line in lines}
            return
        for line, item in zip(lines, answer["items"], strict=True):
            _note(line, item["index"], settled, written)


_encoded = json.JSONEncoder(separators=(",", ":")).encode
_OUTCOMES = "items.index.status,items.index.error.type"


def _note(line: _Line, item: dict[str, Any], settled: set[tuple[str, str]], written: BulkResult) -> None:
    """Notes the result of an item with the type of its error alone: the reason may quote the text of a memory."""
    verdict = verdict_on(item["status"])
    reason = f"{item['status']} {item.get('error', {}).get('type', '')} from {line.target}"
    if verdict == "busy":
        written.waiting[line.id] = reason
        return
    settled.add((line.id, line.target))
    if verdict == "refused":
        written.refused[line.id] = reason


def _lines(
    documents: Iterable[Document], targets: Sequence[WriteTarget], settled: set[tuple[str, str]]
) -> Iterator[_Line]:
    for document in documents:
        id = _id(document)
        for target in targets:
            if (id, target.name) not in settled:
                yield _Line(id, target.name, _text(id, document, target))


def _text(id: str, document: Document, target: WriteTarget) -> bytes:
    action = {
        "_index": target.own_alias,
        "_id": id,
        "version": document["version"],
        "version_type": "external_gte",
        **target.routing(_scope(document)),
    }
    return f"{_encoded({'index': action})}\n{_encoded(target.shaped(document))}\n".encode()


def _id(document: Document) -> str:
    return document_id(_scope(document), document["id"])


def _scope(document: Document) -> Scope:
    return Scope(document["tenant"], document["project"])


def _requests(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    request: list[_Line] = []
    size = 0
    for line in lines:
        if request and (size + len(line.text) > REQUEST_MAX_BYTES or len(request) == REQUEST_MAX_LINES):
            yield request
            request, size = [], 0
        request.append(line)
        size += len(line.text)
    if request:
        yield request
