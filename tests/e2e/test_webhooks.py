"""Webhooks end to end: registered over HTTP, delivered in order, each until it is taken."""

from __future__ import annotations

import hmac
import sqlite3
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.adapters.embedded.files.webhook_key import KEY_NAME
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain import webhooks
from memory_layer.domain.access import Principal
from memory_layer.errors import Invalid
from memory_layer.local.deliveries import Deliveries
from memory_layer.manifest import env
from memory_layer.settings import read_settings
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.world.deliver_webhooks import deliver
from memory_layer.usecases.world.manage_webhooks import add_webhook, list_webhooks, try_webhook
from memory_layer.usecases.write.forget import erase_memory
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import ADMIN, AGENT, PROJECT, REVIEWER, NoEmbedder, put_as
from tests.receivers import LOOPBACK, Receiver, receiving

FOREIGNER = Principal("globex", "gus", "gus@globex.test", roles=frozenset({"admin"}))
PATH = "/v1/projects/web/webhooks"


@contextmanager
def opened(folder: Path, networks: str = LOOPBACK) -> Iterator[EmbeddedBackend]:
    settings = read_settings({env.WEBHOOK_NETWORKS: networks}, data_dir=folder, model_dir=folder / "none")
    backend = open_embedded(settings, embedder=NoEmbedder())
    yield backend
    backend.close()


@contextmanager
def delivering(backend: EmbeddedBackend) -> Iterator[None]:
    deliveries = Deliveries(backend.ports, look_s=0.01)
    deliveries.start()
    yield
    deliveries.close()


def put(backend: EmbeddedBackend, id: str, by: Principal = AGENT) -> None:
    put_as(backend.ports, by, id, f"Rule {id}: close file {id} after use.")


def until(holds: Callable[[], Any]) -> None:
    for _ in range(12_000):
        if holds():
            return
        time.sleep(0.005)
    raise AssertionError("it never came")


OWN_ENTRY = 1
"""Entries of the log that tell of the webhook itself."""


def test_it_is_registered_tried_listed_and_removed_and_its_secret_is_shown_once(tmp_path: Path) -> None:
    with (
        receiving() as receiver,
        opened(tmp_path) as backend,
        running(backend, tmp_path, with_auth=False) as url,
        checked(httpx2.Client(base_url=url, timeout=30.0)) as http,
    ):
        made = http.post(PATH, json={"url": receiver.url, "types": ["memory.created"]}).json()
        tried = http.post(f"{PATH}/{made['id']}/test")
        (listed,) = http.get(PATH).json()["webhooks"]
        assert (tried.json()["status"], "error" in tried.json()) == (204, False)
        assert receiver.came[0]["type"] == "webhook.test"
        assert made["secret"].startswith("whsec_")
        assert "secret" not in listed
        assert http.post(f"{PATH}/whk_0/test").status_code == 404
        assert http.delete(f"{PATH}/{made['id']}").status_code == 204
        assert http.delete(f"{PATH}/{made['id']}").status_code == 404
        assert http.get(PATH).json() == {"webhooks": []}
        secret = b64decode(made["secret"].removeprefix("whsec_"))
    head, body = receiver.headers[0], receiver.bodies[0]
    signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
    assert head["webhook-signature"] == f"v1,{b64encode(hmac.digest(secret, signed, 'sha256')).decode()}"
    kept = [path.read_bytes() for path in tmp_path.glob("memory.sqlite3*")]
    assert not any(secret in one or made["secret"].encode() in one for one in kept)
    assert (tmp_path / KEY_NAME).stat().st_mode & 0o077 == 0


def test_what_cannot_be_sent_to_is_refused_and_agents_have_no_webhooks(tmp_path: Path) -> None:
    with (
        opened(tmp_path) as backend,
        running(backend, tmp_path, with_auth=False) as url,
        checked(httpx2.Client(base_url=url, timeout=30.0)) as http,
    ):
        for body in ({"url": "ftp://a.example"}, {"url": "https://a.example", "types": ["x"]}, {}):
            assert http.post(PATH, json=body).status_code == 422
        assert http.post(PATH, json={"url": "https://a.example", "after": 7}).status_code == 422
        for _ in range(webhooks.WEBHOOKS_MAX):
            assert http.post(PATH, json={"url": "https://a.example"}).status_code == 201
        assert http.post(PATH, json={"url": "https://a.example"}).status_code == 409


