"""Projection of the records table's stream by a function: in batches, again and again, never for ever.

A batch that may pass is retried until it is too old; items that no index ever takes go to the same queue.
"""

import json
from dataclasses import dataclass
from typing import Final

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.queues import dead_letter_queue
from memory_layer.manifest import env
from memory_layer.manifest.tables import FILTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Pace of a stream. Args: batch_size: records; window_s: seconds that a batch waits for more of them."""

    batch_size: int
    batches_per_shard: int
    window_s: int


PROJECTED: Final = Pace(batch_size=100, batches_per_shard=2, window_s=0)
"""A bulk request of at most some 10 MB, for a record is rarely above 100 KB. A new table on demand has four shards, so
eight batches at a time, under the projector's reserved concurrency."""

COMPACTED: Final = Pace(batch_size=500, batches_per_shard=1, window_s=5)
"""Each batch writes a segment and a manifest of each project in it, so few large ones cost less; recalls read the log
meanwhile."""

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
    """Event source mapping, and `failed`, the queue for batches that were given up and for items that no index
    takes."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        function: lambda_.Function,
        role: iam.IRole,
        stream_arn: str,
        pace: Pace,
    ) -> None:
        super().__init__(scope, id)
        self.failed = dead_letter_queue(self, "Failed")
        function.add_environment(env.FAILED_CHANGES_QUEUE, self.failed.queue_url)
        policy = iam.Policy(
            self,
            "Grants",
            roles=[role],
            statements=[
                iam.PolicyStatement(actions=list(STREAM_ACTIONS), resources=[stream_arn]),
                iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[self.failed.queue_arn]),
            ],
        )
        mapping = lambda_.CfnEventSourceMapping(
            self,
            "Mapping",
            event_source_arn=stream_arn,
            function_name=function.function_name,
            starting_position="TRIM_HORIZON",
            batch_size=pace.batch_size,
            parallelization_factor=pace.batches_per_shard,
            maximum_batching_window_in_seconds=pace.window_s or None,
            bisect_batch_on_function_error=True,
            function_response_types=["ReportBatchItemFailures"],
            maximum_retry_attempts=MAX_RETRIES,
            maximum_record_age_in_seconds=MAX_RECORD_AGE_S,
            destination_config=lambda_.CfnEventSourceMapping.DestinationConfigProperty(
                on_failure=lambda_.CfnEventSourceMapping.OnFailureProperty(destination=self.failed.queue_arn)
            ),
            filter_criteria=lambda_.CfnEventSourceMapping.FilterCriteriaProperty(
                filters=[
                    lambda_.CfnEventSourceMapping.FilterProperty(pattern=json.dumps(pattern))
                    for pattern in FILTERS
                ]
            ),
        )
        mapping.node.add_dependency(policy)
