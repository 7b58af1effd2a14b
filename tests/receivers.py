"""Receiver of webhooks on a port of this machine, which answers as it is told and keeps what it took."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOOPBACK = "127.0.0.0/8,::1/128"


@dataclass
class Receiver:
    """Args: answer: the status of the next request, by how many came before; `took`: those answered with 2xx."""

    answer: Callable[[int], int] = lambda _: 204
    port: int = 0
    came: list[dict[str, Any]] = field(default_factory=list)
    took: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?from=memory"

    def subjects(self) -> list[str]:
        """Subjects of what was taken, each once, by the order of the first time."""
        return list(dict.fromkeys(event["subject"] for event in self.took))


@contextmanager
def receiving(answer: Callable[[int], int] = lambda _: 204) -> Iterator[Receiver]:
    receiver = Receiver(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            told = json.loads(body)
            receiver.came.append(told)
            status = receiver.answer(len(receiver.came) - 1)
            receiver.bodies.append(body)
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            if 200 <= status < 300:
                receiver.took.append(told)
            self.send_response(status)
            if status == 302:
                self.send_header("location", "http://127.0.0.1:1/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
