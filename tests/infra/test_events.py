"""Stream, bus and clock: bounded retries, and a queue for what came to nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from memory_layer.adapters.aws.projection.document_writer import BATCH_S
from memory_layer.adapters.aws.store.receipts import UNCOUNTED
from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.audit_items import note_item
from memory_layer.domain.audit import AuditEvent
from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.memory import Scope
from memory_layer.manifest import env
from memory_layer.manifest.change_events import CHANGES_SOURCE
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.metrics import SERVICE_DIMENSION, SWEEP_FAILED
from memory_layer.manifest.run_events import RUN_COMPLETED
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.tables import CHANGES, FILTERS, RECEIPT_FILTERS, RECEIPT_SORT_PREFIX, RECEIPTS
from tests.infra.conftest import DEV
from tests.infra.templates import Assembly

SCOPE = Scope("acme", "shop")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECEIPT = keys.receipt_key(SCOPE, f"{RECEIPT_SORT_PREFIX}01a1fd")
RECORD = keys.record_key(SCOPE, "mem_1")
RECEIPT_EVENT_BYTES = 1_500
"""Of a receipt of ten memories with ids of our own making, as an event."""


def test_the_streams_mapping_tries_again_but_not_for_ever(assembly: Assembly) -> None:
    mapping = assembly.mapping_of("projector")
    assert "RecordsTable" in mapping["source"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"]
    assert 60 <= mapping["MaximumRecordAgeInSeconds"] < 24 * 3600
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    failed = assembly.resolve("service", mapping["DestinationConfig"]["OnFailure"]["Destination"])
    assert failed.strip("{}").removesuffix(".Arn") in assembly.of_type("AWS::SQS::Queue")


def test_the_age_of_a_change_ends_its_retries_not_their_number(assembly: Assembly) -> None:
    """An index that is away costs `BATCH_S` an attempt: with fewer retries an outage of hours would lose changes."""
    mapping = assembly.mapping_of("projector")
    attempts = mapping["MaximumRecordAgeInSeconds"] / BATCH_S
    assert attempts < mapping["MaximumRetryAttempts"] <= 10_000


def test_what_cannot_be_indexed_goes_to_the_queue_of_the_stream(assembly: Assembly) -> None:
    """The function is told of just the queue that it may send to: any other would refuse it in the cloud alone."""
    mapping = assembly.mapping_of("projector")
    (reader,) = (function.name for function in FUNCTIONS if function.stream is CHANGES)
    told = assembly.functions()[reader]["Environment"]["Variables"][env.FAILED_CHANGES_QUEUE]
    failed = assembly.resolve("service", mapping["DestinationConfig"]["OnFailure"]["Destination"])
    assert assembly.resolve("service", told).strip("{}") == failed.strip("{}").removesuffix(".Arn")
    (sends,) = (one for one in assembly.granted(reader) if "sqs:SendMessage" in one["Action"])
    assert sends["Resource"] == [failed]
    others = [f for name, f in assembly.functions().items() if name != reader]
    assert all(env.FAILED_CHANGES_QUEUE not in other["Environment"]["Variables"] for other in others)


def test_batches_of_a_new_table_fit_the_projectors_concurrency(assembly: Assembly) -> None:
    """A table on demand begins with four shards."""
    readers = [function for function in FUNCTIONS if function.stream]
    assert [function.stream for function in readers] == [CHANGES, RECEIPTS]
    for function in readers:
        mapping = assembly.mapping_of(function.name)
        assert 4 * mapping["ParallelizationFactor"] <= function.reserved_concurrency


def test_receipts_wait_for_one_another_and_changes_for_nothing(assembly: Assembly) -> None:
    """Falls if recalls and changes share a lane: at 170 recalls a second all changes waited behind their counts."""
    counting, projecting = assembly.mapping_of("accesses"), assembly.mapping_of("projector")
    assert projecting["MaximumBatchingWindowInSeconds"] == 0
    assert timedelta(seconds=counting["MaximumBatchingWindowInSeconds"]) * 2 < UNCOUNTED
    assert counting["BatchSize"] * RECEIPT_EVENT_BYTES < 6 * 1024 * 1024
    patterns = [json.loads(one["Pattern"]) for one in counting["FilterCriteria"]["Filters"]]
    assert patterns == list(RECEIPT_FILTERS)
    shown = {"eventName": "INSERT", "dynamodb": {"Keys": dict(RECEIPT), "NewImage": dict(RECEIPT)}}
    assert [matches(pattern, shown) for pattern in patterns] == [True]
    for key in (RECORD, keys.accesses_key(SCOPE, "mem_1"), keys.log_key(SCOPE, "0")):
        other = {"eventName": "MODIFY", "dynamodb": {"Keys": dict(key), "NewImage": dict(key)}}
        assert [matches(pattern, other) for pattern in patterns] == [False]


@pytest.mark.parametrize(
    ("key", "is_delivered"),
    [
        (RECORD, True),
        (RECEIPT, False),
        (keys.accesses_key(SCOPE, "mem_1"), False),
        (keys.version_key(SCOPE, "mem_1", 1), False),
        (keys.verdict_key(SCOPE, "mem_1", "vrd_1"), False),
        (keys.answer_key(SCOPE, "k"), False),
        (keys.answer_body_key(SCOPE, "mem_1", "k"), False),
        (keys.log_key(SCOPE, keys.log_sort(NOW, "mem_1", 1)), False),
        (keys.claim_key(SCOPE, "0" * 64, None), False),
        (keys.positions_key(SCOPE, "ses_1"), False),
        (keys.policy_key(SCOPE), False),
        (keys.quota_key("acme", "k"), False),
        (keys.operation_key("acme", "op_1"), False),
        (keys.index_mark_key(), False),
        (lifecycle_keys.project_key(SCOPE), False),
        (lifecycle_keys.sweep_key("expiry"), False),
    ],
)
def test_records_reach_the_projector_and_nothing_else(
    assembly: Assembly, key: Mapping[str, Any], is_delivered: bool
) -> None:
    """The safeguard is `manifest.stream.FILTERS`, judged on keys as the adapter makes them."""
    written = assembly.mapping_of("projector")["FilterCriteria"]["Filters"]
    patterns = [json.loads(one["Pattern"]) for one in written]
    assert patterns == list(FILTERS)
    change = {"eventName": "MODIFY", "dynamodb": {"Keys": dict(key), "NewImage": dict(key)}}
    assert any(matches(pattern, change) for pattern in patterns) == is_delivered


def test_changes_are_told_to_the_bus_by_the_projector_alone_and_kept_for_a_while(assembly: Assembly) -> None:
    (archive,) = assembly.of_type("AWS::Events::Archive").values()
    assert archive["Properties"]["EventPattern"] == {"source": [CHANGES_SOURCE]}
    assert 1 <= archive["Properties"]["RetentionDays"] <= 35
    assert [function.name for function in FUNCTIONS if "tell changes" in function.grants] == ["projector"]
    (tells,) = (one for one in assembly.granted("projector") if "events:PutEvents" in one["Action"])
    bus = assembly.functions()["projector"]["Environment"]["Variables"][env.EVENT_BUS]
    assert assembly.resolve("service", bus)
    assert len(tells["Resource"]) == 1


def test_no_rule_of_our_own_takes_a_change(assembly: Assembly) -> None:
    """Falls with a type of change that is called as work for a function is: each change would call it."""
    kinds = {
        kind
        for rule in assembly.of_type("AWS::Events::Rule").values()
        for kind in rule["Properties"].get("EventPattern", {}).get("detail-type", ())
    }
    assert kinds
    assert not kinds & set(get_args(ChangeType))


def test_what_the_audit_log_is_told_reaches_the_projector() -> None:
    """The safeguard is the third of `manifest.stream.FILTERS`."""
    told = note_item(SCOPE, NOW, "t1", [AuditEvent(what="settings", principal="ada")])
    change = {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": told["pk"], "sk": told["sk"]}, "NewImage": told},
    }
    assert any(matches(pattern, change) for pattern in FILTERS)


def test_deletions_do_not_reach_the_projector() -> None:
    change = {"eventName": "REMOVE", "dynamodb": {"Keys": RECEIPT, "OldImage": RECEIPT}}
    assert not any(matches(pattern, change) for pattern in FILTERS)


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Lambda's filter rules, as far as we use them: equals, prefix, exists."""
    return all(
        matches(rule, event.get(name, {})) if isinstance(rule, Mapping) else passes(rule, event.get(name))
        for name, rule in pattern.items()
    )


