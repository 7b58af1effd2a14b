"""The function `sweep` and its queue: the clock queues, a message sweeps, and what is not finished is queued again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from functions.sweep import handler as sweep
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.fields import rfc3339
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.queued_sweeps import take_sweep_messages
from memory_layer.ports.process import Ports
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from tests.functions.conftest import Shelf
from tests.functions.http_api import Context, cold
from tests.given import SCOPE, a_memory, new_scope, put_records

Message = Mapping[str, Any]


class Queue(Shelf):
    """Backend whose queue is a list."""

    def __init__(self, ports: Ports) -> None:
        super().__init__(ports, has_sweep_queue=True)
        self.sent: list[Message] = []

    def send_sweeps(self, messages: Sequence[Message]) -> None:
        self.sent += messages


@pytest.fixture
def queue(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> Queue:
    made = Queue(backend.ports)
    monkeypatch.setattr(sweep, "cloud", lambda: made)
    put_records(backend.ports.store, a_memory(SCOPE, "m1"), at=backend.ports.clock.now())
    return made


def call(event: Message) -> Any:
    return cold(sweep.handler)(event, Context())


def delivered(*messages: Message) -> Message:
    return {"Records": [{"messageId": str(n), "body": json.dumps(one)} for n, one in enumerate(messages)]}


def test_the_clock_queues_and_a_message_sweeps(queue: Queue) -> None:
    told = call({"schedule": "snapshot", "sweep": "snapshot"})
    assert told["did"] == {"projects queued": 1}
    assert SnapshotFiles(queue.ports.blobs, SCOPE).all() == []
    assert call(delivered(*queue.sent)) == {"batchItemFailures": []}
    assert len(SnapshotFiles(queue.ports.blobs, SCOPE).all()) == 1
    assert len(queue.sent) == 1


def test_the_clock_queues_what_is_due_and_a_message_sweeps_it(queue: Queue) -> None:
    now = queue.ports.clock.now()
    put_records(queue.ports.store, a_memory(SCOPE, "m2", expires_at=now - timedelta(seconds=1)), at=now)
    told = call({"schedule": "expiry", "sweep": "expiry"})
    assert told["did"] == {"due records queued": 1}
    (message,) = queue.sent
    assert message["projects"] == [[*SCOPE, ["m2"]]]
    late = take_sweep_messages(
        delivered(message)["Records"], queue.ports, queue.send_sweeps, Observability("sweep"), seconds=0.0
    )
    assert (late, queue.sent) == ({"batchItemFailures": []}, [message, message])
    assert call(delivered(*queue.sent)) == {"batchItemFailures": []}
    verbs = [version.verb for version in queue.ports.store.history.of(SCOPE, "m2")]
    assert verbs == ["created", "expired"]


def test_by_hand_it_runs_through_all_projects_at_once(queue: Queue) -> None:
    assert call({"sweep": "snapshot"})["did"] == {"snapshots taken": 1}
    assert queue.sent == []


def test_what_there_is_no_time_for_is_queued_again(queue: Queue) -> None:
    scopes = [list(SCOPE), list(new_scope())]
    message = {"sweep": "staleness", "projects": scopes, "due": rfc3339(queue.ports.clock.now())}
    told = take_sweep_messages(
        delivered(message)["Records"], queue.ports, queue.send_sweeps, Observability("sweep"), seconds=0.0
    )
    assert told == {"batchItemFailures": []}
    assert queue.sent == [message]


def test_a_message_that_cannot_be_swept_fails_alone(queue: Queue) -> None:
    good = {"sweep": "snapshot", "projects": [list(SCOPE)], "due": rfc3339(queue.ports.clock.now())}
    assert call(delivered({**good, "sweep": "nothing"}, good)) == {
        "batchItemFailures": [{"itemIdentifier": "0"}]
    }
    assert len(SnapshotFiles(queue.ports.blobs, SCOPE).all()) == 1


def test_without_a_queue_the_clocks_call_sweeps_by_itself(
    queue: Queue,
) -> None:
    queue.has_sweep_queue = False
    assert call({"schedule": "snapshot", "sweep": "snapshot"})["did"] == {"snapshots taken": 1}
    assert queue.sent == []
