"""What starting a function loads: a read waits for no model, no numpy and no other face of the product."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.aws.table.record_items import item_of
from memory_layer.manifest import env
from memory_layer.manifest.functions import COMPACTOR, FUNCTIONS
from tests.functions.read_example import ENVIRONMENT, MEMORY
from tests.given import REPOSITORY

EMBEDDING = frozenset({"numpy", "onnxruntime", "tokenizers"})
NEVER_AT_IMPORT = (
    *(
        "memory_layer.local",
        "memory_layer.cli",
        "memory_layer.mcp",
        "memory_layer.adapters.embedded.sqlite.database",
    ),
    *("sqlite3", "uvicorn", "typer", "mcp", "onnx", "simsimd", "jwt"),
)

TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"

IMPORT = """
import sys
{program}
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""

READ = """
import json, types
from functions.memories.handler import handler
from tests.functions.read_example import MEMORY, READ_EVENT

context = types.SimpleNamespace(aws_request_id="r", get_remaining_time_in_millis=lambda: 28_000)
answer = handler(READ_EVENT, context)
assert answer["statusCode"] == 200, answer
assert json.loads(answer["body"])["content"] == MEMORY.content
"""

CREATE = f"""{READ}
import os
from pathlib import Path
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.edge.api_gateway import HttpApi
from tests.functions.read_example import CREATE_EVENT

running = open_embedded(None, embedder=OnnxEmbedder(Path(os.environ["BUILT_MODEL"])))
created = HttpApi("memories", lambda: types.SimpleNamespace(ports=running.ports, offload=None))(CREATE_EVENT, context)
assert created["statusCode"] == 201, created
assert json.loads(created["body"])["receipt"]["indexed"], created
"""


class OneRecord(BaseHTTPRequestHandler):
    """DynamoDB with one record in it, for programs that must not load more than they need."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        operation = self.headers["x-amz-target"].rpartition(".")[2]
        assert operation in {"GetItem", "BatchGetItem"}
        item = item_of(MEMORY)
        if operation == "GetItem":
            answer: dict[str, Any] = {"Item": item}
        else:
            answer = {"Responses": {table: [item] for table in asked["RequestItems"]}, "UnprocessedKeys": {}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests have nothing to read there."""


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A function's variables, with a table that answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), OneRecord)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield {**ENVIRONMENT, env.AWS_ENDPOINT: f"http://127.0.0.1:{server.server_port}"}
    server.shutdown()
    server.server_close()
    thread.join()


def loaded_by(program: str, **environment: str) -> set[str]:
    """Every module that a program has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(program=program)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": os.pathsep.join([str(REPOSITORY / "shared"), str(REPOSITORY)]), **environment},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("name", [function.name for function in (*FUNCTIONS, COMPACTOR)])
def test_importing_a_handler_loads_no_model_and_no_other_face(name: str) -> None:
    modules = loaded_by(f"import functions.{name}.handler")
    assert not EMBEDDING & packages(modules)
    (faces,) = (one.faces for one in (*FUNCTIONS, COMPACTOR) if one.name == name)
    own = tuple(f"memory_layer.{face}" for face in faces)
    foreign = [module for module in modules if not module.startswith(own or "-")]
    assert not [module for module in foreign if module.startswith(NEVER_AT_IMPORT)]


FIRST_TOKEN = """
import json, sys, types
from functions.claims.handler import handler

before = set(sys.modules)
event = {"callerContext": {"clientId": "c1"}, "triggerSource": "TokenGeneration_ClientCredentials", "request": {}}
handler(event, types.SimpleNamespace(aws_request_id="r", get_remaining_time_in_millis=lambda: 28_000))
late = set(sys.modules) - before
assert not {name for name in late if name.startswith(("botocore", "aws_", "urllib3", "memory_layer"))}, late
"""


def test_the_first_token_finds_everything_made(environment: dict[str, str]) -> None:
    """Safeguard: `warm_up` in functions/claims; Cognito gives up after 5 s, and a sandbox that timed out is lost."""
    in_lambda = {
        "AWS_LAMBDA_FUNCTION_NAME": "claims",
        "LAMBDA_TASK_ROOT": "/var/task",
        "_X_AMZN_TRACE_ID": TRACE,
    }
    modules = loaded_by(FIRST_TOKEN, **{**environment, "POWERTOOLS_TRACE_DISABLED": "false", **in_lambda})
    assert "aws_xray_sdk" in packages(modules)
    assert not [module for module in modules if module.startswith("aws_xray_sdk.ext.")]


def test_a_table_that_does_not_answer_keeps_no_function_from_starting() -> None:
    environment = {**ENVIRONMENT, "AWS_LAMBDA_FUNCTION_NAME": "claims"}
    assert "functions.claims.handler" in loaded_by("import functions.claims.handler", **environment)


@pytest.mark.parametrize(
    ("initialization", "is_ready"), [("provisioned-concurrency", True), ("on-demand", False)]
)
def test_a_recall_that_is_kept_ready_has_its_model_before_anybody_calls(
    initialization: str, is_ready: bool, model_dir: Path
) -> None:
    """Safeguard: `warm_up` in functions/recall; other processes leave the model to the first request."""
    told = {
        **ENVIRONMENT,
        "AWS_LAMBDA_INITIALIZATION_TYPE": initialization,
        env.MODEL_DIR: str(model_dir.parent),
    }
    ready = EMBEDDING | {"botocore", "opensearchpy"}
    assert (ready <= packages(loaded_by("import functions.recall.handler", **told))) == is_ready


def test_serving_a_read_loads_neither_numpy_nor_the_model(environment: dict[str, str]) -> None:
    """Safeguard: numpy is imported where vectors are, not where their types are named."""
    modules = loaded_by(READ, **environment)
    assert not EMBEDDING & packages(modules)
    assert not [module for module in modules if module.startswith(NEVER_AT_IMPORT)]


def test_a_create_embeds_and_loads_the_model_then(environment: dict[str, str], model_dir: Path) -> None:
    modules = loaded_by(CREATE, BUILT_MODEL=str(model_dir), **environment)
    assert packages(modules) >= EMBEDDING
