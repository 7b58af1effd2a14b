"""The Python client: the same calls over HTTP and in process, awaited too, and sentences for what goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.client import AsyncMemory, Memory, MemoryProblem
from memory_layer.client.models import BatchLine, ImportReport, OperationAnswer, RecalledMemory
from memory_layer.edge.operations import data_jobs
from memory_layer.local.tokens import mint, secret_of
from memory_layer.settings import read_settings
from tests.e2e.conftest import running
from tests.run_examples import loop

CALLS = 100
IDS = re.compile(r"\b[a-z]+_[0-9a-f]{8,}\b")
MOMENTS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
DIGESTS = re.compile(r"\b[0-9a-f]{40,64}\b")
SECONDS = re.compile(r"\b3[56]\d\d s\b")
UNLIKE = frozenset({"next_cursor", "assembly_time_ms", "access_count", "last_accessed_at"})
"""Members that differ between any two runs; accesses are counted behind the answers."""

THINGS = ("queue", "cache", "orders table", "Node.js worker", "login service", "deploy job")
ACTS = ("keeps messages for", "is retried after", "was drained within", "times out after")

Call = Callable[[Memory, list[str], random.Random], Any]


@pytest.fixture
def url(tmp_path: Path, model_dir: Path) -> Iterator[str]:
    assert model_dir.is_dir()
    with serving(tmp_path / "served") as address:
        yield address


@contextmanager
def serving(folder: Path, *, with_auth: bool = False, model_dir: Path | None = None) -> Iterator[str]:
    with ExitStack() as stack:
        backend = open_embedded(read_settings(os.environ, data_dir=folder, model_dir=model_dir))
        stack.callback(backend.close)
        yield stack.enter_context(running(backend, folder, with_auth=with_auth))


@pytest.fixture
def here(tmp_path: Path, model_dir: Path) -> Iterator[Memory]:
    assert model_dir.is_dir()
    with Memory(folder=tmp_path / "here", project="web") as memory:
        yield memory


@pytest.fixture
def there(url: str) -> Iterator[Memory]:
    with Memory(url, project="web") as memory:
        yield memory


def _sentence(chance: random.Random) -> str:
    return f"The {chance.choice(THINGS)} {chance.choice(ACTS)} {chance.randint(2, 90)} minutes"


def _add(memory: Memory, ids: list[str], chance: random.Random) -> Any:
    stored = memory.create_memory(
        _sentence(chance),
        on_duplicate="create",
        category=chance.choice(("gotcha", "decision", "pattern")),
        tags=chance.sample(["aws", "db", "ci"], 2),
        entities=["urn:table:orders"] if chance.random() < 0.3 else [],
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        detail={"n": chance.randint(1, 9)},
    )
    ids.append(stored.id)
    return stored


def _add_many(memory: Memory, ids: list[str], chance: random.Random) -> Any:
    lines: list[BatchLine] = [{"content": _sentence(chance), "on_duplicate": "create"} for _ in range(3)]
    answer = memory.create_memories([*lines, {"content": ""}])
    ids += [line.id for line in answer.results if line.id]
    return answer


def _say(memory: Memory, _ids: list[str], chance: random.Random) -> Any:
    return memory.add_turns(f"chat {chance.random()}", [{"content": _sentence(chance), "speaker": "Ada"}])


def _supersede(memory: Memory, ids: list[str], chance: random.Random) -> Any:
    old = ids.pop(chance.randrange(len(ids)))
    stored = memory.supersede_memory(old, content=f"{_sentence(chance)}, at last", reason="measured anew")
    ids.append(stored.id)
    return stored


def _forget(memory: Memory, ids: list[str], chance: random.Random) -> Any:
    return memory.delete_memory(ids.pop(chance.randrange(len(ids))), hard=chance.random() < 0.5)


def _edit(memory: Memory, ids: list[str], chance: random.Random) -> Any:
    id = chance.choice(ids)
    version = memory.get_memory(id).version - (chance.random() < 0.3)
    return memory.update_memory(id, summary=_sentence(chance), if_match=version)


def _moved(memory: Memory, _ids: list[str], chance: random.Random) -> Any:
    other = memory.in_project(f"copy{chance.randint(1, 9)}")
    return other.import_project(memory.export_project(), dry_run=chance.random() < 0.5)


CALLED: dict[str, Call] = {
    "add": _add,
    "add_many": _add_many,
    "turns": _say,
    "get": lambda m, i, c: m.get_memory(c.choice(i)),
    "as_of": lambda m, i, c: m.get_memory(c.choice(i), as_of=datetime.now(UTC)),
    "list": lambda m, _i, _c: m.list_memories(limit=3, tags="aws", active="true"),
    "list_all": lambda m, _i, _c: list(m.list_memories.each(limit=4)),
    "recall": lambda m, _i, c: m.recall(_sentence(c), limit=5, filters={"tags": ["db"]}),
    "context": lambda m, _i, c: m.assemble_context(intent=_sentence(c), format="xml", tokenizer="chars4"),
    "prompt": lambda m, _i, c: m.compose_prompt(_sentence(c)),
    "enrich": lambda m, _i, _c: m.enrich({"table": "urn:table:orders"}),
    "graph": lambda m, _i, _c: m.explore_graph(entity="urn:table:orders", hops=2),
    "outcome": lambda m, i, c: m.report_outcome(c.choice(i), c.choice(("worked", "failed"))),
    "approve": lambda m, i, c: m.approve_memory(c.choice(i)),
    "supersede": _supersede,
    "forget": _forget,
    "edit": _edit,
    "reviews": lambda m, _i, _c: list(m.list_reviews.each(limit=2)),
    "stats": lambda m, _i, _c: m.get_stats(),
    "daily stats": lambda m, _i, _c: m.get_daily_stats(days=7),
    "settings": lambda m, _i, _c: m.get_settings(),
    "verify": lambda m, _i, _c: m.verify_project(),
    "moved": _moved,
    "event": lambda m, _i, _c: m.take_entity_events({"urn": "urn:table:orders", "event": "content_changed"}),
    "run": lambda m, _i, c: m.learn_from_run(loop(f"r{c.randint(1, 9)}")),  # type: ignore[arg-type]
    "invalid": lambda m, _i, _c: m.create_memory("", confidence=2.0),
    "unknown": lambda m, _i, _c: m.get_memory("mem_00000000"),
    "misspelt": lambda m, _i, _c: m.import_project('{"a": 1}\n'),
    "tuning": lambda m, _i, _c: m.get_context_tuning(),
    "duplicates": lambda m, _i, _c: m.list_duplicates(limit=5),
}


def _played(memory: Memory, seed: int = 7) -> list[str]:
    """Answers of many calls, one text each, with ids, times and cursors by the order in which they come up."""
    chance, ids, names = random.Random(seed), [], {}  # type: ignore[var-annotated]
    kinds = [*CALLED, *chance.choices(list(CALLED), k=CALLS - len(CALLED))]
    found = []
    for kind in ("add_many", *kinds[1:]):
        try:
            answer: Any = _document(CALLED[kind](memory, ids, chance))
        except MemoryProblem as problem:
            answer = {"problem": problem.code, "says": problem.detail, **problem.document}
        found.append(f"{kind}: {_alike(answer, names)}")
    return found


def _document(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_document(one) for one in answer]
    return answer.as_dict() if hasattr(answer, "as_dict") else answer


def _alike(answer: Any, names: dict[str, str]) -> str:
    text = json.dumps(_without(answer), sort_keys=True, ensure_ascii=False)
    text = IDS.sub(lambda found: names.setdefault(found[0], f"id{len(names)}"), text)
    return SECONDS.sub("seconds", DIGESTS.sub("digest", MOMENTS.sub("time", text)))


def _without(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without(value) for key, value in part.items() if key not in UNLIKE}
    if isinstance(part, list):
        return [_without(one) for one in part]
    return round(part, 4) if isinstance(part, float) else part


def test_a_hundred_varied_calls_answer_the_same_over_http_and_in_process(here: Memory, there: Memory) -> None:
    ours, theirs = _played(here), _played(there)
    assert len(ours) == CALLS
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []
    refused = {one.partition(":")[0] for one in ours if '"says": ' in one}
    assert {"invalid", "unknown", "misspelt"} <= refused
    assert refused <= {
        "invalid",
        "unknown",
        "misspelt",
        "edit",
        "event",
        "run",
        "supersede",
        "approve",
        "outcome",
    }


def test_answers_are_objects_with_times_and_parts(there: Memory) -> None:
    stored = there.create_memory("The queue keeps messages for four days", tags=["aws"])
    assert datetime.now(UTC) - stored.created_at < timedelta(minutes=1)
    assert (stored.receipt.durable, stored.tags, stored.session_id) == (True, ["aws"], None)
    found = there.recall("how long are messages kept?").memories
    assert [type(one) for one in found] == [RecalledMemory]
    assert found[0].as_dict()["id"] == stored.id
    with pytest.raises(AttributeError, match="has no contnet"):
        found[0].contnet  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="an answer stays as it came"):
        found[0].content = "else"


def test_a_write_that_is_sent_twice_under_one_key_is_stored_once(there: Memory) -> None:
    first = there.create_memory("The cache holds an hour", idempotency_key="k-1")
    assert there.create_memory("The cache holds an hour", idempotency_key="k-1") == first
    assert len(list(there.list_memories.each())) == 1


def test_each_item_of_all_pages_comes_once(there: Memory) -> None:
    there.create_memories([{"content": f"Fact {n} of {n * n}", "on_duplicate": "create"} for n in range(7)])
    assert len(there.list_memories(limit=3).memories) == 3
    ids = [one.id for one in there.list_memories.each(limit=3)]
    assert len(set(ids)) == len(ids) == 7


def test_the_awaited_client_does_the_same_beside_other_work(url: str) -> None:
    async def done() -> tuple[list[int], list[str], list[str]]:
        async with AsyncMemory(url, project="web") as memory:
            facts = [f"Fact {n} of {n * n}" for n in range(5)]
            await asyncio.gather(*(memory.create_memory(one, on_duplicate="create") for one in facts))
            answers = await asyncio.gather(*(memory.recall("which facts?") for _ in range(20)))
            paged = [one.content async for one in memory.list_memories.each(limit=2)]
            await memory.verify_project()
            lines = [line async for line in memory.export_lines()]
            [report] = [one async for one in memory.in_project("copy").import_lines(lines)]
            assert report.imported == 5
            with pytest.raises(MemoryProblem, match="no memory mem_00000000"):
                await memory.get_memory("mem_00000000")
            return [len(one.memories) for one in answers], paged, facts

    counts, paged, facts = asyncio.run(done())
    assert counts == [5] * 20
    assert sorted(paged) == facts


def test_what_takes_longer_is_waited_for(there: Memory) -> None:
    answer = there.create_memories([{"content": "Done behind"}], prefer="respond-async")
    assert [line.status for line in answer.results] == [201]
    begun = there.create_memories.begin([{"content": "Done later"}], prefer="respond-async")
    assert isinstance(begun, OperationAnswer)
    assert there.wait(begun.id)["results"][0]["status"] == 201
    with pytest.raises(MemoryProblem, match="no operation op_0000"):
        there.wait("op_0000")


def test_a_large_project_is_streamed_out_and_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where parts are not fetched one by one, or a body is cut elsewhere than behind a manifest."""
    monkeypatch.setattr(data_jobs, "PART_MAX_BYTES", 30_000)
    lines: list[BatchLine] = [
        {"content": f"Item {n} is {n * n}", "on_duplicate": "create"} for n in range(60)
    ]
    with serving(tmp_path / "data", model_dir=tmp_path / "none") as url, Memory(url, project="web") as memory:
        memory.create_memories(lines)
        assert isinstance(memory.export_project.begin(), OperationAnswer)
        exported = list(memory.export_lines())
        reports: list[ImportReport] = list(memory.in_project("copy").import_lines(exported))
        whole = memory.export_project()
    seals = [line for line in exported if line.startswith('{"manifest"')]
    assert len(reports) == len(seals) >= 2
    assert sum(one.imported for one in reports) == 60 == len(exported) - len(seals)
    assert len(whole.splitlines()) == len(exported)


