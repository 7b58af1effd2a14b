"""Recipes of the guide to events in, run as a runner of GitHub and as Lambda run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]
from botocore.stub import ANY, Stubber

from tests.given import REPOSITORY
from tests.guides.pages import blocks_of

GUIDE: Final = REPOSITORY / "docs" / "guides" / "events-in.md"
FORM: Final = "application/x-www-form-urlencoded"
BUS: Final = "memory-bus"


def recipe(name: str) -> str:
    """The text of the guide's file of this name."""
    return next(block.text for block in blocks_of(GUIDE.read_text("utf-8")) if block.name == name)


def document(name: str) -> Any:
    return yaml.safe_load(recipe(name))


def event_sources() -> str:
    """The setting under which the guide has the deployment take the function's events."""
    found = re.search(r"event_sources='(.+?)'", GUIDE.read_text("utf-8"))
    assert found is not None
    return found[1]


def run_steps(folder: Path, log: str, contexts: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The steps of the workflow behind the checkout, the last one with what GitHub knows of the job.

    The build prints the log, and fails if GitHub says that the job did.
    """
    build, tell = [step for step in document("test.yml")["jobs"]["test"]["steps"] if "run" in step]
    is_failed = contexts["job.status"] == "failure"
    make = folder / "make"
    make.write_text(f"#!/bin/sh\ncat <<'END'\n{log}\nEND\nexit {int(is_failed)}\n", encoding="utf-8")
    make.chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    assert build["shell"] == "bash"
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", build["run"]]
    ended = subprocess.run(bash, cwd=folder, env=path, check=False, capture_output=True)
    assert bool(ended.returncode) == is_failed, "the runner would say otherwise how the job ended"
    given = {name: _evaluated(value, contexts) for name, value in tell["env"].items()}
    job = {"GITHUB_RUN_ID": "9007", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_JOB": "test"}
    assert (tell["shell"], tell["if"]) == ("python", "always()")
    return subprocess.run(
        [sys.executable, "-c", tell["run"]],
        cwd=folder,
        env={**path, **job, **given},
        check=False,
        capture_output=True,
        text=True,
    )


def _evaluated(value: str, contexts: Mapping[str, str]) -> str:
    """Value of GitHub's expressions of names and `||`; a name that GitHub does not have is a KeyError."""

    def first(found: re.Match[str]) -> str:
        return next(filter(None, (contexts[name] for name in found[1].split(" || "))), "")

    return re.sub(r"\$\{\{ (.+?) \}\}", first, value)


@contextmanager
def issuing(token: str) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """A token endpoint, and what it was asked: authorization, type and body of each request."""
    asked: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            asked.append((self.headers["authorization"], self.headers["content-type"], body))
            answer = json.dumps({"access_token": token, "token_type": "Bearer"}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/token", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def entries_of(event: Mapping[str, Any], log: str = "", *, failed: int = 0) -> list[dict[str, Any]]:
    """What the function puts on the bus; its calls are checked against AWS's own description of them."""
    names: dict[str, Any] = {}
    exec(compile(recipe("report.py"), "report.py", "exec"), names)
    put: list[dict[str, Any]] = []
    names["events"].meta.events.register(
        "provide-client-params.*.PutEvents", lambda params, **_: put.extend(params["Entries"])
    )
    with Stubber(names["logs"]) as logs, Stubber(names["events"]) as bus:
        lines = [{"timestamp": 1, "message": f"{line}\n"} for line in log.splitlines()]
        where = {"logGroupName": "/aws/codebuild/shop-tests", "logStreamName": "8745a7a9", "limit": 40}
        if log:
            logs.add_response("get_log_events", {"events": lines}, where)
        bus.add_response("put_events", {"FailedEntryCount": failed, "Entries": []}, {"Entries": ANY})
        names["handler"](event, None)
        logs.assert_no_pending_responses()
        bus.assert_no_pending_responses()
    return put


def delivered(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry as EventBridge hands it on."""
    return {
        "version": "0",
        "id": "0d1e2f",
        "detail-type": entry["DetailType"],
        "source": entry["Source"],
        "account": "123456789012",
        "time": "2026-03-01T12:00:00Z",
        "region": "eu-central-1",
        "resources": [],
        "detail": json.loads(entry["Detail"]),
    }


def build_ended(status: str, *contexts: str, **said: str) -> dict[str, Any]:
    """A `CodeBuild Build State Change`, cut to what its phases and its environment say.

    Source: CodeBuild user guide, build notifications input format reference.
    """
    arn = "arn:aws:codebuild:eu-central-1:123456789012:build/shop-tests:8745a7a9-c340-456a-9166-edf953571bee"
    fine = {"phase-context": [": "], "phase-type": "INSTALL", "phase-status": "SUCCEEDED"}
    ended = {"phase-context": [*contexts], "phase-type": "BUILD", "phase-status": status}
    return {
        **_envelope("CodeBuild Build State Change", "aws.codebuild", arn),
        "detail": {
            "build-status": status,
            "project-name": "shop-tests",
            "build-id": arn,
            "additional-information": {
                "environment": {
                    "environment-variables": [
                        {"name": name, "type": "PLAINTEXT", "value": value} for name, value in said.items()
                    ]
                },
                "build-complete": True,
                "logs": {"group-name": "/aws/codebuild/shop-tests", "stream-name": "8745a7a9"},
                "phases": [
                    {**fine, "duration-in-seconds": 36.0},
                    {**ended, "duration-in-seconds": 70.0},
                    {"phase-type": "COMPLETED", "start-time": "Mar 1, 2026 12:00:00 PM"},
                ],
            },
            "current-phase": "COMPLETED",
            "current-phase-context": "[]",
            "version": "1",
        },
    }


def execution_ended(
    status: str, error: str | None = None, cause: str | None = None, *, redriven: int = 0, **said: Any
) -> dict[str, Any]:
    """A `Step Functions Execution Status Change`. Source: Step Functions developer guide, EventBridge."""
    arn = "arn:aws:states:eu-central-1:123456789012:execution:shop-agent:monday-7"
    return {
        **_envelope("Step Functions Execution Status Change", "aws.states", arn),
        "detail": {
            "executionArn": arn,
            "stateMachineArn": "arn:aws:states:eu-central-1:123456789012:stateMachine:shop-agent",
            "name": "monday-7",
            "status": status,
            "startDate": 1_772_366_395_000,
            "stopDate": 1_772_366_400_000,
            "input": json.dumps(said) if said else None,
            "inputDetails": {"included": bool(said)},
            "output": None,
            "outputDetails": None,
            "redriveCount": redriven,
            "redriveStatus": "REDRIVABLE",
            "error": error,
            "cause": cause,
        },
    }


def _envelope(kind: str, source: str, arn: str) -> dict[str, Any]:
    return {
        "version": "0",
        "id": "c030038d",
        "detail-type": kind,
        "source": source,
        "account": "123456789012",
        "time": "2026-03-01T12:00:00Z",
        "region": "eu-central-1",
        "resources": [arn],
    }


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether a rule of this pattern takes the event: of EventBridge's patterns, values and suffixes."""
    return all(
        matches(wanted, event[name]) if isinstance(wanted, dict) else _is_one_of(event[name], wanted)
        for name, wanted in pattern.items()
    )


def _is_one_of(value: str, wanted: list[Any]) -> bool:
    return any(value.endswith(one["suffix"]) if isinstance(one, dict) else value == one for one in wanted)