def passes(rules: list[Any], value: Any) -> bool:
    return any(
        (value is not None) == rule["exists"]
        if isinstance(rule, Mapping) and "exists" in rule
        else str(value).startswith(rule["prefix"])
        if isinstance(rule, Mapping)
        else value == rule
        for rule in rules
    )


def test_every_kind_of_event_has_a_rule_with_retries_and_a_queue(assembly: Assembly) -> None:
    kinds = {kind: function.name for function in FUNCTIONS for kind in function.events}
    rules = {
        kind: rule
        for _, rule in assembly.properties("AWS::Events::Rule")
        for kind in rule["EventPattern"]["detail-type"]
        if kind in kinds
    }
    assert len(rules) == len(kinds)
    queues = []
    for kind, rule in rules.items():
        (target,) = rule["Targets"]
        assert assembly.function_at(assembly.resolve("service", target["Arn"])) == kinds[kind]
        assert 0 < target["RetryPolicy"]["MaximumRetryAttempts"] <= 185
        assert 60 <= target["RetryPolicy"]["MaximumEventAgeInSeconds"] <= 86_400
        queues.append(assembly.resolve("service", target["DeadLetterConfig"]["Arn"]))
        assert rule["EventBusName"] == {"Ref": rule["EventBusName"]["Ref"]}
    assert len(set(queues)) == 1, "what reached nobody lies in one place, and names whom it was for"


