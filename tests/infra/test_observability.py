"""Somebody hears of it: an alarm for every route, function and queue, for the stream and the index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from infra.operations import operations_of, read_document
from memory_layer.manifest.metrics import INDEX_LAG, NAMESPACE, SERVICE_DIMENSION
from tests.given import REPOSITORY
from tests.infra.templates import Assembly

Dimensions = dict[str, str]


def alarms(assembly: Assembly, namespace: str, metric: str) -> Iterator[tuple[Dimensions, dict[str, Any]]]:
    """Dimensions, resolved, and properties of the alarms on a metric."""
    for key, alarm in assembly.properties("AWS::CloudWatch::Alarm"):
        if (alarm["Namespace"], alarm["MetricName"]) == (namespace, metric):
            stack = key.split(":")[0]
            yield {one["Name"]: assembly.resolve(stack, one["Value"]) for one in alarm["Dimensions"]}, alarm


def test_every_alarm_tells_the_topic_what_to_do(assembly: Assembly) -> None:
    (topic,) = assembly.of_type("AWS::SNS::Topic")
    for key, alarm in assembly.properties("AWS::CloudWatch::Alarm"):
        assert [assembly.resolve("observability", one) for one in alarm["AlarmActions"]] == [
            f"{{{topic}}}"
        ], key
        assert len(alarm["AlarmDescription"]) > 20
        assert alarm["TreatMissingData"] == "notBreaching"


def test_5xx(assembly: Assembly) -> None:
    ((dimensions, _),) = alarms(assembly, "AWS/ApiGateway", "5xx")
    assert "ApiId" in dimensions


def test_every_route_has_one_for_its_p95(assembly: Assembly) -> None:
    watched = set()
    for dimensions, alarm in alarms(assembly, "AWS/ApiGateway", "Latency"):
        assert (alarm["ExtendedStatistic"], alarm["Threshold"]) == ("p95", 2000)
        assert dimensions["Stage"] == "$default"
        watched.add((dimensions["Method"], dimensions["Resource"]))
    assert watched == {
        (operation.method, operation.path) for operation in operations_of(read_document(REPOSITORY))
    }


def test_every_function_has_them_for_errors_and_throttles(assembly: Assembly) -> None:
    for metric in ("Errors", "Throttles"):
        found = [dimensions["FunctionName"] for dimensions, _ in alarms(assembly, "AWS/Lambda", metric)]
        assert {assembly.function_at(name) for name in found} == set(assembly.functions())


def test_every_queue_of_what_failed_has_one_for_its_depth(assembly: Assembly) -> None:
    found = list(alarms(assembly, "AWS/SQS", "ApproximateNumberOfMessagesVisible"))
    waiting = assembly.mapping_of("runs")["source"].strip("{}").removesuffix(".Arn")
    assert {_queue(dimensions) for dimensions, _ in found} == set(assembly.of_type("AWS::SQS::Queue")) - {
        waiting
    }
    assert {alarm["Threshold"] for _, alarm in found} == {1}


def test_every_queue_of_work_has_one_for_how_long_it_waits(assembly: Assembly) -> None:
    ((dimensions, alarm),) = alarms(assembly, "AWS/SQS", "ApproximateAgeOfOldestMessage")
    assert f"{{{_queue(dimensions)}.Arn}}" == assembly.mapping_of("runs")["source"]
    assert alarm["Threshold"] == 900


def _queue(dimensions: Dimensions) -> str:
    return dimensions["QueueName"].strip("{}").removesuffix(".QueueName")


def test_a_full_domain_is_told_of_before_it_takes_no_more(dev: Assembly, prod: Assembly) -> None:
    for assembly, volume_gb in ((dev, 10), (prod, 100)):
        ((_, disk),) = alarms(assembly, "AWS/ES", "FreeStorageSpace")
        assert (disk["ComparisonOperator"], disk["Statistic"]) == ("LessThanOrEqualToThreshold", "Minimum")
        assert disk["Threshold"] == 256 * volume_gb
        for metric, percent in (("JVMMemoryPressure", 95), ("KNNGraphMemoryUsagePercentage", 80)):
            ((_, alarm),) = alarms(assembly, "AWS/ES", metric)
            assert (alarm["Threshold"], alarm["Statistic"]) == (percent, "Maximum")


def test_stream_and_index_have_theirs(assembly: Assembly) -> None:
    found = alarms(assembly, "AWS/Lambda", "IteratorAge")
    ages = {assembly.function_at(age["FunctionName"]): alarm["Threshold"] for age, alarm in found}
    assert ages == {"projector": 60_000, "accesses": 900_000}
    ((lag, alarm),) = alarms(assembly, NAMESPACE, INDEX_LAG)
    assert lag == {SERVICE_DIMENSION: "projector"}
    assert alarm["Threshold"] == 60
    assert list(alarms(assembly, "AWS/ES", "ClusterStatus.red"))


def test_topic_is_encrypted_with_a_key_that_cloudwatch_may_use(assembly: Assembly) -> None:
    assert assembly.only("AWS::SNS::Topic")["KmsMasterKeyId"]
    assert assembly.only("AWS::KMS::Key")["EnableKeyRotation"]
    allowed = [
        one for key, one in assembly.statements() if "cloudwatch.amazonaws.com" in str(one.get("Principal"))
    ]
    actions = {action for one in allowed for action in one["Action"]}
    assert {"sns:Publish", "kms:Decrypt", "kms:GenerateDataKey*"} == actions
    assert all("aws:SourceAccount" in str(one["Condition"]) for one in allowed)


def test_mailbox_is_subscribed_where_one_is_named(dev: Assembly, prod: Assembly) -> None:
    subscription = prod.only("AWS::SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "team@example.org")
    assert subscription["RedrivePolicy"]
    assert not dev.of_type("AWS::SNS::Subscription")


def test_one_dashboard_shows_routes_functions_lag_and_queues(assembly: Assembly) -> None:
    body = assembly.only("AWS::CloudWatch::Dashboard")["DashboardBody"]
    text = assembly.resolve("observability", body)
    widgets = json.loads(text)["widgets"]
    assert len(widgets) > 8
    for operation in operations_of(read_document(REPOSITORY)):
        assert operation.path in text
    for word in (
        INDEX_LAG,
        "ApproximateAgeOfOldestMessage",
        "IteratorAge",
        "Throttles",
        "5xx",
        "KNNGraphMemoryUsagePercentage",
    ):
        assert word in text
