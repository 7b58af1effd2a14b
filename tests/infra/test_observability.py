"""Somebody hears of it: few alarms, each with a page of the runbook, and a dashboard of what the product promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.operations import operations_of, read_document
from memory_layer.domain.context.fragments import LAYERS
from memory_layer.manifest import env
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.metrics import (
    CONTEXT_LAYERS,
    DEPLOYMENT_DIMENSION,
    INDEX_LAG,
    NAMESPACE,
    SERVICE_DIMENSION,
)
from memory_layer.manifest.stacks import FAILURE_QUEUE_OUTPUT, FAILURE_QUEUES, FUNCTION_OUTPUT
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, need_node, synthesised
from tests.infra.templates import Assembly

Dimensions = dict[str, str]


def alarms(assembly: Assembly, namespace: str, metric: str) -> Iterator[tuple[Dimensions, dict[str, Any]]]:
    """Dimensions, resolved, and properties of the alarms on a metric."""
    for key, alarm in assembly.properties("AWS::CloudWatch::Alarm"):
        if (alarm.get("Namespace"), alarm.get("MetricName")) == (namespace, metric):
            stack = key.split(":")[0]
            dimensions = alarm.get("Dimensions", ())
            yield {one["Name"]: assembly.resolve(stack, one["Value"]) for one in dimensions}, alarm


def test_every_alarm_tells_the_topic_what_to_do(assembly: Assembly) -> None:
    (topic,) = assembly.of_type("AWS::SNS::Topic")
    for key, alarm in assembly.properties("AWS::CloudWatch::Alarm"):
        assert [assembly.resolve("observability", one) for one in alarm["AlarmActions"]] == [
            f"{{{topic}}}"
        ], key
        assert len(alarm["AlarmDescription"]) > 20
        assert alarm["TreatMissingData"] in ("notBreaching", "breaching")


def test_5xx(assembly: Assembly) -> None:
    ((dimensions, _),) = alarms(assembly, "AWS/ApiGateway", "5xx")
    assert "ApiId" in dimensions


def test_they_are_few_and_each_has_a_page(assembly: Assembly) -> None:
    """Falls with an alarm that nobody wrote down what to do about, and with a page of an alarm that is gone."""
    names = names_of(assembly)
    pages = set(re.findall(r"^## (\w+)$", (REPOSITORY / "docs" / "runbook.md").read_text("utf-8"), re.M))
    assert names <= pages - {"First"}
    assert len(names) <= 30
    assert price_of(assembly) <= 4.5
    for name, alarm in by_name(assembly).items():
        assert alarm["AlarmDescription"].endswith(f"docs/runbook.md, {name}")


def test_every_page_is_of_an_alarm(dev: Assembly, prod: Assembly) -> None:
    pages = set(re.findall(r"^## (\w+)$", (REPOSITORY / "docs" / "runbook.md").read_text("utf-8"), re.M))
    assert pages - {"First"} == names_of(dev) | names_of(prod)


def by_name(assembly: Assembly) -> dict[str, dict[str, Any]]:
    found = {alarm["AlarmName"]: alarm for _, alarm in assembly.properties("AWS::CloudWatch::Alarm")}
    assert len({name.rsplit("-", 1)[0] for name in found}) == 1
    return {name.rpartition("-")[2]: alarm for name, alarm in found.items()}


def names_of(assembly: Assembly) -> set[str]:
    return set(by_name(assembly))


def price_of(assembly: Assembly) -> float:
    """Dollars a month: .10 for each metric that an alarm looks at. Source: CloudWatch's price list."""
    looked_at = (
        sum("MetricStat" in one for one in alarm.get("Metrics", ())) or 1
        for alarm in by_name(assembly).values()
    )
    return 0.10 * sum(looked_at)


@pytest.mark.parametrize(("level", "names"), [("none", 0), ("vital", 10)])
def test_alarms_are_switched_off_by_a_context_value(tmp_path: Path, level: str, names: int) -> None:
    need_node()
    made = Assembly(synthesised(tmp_path / "made", {**DEV, "alarms": level}))
    assert len(made.properties("AWS::CloudWatch::Alarm")) == names


def test_percentiles_of_few_calls_wake_nobody(assembly: Assembly) -> None:
    for name in ("RecallSlow", "ContextSlow"):
        alarm = by_name(assembly)[name]
        assert alarm["EvaluateLowSampleCountPercentile"] == "ignore"
        assert alarm["ExtendedStatistic"] == "p95"
    degraded = json.dumps(by_name(assembly)["RecallDegraded"]["Metrics"])
    assert "IF(recalls >= 20, share, 0)" in degraded


