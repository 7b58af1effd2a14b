"""Commands of `mem` over a server: the same answers as on a data folder, and sentences for what goes wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import Implementation
from typer.main import get_command
from typer.testing import CliRunner, Result

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.cli.app import app
from memory_layer.cli.terminal.invocation import ONLY_HERE
from memory_layer.edge.operations import data_jobs, deferral
from memory_layer.local.tokens import mint, secret_of
from memory_layer.settings import read_settings
from memory_layer.wire import lines, seals
from tests.e2e.conftest import running
from tests.e2e.mcp_clients import talk
from tests.run_examples import loop

Line = Sequence[str]
Mem = Callable[..., Result]

OF_THE_INSTALLATION: Final = {
    *(("serve",), ("mcp",), ("mcp-proxy",), ("hook",), ("connect",), ("disconnect",), ("token",)),
    *(("console",), ("doctor",), ("version",)),
    *(("model", "build"), ("admin", "reindex"), ("admin", "rollback"), ("admin", "sweep")),
    *(("admin", "verify"), ("admin", "lag"), ("admin", "redrive"), ("admin", "canary")),
    *(("admin", "doctor"), ("admin", "migrate"), ("model", "show"), ("model", "use"), ("model", "rerank")),
}
"""Commands that are about what is installed here; `mem mcp` has a test of its own."""

IDS = re.compile(r"\b[a-z]+_(?:\d{8}T\d{6}Z_)?[0-9a-f]{8,}\b")
MOMENTS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
DIGESTS = re.compile(r"\b[0-9a-f]{40,64}\b")
UNLIKE = frozenset(
    {
        *("next_cursor", "assembly_time_ms", "access_count", "last_accessed_at", "bytes", "secret"),
        *("instance", "request_id", "answers", "position", "delivered", "next_after"),
    }
)
"""Members that differ between any two runs, or because a server keeps its answers and logs what it refuses."""

LEARNINGS: Final = (
    {"type": "strategy", "content": "Run the migrations before the tests", "confidence": 0.8},
    {"type": "strategy", "content": "Warm the cache before the load test begins", "confidence": 0.8},
)

SCRIPT: Final[tuple[Line, ...]] = (
    ("mirror", "mirrored", "--dry-run"),
    ("playbook",),
    ("playbook", "--since", "soon"),
    ("reorganise",),
    ("reorganise", "--accept", f"reo_{32 * 'a'}"),
    (
        "add",
        "The ledger is in the second drawer",
        "-c",
        "convention",
        "--tag",
        "office",
        "--expires",
        "never",
    ),
    ("add", "The nightly backup of the orders table starts at two", "--entity", "urn:table:orders"),
    ("add", "The nightly backup of the orders table starts at two"),
    ("add", "The queue keeps messages for four days", "--session", "s1", "--position", "0"),
    ("add", "The queue drops what is older than four days", "--session", "s1", "--position", "1"),
    ("add", "x", "--category", "nonsense"),
    ("list", "--tag", "office"),
    ("list", "--limit", "2"),
    ("list", "--sort=-confidence", "--fields", "content,confidence"),
    ("list", "--sort", "nonsense"),
    ("list", "--limit", "0"),
    ("list", "--min-confidence", "2"),
    ("get", "{0}"),
    ("get", "{0}", "--shown"),
    ("get", "{0}", "--as-of", "2d"),
    ("get", "mem_missing"),
    ("edit", "{0}", "--summary", "Ledger: second drawer", "--pin"),
    ("edit", "{0}", "--clear", "tags", "--if-version", "2"),
    ("edit", "{0}", "--content", "The ledger is in the third drawer", "--if-version", "1"),
    ("supersede", "{0}", "The ledger is in the safe", "--reason", "it was moved"),
    ("history", "{0}"),
    ("search", "where is the ledger"),
    ("search", "where is the ledger", "-n", "0"),
    ("search", "ledger", "--strategy", "graph", "--entity", "urn:table:orders", "--hops", "9"),
    ("search", "what nobody ever wrote about zebras"),
    ("prompt", "move the ledger"),
    ("context", "where is the ledger", "--request-id", "r1", "--budget-ms", "20000"),
    ("context", "--budget-ms", "20000"),
    ("feedback", "r1", "--satisfaction", "0.9"),
    ("feedback", "r1"),
    ("tuning",),
    ("tuning", "--reset"),
    ("sessions",),
    ("turns", "s1", "--newest-first"),
    ("pop-turn", "s1"),
    ("clear-session", "s1"),
    ("projects",),
    ("graph", "urn:table:orders"),
    ("enrich", "tool-answer.json"),
    ("outcome", "{1}", "worked", "--note", "it ran"),
    ("outcome", "{1}", "sideways"),
    ("estimate", "{1}"),
    ("trajectories", "--shape", "messages"),
    ("outcome", "1", "2", "worked"),
    ("event", "urn:table:orders", "schema_changed"),
    ("event", "urn:table:orders", "exploded"),
    ("stale",),
    ("confirm", "{1}", "--reason", "still so"),
    ("forget", "{1}", "--reason", "for a moment"),
    ("undo", "{1}"),
    ("restore-version", "{1}", "1"),
    ("merge", "{1}", "{2}", "--content", "The nightly backup starts at two, of all tables"),
    ("conflicts",),
    ("duplicates",),
    ("resolve", f"par_{32 * '0'}", "--keep-both"),
    ("approve", "{1}"),
    ("approve", "par_missing"),
    ("reject", "{1}", "--reason", "no longer"),
    ("review",),
    ("review", "--by", "somebody"),
    ("review", "--by", "somebody", "--doubts"),
    ("review", "--approve", "par_missing"),
    ("stats",),
    ("settings", "get"),
    ("settings", "patch", '{"prompt_limit": 20}'),
    ("settings", "patch", '{"prompt_limit": 20}', "--if-version", "1"),
    ("settings", "set", '{"review_sources": ["run"]}'),
    ("settings", "set", '{"prompt_limit": 0}'),
    ("run", "run.json"),
    ("run", "run.json"),
    ("run", "other-run.json", "--staged"),
    ("run", "no-run.json"),
    ("runs",),
    ("runs", "run-1"),
    ("staging",),
    ("staging", "--status", "pending"),
    ("promote", "stg_00000000000000000000000000000000"),
    ("promote",),
    ("import", "NOTES.md"),
    ("import", "NOTES.md"),
    ("import", "table.csv"),
    ("import", "broken.ndjson"),
    ("merge-project", "other", "--dry-run"),
    ("prune", "--unused", "--dry-run"),
    ("prune",),
    ("verify",),
    ("snapshot",),
    ("snapshots",),
    ("restore", "latest", "--dry-run"),
    ("audit", "--limit", "3"),
    ("authors", "--limit", "3"),
    ("authors", "--reset", "nobody"),
    ("audit", "--verify"),
    ("events", "--limit", "3"),
    ("webhook", "add", "http://127.0.0.1:9/x"),
    ("webhook", "list"),
    ("webhook", "remove", "whk_missing"),
    ("webhook", "test", "whk_missing"),
    ("watch", "--git", ".", "--once"),
    ("forget", "{1}", "--hard"),
    ("rollback", "nobody", "--dry-run"),
    ("rollback", "--undo", "rbk_missing"),
    ("erase", "--created-by", "nobody", "--yes"),
    ("erase", "--everything", "--dry-run"),
    ("export", "out.ndjson"),
    ("erase", "--everything", "--yes"),
    ("import", "out.ndjson"),
)
"""One story, told on a data folder and over HTTP; `{0}` is the id of the first memory that was stored."""


@contextmanager
def serving(folder: Path, *, with_auth: bool = False) -> Iterator[str]:
    with ExitStack() as stack:
        backend = open_embedded(read_settings(os.environ, data_dir=folder))
        stack.callback(backend.close)
        yield stack.enter_context(running(backend, folder, with_auth=with_auth))


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a caller, with files to import; without a model, so that both ways go by words."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("MEMORY_LAYER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "shop")
    for name in ("MEMORY_LAYER_URL", "MEMORY_LAYER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    (folder / "tool-answer.json").write_text('{"table": "urn:table:orders"}')
    (folder / "run.json").write_text(json.dumps(loop(run_id="run-1", project="shop")))
    (folder / "other-run.json").write_text(json.dumps(loop(run_id="run-2", project="shop")))
    (folder / "no-run.json").write_text('{"run_id": ""}')
    (folder / "NOTES.md").write_text(
        "# Notes\n\n- Deploys go out on Mondays.\n- Invoices are kept for ten years.\n"
    )
    (folder / "table.csv").write_text("content,category\nThe gate closes at nine,general\n,general\n")
    (folder / "broken.ndjson").write_text("{]\n")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "begin")):
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *author, *words], check=True, cwd=folder)
    return folder


def told(mem: Mem, script: Sequence[Line]) -> list[tuple[Line, int, Any]]:
    """What each line of a script answers, as JSON, with the ids of this story and the times taken out."""
    made: list[str] = []
    names: dict[str, str] = {}
    found = []
    for line in script:
        done = mem(
            *(word.format(*made) if word.startswith("{") and word[1].isdigit() else word for word in line)
        )
        assert isinstance(done.exception, SystemExit | None), (line, done.exception)
        text = done.stdout.strip() or (done.stderr.strip().splitlines() or [""])[-1]
        answer = json.loads(text) if text.startswith("{") else text
        if line[0] == "add" and done.exit_code == 0:
            made.append(answer["id"])
        found.append((line, done.exit_code, _alike(answer, names)))
    return found


def _alike(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        is_change = "specversion" in value  # whose id is its position in the log
        left_out = UNLIKE | ({"id", "time"} if is_change else {"entries"} if "is_valid" in value else set())
        return {key: _alike(item, names) for key, item in value.items() if key not in left_out}
    if isinstance(value, list):
        return [_alike(item, names) for item in value]
    if not isinstance(value, str):
        return value
    text = DIGESTS.sub("DIGEST", MOMENTS.sub("MOMENT", value)).replace("/query/", "/").replace("/path/", "/")
    return IDS.sub(lambda id: names.setdefault(id[0], f"id {len(names)}"), text)


def run(*words: str, **options: Any) -> Result:
    return CliRunner().invoke(app, list(words), **options)


def test_every_command_answers_over_http_what_it_answers_on_a_folder(tmp_path: Path) -> None:
    """Falls where a command asks a server for something else than it does itself."""
    here = told(lambda *words: run(*words, "--json"), SCRIPT)
    with serving(tmp_path / "served") as url:
        there = told(lambda *words: run(*words, "--json", "--url", url), SCRIPT)
    differing = [(one, other) for one, other in zip(here, there, strict=True) if one != other]
    assert differing == []
    assert {code for _, code, _ in here} == {0, 1}


REFUSE_A_SERVICE: Final[tuple[Line, ...]] = (
    *(("serve",), ("doctor",), ("console",), ("model", "build"), ("admin", "reindex"), ("admin", "rollback")),
    *((*("admin", name), "--stack", "here") for name in ("verify", "lag", "redrive", "canary")),
    ("admin", "sweep", "expiry", "--stack", "here"),
    ("token", "--tenant", "acme", "--principal", "ada"),
)


@pytest.mark.parametrize("line", REFUSE_A_SERVICE)
def test_a_command_of_this_machine_alone_says_why_it_asks_no_service(line: Line) -> None:
    done = run(*line, "--url", "http://127.0.0.1:9")
    assert done.exit_code == 2
    assert "leave it out" in " ".join(done.stderr.split())


def named(words: Line) -> tuple[str, ...]:
    return tuple(words[:2]) if words[0] in ("settings", "webhook", "model", "admin") else tuple(words[:1])


def commands(found: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, one in (found or get_command(app)).commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name), one.callback


def test_the_story_has_every_command_that_is_not_of_this_machine_alone() -> None:
    """Falls where a command is added that no test says over a server, and that gives no reason against it."""
    asked = {named(line) for line in SCRIPT}
    only_here = {name for name, callback in commands() if getattr(callback, ONLY_HERE, None)}
    assert {name for name, _ in commands()} - OF_THE_INSTALLATION - only_here == asked
    assert only_here == {("sweep",), ("tasks",)}


def words(*line: str, **options: Any) -> tuple[int, str]:
    """Exit code of a command, and what it says to a person about a refusal."""
    done = run(*line, **options)
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.exit_code, done.stderr.strip()


REFUSED_ALIKE: Final[tuple[Line, ...]] = (
    ("add", "The gate closes at nine"),
    ("add", "x", "--category", "nonsense"),
    ("search", "gate", "-n", "0"),
    ("search", "gate", "--strategy", "graph", "--hops", "9"),
    ("list", "--min-confidence", "2"),
    ("outcome", "{0}", "sideways"),
    ("edit", "{0}", "--content", "The gate closes at ten", "--if-version", "7"),
    ("run", "no-run.json"),
    ("approve", "par_missing"),
    ("get", "mem_missing"),
)


def test_a_refusal_names_the_same_options_over_http(tmp_path: Path) -> None:
    """Falls where a server's refusal is worded by the fields of a request, which nobody at a terminal has typed."""
    with serving(tmp_path / "served") as url:
        said = []
        for place in ((), ("--url", url)):
            id = json.loads(run("add", "The gate closes at nine", "--json", *place).stdout)["id"]
            said.append([words(*(word.format(id) for word in line), *place) for line in REFUSED_ALIKE])
    here, there = (
        [(code, IDS.sub("ID", text).replace(f" --url {url}", "")) for code, text in one] for one in said
    )
    assert [code for code, _ in here] == [1] * len(REFUSED_ALIKE)
    assert there == [
        (code, text.replace("Going on by words alone", "")) for code, text in _without_model(here)
    ]


