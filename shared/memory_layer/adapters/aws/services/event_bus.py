"""EventBus on EventBridge: the kind is the detail-type; rules bring an event to the function that does the work."""

import json
import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.errors import Unavailable

SOURCE: Final = "memory-layer"
MAX_DETAIL_BYTES: Final = 200_000
"""Limit of the port; EventBridge takes 256 KB with the envelope."""

ATTEMPTS: Final = 4
FIRST_PAUSE_S: Final = 0.05
"""Doubled before each further attempt, times a random share: 0.35 s in all at most."""

PASSING_CODES: Final = frozenset({"ThrottlingException", "InternalException", "InternalFailure"})
"""Codes of entries that may be taken the next time. Source: EventBridge API reference, PutEvents."""


class EventBridgeBus:
    """Publisher to one bus.

    Args:
        client: boto3's EventBridge client.
        bus_name: of the bus that the rules listen to.
        sleep: waits so many seconds.
        jitter: a share of the pause, 0..1, so that functions throttled together do not return together.
    """

    def __init__(
        self,
        client: Any,
        bus_name: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._bus_name = bus_name
        self._sleep = sleep
        self._jitter = jitter

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Publishes an event; EventBridge has it on return.

        Raises:
            Unavailable: EventBridge did not take it, however often it was offered.
            ValueError: the detail is larger than an event may be.
        """
        text = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
        if len(text.encode()) > MAX_DETAIL_BYTES:
            raise ValueError(f"an event {kind} of {len(text.encode()):,} bytes; put its body into a blob")
        entry = {"EventBusName": self._bus_name, "Source": SOURCE, "DetailType": kind, "Detail": text}
        refused = self._offer(entry)
        for attempt in range(1, ATTEMPTS):
            if refused not in PASSING_CODES:
                break
            self._sleep(FIRST_PAUSE_S * 2 ** (attempt - 1) * self._jitter())
            refused = self._offer(entry)
        if refused is not None:
            raise Unavailable(f"bus {self._bus_name} did not take {kind} ({refused}); try again in a moment")

    def _offer(self, entry: Mapping[str, str]) -> str | None:
        """Offers an entry; returns the code of its error, if any. PutEvents answers 200 even if it took none."""
        try:
            answer = self._client.put_events(Entries=[entry])
        except ClientError as error:
            return str(error.response.get("Error", {}).get("Code", "unknown"))
        except BotoCoreError as error:
            return type(error).__name__
        if not answer["FailedEntryCount"]:
            return None
        return str(answer["Entries"][0].get("ErrorCode", "unknown"))
