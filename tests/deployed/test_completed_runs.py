"""Runs that orchestrators tell of by events: over the bus, its rule, the queue and the function `runs`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tests.deployed.calls import created, ids_of, memories, recalled, settled
from tests.deployed.deployment import RUN_SOURCE, Deployed
from tests.deployed.patience import eventually
from tests.deployed.stream_mapping import PARTIAL, mapping_of
from tests.run_examples import loop

pytestmark = pytest.mark.engines

LEARNED = "Test-driven development approach"
QUERY = "which approach to development worked?"


def put(deployed: Deployed, detail: Mapping[str, Any], *, source: str = RUN_SOURCE, times: int = 1) -> None:
    entry = {
        "EventBusName": deployed.outputs["EventBusName"],
        "Source": source,
        "DetailType": "run.completed",
        "Detail": json.dumps(detail),
    }
    for _ in range(times):
        assert deployed.server.client("events").put_events(Entries=[entry])["FailedEntryCount"] == 0


def run_ids(http: httpx2.Client, project: str) -> set[str]:
    return {run["run_id"] for run in http.get(f"/v1/projects/{project}/runs").json()["runs"]}


def queue_url(deployed: Deployed) -> str:
    name = mapping_of(deployed, "runs")["EventSourceArn"].rpartition(":")[2]
    return str(deployed.server.client("sqs").get_queue_url(QueueName=name)["QueueUrl"])


def waiting(deployed: Deployed, url: str) -> int:
    """Messages in a queue, those in somebody's hands too."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    told = deployed.server.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)
    return sum(int(told["Attributes"][name]) for name in names)


def test_a_run_told_of_five_times_is_learned_from_once_and_recalled(
    deployed: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Promoted, and credited to the memory that it cites, once; found before the index knows and after."""
    cited = created(agent, project)["id"]
    put(deployed, {**loop("r1", memories_used=[cited]), "project": project}, times=5)
    assert eventually(lambda: run_ids(agent, project) == {"r1"})
    url = queue_url(deployed)
    assert eventually(lambda: waiting(deployed, url) == 0)

    run = agent.get(f"/v1/projects/{project}/runs/r1").json()
    assert (run["promoted"], run["merged"], run["credited"]) == (5, 0, 1)
    listed = agent.get(memories(project)).json()["memories"]
    learned = {memory["id"]: memory for memory in listed if memory["id"] != cited}
    assert len(learned) == 5
    assert {memory["version"] for memory in learned.values()} == {1}
    assert agent.get(f"{memories(project)}/{cited}").json()["use_count"] == 1

    def found() -> list[str]:
        return [learned[id]["content"] for id in ids_of(recalled(agent, project, QUERY)) if id in learned]

    assert LEARNED in found()
    settled(deployed, tenant, project)
    assert LEARNED in found()


def test_who_was_not_named_is_not_heard(deployed: Deployed, agent: httpx2.Client, project: str) -> None:
    put(deployed, {**loop("stranger"), "project": project}, source="stranger")
    put(deployed, {**loop("known"), "project": project})
    assert eventually(lambda: "known" in run_ids(agent, project))
    assert eventually(lambda: waiting(deployed, queue_url(deployed)) == 0)
    assert run_ids(agent, project) == {"known"}


def test_a_broken_run_is_kept_in_the_end_and_holds_nothing_up(
    deployed: Deployed, agent: httpx2.Client, project: str
) -> None:
    """Falls without a partial batch response, or without the queue's redrive policy. The wait between two receives, 12
    minutes as deployed, is cut short here."""
    assert PARTIAL in mapping_of(deployed, "runs")["FunctionResponseTypes"]
    url = queue_url(deployed)
    broken = {**loop("broken", status="exploded"), "project": project}
    with impatient(deployed, url):
        for detail in ({**loop("before"), "project": project}, broken, {**loop("after"), "project": project}):
            put(deployed, detail)
        kept = eventually(lambda: received(deployed, failure_queue(deployed, url)))
        assert eventually(lambda: run_ids(agent, project) == {"before", "after"})
    assert [json.loads(message["Body"])["detail"] for message in kept] == [broken]
    assert waiting(deployed, url) == 0


@contextmanager
def impatient(deployed: Deployed, url: str) -> Iterator[None]:
    sqs, name = deployed.server.client("sqs"), "VisibilityTimeout"
    before = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={name: "1"})
    try:
        yield
    finally:
        sqs.set_queue_attributes(QueueUrl=url, Attributes={name: before})


def failure_queue(deployed: Deployed, url: str) -> str:
    """Where the queue's own policy says that what it gave up goes."""
    sqs = deployed.server.client("sqs")
    told = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["RedrivePolicy"])["Attributes"]
    policy = json.loads(told["RedrivePolicy"])
    assert int(policy["maxReceiveCount"]) == 5
    return str(sqs.get_queue_url(QueueName=policy["deadLetterTargetArn"].rpartition(":")[2])["QueueUrl"])


def received(deployed: Deployed, url: str) -> list[dict[str, Any]]:
    answer = deployed.server.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    found: list[dict[str, Any]] = answer.get("Messages", [])
    return found
