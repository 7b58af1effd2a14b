"""The product as the benchmarks use it: all that they call stands here, so that each checkout brings what fits it.

A comparison of two checkouts loads this module of each (tests/bench/worker.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memory_layer.adapters.onnx.artifact import MODEL_ID
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.bootstrap.embedded import build_embedding_model, open_embedded
from memory_layer.domain.ranking import TaskProfile
from memory_layer.edge.shapes.recall_requests import PromptQuery, RecallQuery, prompt_for, recall_request
from memory_layer.errors import MemoryLayerError
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground.queries import project_stats
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, Strategy, recall
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many

MODEL = MODEL_ID
TENANT = LOCAL_PRINCIPAL.tenant
COMMAND = (sys.executable, "-c", "from memory_layer.cli.main import main; main()")
"""The command `mem` of this checkout."""

DATABASE = "memory.sqlite3"
PATIENT_MS = 27_000

Answer = Mapping[str, Any]


class FixedClock:
    """A clock that stands still, so that two checkouts judge ages alike."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment


def real_embedder() -> Embedder:
    """The model of the product, built if it is not there."""
    return OnnxEmbedder(build_embedding_model(read_settings(), print))


class Product:
    """An embedded backend over a data folder. Args: at: the time that its clock shows; None: the present."""

    def __init__(self, folder: Path, embedder: Embedder, *, at: datetime | None = None) -> None:
        clock = None if at is None else FixedClock(at)
        self._backend = open_embedded(read_settings(data_dir=folder), embedder=embedder, clock=clock)
        self._ports = self._backend.ports

    def close(self) -> None:
        self._backend.close()

    def drain(self) -> None:
        """Waits for the work that a write leaves behind."""
        self._backend.drain()

    def load(self, project: str, lines: Iterable[str]) -> int:
        """Imports records as they are, and returns their number."""
        report = import_lines(self._ports, LOCAL_PRINCIPAL, project, lines, allow_unsealed=True)
        return report.imported

    def recall(self, project: str, question: str, strategy: Strategy = "auto") -> list[str]:
        """Ids, best first."""
        request = RecallRequest(query=question, strategy=strategy)
        answer = recall(self._ports, LOCAL_PRINCIPAL, project, request)
        return [item.memory.id for item in answer.memories]

    def context(self, project: str, intent: str, tokens: int) -> int:
        """Number of fragments of a context assembled anew."""
        request = ContextRequest(intent=intent, tokens_max=tokens, time_ms=PATIENT_MS)
        page = assemble_context(self._ports, LOCAL_PRINCIPAL, project, request)
        return len(page.assembled.fragments)

    def prompt(self, project: str, task: str) -> int:
        """Number of memories of a prompt."""
        found = compose_prompt(self._ports, LOCAL_PRINCIPAL, project, task, TaskProfile(), limit=10)
        return len(found.memories)

    def stats(self, project: str) -> int:
        """Number of records."""
        return project_stats(self._ports, LOCAL_PRINCIPAL, project).total

    def remember(self, project: str, texts: Sequence[str]) -> int:
        """Stores texts as a caller does, and returns how many were new."""
        batch = [RememberRequest(fields={"content": text}) for text in texts]
        stored = remember_many(self._ports, LOCAL_PRINCIPAL, project, batch)
        return sum(not isinstance(one, MemoryLayerError) for one in stored)

    def answer(self, project: str, asked: Answer) -> Answer:
        """Answer of a recall or a prompt: its hits with their scores, and of a recall the chances that it gives.

        Args:
            asked: `kind`, `persona`, `roles`, and `body` as the interface takes it.
        """
        principal = replace(LOCAL_PRINCIPAL, persona=asked["persona"], roles=frozenset(asked["roles"]))
        if asked["kind"] == "prompt":
            composed = prompt_for(self._ports, principal, project, PromptQuery(**asked["body"]))
            return {"hits": [[memory.id, 0.0] for memory in composed.memories], "degraded": False}
        try:
            request = recall_request(RecallQuery(**asked["body"]))
            found = recall(self._ports, principal, project, request)
        except (MemoryLayerError, ValidationError) as error:
            return {"hits": [], "problem": type(error).__name__}
        hits = [[item.memory.id, item.score] for item in found.memories]
        chances = [found.evidence, *(item.relevance for item in found.memories)]
        return {"hits": hits, "degraded": found.degraded, "abstained": found.abstained, "chances": chances}


def serve(folder: Path, embedder: Embedder, port: int) -> None:
    """Serves as `mem serve` does, with an embedder of the benchmark's, until interrupted."""
    from functools import partial

    from memory_layer.local import server

    server.open_embedded = partial(open_embedded, embedder=embedder)  # type: ignore[assignment]
    server.serve(read_settings(data_dir=folder), host="127.0.0.1", port=port, with_auth=False)
