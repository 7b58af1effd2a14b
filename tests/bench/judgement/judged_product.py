"""The product as the measures use it: projects in a data folder of their own, asked through the interface's shapes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import RankedMemory
from memory_layer.edge.shapes.recall_requests import RecallQuery, recall_request
from memory_layer.errors import Duplicate
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.recall.recall import recall
from memory_layer.usecases.write.prepare import OnDuplicate, RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many

BATCH = 200


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """Hit of a recall, with the chance that the product gives it of bearing on the question, 0..1."""

    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Judged:
    """Answer of a recall. Args: hits: those shown, or the best there are where it does not abstain when asked so."""

    abstained: bool
    hits: Sequence[JudgedHit]


class JudgedProduct:
    """The embedded backend on one folder."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        self.backend = backend
        self.ports = backend.ports

    def store(self, project: str, texts: Sequence[str], on_duplicate: OnDuplicate = "create") -> list[Any]:
        """Stores texts, in batches; returns the results in their order."""
        results: list[Any] = []
        for start in range(0, len(texts), BATCH):
            batch = [
                RememberRequest(fields={"content": text}, on_duplicate=on_duplicate)
                for text in texts[start : start + BATCH]
            ]
            results += remember_many(self.ports, LOCAL_PRINCIPAL, project, batch)
        return results

    def recalled(self, project: str, question: str, **asked: Any) -> Judged:
        request = recall_request(RecallQuery(query=question, **asked))
        found = recall(self.ports, LOCAL_PRINCIPAL, project, request)
        return Judged(found.abstained, [_judged(one) for one in found.memories])

    def judged(self, project: str, question: str) -> Judged:
        """What a recall shows; where it abstains, the hits that it would show if it were asked to."""
        answer = self.recalled(project, question)
        if not answer.abstained:
            return answer
        return Judged(True, self.recalled(project, question, min_score=0).hits)

    def contents(self, project: str) -> list[Memory]:
        """All records of a project, whatever their status."""
        scope, found, after = LOCAL_PRINCIPAL.scope(project), [], None
        while True:
            page = self.ports.store.memories.every(scope, after=after, limit=BATCH)
            found += page.memories
            after = page.next_key
            if after is None:
                return found


def _judged(hit: RankedMemory) -> JudgedHit:
    return JudgedHit(hit.memory.content, hit.relevance)


def is_refused_as_known(result: object) -> bool:
    """Tells if a create was answered with a memory that says the same, instead of being stored."""
    return isinstance(result, Duplicate)


def is_stored(result: object) -> bool:
    return isinstance(result, StoredMemory) and result.is_new


@contextmanager
def opened(embedder: Embedder, folder: Path | None = None) -> Iterator[JudgedProduct]:
    """Opens the product. Args: folder: of its data; None: one that goes."""
    with tempfile.TemporaryDirectory() as own:
        settings = read_settings(data_dir=folder or Path(own))
        with closing(open_embedded(settings, embedder=embedder)) as backend:
            yield JudgedProduct(backend)