def test_a_service_speaks_for_its_users(tmp_path: Path) -> None:
    with serving(tmp_path / "data", with_auth=True) as url:
        token = _token(tmp_path / "data", acts_for=True)
        with Memory(url, token=token, project="web") as memory:
            memory.for_user("ada").create_memory("Ada likes short answers")
            assert len(memory.for_user("ada").list_memories().memories) == 1
            assert memory.for_user("bob").list_memories().memories == []


def _token(folder: Path, *, hours: float = 1, acts_for: bool = False) -> str:
    given = {"tenant": "acme", "principal": "svc", "persona": None, "roles": ["agent"], "acts_for": acts_for}
    return mint(secret_of(folder), now=datetime.now(UTC), lifetime=timedelta(hours=hours), **given)  # type: ignore[arg-type]


def test_a_refusal_says_its_code_its_rules_and_its_sentence(there: Memory) -> None:
    with pytest.raises(MemoryProblem) as refused:
        there.create_memory("", confidence=2.0)
    problem = refused.value
    assert (problem.code, problem.status) == ("invalid", 422)
    assert [one.pointer for one in problem.violations] == ["/content", "/confidence"]
    assert str(problem).startswith("/content: ")
    assert problem.request_id is not None
    stored = there.create_memory("The cache holds an hour")
    with pytest.raises(MemoryProblem) as known:
        there.create_memory("The cache holds an hour")
    assert (known.value.code, known.value.document["duplicate_of"]["id"]) == ("duplicate", stored.id)