def _without_model(told: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Refusals without the word that a missing model is, which is a server's to say."""
    for code, text in told:
        yield code, "\n".join(line for line in text.splitlines() if not line.startswith("Going on by words"))


@contextmanager
def answering(status: int, body: str, **headers: str) -> Iterator[str]:
    """Server that is no Memory Layer, or another version of it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {"content_length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            """Stays silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_each_wrong_address_is_told_in_one_sentence(tmp_path: Path) -> None:
    with serving(tmp_path / "served") as url:
        found = {
            "nowhere": words("list", "--url", "nowhere"),
            "closed": words("list", "--url", "http://127.0.0.1:9"),
            "tls": words("list", "--url", url.replace("http:", "https:")),
            "path": words("list", "--url", f"{url}/v1"),
            "data": words("list", "--url", url, "--data", str(tmp_path)),
            "agent": words("list", "--url", url, "--agent", "claude-code"),
            "token": words("list", "--token", "x"),
            "sweep": words("sweep", "--url", url),
        }
    with answering(200, "<html>", content_type="text/html") as other:
        found["foreign"] = words("list", "--url", other)
    assert {code for code, _ in found.values()} == {1}
    assert all(len(said.splitlines()) == 1 and said.startswith("mem: ") for _, said in found.values()), found
    for name, sentence in {
        "nowhere": "give scheme, host and port alone, as http://127.0.0.1:8080",
        "closed": "cannot be reached (Connection refused): is the address right, and the server running?",
        "tls": "does not speak TLS: is its address http://… ?",
        "path": "is /v1 part of the address?",
        "data": "leave --url or --data out",
        "agent": "the token says who speaks; leave --agent out",
        "token": "say --url, or set MEMORY_LAYER_URL",
        "sweep": "do them by themselves; leave --url out",
        "foreign": "is no Memory Layer",
    }.items():
        assert sentence in found[name][1], (name, found[name])


def test_an_older_server_is_named_where_it_may_be_the_cause() -> None:
    problem = json.dumps(
        {"type": "urn:memory-layer:problem:not_found", "detail": "there is nothing at /v1/x"}
    )
    told_by = {"content_type": "application/problem+json", "memory_layer_version": "99.1.0"}
    with answering(404, problem, **told_by) as url:
        code, said = words("projects", "--url", url)
    assert code == 1
    assert "the server is memory-layer 99.1.0, this client" in said


def test_a_token_says_who_speaks_and_is_never_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "served"
    with serving(folder, with_auth=True) as url:
        good, old = (_token(folder, hours=hours) for hours in (1, -1))
        code, said = words("list", "--url", url)
        assert (code, "token" in said) == (1, True)
        for token in (old, f"{good[:-3]}abc"):
            code, said = words("list", "--url", url, "--token", token)
            assert (code, token in said, len(said.splitlines())) == (1, False, 1)
        monkeypatch.setenv("MEMORY_LAYER_URL", url)
        monkeypatch.setenv("MEMORY_LAYER_TOKEN", good)
        stored = json.loads(run("add", "Backups run at two.", "--json").stdout)
        assert (stored["created_by"], stored["tenant"]) == ("agent-7", "acme")
        assert words("approve", stored["id"])[0] == 1
        assert (
            run("list", "--data", str(tmp_path / "mine")).exit_code == 0
        )  # a folder that is named goes first
        assert "Backups" not in run("list", "--data", str(tmp_path / "mine")).stdout


def _token(folder: Path, *, hours: float) -> str:
    life = {"now": datetime.now(UTC), "lifetime": timedelta(hours=hours)}
    return mint(secret_of(folder), tenant="acme", principal="agent-7", persona=None, roles=["agent"], **life)


def test_a_large_export_is_one_sealed_file_and_goes_back_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where parts are joined or cut without their seals."""
    for module in (data_jobs, lines, seals):
        for name in ("PART_MAX_BYTES", "BODY_MAX_BYTES"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, 12_000)
    monkeypatch.setattr(deferral, "AT_ONCE_RECORDS", 5)
    monkeypatch.setattr("memory_layer.cli.terminal.transfers.BODY_MAX_BYTES", 12_000)
    with serving(tmp_path / "served") as url:
        there = ("--url", url)
        for number in range(20):
            run(
                "add",
                f"Rule {number} of the house is about subject {number * 7}",
                "--on-duplicate",
                "create",
                *there,
            )
        assert run("export", "all.ndjson", *there).exit_code == 0
        text = Path("all.ndjson").read_text()
        assert text.count('{"manifest":') == 1
        assert len(text) > 20_000
        assert json.loads(run("import", "all.ndjson", "--json").stdout)["imported"] == 20  # one file, whole
        report = json.loads(run("import", "all.ndjson", "--json", "-p", "copy", *there).stdout)
        assert (report["records"], report["imported"]) == (20, 20)
        Path("cut.ndjson").write_text(text.replace("Rule 3 of", "Rule 4 of"))
        code, said = words("import", "cut.ndjson", "-p", "other", *there)
        assert (code, "the file was changed or cut off" in said) == (1, True)
        assert json.loads(run("stats", "--json", "-p", "other", *there).stdout)["total"] == 0
        assert run("export", "all.csv", *there).exit_code == 0
        assert Path("all.csv").read_text().count("content_hash") == 1


def relayed(url: str, conversation: Callable[[Client], Any], *options: str, **environ: str) -> Any:
    """Has one conversation with `mem mcp --url`, as a process on stdio."""
    program = ["-c", "from memory_layer.cli.main import main; main()", "mcp", "-p", "shop", "--url", url]
    server = StdioServerParameters(
        command=sys.executable, args=[*program, *options], env={**os.environ, **environ}
    )

    async def have() -> Any:
        async with Client(server, client_info=Implementation(name="claude-code", version="1")) as client:
            return await conversation(client)

    return anyio.run(have)


def test_a_client_on_stdio_has_the_tools_of_the_server(tmp_path: Path) -> None:
    async def conversation(client: Client) -> Any:
        tools = await client.list_tools()
        stored = await client.call_tool(
            "add_memory", {"content": "The queue acknowledges before it commits."}
        )
        found = await client.call_tool("search_memory", {"query": "queue commits"})
        wrong = await client.call_tool("add_memory", {"content": ""})
        return tools.model_dump(), stored.structured_content, found.structured_content, wrong.is_error

    with serving(tmp_path / "served") as url:
        here = talk(f"{url}/mcp?project=shop", lambda client: client.list_tools())
        tools, stored, found, is_refused = relayed(url, conversation)
    assert tools["tools"] == here.model_dump()["tools"]
    assert stored["memory"]["created_by"] == "agent:claude-code"
    assert found["memories"][0]["id"] == stored["memory"]["id"]
    assert is_refused


def test_a_client_on_stdio_is_told_what_is_wrong_with_its_server(tmp_path: Path) -> None:
    async def listed(client: Client) -> Any:
        return await client.list_tools()

    folder = tmp_path / "served"
    with serving(folder, with_auth=True) as url:
        token = _token(folder, hours=1)
        assert relayed(url, listed, MEMORY_LAYER_TOKEN=token).tools
        with pytest.raises(BaseExceptionGroup) as refused:
            relayed(url, listed)
    assert "token" in str(_innermost(refused.value))
    with pytest.raises(BaseExceptionGroup) as gone:
        relayed("http://127.0.0.1:1", listed)
    assert "cannot be reached" in str(_innermost(gone.value))


def _innermost(error: BaseException) -> BaseException:
    return _innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def test_a_command_over_http_loads_nothing_of_the_engine(tmp_path: Path) -> None:
    """Falls where a command imports a use case, the embedder or a server before it knows who carries it out."""
    report = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr));"
    program = f"{report} sys.argv[0] = 'mem'; from memory_layer.cli.main import main; main()"
    with serving(tmp_path / "served") as url:
        run("add", "The ledger is in the safe", "--url", url, "-p", "shop")
        command = [sys.executable, "-c", program, "search", "ledger", "--url", url, "-p", "shop"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    modules = set(done.stderr.split())
    assert "The ledger is in the safe" in done.stdout
    assert (
        modules & {"numpy", "onnxruntime", "cryptography", "mcp", "aws_lambda_powertools", "asyncio"} == set()
    )
    own = {name for name in modules if name.startswith("memory_layer.")}
    own -= {"memory_layer.ports", "memory_layer.ports.counting"}  # a name alone, of who counts what is asked
    assert {name.split(".")[1] for name in own} <= {"cli", "domain", "errors", "manifest", "version", "wire"}
