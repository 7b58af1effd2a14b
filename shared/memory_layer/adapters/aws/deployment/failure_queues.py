"""Queues of what failed: their depth, and every message sent again to where it was meant for.

A message tells by its shape where that is: an event that a function failed on names the function, one that the bus or
the clock could not deliver has its target as an attribute, a change of the table is a pointer into the stream. Nothing
is deleted before it is taken over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memory_layer.adapters.aws.deployment.functions import FunctionCaller
from memory_layer.adapters.aws.deployment.stack import aws_errors
from memory_layer.adapters.aws.deployment.stream_replay import Trimmed, read_batch
from memory_layer.errors import Unavailable

RECEIVED_TOGETHER: Final = 10
HIDDEN_S: Final = 300
"""Seconds for which a received message is hidden: the longest replay of a batch."""

TARGET_ATTRIBUTE: Final = "TARGET_ARN"
"""Attribute of messages of the bus and of the scheduler. Source: dead-letter queues, EventBridge's user guide."""

Message = Mapping[str, Any]


@dataclass(slots=True)
class RedriveReport:
    """Report about one queue. Args: kept: why a message is still there, by its id; dropped: those that were deleted."""

    queue: str
    sent: int = 0
    kept: dict[str, str] = field(default_factory=dict)
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Depth of a queue: messages to be received, and messages that somebody has received just now."""

    waiting: int
    hidden: int


class CannotBeSent(Exception):
    """A message that is of no use to send again; the text says what to do instead."""


class FailureQueues:
    """Queues of one deployment.

    Args:
        sqs, streams: clients.
        call: starts the functions that events are for.
        projector: name of the function that the table's stream is for.
    """

    def __init__(self, sqs: Any, streams: Any, call: FunctionCaller, projector: str) -> None:
        self._sqs = sqs
        self._streams = streams
        self._call = call
        self._projector = projector

    def depth(self, url: str) -> QueueDepth:
        """Depth of a queue, about. Raises: Forbidden, Unavailable"""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        with aws_errors(f"asking {url}"):
            told = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return QueueDepth(*(int(told[name]) for name in names))

    def redrive(self, name: str, url: str, most: int, *, is_dropping: bool = False) -> RedriveReport:
        """Sends messages of a queue again, each deleted once it is taken over.

        Args:
            name: of the queue, for the report.
            most: number of messages to look at.
            is_dropping: deletes what is of no use to send again.

        Raises:
            Forbidden, Unavailable: AWS does not answer; what was sent is deleted, the rest comes back in minutes.
        """
        report = RedriveReport(name)
        for message in self._received(url, most):
            reason = self._reason_to_keep(message, url)
            if reason is not None and not is_dropping:
                report.kept[message["MessageId"]] = reason
                continue
            report.sent += reason is None
            report.dropped += reason is not None
            with aws_errors(f"deleting a message of {url}"):
                self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return report

    def _received(self, url: str, most: int) -> Iterator[Message]:
        """Messages, each once: it stays hidden for longer than the walk takes."""
        seen: set[str] = set()
        while len(seen) < most:
            with aws_errors(f"receiving from {url}"):
                answer = self._sqs.receive_message(
                    QueueUrl=url,
                    MaxNumberOfMessages=min(RECEIVED_TOGETHER, most - len(seen)),
                    MessageAttributeNames=["All"],
                    VisibilityTimeout=HIDDEN_S,
                    WaitTimeSeconds=1,
                )
            fresh = [one for one in answer.get("Messages", ()) if one["MessageId"] not in seen]
            if not fresh:
                return
            seen.update(one["MessageId"] for one in fresh)
            yield from fresh

    def _source_of(self, url: str) -> str | None:
        """URL of the queue whose messages end in this one; None: it is the end of something else."""
        with aws_errors(f"asking {url}"):
            sources = self._sqs.list_dead_letter_source_queues(QueueUrl=url).get("queueUrls", [])
        return next(iter(sources), None)

    def _reason_to_keep(self, message: Message, url: str) -> str | None:
        """Sends a message again; returns why it was not sent."""
        try:
            self._send_by_shape(message, _document(message["Body"]), url)
        except (CannotBeSent, Unavailable) as error:
            return str(error)
        return None

    def _send_by_shape(self, message: Message, body: Any, url: str) -> None:
        target = message.get("MessageAttributes", {}).get(TARGET_ATTRIBUTE, {}).get("StringValue")
        if target is not None:
            return self._send_to(target, message["Body"], body)
        if isinstance(body, Mapping) and "DDBStreamBatchInfo" in body:
            return self._replay(body["DDBStreamBatchInfo"])
        if isinstance(body, Mapping) and {"requestContext", "requestPayload"} <= body.keys():
            return self._call.start(body["requestContext"]["functionArn"], body["requestPayload"])
        if isinstance(body, Mapping) and "key" in body:
            raise CannotBeSent(_set_aside(body))
        source = self._source_of(url)
        if source is None:
            raise CannotBeSent("it is of no known shape; read it in the console of SQS")
        return self._send(source, message["Body"])

    def _send_to(self, target: str, text: str, body: Any) -> None:
        """Sends to the target that a rule or a schedule did not reach: a queue or a function."""
        if target.split(":")[2] == "sqs":
            with aws_errors(f"looking for queue {target}"):
                url = self._sqs.get_queue_url(QueueName=target.rpartition(":")[2])["QueueUrl"]
            return self._send(url, text)
        return self._call.start(target, body)

    def _send(self, url: str, text: str) -> None:
        with aws_errors(f"sending to {url}"):
            self._sqs.send_message(QueueUrl=url, MessageBody=text)

    def _replay(self, pointer: Mapping[str, Any]) -> None:
        """Has the projector do a batch again, while the stream still holds it."""
        try:
            records = read_batch(self._streams, pointer)
        except Trimmed as error:
            raise CannotBeSent(
                "the stream holds changes for 24 hours and this one is older; run mem admin sweep reconcile, "
                "which brings the index right, then redrive with --drop"
            ) from error
        failed = (
            self._call.call(self._projector, {"Records": records})["batchItemFailures"] if records else []
        )
        if failed:
            raise CannotBeSent(
                f"the projector failed on {len(failed)} of its {len(records)} changes; see its log"
            )


def _document(text: str) -> Any:
    """JSON of a message; None: it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _set_aside(body: Mapping[str, Any]) -> str:
    """Sentence about an item that no index takes, and is no event at all."""
    place = f"{body['key'].get('pk')} version {body.get('version')}"
    return (
        f"no index takes {place} ({body.get('reason')}); mem admin verify names what is damaged: mend it, "
        "then redrive with --drop"
    )