@pytest.mark.parametrize("hours", [-1.0, None])
def test_a_token_that_does_not_hold_is_told_in_one_sentence(tmp_path: Path, hours: float | None) -> None:
    with serving(tmp_path / "data", with_auth=True) as url:
        token = None if hours is None else _token(tmp_path / "data", hours=hours)
        with Memory(url, token=token, project="web") as memory, pytest.raises(MemoryProblem) as refused:
            memory.recall("anything")
    assert refused.value.code == "unauthenticated"
    said = "Signature has expired" if hours else "send Authorization: Bearer TOKEN"
    assert said in str(refused.value)
    assert "mem token" in str(refused.value)


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("127.0.0.1:8080", "not_memory_layer", "is no address of a server: give scheme, host and port"),
        ("ftp://host", "not_memory_layer", "is no address of a server"),
        ("http://host:99999", "not_memory_layer", "is no address of a server"),
        ("http://ada:pw@host", "not_memory_layer", "is no address of a server"),
        ("http://127.0.0.1:1", "unreachable", "cannot be reached (Connection refused): is the address right"),
        ("http://no-such-host.invalid", "unreachable", "has a name that nobody knows"),
    ],
)
def test_a_wrong_address_is_told_in_one_sentence(address: str, code: str, said: str) -> None:
    with pytest.raises(MemoryProblem) as refused:
        Memory(address, project="web", patience=0).recall("anything")
    assert refused.value.code == code
    assert said in str(refused.value)


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(MemoryProblem) as refused:
        Memory(folder=tmp_path / "file", project="web")
    assert refused.value.code == "unavailable"
    assert "file" in str(refused.value)


