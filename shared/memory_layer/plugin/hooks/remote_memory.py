"""Memory of a project at a service (`MEMORY_LAYER_URL`): read over HTTP, written over MCP as the agent that speaks."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import count
from time import time
from typing import Any, Final
from urllib.parse import quote

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import memory_from_json
from memory_layer.domain.learning.run import Run
from memory_layer.domain.memory import Memory
from memory_layer.domain.scope_tags import WriteScope
from memory_layer.errors import Invalid
from memory_layer.plugin.hooks import session_memory as rules
from memory_layer.version import VERSION
from memory_layer.wire.message import JSON, Request, Transport, authorization

_NUMBERS: Final = count(1)


@dataclass(frozen=True, slots=True)
class RemoteMemory:
    """Memory at a service: the port `SessionMemory`. Args: client: name of the agent, as its MCP client says it."""

    transport: Transport
    token: str | None
    project: str
    client: str

    @property
    def now_s(self) -> float:
        return time()

    def first(self, tokens: int) -> list[Memory]:
        budgets = {"tokens_max": tokens, "time_ms": rules.START_MS}
        page = self._asked("POST", "/context", {"budgets": budgets})
        found = ((self._record(one["id"], one.get("project")), one["content"]) for one in page["fragments"])
        return [replace(memory, content=content, times=()) for memory, content in found if memory is not None]

    def about(self, question: str, run_id: str) -> list[Memory]:
        if not question.strip():
            return []
        query = question[: rules.QUERY_MAX_CHARS]
        asked = {
            "query": query,
            "limit": rules.HITS,
            "min_relevance": rules.RELEVANCE_MIN,
            "run_id": run_id,
            "explore": False,
        }
        return _memories(self._asked("POST", "/recall", asked)["memories"])

    def of_file(self, path: str) -> list[Memory]:
        scope = WriteScope((path,), caller=Principal("", ""))
        asked = {"task": path, "write_scope": [path], "limit": rules.OF_A_FILE}
        composed = self._asked("POST", "/prompt", asked)["memory_ids"]
        governing = [
            one for id in composed if (one := self._record(id)) is not None and scope.puts_first(one)
        ]
        named = {"query": path, "limit": rules.LOOKED_THROUGH, "explore": False}
        hits = _memories(self._asked("POST", "/recall", named)["memories"])
        naming = (one for one in hits if rules.names_file(one.content, path))
        return list({memory.ref: memory for memory in (*governing, *naming)}.values())[: rules.OF_A_FILE]

    def learn(self, run: Run) -> None:
        self._tool("report_run", {"run": asdict(run)}, self.project)

    def report_misled(self, project: str, id: str, run_id: str) -> None:
        said = {"memory_id": id, "result": "failed", "run_id": run_id, "note": rules.MISLED}
        self._tool("report_outcome", said, project)

    def _record(self, id: str, project: str | None = None) -> Memory | None:
        """Record by its id; None: it is gone meanwhile."""
        place = f"/v1/projects/{project or self.project}/memories/{quote(id, safe='')}"
        reply = self.transport.perform(Request("GET", place, self._headers(), is_repeatable=True))
        return _memory(reply.document()) if reply.status == 200 else None

    def _asked(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        return self._answer(
            Request(method, f"/v1/projects/{self.project}{path}", self._headers(), _encoded(body))
        )

    def _tool(self, name: str, arguments: Mapping[str, Any], project: str) -> None:
        """Calls a tool of MCP, whose caller is an agent whoever the token is of. Raises: Invalid: it refused."""
        from memory_layer.mcp.exchange import META, METHOD_HEADER, MODERN, NAME_HEADER, VERSION_HEADER

        meta = {
            "protocolVersion": MODERN,
            "clientCapabilities": {},
            "clientInfo": {"name": self.client, "version": VERSION},
        }
        params = {
            "_meta": {f"{META}{key}": value for key, value in meta.items()},
            "name": name,
            "arguments": arguments,
        }
        said = {"jsonrpc": "2.0", "id": next(_NUMBERS), "method": "tools/call", "params": params}
        told = {VERSION_HEADER: MODERN, METHOD_HEADER: "tools/call", NAME_HEADER: name}
        place = f"/mcp?project={project}"
        answer = self._answer(Request("POST", place, {**self._headers(), **told}, _encoded(said)))
        result = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            raise Invalid(str(answer.get("error") or result["content"][0]["text"]))

    def _answer(self, request: Request) -> Any:
        reply = self.transport.perform(request)
        document = reply.document()
        if reply.status != 200:
            detail = document.get("detail") if isinstance(document, Mapping) else document
            raise Invalid(f"{self.transport.place} answers {reply.status}: {detail}")
        return document

    def _headers(self) -> dict[str, str]:
        return {"content-type": JSON, "accept": f"{JSON}, text/event-stream", **authorization(self.token)}


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()


def _memories(documents: Iterable[Mapping[str, Any]]) -> list[Memory]:
    return [_memory(document) for document in documents]


def _memory(document: Mapping[str, Any]) -> Memory:
    """Record of an answer, which leaves out what is for the service alone."""
    return memory_from_json(document)
