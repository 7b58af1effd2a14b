"""Cost of the order of trust to honest agents: LoCoMo, of which three agents wrote every other turn."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from tests.bench.poison.stage import lines

AGENTS: Final = 3
CUTS: Final = (1, 5, 10)


@contextmanager
def conversations(locomo: Path, embedder: Embedder, *, with_agents: bool) -> Iterator[Ports]:
    """LoCoMo in a data folder. Args: with_agents: every other turn, drawn by its name, is an agent's."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_embedded(read_settings(data_dir=Path(folder)), embedder=embedder)) as backend,
    ):
        sessions: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for turn in lines(locomo / "memories.jsonl"):
            sessions[turn["project"], turn["session"]].append(turn)
        for (project, session), turns in sessions.items():
            turns.sort(key=lambda turn: turn["turn"])
            asked = [RememberRequest(fields=_fields(turn, with_agents=with_agents)) for turn in turns]
            add_turns(backend.ports, LOCAL_PRINCIPAL, project, session, asked)
        backend.drain()
        yield backend.ports


def _fields(turn: Mapping[str, Any], *, with_agents: bool) -> dict[str, Any]:
    said_at = datetime.strptime(turn["said_at"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    drawn = crc32(f"{turn['project']}/{turn['id']}".encode())
    author = {"source": "run", "created_by": f"agent-{drawn // 2 % AGENTS}"} if drawn % 2 else {}
    fields = {"id": turn["id"], "speaker": turn["speaker"], "content": turn["text"], "valid_from": said_at}
    return fields | (author if with_agents else {})


def found(ports: Ports, questions: Sequence[Mapping[str, Any]]) -> dict[int, float]:
    """Share of the evidence among the first k, by k."""
    totals = dict.fromkeys(CUTS, 0.0)
    for asked in questions:
        request = RecallRequest(query=asked["question"], limit=max(CUTS))
        answer = recall(ports, LOCAL_PRINCIPAL, asked["project"], request)
        ids = [one.memory.id for one in answer.memories]
        evidence = set(asked["evidence"])
        for cut in CUTS:
            totals[cut] += len(evidence.intersection(ids[:cut])) / len(evidence)
    return {cut: total / len(questions) for cut, total in totals.items()}