def test_a_place_and_a_project_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORY_LAYER_URL", "MEMORY_LAYER_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MemoryProblem, match="name one place: url=…, folder=… or"):
        Memory()
    with pytest.raises(MemoryProblem, match="name one as project=…"):
        Memory("http://127.0.0.1:1").recall("anything")


Script = list[tuple[int, dict[str, str], bytes] | None]


@contextmanager
def _scripted(script: Script) -> Iterator[tuple[str, list[tuple[str, str, dict[str, str]]]]]:
    """Server that answers by a script, of which None ends the connection; yields its address and what it was asked."""
    asked: list[tuple[str, str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65_537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
            said = script.pop(0)
            if said is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, headers, body = said
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False  # a kept connection waits for its next request
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


JSON = {"content-type": "application/json"}
PROBLEM = {"content-type": "application/problem+json"}


def _problem(status: int, code: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    document = {"type": f"urn:memory-layer:problem:{code}", "detail": f"it says {code}", "status": status}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {**PROBLEM, **named}, json.dumps(document).encode()


def test_a_lost_answer_is_asked_for_again_under_the_same_key() -> None:
    with _scripted([None, (201, JSON, b'{"id": "mem_1"}')]) as (url, asked):
        assert Memory(url, project="web").create_memory("Once").id == "mem_1"
    keys = [headers["idempotency-key"] for _, _, headers in asked]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_change_that_would_count_twice_is_not_sent_twice() -> None:
    with _scripted([None]) as (url, asked):
        with pytest.raises(MemoryProblem) as lost:
            Memory(url, project="web").update_memory("mem_1", summary="x")
        assert lost.value.code == "no_answer"
        assert len(asked) == 1


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    busy = _problem(429, "too_many", retry_after="0")
    with _scripted([busy, _problem(503, "unavailable", retry_after="0"), (200, JSON, b"{}")]) as (url, asked):
        Memory(url, project="web").update_memory("mem_1", summary="x")
        assert len(asked) == 3


def test_nobody_waits_longer_than_was_said() -> None:
    with _scripted([_problem(503, "unavailable", retry_after="43200")]) as (url, asked):
        with pytest.raises(MemoryProblem, match="it says unavailable") as refused:
            Memory(url, project="web").get_memory("mem_1")
        assert refused.value.retry_after_s == 43_200
        assert len(asked) == 1


def test_a_silent_server_is_left_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(MemoryProblem) as refused:
            Memory(url, project="web", timeout=0.05, patience=0).recall("anything")
    assert refused.value.code == "no_answer"
    assert "did not answer within 0.05 s" in str(refused.value)


def test_another_service_and_a_moved_one_are_told_apart() -> None:
    html = {"content-type": "text/html"}
    moved = {"location": "https://elsewhere.test/"}
    with _scripted([(404, html, b"<p>no"), (200, JSON, b"<p>"), (301, moved, b"")]) as (url, _):
        memory = Memory(url, project="web")
        for said in (
            "is no Memory Layer: it answers POST /v1/projects/web/recall with 404",
            "200",
            "points to https:",
        ):
            with pytest.raises(MemoryProblem, match=said) as refused:
                memory.recall("anything")
            assert refused.value.code == "not_memory_layer"


def test_another_version_is_named_where_it_may_be_the_cause() -> None:
    old = {"memory_layer_version": "0.0.9"}
    with _scripted([_problem(404, "not_found", **old), _problem(403, "forbidden", **old)]) as (url, _):
        memory = Memory(url, project="web")
        with pytest.raises(
            MemoryProblem, match=r"the server is memory-layer 0\.0\.9, this client .*pip install"
        ):
            memory.get_stats()
        with pytest.raises(MemoryProblem, match=r"^it says forbidden$"):
            memory.get_stats()


def test_an_expired_token_behind_a_gateway_is_told_with_its_time(tmp_path: Path) -> None:
    with _scripted([(401, JSON, b'{"message":"Unauthorized"}')] * 2) as (url, _):
        expired = _token(tmp_path, hours=-24)
        with pytest.raises(MemoryProblem, match=r"the token expired at \d{4}-.* UTC: ask for another one"):
            Memory(url, token=expired, project="web").get_stats()
        with pytest.raises(MemoryProblem, match="does not accept the token"):
            Memory(url, token="x", project="web").get_stats()


def test_an_answer_that_lies_elsewhere_is_fetched_without_the_token() -> None:
    with _scripted([(200, JSON, b'{"memories": []}')]) as (there, fetched):
        link = (303, {**JSON, "location": f"{there}/answers/1?signed=yes"}, b'{"location": "there"}')
        with _scripted([link]) as (url, _):
            assert Memory(url, token="secret", project="web").list_memories().memories == []
    assert fetched[0][:2] == ("GET", "/answers/1?signed=yes")
    assert "authorization" not in fetched[0][2]


def test_connections_are_kept_and_a_closed_one_is_not_used() -> None:
    answers: Script = [(200, JSON, b"{}"), (200, {**JSON, "connection": "close"}, b"{}"), (200, JSON, b"{}")]
    with _scripted(answers) as (url, asked), Memory(url, project="web") as memory:
        for _ in range(3):
            memory.update_memory("mem_1", summary="x")
    assert len(asked) == 3


def test_a_path_before_those_of_the_api_is_kept_and_names_are_quoted() -> None:
    with _scripted([(200, JSON, b"{}")]) as (url, asked):
        Memory(f"{url}/prod/", project="web").get_run("a b/c?")
    assert asked[0][1] == "/prod/v1/projects/web/runs/a%20b%2Fc%3F"
