"""The runbook's commands through the deployed template: found by the stack's name, run by the same functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner, Result

from memory_layer.cli.app import app
from memory_layer.manifest import env
from tests.deployed.calls import created, settled
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually
from tests.deployed.search_node import SearchNode

pytestmark = pytest.mark.engines

STACK = "memory-layer-dev"
Admin = Callable[..., Result]


@pytest.fixture
def operate(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> Admin:
    """`mem admin ... --stack`, with no setting of the deployment in the environment."""
    monkeypatch.setenv(env.AWS_ENDPOINT, deployed.server.endpoint)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    for name in (env.RECORDS_TABLE, env.SEARCH_ENDPOINT, env.BLOBS_BUCKET):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str) -> Result:
        return CliRunner().invoke(app, ["admin", *words, "--stack", STACK])

    return run


def test_an_index_is_rebuilt_with_its_own_shards_replicas_and_engine(
    operate: Admin,
    search_node: SearchNode,
    agent: httpx2.Client,
    deployed: Deployed,
    tenant: str,
    project: str,
) -> None:
    kept = created(agent, project, "Doors are oak.")["id"]
    settled(deployed, tenant, project)
    before = search_node.searched()
    done = operate("reindex")
    assert (done.exit_code, "is searched now" in done.stdout) == (0, True), done.output
    assert search_node.searched() != before
    assert search_node.document(project, kept)


def test_the_canary_remembers_recalls_and_forgets(operate: Admin) -> None:
    done = operate("canary", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [step["name"] for step in told["steps"]] == ["remember", "recall", "forget"]
    assert not told["failed"]


def test_everything_is_verified_and_the_index_compared(
    operate: Admin, agent: httpx2.Client, project: str
) -> None:
    created(agent, project, "Lamps are LED.")
    done = operate("verify", "--json")
    told = json.loads(done.stdout)
    assert set(told) == {"verify", "index"}
    assert told["index"]["dry_run"]
    assert operate("sweep", "reconcile").exit_code == 0


def test_what_failed_is_sent_to_the_function_that_it_was_meant_for(
    operate: Admin, deployed: Deployed, admin: httpx2.Client
) -> None:
    client = deployed.server.client("sqs")
    arn = deployed.server.client("lambda").get_function(FunctionName=deployed.functions["sweep"])
    failed = {
        "requestContext": {"functionArn": arn["Configuration"]["FunctionArn"]},
        "requestPayload": {"sweep": "decay"},
    }
    url = deployed.outputs["EventsFailureQueue"]
    client.send_message(QueueUrl=url, MessageBody=json.dumps(failed))
    assert operate("lag").exit_code == 1
    done = operate("redrive", "events")
    assert "events: sent" in done.stdout, done.output

    def ran() -> Any:
        sweeps = admin.get("/v1/sweeps").json()["sweeps"]
        return next(one["last_report"] for one in sweeps if one["name"] == "decay")

    assert eventually(ran)


@pytest.mark.usefixtures("operate")
def test_a_deployment_that_is_not_there_is_named() -> None:
    done = CliRunner().invoke(app, ["admin", "lag", "--stack", "nothing"])
    assert done.exit_code == 1
    assert "there is no stack nothing-stateful" in done.stderr
