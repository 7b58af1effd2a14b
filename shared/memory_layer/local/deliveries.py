"""Deliveries of webhooks while `mem serve` runs: each webhook one after another, several side by side."""

import logging
import threading
from typing import Final

from memory_layer.domain.webhooks import Webhook
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.usecases.world.deliver_webhooks import deliver, has_more

LOOK_S: Final = 0.5
"""Seconds between two looks for what is due."""

SIDE_BY_SIDE: Final = 4
"""Webhooks to which something is sent at a time: a receiver that hangs holds up three others at most."""

CLOSE_S: Final = 2.0
"""Seconds that a stop waits: what is on its way then is sent again at the next start."""

_log = logging.getLogger(__name__)


class Deliveries:
    """Thread that finds webhooks with something due, and those that send. Args: look_s: as `LOOK_S`."""

    def __init__(self, ports: Ports, *, look_s: float = LOOK_S) -> None:
        self._ports = ports
        self._look_s = look_s
        self._is_over = threading.Event()
        self._busy: set[str] = set()
        self._finder = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self._slots = threading.Semaphore(SIDE_BY_SIDE)

    def start(self) -> None:
        self._finder.start()

    def stop(self) -> None:
        """Begins no delivery any more."""
        self._is_over.set()

    def close(self) -> None:
        """Stops, and waits a moment for what is on its way."""
        self.stop()
        if self._finder.is_alive():
            self._finder.join(CLOSE_S)

    def _run(self) -> None:
        while not self._is_over.wait(self._look_s):
            try:
                self._begin_due()
            except MemoryLayerError as error:
                _log.warning("webhooks wait: %s", error.detail)
            except Exception:  # whatever it is: the next look may find it gone
                _log.exception("webhooks wait")

    def _begin_due(self) -> None:
        if self._ports.webhooks is None:
            return
        now = self._ports.clock.now()
        for webhook in self._ports.webhooks.store.every():
            if webhook.id in self._busy or not has_more(self._ports, webhook, now):
                continue
            if not self._slots.acquire(blocking=False):
                return  # the next look comes soon
            self._busy.add(webhook.id)
            name = f"webhook {webhook.id}"
            threading.Thread(target=self._deliver, args=(webhook,), name=name, daemon=True).start()

    def _deliver(self, webhook: Webhook) -> None:
        try:
            deliver(self._ports, webhook, self._is_over.is_set)
        except MemoryLayerError as error:
            _log.warning("webhook %s waits: %s", webhook.id, error.detail)
        except Exception:
            _log.exception("webhook %s waits", webhook.id)
        finally:
            self._busy.discard(webhook.id)
            self._slots.release()
