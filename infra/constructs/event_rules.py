"""Rules between the bus and functions: one a kind of event, with a queue for undelivered events."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

MAX_EVENT_AGE: Final = Duration.hours(6)
RETRIES: Final = 20


class EventRule(Construct):
    """Rule by which events of one kind (their detail-type) call one function. Args: undelivered: takes those that
    could not."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        kind: str,
        bus: events.IEventBus,
        function: lambda_.IFunction,
        undelivered: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id)
        events.Rule(
            self,
            "Rule",
            event_bus=bus,
            event_pattern=events.EventPattern(detail_type=[kind]),
            targets=[
                targets.LambdaFunction(
                    function,
                    dead_letter_queue=undelivered,
                    max_event_age=MAX_EVENT_AGE,
                    retry_attempts=RETRIES,
                )
            ],
        )
