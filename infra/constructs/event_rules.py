"""Rules between the bus and functions: one a kind of event, each with a queue for undelivered events."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.queues import dead_letter_queue

MAX_EVENT_AGE: Final = Duration.hours(6)
RETRIES: Final = 20


class EventRule(Construct):
    """Rule by which events of one kind (their detail-type) call one function; `undelivered` holds those that could
    not."""

    def __init__(
        self, scope: Construct, id: str, *, kind: str, bus: events.IEventBus, function: lambda_.IFunction
    ) -> None:
        super().__init__(scope, id)
        self.undelivered: sqs.Queue = dead_letter_queue(self, "Undelivered")
        events.Rule(
            self,
            "Rule",
            event_bus=bus,
            event_pattern=events.EventPattern(detail_type=[kind]),
            targets=[
                targets.LambdaFunction(
                    function,
                    dead_letter_queue=self.undelivered,
                    max_event_age=MAX_EVENT_AGE,
                    retry_attempts=RETRIES,
                )
            ],
        )