def test_rules_may_write_to_their_own_queues(assembly: Assembly) -> None:
    """Without it EventBridge drops what it could not deliver. The safeguard is the condition: one rule a queue."""
    writers = [
        one
        for _, one in assembly.statements()
        if one["Effect"] == "Allow" and "events.amazonaws.com" in str(one.get("Principal"))
    ]
    targets = [target for _, rule in assembly.properties("AWS::Events::Rule") for target in rule["Targets"]]
    assert len(writers) == len(targets) + sum("Queue" in str(target["Arn"]) for target in targets)
    assert all("sqs:SendMessage" in one["Action"] and "Rule" in str(one["Condition"]) for one in writers)


def test_completed_runs_come_from_the_sources_named_by_way_of_a_queue(dev: Assembly) -> None:
    """The safeguard is `source` in the rule's pattern: anybody in the account may put events on the bus."""
    (rule,) = (
        rule
        for _, rule in dev.properties("AWS::Events::Rule")
        if rule["EventPattern"]["detail-type"] == [RUN_COMPLETED]
    )
    assert rule["EventPattern"]["source"] == ["orchestrator"]
    assert rule["State"] == "ENABLED"
    assert "Bus" in str(rule["EventBusName"])
    (target,) = rule["Targets"]
    assert dev.resolve("service", target["Arn"]) == dev.mapping_of("runs")["source"]
    undelivered = dev.resolve("service", target["DeadLetterConfig"]["Arn"])
    assert undelivered != dev.mapping_of("runs")["source"]
    assert 0 < target["RetryPolicy"]["MaximumRetryAttempts"] <= 185


def test_without_a_source_nothing_reaches_the_queue(prod: Assembly) -> None:
    kinds = [
        kind
        for _, rule in prod.properties("AWS::Events::Rule")
        for kind in rule["EventPattern"]["detail-type"]
    ]
    assert RUN_COMPLETED not in kinds
    assert prod.functions()["runs"]["Environment"]["Variables"][env.EVENT_SOURCES] == "{}"


def test_nobody_but_the_account_itself_may_put_events_on_the_bus(assembly: Assembly) -> None:
    """Orchestrators are allowed to by their own policies; one of the bus's would open it to other accounts."""
    assert not assembly.of_type("AWS::Events::EventBusPolicy")
    assert "Policy" not in assembly.only("AWS::Events::EventBus")


def test_only_the_function_that_learns_from_events_knows_whom_they_speak_for(dev: Assembly) -> None:
    told = {
        name: function["Environment"]["Variables"].get(env.EVENT_SOURCES)
        for name, function in dev.functions().items()
    }
    assert json.loads(told.pop("runs")) == json.loads(DEV["event_sources"])
    assert set(told.values()) == {None}


def test_the_queue_gives_up_after_five_receives_and_waits_longer_than_the_function(
    assembly: Assembly,
) -> None:
    (entry,) = (function for function in FUNCTIONS if function.queued_events)
    mapping = assembly.mapping_of(entry.name)
    queue = assembly.resources[mapping["source"].strip("{}").removesuffix(".Arn")]["Properties"]
    assert queue["VisibilityTimeout"] >= 6 * entry.timeout_s
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 5
    failed = assembly.resolve("service", queue["RedrivePolicy"]["deadLetterTargetArn"])
    assert failed.strip("{}").removesuffix(".Arn") in assembly.of_type("AWS::SQS::Queue")
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert 1 <= mapping["BatchSize"] <= 10
    assert mapping["ScalingConfig"]["MaximumConcurrency"] <= entry.reserved_concurrency


def test_a_queue_of_work_may_be_read_by_its_function_alone(assembly: Assembly) -> None:
    sources = {name: assembly.mapping_of(name)["source"] for name in ("runs", "sweep")}
    readers = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    for name in assembly.functions():
        reads = [one for one in assembly.granted(name) if readers & set(one["Action"])]
        assert [(set(one["Action"]), one["Resource"]) for one in reads] == (
            [(readers, [sources[name]])] if name in sources else []
        )


