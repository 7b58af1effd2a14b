"""Queue before a function: of events from outside, which come in bursts and broken, and of work of its own."""

from collections.abc import Sequence
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledgements import REDRIVEN, acknowledge
from infra.constructs.event_rules import MAX_EVENT_AGE, RETRIES
from infra.constructs.queues import dead_letter_queue, work_queue
from memory_layer.manifest.functions import Function

BATCH_SIZE: Final = 5
"""Each run of a batch has a fifth of the function's time, more than any takes; a crash brings five again."""

MAX_RECEIVES: Final = 5
VISIBILITY_TIMEOUTS: Final = 6
"""Both as Lambda's developer guide has it for queues: five receives at least, six times the function's time-out."""

LEAST_CONCURRENCY: Final = 2
"""Least concurrency of a mapping. Source: CreateEventSourceMapping, ScalingConfig, in Lambda's API reference."""

READ_ACTIONS: Final = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")


class FunctionQueue(Construct):
    """Queue that a function works off: `queue`; `failed` holds messages that it failed on five times.

    Args:
        batch_size: messages of one call.
        concurrency: calls side by side, at most.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        entry: Function,
        function: lambda_.IFunction,
        role: iam.IRole,
        batch_size: int = BATCH_SIZE,
        concurrency: int | None = None,
    ) -> None:
        super().__init__(scope, id)
        self.failed = dead_letter_queue(self, "Failed")
        self.queue = work_queue(
            self,
            "Queue",
            failed=self.failed,
            max_receives=MAX_RECEIVES,
            visibility=Duration.seconds(VISIBILITY_TIMEOUTS * entry.timeout_s),
        )
        self._work_off(function, role, batch_size, concurrency or entry.reserved_concurrency)

    def fill(self, kind: str, sources: Sequence[str], bus: events.IEventBus, undelivered: sqs.IQueue) -> None:
        """Has the bus send it events of one kind, from the sources named and nobody else.

        Args:
            sources: none: nothing comes, and what waits is still worked off.
            undelivered: takes events that do not reach the queue.
        """
        if not sources:
            return
        target = targets.SqsQueue(
            self.queue,
            dead_letter_queue=undelivered,
            max_event_age=MAX_EVENT_AGE,
            retry_attempts=RETRIES,
        )
        pattern = events.EventPattern(detail_type=[kind], source=list(sources))
        events.Rule(self, "Rule", event_bus=bus, event_pattern=pattern, targets=[target])

    def _work_off(
        self, function: lambda_.IFunction, role: iam.IRole, batch_size: int, concurrency: int
    ) -> None:
        grant = iam.PolicyStatement(actions=list(READ_ACTIONS), resources=[self.queue.queue_arn])
        policy = iam.Policy(self, "Grants", roles=[role], statements=[grant])
        mapping = lambda_.CfnEventSourceMapping(
            self,
            "Mapping",
            event_source_arn=self.queue.queue_arn,
            function_name=function.function_name,
            batch_size=batch_size,
            function_response_types=["ReportBatchItemFailures"],
            # More pollers than the function may run would count throttled messages as received.
            scaling_config=lambda_.CfnEventSourceMapping.ScalingConfigProperty(
                maximum_concurrency=max(LEAST_CONCURRENCY, concurrency)
            ),
        )
        mapping.node.add_dependency(policy)
        acknowledge(mapping, REDRIVEN)
