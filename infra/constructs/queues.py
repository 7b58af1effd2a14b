"""Queues, for work and for failures: encrypted, TLS only, kept two weeks for somebody to look at."""

from typing import Any, Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledgements import END_OF_THE_LINE, acknowledge

RETENTION: Final = Duration.days(14)
"""Longest retention of SQS."""


def dead_letter_queue(scope: Construct, id: str) -> sqs.Queue:
    """Queue that only people read; its depth has an alarm."""
    queue = _queue(scope, id)
    acknowledge(queue, END_OF_THE_LINE)
    return queue


def work_queue(
    scope: Construct, id: str, *, failed: sqs.Queue, max_receives: int, visibility: Duration
) -> sqs.Queue:
    """Queue that a function reads.

    Args:
        failed: takes messages that were received that often and not deleted.
        visibility: how long a received message is hidden from other readers.
    """
    redrive = sqs.DeadLetterQueue(queue=failed, max_receive_count=max_receives)
    return _queue(scope, id, dead_letter_queue=redrive, visibility_timeout=visibility)


def _queue(scope: Construct, id: str, **more: Any) -> sqs.Queue:
    return sqs.Queue(
        scope,
        id,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=RETENTION,
        removal_policy=RemovalPolicy.DESTROY,
        **more,
    )
