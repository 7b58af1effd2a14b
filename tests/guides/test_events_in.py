"""What the recipes of the guide to events in send is taken by the product, and says of a run what became of it."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Scope
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.run_queue import take_messages
from memory_layer.local.tokens import mint, secret_of
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from memory_layer.usecases.write.put import put_memory
from tests.e2e.conftest import running
from tests.given import StandingClock
from tests.guides.recipes import (
    BUS,
    FORM,
    build_ended,
    delivered,
    document,
    entries_of,
    event_sources,
    execution_ended,
    issuing,
    matches,
    recipe,
    run_steps,
)

SHOP = Scope("acme", "shop")
CI = Principal("acme", "ci")
TITLE = "Fix the failing login tests"
RESET = "npm error code ECONNRESET\nnpm error network aborted"
RED = "AssertionError: expected 302, got 500\n1 test failed"
EXIT = "COMMAND_EXECUTION_ERROR: Error while executing command: npm ci. Reason: exit status 1"


@pytest.fixture
def backend(tmp_path: Path, embedder: Embedder, clock: StandingClock) -> Iterator[EmbeddedBackend]:
    """A backend with the memory `tip`."""
    settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
    with closing(open_embedded(settings, embedder=embedder, clock=clock)) as opened:
        put_memory(opened.ports, CI, "shop", "tip", {"content": "Mock the clock in login tests."})
        yield opened


@pytest.fixture(autouse=True)
def lambda_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Lambda gives the function, and the variables of its template."""
    function = document("template.yaml")["Resources"]["Report"]["Properties"]
    values = {**function["Environment"]["Variables"], "EVENT_BUS": BUS, "AWS_DEFAULT_REGION": "eu-central-1"}
    for name, value in (values | {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}).items():
        monkeypatch.setenv(name, value)


def told(backend: EmbeddedBackend, run_id: str) -> RunRecord:
    record = backend.ports.store.learnings.run(SHOP, run_id)
    assert record is not None, f"run {run_id} did not arrive"
    return record


def taken(backend: EmbeddedBackend, *events: dict[str, Any]) -> list[Any]:
    """Delivers events as the queue does. Returns: those that failed."""
    messages = [{"messageId": str(at), "body": json.dumps(event)} for at, event in enumerate(events)]
    watch = Observability("runs", traced=())
    failed: list[Any] = take_messages(messages, backend.ports, event_sources(), watch)["batchItemFailures"]
    return failed


@pytest.mark.parametrize(
    ("status", "log", "ended", "verdict", "failed_by"),
    [
        ("success", "all tests passed", "completed", "worked", None),
        ("failure", RESET, "failed", None, "network"),
        ("failure", RED, "failed", "failed", None),
        ("cancelled", RESET, "crashed", None, None),
    ],
)
def test_a_job_of_github_tells_how_it_ended(
    backend: EmbeddedBackend,
    tmp_path: Path,
    status: str,
    log: str,
    ended: str,
    verdict: str | None,
    failed_by: str | None,
) -> None:
    (tmp_path / "memories-used.txt").write_text("tip\n", encoding="utf-8")
    token = mint(
        secret_of(tmp_path / "data"),
        tenant="acme",
        principal="ci",
        persona=None,
        roles=["agent"],
        now=datetime.now(UTC),
        lifetime=timedelta(hours=1),
    )
    with running(backend, tmp_path / "data", with_auth=True) as url, issuing(token) as (endpoint, asked):
        contexts = {
            "vars.MEMORY_API_URL": url,
            "vars.MEMORY_TOKEN_ENDPOINT": endpoint,
            "secrets.MEMORY_CLIENT": "id:secret",
            "job.status": status,
            "github.event.pull_request.title": "",
            "github.event.head_commit.message": TITLE,
            "github.workflow": "test",
        }
        sent = run_steps(tmp_path, log, contexts)
    assert sent.returncode == 0, sent.stderr
    ((authorization, kind, grant),) = asked
    assert (b64decode(authorization.removeprefix("Basic ")), kind) == (b"id:secret", FORM)
    assert grant == "grant_type=client_credentials&scope=memory-layer/use"
    run = told(backend, "github-9007-2-test")
    assert (run.status, run.verdict, run.failed_by) == (ended, verdict, failed_by)
    assert (run.objective, run.task_type, run.memories_used) == (TITLE, "test-fix", ("tip",))


