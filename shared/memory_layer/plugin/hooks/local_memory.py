"""Memory of a project in a data folder, as an agent's session asks it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Run
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.scope_tags import WriteScope
from memory_layer.plugin.hooks import session_memory as rules
from memory_layer.ports.counting import CodedAnswer, Counting
from memory_layer.ports.process import Ports
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall


@dataclass(frozen=True, slots=True)
class LocalMemory:
    """Memory of a project in a data folder: the port `SessionMemory`. Args: counting: counts what is asked."""

    ports: Ports
    principal: Principal
    project: str
    counting: Counting

    @property
    def now_s(self) -> float:
        return self.ports.clock.now().timestamp()

    def first(self, tokens: int) -> list[Memory]:
        request = ContextRequest(tokens_max=tokens, time_ms=rules.START_MS)
        place = self.ports, self.principal, self.project
        page = self.counting("assemble_context", lambda: assemble_context(*place, request))
        shown = {Ref(one.project, one.id): one.content for one in page.assembled.fragments}
        stored = self.ports.store.memories.get_many(self.principal.tenant, shown)
        return [
            replace(stored[ref], content=content, times=()) for ref, content in shown.items() if ref in stored
        ]

    def about(self, question: str, run_id: str) -> list[Memory]:
        if not question.strip():
            return []
        request = RecallRequest(
            query=question[: rules.QUERY_MAX_CHARS],
            limit=rules.HITS,
            min_relevance=rules.RELEVANCE_MIN,
            run_id=run_id,
            explores=False,
        )
        return self._recalled(request)

    def _recalled(self, request: RecallRequest) -> list[Memory]:
        place = self.ports, self.principal, self.project
        return [hit.memory for hit in self.counting("recall", lambda: recall(*place, request)).memories]

    def of_file(self, path: str) -> list[Memory]:
        found = {memory.ref: memory for memory in (*self._governing(path), *self._naming(path))}
        return list(found.values())[: rules.OF_A_FILE]

    def _governing(self, path: str) -> Iterable[Memory]:
        task = TaskProfile(write_scope=(path,))
        scope = WriteScope((path,), caller=self.principal)
        place = self.ports, self.principal, self.project
        composed = self.counting(
            "compose_prompt", lambda: compose_prompt(*place, "", task, limit=rules.LOOKED_THROUGH)
        )
        return (memory for memory in composed.memories if scope.puts_first(memory))

    def _naming(self, path: str) -> Iterable[Memory]:
        request = RecallRequest(query=path, limit=rules.LOOKED_THROUGH, explores=False)
        return (one for one in self._recalled(request) if rules.names_file(one.content, path))

    def learn(self, run: Run) -> None:
        place = self.ports, self.principal, self.project
        self.counting("learn_from_run", lambda: CodedAnswer(201, learn_from_run(*place, run, "auto")))

    def report_misled(self, project: str, id: str, run_id: str) -> None:
        report = OutcomeReport(result="failed", run_id=run_id, note=rules.MISLED)
        place = self.ports, self.principal, project
        self.counting("report_outcome", lambda: report_outcome(*place, id, report))
