"""Connections of the laptop's server: one on which no whole request head arrives in time is closed."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_DEADLINE_S: Final = 10.0
"""Seconds that the first line and the headers of a request may take to arrive. uvicorn itself waits without end."""


class HeadDeadlineProtocol(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """uvicorn's protocol, which closes a connection that began a request and does not end its head."""

    head_deadline_s = HEAD_DEADLINE_S
    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        """Sets the deadline while no request is being answered; what arrives in between does not put it off."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel()
        elif self._closing is None:
            self._closing = self.loop.call_later(self.head_deadline_s, self._close)

    def _cancel(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
