"""What is uploaded starts: each function's folder as CDK lays it out, its layers, and nothing else to import from."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.code_assets import CodeAssets
from infra.deployment import read_deployment
from layers.build import DIST
from memory_layer.manifest import layers
from memory_layer.manifest.functions import FUNCTIONS, Function
from tests.functions.read_example import CREATE_EVENT, ENVIRONMENT, HEALTH_EVENT, METADATA_EVENT
from tests.given import REPOSITORY

DEPLOYMENT = read_deployment({"profile": "dev", "region": "us-east-1"})
RUNTIME = Path(__file__).with_name("lambda_runtime.py")
MACHINES = {"x86_64": "x86_64", "aarch64": "arm64"}

ADAPTERS = """
import importlib, pkgutil, sys
sys.path[:0] = {folders!r}
import memory_layer.adapters.aws as aws
for module in pkgutil.walk_packages(aws.__path__, aws.__name__ + "."):
    importlib.import_module(module.name)
"""

EMBED = """
import json, os, pathlib, sys, types
sys.path[:0] = {folders!r}
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as bootstrap/aws.py sets it
from memory_layer.adapters.onnx.artifact import model_dir
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.edge.api_gateway import HttpApi

running = open_embedded(None, embedder=OnnxEmbedder(model_dir(pathlib.Path({model!r}))))
backend = types.SimpleNamespace(ports=running.ports, offload=None)
context = types.SimpleNamespace(aws_request_id="r", get_remaining_time_in_millis=lambda: 28_000)
answer = HttpApi("memories", lambda: backend)(json.loads({event!r}), context)
running.close()
print(json.dumps(answer), file=sys.stderr)
"""


@dataclass(frozen=True)
class Lambda:
    """A Python and the layers built for it."""

    interpreter: str
    arch: str

    def folders(self, function: Function, assets: CodeAssets) -> list[str]:
        """What a sandbox searches for code: /var/task, then /opt/python of each layer."""
        opt = [str(DIST / f"{layer}-{self.arch}" / "python") for layer in function.layers]
        return [str(assets.function_folder(function)), *opt]

    def run(self, program: list[str], lines: str = "") -> subprocess.CompletedProcess[str]:
        command = [self.interpreter, "-I", "-S", "-B", *program]
        return subprocess.run(
            command,
            input=lines,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=ENVIRONMENT,
        )


def function_named(name: str) -> Function:
    (function,) = (function for function in FUNCTIONS if function.name == name)
    return function


def runtime_of_the_cloud() -> str | None:
    """Lambda's own version of Python, if this machine has it."""
    found = shutil.which(f"python{layers.PYTHON}")
    if found is None:
        return None
    asked = [found, "-c", "import sys; print(sys.executable)"]  # what is found may only stand for it
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


@pytest.fixture(params=["this machine's Python", "Lambda's Python"], scope="module")
def machine(request: pytest.FixtureRequest) -> Lambda:
    interpreter: str | None = sys.executable
    arch = "host"
    if request.param == "Lambda's Python":
        interpreter, arch = runtime_of_the_cloud(), MACHINES.get(platform.machine(), "other")
    if interpreter is None:
        pytest.skip(f"there is no python{layers.PYTHON} on this machine")
    if not (DIST / f"base-{arch}").is_dir() or not (DIST / f"onnx-{arch}").is_dir():
        pytest.skip(f"the layers are not built for {arch}: run python layers/build.py --arch {arch}")
    return Lambda(interpreter, arch)


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> CodeAssets:
    return CodeAssets(REPOSITORY, tmp_path_factory.mktemp("staging"), DEPLOYMENT)


EVENTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "background": (
        {"detail-type": "none", "id": "1", "detail": {}},
        {"error": "WorkFailed: background: LookupError"},
    ),
    "mcp": (METADATA_EVENT, {}),
    "accesses": ({"Records": []}, {"answer": {"batchItemFailures": []}}),
    "canary": ({}, {"failed": True}),
    "runs": ({"Records": []}, {"answer": {"batchItemFailures": []}}),
    "projector": ({"Records": []}, {"answer": {"batchItemFailures": []}}),
    "reindex": ({}, {"error": "WorkFailed: reindex: IndexUnavailable"}),
    "sweep": ({"sweep": "none"}, {"error": "WorkFailed: sweep: NotFound"}),
    "claims": (
        {"callerContext": {"clientId": "c1"}, "triggerSource": "TokenGeneration_ClientCredentials"},
        {"error": "WorkFailed: claims: EndpointConnectionError"},
    ),
}
"""What is sent where neither table nor index answers, and what comes of it."""


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_each_function_starts_and_answers(machine: Lambda, assets: CodeAssets, function: Function) -> None:
    event, expected = EVENTS.get(function.name, (HEALTH_EVENT, {}))
    program = [str(RUNTIME), f"functions.{function.name}.handler.handler", *machine.folders(function, assets)]
    done = machine.run(program, f"{json.dumps(event)}\n" * 2)
    assert done.returncode == 0, done.stderr
    first, second = map(json.loads, done.stderr.splitlines())
    for answer in (first, second):
        if function.routes:
            assert (
                answer["answer"]["statusCode"],
                json.loads(answer["answer"]["body"])["resource_name"],
            ) == (
                200,
                "Memory Layer",
            ), done.stdout
        elif function.tags:
            assert (answer["answer"]["statusCode"], answer["answer"]["body"]) == (200, '{"status":"ok"}'), (
                done.stdout
            )
        elif "error" in expected:
            assert answer["error"].startswith(expected["error"]), done.stdout
        elif "failed" in expected:
            assert answer["answer"]["failed"] is expected["failed"], done.stdout
        else:
            assert answer == expected, done.stdout


@pytest.mark.parametrize("name", ["projector", "memories"], ids=["base", "base and onnx"])
def test_every_adapter_of_the_cloud_finds_what_it_imports(
    machine: Lambda, assets: CodeAssets, name: str
) -> None:
    """Safeguard: LEFT_OUT and TRIMMED name nothing that is imported."""
    done = machine.run(["-c", ADAPTERS.format(folders=machine.folders(function_named(name), assets))])
    assert done.returncode == 0, done.stderr


def test_the_onnx_layer_embeds(machine: Lambda, assets: CodeAssets) -> None:
    secret = "xoxb-" + "123456789012-1234567890123-" + "AbCdEfGhIjKlMnOpQrStUvWx"
    event = {**CREATE_EVENT, "body": json.dumps({"content": f"The bot signs in with {secret} until May."})}
    program = EMBED.format(
        folders=machine.folders(function_named("memories"), assets),
        model=str(DIST / f"onnx-{machine.arch}" / "model"),
        event=json.dumps(event),
    )
    done = machine.run(["-c", program])
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stderr)
    assert answer["statusCode"] == 201, done.stdout
    receipt = json.loads(answer["body"])["receipt"]
    assert receipt["indexed"]
    assert receipt["redacted"]
    assert secret not in answer["body"]