def test_a_receiver_that_fails_hangs_and_returns_has_all_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the place that is stored after what was taken alone, and without an end of a turn at a failure."""
    monkeypatch.setattr(webhooks, "PAUSES_S", (0.02,))

    def unreliable(came: int) -> int:
        if came == 25:
            time.sleep(0.6)  # longer than the sender waits: it is sent again, though it was taken
        return 500 if came % 5 == 3 else 204

    with receiving(unreliable) as receiver, opened(tmp_path) as backend:
        sender = backend.ports.webhooks.sender  # type: ignore[union-attr]
        sender._seconds = 0.3  # type: ignore[attr-defined]
        add_webhook(backend.ports, ADMIN, PROJECT, receiver.url)
        with delivering(backend):
            for number in range(60):
                put(backend, f"m{number}")
            until(lambda: len(receiver.subjects()) == 60)
            until(lambda: list_webhooks(backend.ports, ADMIN, PROJECT)[0].delivered == OWN_ENTRY + 60)
    assert receiver.subjects() == [f"m{number}" for number in range(60)]
    places = [int(event["id"]) for event in receiver.came]
    assert places == sorted(places)
    assert len({head["webhook-id"] for head in receiver.headers}) == 60


def test_it_goes_on_where_it_was_when_the_server_comes_back(tmp_path: Path) -> None:
    with receiving() as receiver:
        with opened(tmp_path) as backend:
            add_webhook(backend.ports, ADMIN, PROJECT, receiver.url)
            with delivering(backend):
                put(backend, "m1")
                until(lambda: list_webhooks(backend.ports, ADMIN, PROJECT)[0].delivered == OWN_ENTRY + 1)
            put(backend, "m2")
        with opened(tmp_path) as backend:
            put(backend, "m3")
            with delivering(backend):
                until(lambda: len(receiver.subjects()) == 3)
    assert receiver.subjects() == ["m1", "m2", "m3"]


def test_tenants_and_types_are_kept_apart(tmp_path: Path) -> None:
    with receiving() as ours, receiving() as theirs, opened(tmp_path) as backend:
        add_webhook(backend.ports, ADMIN, PROJECT, ours.url, ["memory.approved"])
        add_webhook(backend.ports, FOREIGNER, PROJECT, theirs.url)
        put(backend, "m1")
        put(backend, "theirs", FOREIGNER)
        approve_memory(backend.ports, REVIEWER, PROJECT, "m1")
        for webhook in backend.ports.webhooks.store.every():  # type: ignore[union-attr]
            assert deliver(backend.ports, webhook) is False
        assert [(e["type"], e["subject"]) for e in ours.took] == [("memory.approved", "m1")]
        assert [(e["source"], e["subject"]) for e in theirs.took] == [
            ("urn:memory-layer:globex:web", "theirs")
        ]
        assert len(list_webhooks(backend.ports, FOREIGNER, PROJECT)) == 1


def test_what_was_erased_before_it_was_delivered_is_told_by_its_id_alone(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as backend:
        add_webhook(backend.ports, ADMIN, PROJECT, receiver.url)
        put(backend, "m1")
        erase_memory(backend.ports, ADMIN, PROJECT, "m1")
        deliver(backend.ports, list_webhooks(backend.ports, ADMIN, PROJECT)[0])
    assert [event["data"] for event in receiver.took] == [{"id": "m1", "change": "erased"}]


def test_a_paused_one_is_told_of_and_a_test_that_is_taken_takes_it_up(tmp_path: Path) -> None:
    answers = {"status": 410}
    with (
        receiving(lambda _: answers["status"]) as receiver,
        opened(tmp_path) as backend,
        running(backend, tmp_path, with_auth=False) as url,
        checked(httpx2.Client(base_url=url, timeout=30.0)) as http,
    ):
        add_webhook(backend.ports, replace(ADMIN, tenant="local"), PROJECT, receiver.url)
        put(backend, "m1", replace(AGENT, tenant="local"))
        store = backend.ports.webhooks.store  # type: ignore[union-attr]
        deliver(backend.ports, store.every()[0])
        assert store.every()[0].paused_at is not None
        assert "1 webhook is paused" in http.get("/readyz").json()["webhooks"]
        answers["status"] = 204
        assert (
            try_webhook(backend.ports, replace(ADMIN, tenant="local"), PROJECT, store.every()[0].id).error
            is None
        )
        assert "webhooks" not in http.get("/readyz").json()
        deliver(backend.ports, store.every()[0])
    assert [event["type"] for event in receiver.took] == ["webhook.test", "memory.created"]


def test_a_removed_one_stays_removed_though_a_delivery_was_on_its_way(tmp_path: Path) -> None:
    """Falls with a save that puts a row where there is none."""
    with opened(tmp_path) as backend:
        made = add_webhook(backend.ports, ADMIN, PROJECT, "https://a.example").webhook
        store = backend.ports.webhooks.store  # type: ignore[union-attr]
        assert store.remove(made.scope, made.id)
        assert store.save(made) is False
        assert list(store.every()) == []


def test_no_private_address_is_sent_to_unless_its_network_is_named(tmp_path: Path) -> None:
    """One rule for both: what is refused now is no receiver, and what was one is sent nothing more."""
    with receiving() as receiver:
        with opened(tmp_path) as backend:
            made = add_webhook(backend.ports, ADMIN, PROJECT, receiver.url).webhook
        _is_sent_nothing(tmp_path, receiver, made)


def _is_sent_nothing(folder: Path, receiver: Receiver, made: webhooks.Webhook) -> None:
    with opened(folder, networks="") as backend:
        with pytest.raises(Invalid, match="not sent to private addresses"):
            add_webhook(backend.ports, ADMIN, PROJECT, receiver.url)
        assert "private" in (try_webhook(backend.ports, ADMIN, PROJECT, made.id).error or "")
        put(backend, "m1")
        deliver(backend.ports, made)
        assert receiver.came == []


def test_a_damaged_one_sends_nothing_anywhere(tmp_path: Path) -> None:
    """Falls without the digest of its row: a flipped bit of the URL would name another receiver."""
    with opened(tmp_path) as backend:
        add_webhook(backend.ports, ADMIN, PROJECT, "https://a.example/")
        with closing(sqlite3.connect(tmp_path / "memory.sqlite3")) as connection, connection:
            connection.execute("UPDATE webhooks SET state = replace(state, 'https://a.', 'https://b.')")
        assert list(backend.ports.webhooks.store.every()) == []  # type: ignore[union-attr]
