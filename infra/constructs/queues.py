"""Queues for what failed: encrypted, TLS only, kept two weeks for somebody to look at."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledgements import END_OF_THE_LINE, acknowledge


def dead_letter_queue(scope: Construct, id: str) -> sqs.Queue:
    """A queue that nothing reads but people; its depth has an alarm."""
    queue = sqs.Queue(
        scope,
        id,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(14),
        removal_policy=RemovalPolicy.DESTROY,
    )
    acknowledge(queue, END_OF_THE_LINE)
    return queue
