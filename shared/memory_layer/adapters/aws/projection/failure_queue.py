"""Queue of items that the projector can never index, shared with the stream's failures: a pointer each, no text."""

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.adapters.aws.projection.stream_changes import PoisonRecord
from memory_layer.errors import Unavailable


class FailureQueue:
    """One SQS queue. Args: client: boto3's SQS client; url: of the queue."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def set_aside(self, poison: PoisonRecord) -> None:
        """Sends a poison record, durable on return; one that is delivered twice lies there twice.

        Raises:
            Unavailable: the queue did not take it.
        """
        try:
            self._client.send_message(QueueUrl=self._url, MessageBody=message_of(poison))
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(
                f"queue {self._url} did not take it ({_kind(error)}); "
                "check MEMORY_LAYER_FAILED_CHANGES_QUEUE and the function's grants"
            ) from error


def message_of(poison: PoisonRecord) -> str:
    """JSON with the item's key, its version and the reason."""
    return json.dumps({"key": dict(poison.key), "version": poison.version, "reason": poison.reason})


def _kind(error: Exception) -> str:
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else type(error).__name__
