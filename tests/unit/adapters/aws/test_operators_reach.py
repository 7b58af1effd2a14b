"""Operators' reach into a deployment: stacks by name, failed messages sent again, batches read again."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from memory_layer.adapters.aws.deployment.failure_queues import FailureQueues
from memory_layer.adapters.aws.deployment.functions import FunctionCaller
from memory_layer.adapters.aws.deployment.stack import DeployedStack, read_stack
from memory_layer.adapters.aws.deployment.stream_lag import read_lag
from memory_layer.adapters.aws.deployment.stream_replay import Trimmed, read_batch
from memory_layer.errors import Forbidden, NotFound, Unavailable
from memory_layer.manifest import metrics
from memory_layer.manifest.stacks import STACKS

REGION = "eu-west-1"
NAME = "memory-layer-prod"
KEYS = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:background"
POINTER = {
    "streamArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/records/stream/2026-11-28T00:00:00.000",
    "shardId": "shardId-00000001700000000000-00000000",
    "startSequenceNumber": "100000000000000000001",
    "endSequenceNumber": "100000000000000000002",
}


class Lambda:
    """Functions that note their calls. Args: answer: of every one of them."""

    def __init__(self, answer: Any = None, error: str | None = None) -> None:
        self.calls: list[tuple[str, str, Any]] = []
        self._answer = answer
        self._error = error

    def invoke(self, **asked: Any) -> dict[str, Any]:
        how = asked.get("InvocationType", "RequestResponse")
        self.calls.append((asked["FunctionName"], how, json.loads(asked["Payload"])))
        body = io.BytesIO(json.dumps(self._answer).encode())
        return {"Payload": body, **({"FunctionError": self._error} if self._error else {})}


@pytest.fixture
def aws() -> Iterator[None]:
    with mock_aws():
        yield


@pytest.fixture
def sqs() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client("sqs", region_name=REGION, **KEYS)


def client(service: str) -> Any:
    return boto3.client(service, region_name=REGION, **KEYS)


def queue(sqs: Any, name: str, **attributes: str) -> str:
    return str(sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])


def bodies(sqs: Any, url: str) -> list[str]:
    answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0)
    return sorted(message["Body"] for message in answer.get("Messages", ()))


def queues_of(sqs: Any, functions: Lambda, streams: Any = None) -> FailureQueues:
    return FailureQueues(sqs, streams, FunctionCaller(functions), "projector")


# ---- stacks


@pytest.mark.parametrize("asked", [NAME, f"{NAME}-service"])
def test_a_deployment_is_found_by_its_name_or_one_of_its_stacks(asked: str) -> None:
    cloudformation = client("cloudformation")
    with Stubber(cloudformation) as stub:
        for part in STACKS:
            stub.add_response("describe_stacks", described(part), {"StackName": f"{NAME}-{part}"})
        found = read_stack(cloudformation, asked)
    assert (found.name, found.function("sweep")) == (NAME, "sweep-1")
    assert found.failure_queues["service"] == "https://queue/service"
    with pytest.raises(NotFound, match="deploy it again"):
        found.function("reindex")


def described(part: str) -> dict[str, Any]:
    outputs = {f"{part.title()}FailureQueue": f"https://queue/{part}"}
    outputs |= {"SweepFunction": "sweep-1"} if part == "service" else {}
    told = [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]
    stack = {
        "StackName": f"{NAME}-{part}",
        "CreationTime": datetime.now(UTC),
        "StackStatus": "CREATE_COMPLETE",
    }
    return {"Stacks": [{**stack, "Outputs": told}]}


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("ValidationError", NotFound, "there is no stack other-stateful"),
        ("AccessDenied", Forbidden, "docs/runbook.md"),
        ("Throttling", Unavailable, "Throttling"),
    ],
)
def test_what_cloudformation_refuses_is_told_with_its_remedy(
    code: str, kind: type[Exception], said: str
) -> None:
    cloudformation = client("cloudformation")
    with Stubber(cloudformation) as stub:
        stub.add_client_error("describe_stacks", code)
        with pytest.raises(kind, match=said):
            read_stack(cloudformation, "other")


def test_a_function_that_fails_is_told_with_its_reason() -> None:
    with pytest.raises(Unavailable, match="IndexUnavailable; see the log"):
        FunctionCaller(Lambda({"errorMessage": "IndexUnavailable; see the log"}, "Unhandled")).call(
            "reindex", {}
        )


# ---- failed messages


def test_an_event_goes_to_the_function_that_failed_on_it_and_is_gone(sqs: Any) -> None:
    url, functions = queue(sqs, "events"), Lambda()
    failed = {"requestContext": {"functionArn": FUNCTION}, "requestPayload": {"detail": 1}}
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(failed))
    report = queues_of(sqs, functions).redrive("events", url, 10)
    assert (report.sent, report.kept) == (1, {})
    assert functions.calls == [(FUNCTION, "Event", {"detail": 1})]
    assert bodies(sqs, url) == []


def test_what_reached_nobody_goes_to_its_target(sqs: Any) -> None:
    url, target, functions = queue(sqs, "deliveries"), queue(sqs, "work"), Lambda()
    arn = sqs.get_queue_attributes(QueueUrl=target, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    for place in (FUNCTION, arn):
        named = {"TARGET_ARN": {"DataType": "String", "StringValue": place}}
        sqs.send_message(QueueUrl=url, MessageBody='{"sweep": "expiry"}', MessageAttributes=named)
    report = queues_of(sqs, functions).redrive("deliveries", url, 10)
    assert (report.sent, report.kept) == (2, {})
    assert functions.calls == [(FUNCTION, "Event", {"sweep": "expiry"})]
    assert bodies(sqs, target) == ['{"sweep": "expiry"}']


def test_what_a_queue_gave_up_goes_back_to_it_as_it_is(sqs: Any) -> None:
    failed = queue(sqs, "failed")
    arn = sqs.get_queue_attributes(QueueUrl=failed, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": "5"})
    source = queue(sqs, "source", RedrivePolicy=policy)
    sqs.send_message(QueueUrl=failed, MessageBody="no JSON at all")
    assert queues_of(sqs, Lambda()).redrive("runs", failed, 10).sent == 1
    assert bodies(sqs, source) == ["no JSON at all"]


def test_what_is_of_no_use_to_send_stays_until_it_is_dropped(sqs: Any) -> None:
    """The safeguard is that nothing is deleted before it is taken over."""
    url, aside = queue(sqs, "changes"), {"key": {"pk": "acme#web#r#m1"}, "version": 3, "reason": "not whole"}
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(aside))
    made = queues_of(sqs, Lambda())
    (reason,) = made.redrive("changes", url, 10).kept.values()
    assert "acme#web#r#m1 version 3" in reason
    assert "--drop" in reason
    assert made.depth(url).hidden == 1
    for message in [message for message in [json.dumps(aside)] if message]:
        sqs.purge_queue(QueueUrl=url)
        sqs.send_message(QueueUrl=url, MessageBody=message)
    assert made.redrive("changes", url, 10, is_dropping=True).dropped == 1
    assert bodies(sqs, url) == []


def test_a_function_that_does_not_take_it_leaves_it_there(sqs: Any) -> None:
    url = queue(sqs, "changes")
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps({"DDBStreamBatchInfo": POINTER}))
    answer = {"batchItemFailures": [{"itemIdentifier": POINTER["endSequenceNumber"]}]}
    functions = Lambda(answer)
    with streams_with(record(1), record(2)) as (streams, _):
        report = queues_of(sqs, functions, streams).redrive("changes", url, 10)
    assert "failed on 1 of its 2 changes" in next(iter(report.kept.values()))
    ((name, how, event),) = functions.calls
    assert (name, how, len(event["Records"])) == ("projector", "RequestResponse", 2)


# ---- batches of the stream


def record(number: int) -> dict[str, Any]:
    key = {"pk": {"S": "acme#web#r#m1"}, "sk": {"S": "record"}}
    return {
        "eventID": str(number),
        "eventName": "MODIFY",
        "dynamodb": {
            "ApproximateCreationDateTime": datetime(2026, 11, 28, tzinfo=UTC),
            "Keys": key,
            "NewImage": {**key, "vector": {"B": b"\x00\x01"}},
            "SequenceNumber": f"10000000000000000000{number}",
        },
    }


class streams_with:
    """Client of a stream that answers with these records."""

    def __init__(self, *records: Mapping[str, Any]) -> None:
        self._client = client("dynamodbstreams")
        self._stub = Stubber(self._client)
        self._stub.add_response("get_shard_iterator", {"ShardIterator": "i"})
        self._stub.add_response("get_records", {"Records": list(records), "NextShardIterator": "j"})
        self._stub.add_response("get_records", {"Records": [record(3)], "NextShardIterator": "k"})

    def __enter__(self) -> tuple[Any, Stubber]:
        self._stub.activate()
        return self._client, self._stub

    def __exit__(self, *_: object) -> None:
        self._stub.deactivate()


def test_a_batch_is_read_from_its_first_record_to_its_last_in_lambdas_shape() -> None:
    with streams_with(record(1), record(2)) as (streams, _):
        found = read_batch(streams, POINTER)
    assert [one["eventID"] for one in found] == ["1", "2"]
    assert found[0]["dynamodb"]["NewImage"]["vector"] == {"B": "AAE="}
    assert (
        found[0]["dynamodb"]["ApproximateCreationDateTime"] == datetime(2026, 11, 28, tzinfo=UTC).timestamp()
    )
    assert json.dumps(found)


def test_a_batch_that_the_stream_no_longer_holds_is_told_as_such() -> None:
    streams = client("dynamodbstreams")
    with Stubber(streams) as stub:
        stub.add_client_error("get_shard_iterator", "TrimmedDataAccessException")
        with pytest.raises(Trimmed):
            read_batch(streams, POINTER)


# ---- lag


@pytest.mark.usefixtures("aws")
def test_the_lag_is_the_worst_of_the_last_minutes_of_this_deployment() -> None:
    cloudwatch, now = client("cloudwatch"), datetime.now(UTC)
    for deployment, seconds in ((NAME, 7.0), ("memory-layer-dev", 90.0)):
        names = {metrics.SERVICE_DIMENSION: "projector", metrics.DEPLOYMENT_DIMENSION: deployment}
        dimensions = [{"Name": name, "Value": value} for name, value in names.items()]
        datum = {
            "MetricName": metrics.INDEX_LAG,
            "Dimensions": dimensions,
            "Value": seconds,
            "Timestamp": now,
        }
        cloudwatch.put_metric_data(Namespace=metrics.NAMESPACE, MetricData=[datum])
    told = read_lag(cloudwatch, NAME, "projector", "projector-1", datetime.now(UTC))
    assert told["index_lag_s"] in (7.0, None)
    assert told["iterator_age_s"] is None
    assert read_lag(cloudwatch, "other", "projector", "projector-1", datetime.now(UTC))["index_lag_s"] is None


def test_queues_are_those_of_the_outputs() -> None:
    outputs = {"ChangesFailureQueue": "c", "RunsFailureQueue": "r", "ApiUrl": "u"}
    assert DeployedStack(NAME, outputs).failure_queues == {"changes": "c", "runs": "r"}
