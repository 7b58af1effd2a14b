"""Schedules of functions: EventBridge Scheduler, with a queue for starts that failed."""

import json

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from memory_layer.manifest.schedules import Schedule


class ScheduledCall(Construct):
    """Schedule of one entry of manifest/schedules.py. Args: failed: takes the starts that came to nothing."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        schedule: Schedule,
        function: lambda_.IFunction,
        failed: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id)
        ours = {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}}  # no other account's schedules
        role = iam.Role(
            self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=ours)
        )
        policy = iam.Policy(
            self,
            "Grants",
            roles=[role],
            statements=[
                iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[function.function_arn]),
                iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[failed.queue_arn]),
            ],
        )
        made = scheduler.CfnSchedule(
            self,
            "Schedule",
            schedule_expression=schedule.expression,
            flexible_time_window=_window(schedule.window_minutes),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=function.function_arn,
                role_arn=role.role_arn,
                input=json.dumps({"schedule": schedule.name, **schedule.detail}),
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=failed.queue_arn),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=schedule.retries, maximum_event_age_in_seconds=schedule.max_age_s
                ),
            ),
        )
        made.node.add_dependency(policy)


def _window(minutes: int) -> scheduler.CfnSchedule.FlexibleTimeWindowProperty:
    if not minutes:
        return scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF")
    return scheduler.CfnSchedule.FlexibleTimeWindowProperty(
        mode="FLEXIBLE", maximum_window_in_minutes=minutes
    )
