"""Queues, for work and for what failed: encrypted, TLS only, kept two weeks for somebody to look at."""

from typing import Any, Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledgements import END_OF_THE_LINE, acknowledge

RETENTION: Final = Duration.days(14)
"""The most that SQS keeps."""


def dead_letter_queue(scope: Construct, id: str) -> sqs.Queue:
    """A queue that nothing reads but people; its depth has an alarm."""
    queue = _queue(scope, id)
    acknowledge(queue, END_OF_THE_LINE)
    return queue


def work_queue(
    scope: Construct, id: str, *, failed: sqs.Queue, max_receives: int, visibility: Duration
) -> sqs.Queue:
    """A queue that a function reads.

    Args:
        failed: takes what was received that often and not taken.
        visibility: how long what was received is nobody else's.
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
