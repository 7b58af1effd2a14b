"""A record that cannot be indexed: set aside at once, alone, while all others arrive."""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import uuid4

import httpx2
import pytest

from memory_layer.adapters.aws.table import keys
from memory_layer.domain.memory import Scope
from tests.deployed.calls import created, ids_of, logged, recalled
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually
from tests.deployed.search_node import SearchNode
from tests.deployed.stream_mapping import Delivery, mapping_of, paused

pytestmark = pytest.mark.engines


def test_a_record_that_is_not_whole_is_set_aside_and_holds_nothing_up(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Falls where one bad item fails its batch: what was written after it would never be found."""
    scope = Scope(tenant, project)
    with paused(deployed):
        delivery = Delivery(deployed, retries=2)
        before = created(agent, project, "Before it: the cache holds a thousand plans.")["id"]
        _put_broken(deployed, scope, "broken")
        after = created(agent, project, "After it: a plan is dropped when its table changes.")["id"]
        delivery.run()
        found = {id for id in (before, "broken", after) if search_node.document(project, id)}
        assert found == {before, after}
        assert delivery.failed == []
        assert logged(deployed, tenant, project) == []
    assert set(ids_of(recalled(agent, project, "which plans are in the cache?"))) == {before, after}
    destination = mapping_of(deployed, "projector")["DestinationConfig"]["OnFailure"]["Destination"]
    queue = _url_of(deployed, destination)
    answer = deployed.server.client("sqs").receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
    told = [json.loads(message["Body"]) for message in answer["Messages"]]
    assert keys.record_key(scope, "broken")["pk"]["S"] in [message["key"]["pk"] for message in told]


def _put_broken(deployed: Deployed, scope: Scope, id: str) -> None:
    """As a defect would write it: of a record's kind and key, without a record's fields."""
    named = {"kind": "memory", "tenant": scope.tenant, "project": scope.project, "id": id}
    item: dict[str, Any] = {
        **keys.record_key(scope, id),
        **{name: {"S": text} for name, text in named.items()},
    }
    deployed.server.client("dynamodb").put_item(
        TableName=deployed.outputs["RecordsTableName"], Item={**item, "version": {"N": "1"}}
    )


def test_an_event_that_a_function_fails_on_is_kept(deployed: Deployed) -> None:
    """After its retries Lambda hands the event to the queue that the function was deployed with."""
    event = {"detail-type": "nobody.knows", "detail": {}, "id": uuid4().hex}
    client = deployed.server.client("lambda")
    name = deployed.functions["background"]
    client.invoke(FunctionName=name, InvocationType="Event", Payload=json.dumps(event))
    settings = client.get_function_event_invoke_config(FunctionName=name, Qualifier="$LATEST")
    queue = _url_of(deployed, settings["DestinationConfig"]["OnFailure"]["Destination"])

    def kept() -> bool:
        """Messages of other events, and of other tests, lie in the same queue, and may come first."""
        answer = deployed.server.client("sqs").receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
        bodies = (json.loads(message["Body"]) for message in answer.get("Messages", ()))
        return any(body["requestPayload"] == event for body in bodies)

    assert eventually(kept, within_s=RETRIED_S)


RETRIED_S: Final = 180.0
"""Three attempts, each of which may start a cold process on a machine that has much to do."""


def _url_of(deployed: Deployed, arn: str) -> str:
    name = arn.rpartition(":")[2]
    return str(deployed.server.client("sqs").get_queue_url(QueueName=name)["QueueUrl"])
