"""The sender of webhooks: to no private address, by no name that changes, in bounded time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from memory_layer.adapters.process.webhook_sender import HttpWebhookSender, resolve_host
from memory_layer.domain.safety.addresses import read_networks
from memory_layer.ports.webhooks import Sent
from tests.receivers import LOOPBACK, receiving

NETWORKS = read_networks(LOOPBACK)


def sent(sender: HttpWebhookSender, url: str) -> Sent:
    return sender.send(url, {"webhook-id": "whk_1_5"}, b'{"subject": "m1"}')


@contextmanager
def listening(answer: bytes, pause_s: float = 0.0) -> Iterator[int]:
    """Port of a server that answers bytes one at a time."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            try:
                connection, _ = server.accept()
                with connection:
                    for byte in answer:
                        connection.sendall(bytes([byte]))
                        time.sleep(pause_s)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def test_a_receiver_in_a_named_network_is_sent_to() -> None:
    with receiving() as receiver:
        assert sent(HttpWebhookSender(NETWORKS), receiver.url) == Sent(204, None)
        assert receiver.bodies == [b'{"subject": "m1"}']
        assert receiver.headers[0]["host"] == f"127.0.0.1:{receiver.port}"
        assert receiver.headers[0]["webhook-id"] == "whk_1_5"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0"]
)
def test_no_form_of_a_private_address_is_sent_to(host: str) -> None:
    """Falls without `_judged`."""
    with receiving() as receiver:
        ended = sent(HttpWebhookSender(), f"http://{host}:{receiver.port}/")
        assert ended.status is None
        assert "private" in (ended.error or "") or "no answer" in (ended.error or "")
        assert receiver.came == []


def test_a_name_that_means_another_address_a_moment_later_is_of_no_use() -> None:
    """Falls without the connection to the address that was judged: the name would be resolved again for it."""
    asked: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["203.0.113.7"] if len(asked) > 1 else resolve_host("127.0.0.1", port)

    with receiving() as receiver:
        ended = sent(
            HttpWebhookSender(NETWORKS, resolve=rebinding), f"http://rebind.example:{receiver.port}/"
        )
        assert (ended, len(asked)) == (Sent(204, None), 1)


def test_a_name_with_a_private_address_among_others_is_refused() -> None:
    for addresses in (["93.184.215.14", "10.0.0.1"], ["::ffff:10.0.0.1"], ["64:ff9b::a9fe:a9fe"], []):
        sender = HttpWebhookSender(resolve=lambda *_, found=addresses: found)
        assert "not sent to private addresses" in (sent(sender, "https://mixed.example/").error or "")


def test_the_public_internet_takes_https() -> None:
    sender = HttpWebhookSender(resolve=lambda *_: ["93.184.215.14"])
    assert (
        sent(sender, "http://example.com/").error == "example.com is on the public internet: it takes https"
    )


def test_a_redirect_is_not_followed_and_a_refusal_is_told() -> None:
    with receiving(lambda number: (302, 500)[number]) as receiver:
        sender = HttpWebhookSender(NETWORKS)
        assert sent(sender, receiver.url) == Sent(302, "answered 302: redirects are not followed")
        assert sent(sender, receiver.url) == Sent(500, "answered 500")
        assert len(receiver.came) == 2


def test_a_receiver_that_drips_or_says_nothing_is_left() -> None:
    """Falls without the timer: each byte would put the time-out of the socket off."""
    for answer, pause_s in ((b"HTTP/1.1 200 " + b"x" * 10_000, 0.05), (b"", 0.0)):
        with listening(answer, pause_s) as port:
            ended = sent(HttpWebhookSender(NETWORKS, seconds=0.3), f"http://127.0.0.1:{port}/")
            assert ended.status is None
            assert (ended.error or "").startswith("no answer")


def test_what_is_no_http_and_what_is_nowhere_is_told() -> None:
    with listening(b"SSH-2.0-OpenSSH\r\n") as port:
        assert "no answer" in (sent(HttpWebhookSender(NETWORKS), f"http://127.0.0.1:{port}/").error or "")
    assert "no answer" in (sent(HttpWebhookSender(NETWORKS), f"http://127.0.0.1:{port}/").error or "")
    with receiving() as receiver:  # it speaks no TLS
        ended = sent(HttpWebhookSender(NETWORKS), f"https://127.0.0.1:{receiver.port}/")
        assert "SSL" in (ended.error or "")