def test_a_function_fills_its_own_queue_and_leaves_half_of_its_executions_to_the_clock(
    assembly: Assembly,
) -> None:
    (entry,) = (function for function in FUNCTIONS if function.own_queue)
    mapping = assembly.mapping_of(entry.name)
    assert mapping["BatchSize"] == 1
    assert mapping["ScalingConfig"]["MaximumConcurrency"] <= entry.reserved_concurrency // 2
    told = assembly.functions()[entry.name]["Environment"]["Variables"][env.SWEEP_QUEUE]
    assert assembly.resolve("service", told).strip("{}") == mapping["source"].strip("{}").removesuffix(".Arn")
    sends = [one["Resource"] for one in assembly.granted(entry.name) if "sqs:SendMessage" in one["Action"]]
    assert [mapping["source"]] in sends


def test_what_a_function_fails_on_is_kept(assembly: Assembly) -> None:
    kept = {}
    for _, config in assembly.properties("AWS::Lambda::EventInvokeConfig"):
        name = assembly.function_at(assembly.resolve("service", config["FunctionName"]))
        kept[name] = assembly.resolve("service", config["DestinationConfig"]["OnFailure"]["Destination"])
    queued = {f.name for f in FUNCTIONS if f.events or f.name in ("reindex", "sweep", "canary")}
    assert set(kept) == queued
    assert len(set(kept.values())) == 1


def test_queues_are_encrypted_and_keep_two_weeks(assembly: Assembly) -> None:
    for key, queue in assembly.properties("AWS::SQS::Queue"):
        assert queue["SqsManagedSseEnabled"], key
        assert queue["MessageRetentionPeriod"] == 14 * 86_400


def schedules_of(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """By what they tell the function."""
    return {
        json.loads(made["Target"]["Input"])["schedule"]: made
        for _, made in assembly.properties("AWS::Scheduler::Schedule")
    }


def test_every_sweep_has_a_schedule_of_its_own_with_retries_and_a_queue(assembly: Assembly) -> None:
    made = schedules_of(assembly)
    assert set(made) == {schedule.name for schedule in SCHEDULES}
    queues = set()
    for schedule in SCHEDULES:
        one, target = made[schedule.name], made[schedule.name]["Target"]
        assert one["ScheduleExpression"] == f"rate({schedule.minutes} minutes)"
        assert one.get("State", "ENABLED") == "ENABLED"
        assert one["FlexibleTimeWindow"]["Mode"] == ("FLEXIBLE" if schedule.window_minutes else "OFF")
        assert json.loads(target["Input"]) == {"schedule": schedule.name, **schedule.detail}
        assert assembly.function_at(assembly.resolve("service", target["Arn"])) == schedule.function
        assert target["RetryPolicy"] == {
            "MaximumRetryAttempts": schedule.retries,
            "MaximumEventAgeInSeconds": schedule.max_age_s,
        }
        queues.add(assembly.resolve("service", target["DeadLetterConfig"]["Arn"]))
    assert len(queues) == 1
    assert {queue.strip("{}").removesuffix(".Arn") for queue in queues} <= set(
        assembly.of_type("AWS::SQS::Queue")
    )


def test_a_schedule_may_call_its_function_and_fill_its_queue_and_nothing_else(assembly: Assembly) -> None:
    """The safeguard is the policy of ScheduledCall: one role a schedule, with no action but these two."""
    roles = {
        assembly.resolve("service", made["Target"]["RoleArn"]): made
        for made in schedules_of(assembly).values()
    }
    assert len(roles) == len(SCHEDULES)
    for key, policy in assembly.properties("AWS::IAM::Policy"):
        if (
            "Grants" in key
            and "At" in key
            and "Scheduler" not in key
            and "lambda:InvokeFunction" in str(policy)
        ):
            actions = [one["Action"] for one in policy["PolicyDocument"]["Statement"]]
            assert sorted(actions) == ["lambda:InvokeFunction", "sqs:SendMessage"]


def test_what_sweeps_could_not_do_raises_an_alarm(assembly: Assembly) -> None:
    (alarm,) = (
        one
        for _, one in assembly.properties("AWS::CloudWatch::Alarm")
        if one.get("MetricName") == SWEEP_FAILED
    )
    assert {"Name": SERVICE_DIMENSION, "Value": "sweep"} in alarm["Dimensions"]
    assert alarm["AlarmActions"]
