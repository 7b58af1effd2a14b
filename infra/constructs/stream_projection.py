"""Lane of the records table's stream to a function: in batches, again and again, never for ever.

A batch that may pass is retried until it is too old; items that no index ever takes go to the same queue.
"""

import json
from typing import Final

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledgements import COUNTED_LOW, acknowledge
from infra.constructs.queues import dead_letter_queue
from memory_layer.manifest import env
from memory_layer.manifest.tables import RECEIPTS, StreamLane

MAX_RETRIES: Final = 10_000
"""Most retries there are: the age ends it. An attempt at an index that is away takes 30 s, a hundred would be 50
minutes."""

MAX_RECORD_AGE_S: Final = 6 * 3600
"""Age at which a batch is given up. An outage of the index for hours costs time alone: the log entries of missing
records keep recall right meanwhile. Then the pointer to the batch goes to the failure queue, while the stream still
holds it (24 hours)."""

STREAM_ACTIONS: Final = (
    *("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"),
)


class StreamProjection(Construct):
    """Event source mapping, and `failed`, the queue for batches that were given up and for items that no index takes.

    None for receipts: what is given up is counted too low, and an alarm has told of it for hours.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        lane: StreamLane,
        function: lambda_.Function,
        role: iam.IRole,
        stream_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self.failed = None if lane is RECEIPTS else dead_letter_queue(self, "Failed")
        statements = [iam.PolicyStatement(actions=list(STREAM_ACTIONS), resources=[stream_arn])]
        destination = None
        if self.failed is not None:  # what no index takes goes there as well
            function.add_environment(env.FAILED_CHANGES_QUEUE, self.failed.queue_url)
            queue_arn = self.failed.queue_arn
            statements.append(iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[queue_arn]))
            destination = lambda_.CfnEventSourceMapping.DestinationConfigProperty(
                on_failure=lambda_.CfnEventSourceMapping.OnFailureProperty(destination=queue_arn)
            )
        policy = iam.Policy(
            self,
            "Grants",
            roles=[role],
            statements=statements,
        )
        mapping = lambda_.CfnEventSourceMapping(
            self,
            "Mapping",
            event_source_arn=stream_arn,
            function_name=function.function_name,
            starting_position="TRIM_HORIZON",
            batch_size=lane.batch_size,
            maximum_batching_window_in_seconds=lane.window_s,
            parallelization_factor=lane.per_shard,
            bisect_batch_on_function_error=True,
            function_response_types=["ReportBatchItemFailures"],
            maximum_retry_attempts=MAX_RETRIES,
            maximum_record_age_in_seconds=MAX_RECORD_AGE_S,
            destination_config=destination,
            filter_criteria=lambda_.CfnEventSourceMapping.FilterCriteriaProperty(
                filters=[
                    lambda_.CfnEventSourceMapping.FilterProperty(pattern=json.dumps(pattern))
                    for pattern in lane.filters
                ]
            ),
        )
        mapping.node.add_dependency(policy)
        if self.failed is None:
            acknowledge(mapping, COUNTED_LOW)