def test_every_metric_of_ours_is_of_one_deployment(assembly: Assembly) -> None:
    """The safeguard is the dimension: dev and prod in one account would share their alarms."""
    text = assembly.resolve("observability", assembly.only("AWS::CloudWatch::Dashboard")["DashboardBody"])
    ours = [line for line in metric_lines(json.loads(text)) if line[0] == NAMESPACE]
    assert len(ours) > 20
    assert all(DEPLOYMENT_DIMENSION in line for line in ours)
    for alarm in by_name(assembly).values():
        for one in [
            alarm,
            *(m["MetricStat"]["Metric"] for m in alarm.get("Metrics", ()) if "MetricStat" in m),
        ]:
            if one.get("Namespace") == NAMESPACE:
                assert DEPLOYMENT_DIMENSION in [dimension["Name"] for dimension in one["Dimensions"]]
    for name, function in assembly.functions().items():
        told = function["Environment"]["Variables"][env.DEPLOYMENT]
        assert told in ("memory-layer-dev", "memory-layer-prod"), name


def metric_lines(dashboard: dict[str, Any]) -> Iterator[list[Any]]:
    for widget in dashboard["widgets"]:
        yield from (line for line in widget["properties"].get("metrics", ()) if isinstance(line[0], str))


def test_a_canary_that_does_not_fly_is_told_of(assembly: Assembly) -> None:
    alarm = by_name(assembly)["CanaryFailed"]
    assert (alarm["TreatMissingData"], alarm["EvaluationPeriods"], alarm["DatapointsToAlarm"]) == (
        "breaching",
        3,
        2,
    )


def test_throttles_rejections_and_the_breaker_are_told_of(assembly: Assembly) -> None:
    functions = json.dumps(by_name(assembly)["FunctionsThrottled"]["Metrics"])
    callers = {function.name for function in FUNCTIONS if function.tags or function.routes}
    assert all(name in functions for name in callers)
    assert "ReadThrottleEvents" in json.dumps(by_name(assembly)["TableThrottled"]["Metrics"])
    assert by_name(assembly)["ConcurrencyClaimed"]["MetricName"] == "ClaimedAccountConcurrency"
    assert by_name(assembly)["DomainBreaker"]["MetricName"] == "KNNCircuitBreakerTriggered"
    assert "DIFF" in json.dumps(by_name(assembly)["DomainRejected"]["Metrics"])


def test_every_queue_of_what_failed_has_one_for_its_depth_and_is_found_by_operators(
    assembly: Assembly,
) -> None:
    found = list(alarms(assembly, "AWS/SQS", "ApproximateNumberOfMessagesVisible"))
    waiting = {
        assembly.mapping_of(name)["source"].strip("{}").removesuffix(".Arn") for name in ("runs", "sweep")
    }
    failed = set(assembly.of_type("AWS::SQS::Queue")) - waiting
    assert {_queue(dimensions) for dimensions, _ in found} == failed
    assert {alarm["Threshold"] for _, alarm in found} == {1}
    outputs = assembly.templates["service"]["Outputs"]
    told = {
        key.removesuffix(FAILURE_QUEUE_OUTPUT).lower()
        for key in outputs
        if key.endswith(FAILURE_QUEUE_OUTPUT)
    }
    assert told == set(FAILURE_QUEUES)
    assert len(failed) - len(told) in (0, 1), "but for the queue of alarms, all are outputs"


def test_every_queue_of_work_has_one_for_how_long_it_waits(assembly: Assembly) -> None:
    found = {_queue(d): alarm for d, alarm in alarms(assembly, "AWS/SQS", "ApproximateAgeOfOldestMessage")}
    for name, seconds in (("runs", 900), ("sweep", 86_400)):
        queue = assembly.mapping_of(name)["source"].strip("{}").removesuffix(".Arn")
        assert found[queue]["Threshold"] == seconds
    assert len(found) == 2


def test_every_function_is_found_by_operators(assembly: Assembly) -> None:
    outputs = {**assembly.templates["service"]["Outputs"], **assembly.templates["stateful"]["Outputs"]}
    assert {f"{name.title()}{FUNCTION_OUTPUT}" for name in assembly.functions()} <= set(outputs)


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
    assert set(lag) == {SERVICE_DIMENSION, DEPLOYMENT_DIMENSION}
    assert lag[SERVICE_DIMENSION] == "projector"
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
        *("ReviewBacklog", "CanaryFailed", "RecallDegraded", "RecallAbstained", "memory_coherence_score"),
        *("Kept out, by reason", "Recall by stage", "Cost a day", "ConsumedReadCapacityUnits"),
    ):
        assert word in text


def test_queries_are_saved_under_the_deployments_name(assembly: Assembly) -> None:
    saved = [one for _, one in assembly.properties("AWS::Logs::QueryDefinition")]
    assert len(saved) >= 6
    assert len({one["Name"].split("/")[0] for one in saved}) == 1
    assert all(one["LogGroupNames"] for one in saved)


def test_the_layers_of_contexts_are_the_domains() -> None:
    assert set(CONTEXT_LAYERS) == set(LAYERS)
