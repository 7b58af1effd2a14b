"""Batches of a queue's messages, each an event that reports a run."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory_layer.edge.events.completed_runs import read_sources, take_run_event
from memory_layer.edge.events.observability import Observability
from memory_layer.ports.process import Ports

Message = Mapping[str, Any]


def take_messages(
    messages: Sequence[Message], ports: Ports, event_sources: str, watch: Observability
) -> dict[str, Any]:
    """Learns from each message; a failed one is delivered again, and at last lies in the failure queue.

    Args:
        messages: as in a Lambda event of an SQS queue.
        event_sources: as `read_sources` takes it.

    Returns:
        Lambda's partial batch response.
    """
    sources, failed = read_sources(event_sources), []
    for message in messages:
        try:
            learned = take_run_event(ports, sources, json.loads(message["body"]))
        except Exception as error:  # whatever it is: the other messages are no worse for it
            watch.failed(error)
            failed.append(message["messageId"])
        else:
            watch.tell("run", is_replay=learned.is_replay, **(learned.record.result or {}))
    return {"batchItemFailures": [{"itemIdentifier": id} for id in failed]}
