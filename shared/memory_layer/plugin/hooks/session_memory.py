"""Memories of a project for the moments of a session: its start, a question, a file, an error."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.scope_tags import WriteScope
from memory_layer.ports.process import Ports
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall

START_MS: Final = 1_500
HITS: Final = 5
OF_A_FILE: Final = 4
LOOKED_THROUGH: Final = 10
RELEVANCE_MIN: Final = 0.5
"""Chance that a memory bears on what is asked, from which on it is shown unasked for (ADR-0034 has the table)."""

QUERY_MAX_CHARS: Final = 2_000
ERROR_MAX_CHARS: Final = 500

_TELLING: Final = re.compile(
    r"error|exception|fail|fatal|denied|not found|cannot|can't|unable|undefined|invalid|refused|timed? ?out|panic",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """Memories that an agent may see in a project."""

    ports: Ports
    principal: Principal
    project: str

    @property
    def now_s(self) -> float:
        """Seconds since 1970, by the memory's clock."""
        return self.ports.clock.now().timestamp()

    def first(self, tokens: int) -> list[Memory]:
        """Memories that a session begins with, as far as they fit a budget of tokens."""
        request = ContextRequest(tokens_max=tokens, time_ms=START_MS)
        page = assemble_context(self.ports, self.principal, self.project, request)
        shown = {Ref(one.project, one.id): one.content for one in page.assembled.fragments}
        stored = self.ports.store.memories.get_many(self.principal.tenant, shown)
        return [
            replace(stored[ref], content=content, times=()) for ref, content in shown.items() if ref in stored
        ]

    def about(self, question: str) -> list[Memory]:
        """Memories that bear on a question, best first."""
        if not question.strip():
            return []
        request = RecallRequest(query=question[:QUERY_MAX_CHARS], limit=HITS, min_relevance=RELEVANCE_MIN)
        return [hit.memory for hit in recall(self.ports, self.principal, self.project, request).memories]

    def of_file(self, path: str) -> list[Memory]:
        """Memories whose tags are for a file, then those that name it. Args: path: from the project's root."""
        found = {memory.ref: memory for memory in (*self._governing(path), *self._naming(path))}
        return list(found.values())[:OF_A_FILE]

    def _governing(self, path: str) -> Iterable[Memory]:
        task = TaskProfile(write_scope=(path,))
        scope = WriteScope((path,), caller=self.principal)
        composed = compose_prompt(self.ports, self.principal, self.project, "", task, limit=LOOKED_THROUGH)
        return (memory for memory in composed.memories if scope.puts_first(memory))

    def _naming(self, path: str) -> Iterable[Memory]:
        request = RecallRequest(query=path, limit=LOOKED_THROUGH)
        hits = recall(self.ports, self.principal, self.project, request).memories
        return (hit.memory for hit in hits if names_file(hit.memory.content, path))


def names_file(text: str, path: str) -> bool:
    """Tells whether a text names a file, by its path or by its last part alone, where that has an ending."""
    name = PurePosixPath(path).name
    names = [path, *([name] if "." in name.strip(".") else [])]
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", text) for one in names)


def error_question(command: str, output: str) -> str:
    """Question of a failed command: what was run, and the lines that tell of its error, the last ones first to stay."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line)] or lines[-3:]
    return f"{command[:200]}\n{_last(telling, ERROR_MAX_CHARS)}"


def _last(lines: Sequence[str], chars: int) -> str:
    kept: list[str] = []
    for line in reversed(lines):
        chars -= len(line) + 1
        if chars < 0:
            return "\n".join(kept) or line[: chars + len(line) + 1]
        kept.insert(0, line)
    return "\n".join(kept)
