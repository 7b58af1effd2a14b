"""Enrichment of tools' answers: what is known of the URNs in one, put beside it without a call of the agent's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import Any, Final

from memory_layer.client import Memory
from memory_layer.integrations.stored_answers import log

WAIT_S: Final = 2.0
"""Seconds that a tool's answer waits for what is known of it."""

OPENING_S: Final = 10.0
"""Seconds from the first question on within which answers wait for a client that is still opening, all together."""

LIMIT: Final = 5
TOKENS_MAX: Final = 800
PAYLOAD_MAX_CHARS: Final = 1_000_000
TOGETHER: Final = 4


class AnswerEnrichment:
    """Block of memories about the URNs in a payload. It never fails: without an answer in time there is no block.

    Args:
        opened: makes the client, at the first payload with a URN.
        limit: memories of a block.
        tokens_max: length of a block.
        wait_s: seconds until a payload goes without one.
        opening_s: seconds from the first question on for which payloads wait, where the client is not open yet.
    """

    def __init__(
        self,
        opened: Callable[[], Memory],
        *,
        limit: int = LIMIT,
        tokens_max: int = TOKENS_MAX,
        wait_s: float = WAIT_S,
        opening_s: float = OPENING_S,
    ) -> None:
        self._opened = opened
        self._opening = Lock()
        self._client: Memory | None = None
        self._bounds = {"limit": limit, "tokens_max": tokens_max}
        self._wait_s, self._opening_s = wait_s, opening_s
        self._opening_ends: float | None = None
        self._threads = ThreadPoolExecutor(TOGETHER, thread_name_prefix="enrichment")

    def block(self, payload: Any) -> str:
        """Block for a tool's answer; empty: nothing is known, or nobody could be asked."""
        try:
            if not _may_name_urns(payload):
                return ""
            return self._threads.submit(self._asked, payload).result(self._patience_s())
        except TimeoutError:
            log.warning("a tool's answer goes without memories: they were not there in time")
            return ""
        except Exception as error:
            log.warning("a tool's answer goes without memories: %s", str(error) or type(error).__name__)
            return ""

    def close(self) -> None:
        """Lets go of connections; a question that is under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    def open_beside(self) -> None:
        """Opens the client in the background, before it is needed."""
        self._threads.submit(self._opened_once)

    def _patience_s(self) -> float:
        """Seconds that a payload waits: a client that never opens holds up the first answers alone."""
        if self._client is not None:
            return self._wait_s
        if self._opening_ends is None:
            self._opening_ends = monotonic() + self._opening_s
        return max(self._wait_s, self._opening_ends - monotonic())

    def _asked(self, payload: Any) -> str:
        return self._opened_once().enrich(payload, **self._bounds).memory_context

    def _opened_once(self) -> Memory:
        with self._opening:
            if self._client is None:
                self._client = self._opened()
            return self._client


def _may_name_urns(payload: Any) -> bool:
    """Tells whether a payload is worth a question: it names a URN, and is not larger than a tool's answer is."""
    text = payload if isinstance(payload, str) else json.dumps(payload, default=str)
    return len(text) <= PAYLOAD_MAX_CHARS and "urn:" in text.lower()


def enriched_content(content: Any, block: str) -> Any:
    """Content of a tool's answer with a block behind it: a text, or a list of parts as models take them."""
    if not block:
        return content
    if isinstance(content, str):
        return f"{content}\n\n{block}"
    return [*content, {"type": "text", "text": block}]


def is_content(content: Any) -> bool:
    """Tells whether something is a content that a block can stand behind."""
    return isinstance(content, str) or (
        isinstance(content, list) and all(isinstance(part, str | Mapping) for part in content)
    )