BUILD = "codebuild-shop-tests:8745a7a9-c340-456a-9166-edf953571bee"
TOLD = {"OBJECTIVE": TITLE, "MEMORIES_USED": "tip"}
ASKED: dict[str, Any] = {"objective": TITLE, "memories_used": ["tip"]}
LAMBDA = '{"errorType":"Error","errorMessage":"getaddrinfo EAI_AGAIN registry.npmjs.org"}'
EVENTS = [
    (build_ended("SUCCEEDED", ": ", **TOLD), "", BUILD, ("completed", "worked", None)),
    (build_ended("FAILED", EXIT, **TOLD), RESET, BUILD, ("failed", None, "network")),
    (build_ended("FAILED", EXIT, **TOLD), RED, BUILD, ("failed", "failed", None)),
    (build_ended("FAILED", EXIT.replace(" 1", " 137"), **TOLD), "sh", BUILD, ("failed", None, "killed")),
    (
        build_ended("TIMED_OUT", "BUILD_TIMED_OUT: Build has timed out.", **TOLD),
        "",
        BUILD,
        ("failed", None, "time"),
    ),
    (build_ended("STOPPED", ": ", **TOLD), "", BUILD, ("crashed", None, None)),
    (execution_ended("SUCCEEDED", **ASKED), "", "shop-agent:monday-7-0", ("completed", "worked", None)),
    (
        execution_ended("FAILED", "Error", LAMBDA, **ASKED),
        "",
        "shop-agent:monday-7-0",
        ("failed", None, "network"),
    ),
    (execution_ended("FAILED", "Red", RED, **ASKED), "", "shop-agent:monday-7-0", ("failed", "failed", None)),
    (execution_ended("TIMED_OUT", **ASKED), "", "shop-agent:monday-7-0", ("failed", None, "time")),
    (execution_ended("ABORTED", **ASKED), "", "shop-agent:monday-7-0", ("crashed", None, None)),
]


@pytest.mark.parametrize(("event", "log", "run_id", "ended"), EVENTS)
def test_builds_and_executions_tell_how_they_ended(
    backend: EmbeddedBackend, event: dict[str, Any], log: str, run_id: str, ended: tuple[str | None, ...]
) -> None:
    (entry,) = entries_of(event, log)
    assert entry["EventBusName"] == BUS
    assert taken(backend, delivered(entry), delivered(entry)) == []
    run = told(backend, run_id)
    assert (run.status, run.verdict, run.failed_by) == ended
    assert (run.objective, run.task_type, run.memories_used) == (TITLE, "test-fix", ("tip",))
    (iteration,) = json.loads(entry["Detail"])["iterations"]
    assert iteration["duration"] == (106_000 if run_id == BUILD else 5_000)


def test_a_failed_build_is_told_with_its_phases_and_the_end_of_its_log() -> None:
    """Falls where the `: ` of phases that went well is told as an error."""
    (entry,) = entries_of(build_ended("FAILED", EXIT), RESET)
    (iteration,) = json.loads(entry["Detail"])["iterations"]
    assert iteration["analysis"] == {"progress_made": False, "errors": [EXIT, RESET]}


def test_what_says_nothing_of_itself_is_told_by_its_name(backend: EmbeddedBackend) -> None:
    """Falls where an execution whose input was too long to be told, or a build without variables, is not taken."""
    events = [build_ended("SUCCEEDED"), execution_ended("SUCCEEDED")]
    assert taken(backend, *(delivered(*entries_of(event)) for event in events)) == []
    assert told(backend, BUILD).objective == "Build shop-tests"
    assert told(backend, "shop-agent:monday-7-0").objective == "Run shop-agent"


def test_an_execution_that_is_redriven_is_another_run(backend: EmbeddedBackend) -> None:
    events = [execution_ended("FAILED", "Red", RED), execution_ended("SUCCEEDED", redriven=1)]
    assert taken(backend, *(delivered(*entries_of(event)) for event in events)) == []
    assert told(backend, "shop-agent:monday-7-1").status == "completed"


@pytest.mark.parametrize("field", ["project", "run_id", "objective", "status", "iterations"])
def test_no_field_that_the_recipes_send_can_be_left_out(backend: EmbeddedBackend, field: str) -> None:
    """So that these tests fall with a recipe that loses one."""
    event = delivered(*entries_of(build_ended("SUCCEEDED")))
    del event["detail"][field]
    assert len(taken(backend, event)) == 1


def test_the_source_of_the_recipe_is_the_one_that_is_taken(backend: EmbeddedBackend) -> None:
    event = delivered(*entries_of(build_ended("SUCCEEDED")))
    assert len(taken(backend, {**event, "source": "stranger"})) == 1
    assert taken(backend, event) == []
    assert told(backend, BUILD).created_by == "ci"


def test_what_the_bus_does_not_take_is_tried_again() -> None:
    with pytest.raises(RuntimeError, match="tries again"):
        entries_of(build_ended("SUCCEEDED"), failed=1)


def test_the_template_hears_of_what_has_ended_and_of_nothing_else() -> None:
    rules = document("template.yaml")["Resources"]["Report"]["Properties"]["Events"].values()
    patterns = [rule["Properties"]["Pattern"] for rule in rules]

    def hears(event: dict[str, Any]) -> int:
        return sum(event["source"] in one["source"] and matches(one, event) for one in patterns)

    assert {hears(event) for event, *_ in EVENTS} == {1}
    assert hears(build_ended("IN_PROGRESS")) == hears(execution_ended("RUNNING")) == 0
    other = build_ended("FAILED")
    other["detail"]["project-name"] = "bakery"
    assert hears(other) == 0


def test_the_template_gives_the_function_what_it_reads() -> None:
    function, text = document("template.yaml")["Resources"]["Report"]["Properties"], recipe("report.py")
    assert function["Handler"] == "report.handler"
    assert set(function["Environment"]["Variables"]) == set(re.findall(r'os\.environ\["(\w+)"\]', text))
    allowed = {one["Action"] for policy in function["Policies"] for one in policy["Statement"]}
    assert allowed == {"events:PutEvents", "logs:GetLogEvents"}
