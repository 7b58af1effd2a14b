"""Queue of work for a deployment's own functions, on SQS."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.errors import Unavailable

SENT_TOGETHER: Final = 10
"""Messages of one request. Source: SendMessageBatch, Amazon SQS API reference."""


class WorkQueue:
    """One SQS queue. Args: client: boto3's SQS client; url: of the queue."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Sends messages as JSON, durable on return; after an error some of them may be in the queue.

        Raises:
            Unavailable: the queue did not take them all.
        """
        for chunk in _chunks(messages):
            entries = [
                {"Id": str(number), "MessageBody": json.dumps(one)} for number, one in enumerate(chunk)
            ]
            try:
                refused = self._client.send_message_batch(QueueUrl=self._url, Entries=entries).get("Failed")
            except (BotoCoreError, ClientError) as error:
                raise Unavailable(f"queue {self._url} did not take {len(entries)} messages") from error
            if refused:
                raise Unavailable(f"queue {self._url} did not take {len(refused)} of {len(entries)} messages")


def _chunks(messages: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    for start in range(0, len(messages), SENT_TOGETHER):
        yield messages[start : start + SENT_TOGETHER]
