"""Recogniser of addresses that act for whoever knows them: hooks, heartbeats and pings, whose path is their key."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.secret_spans import SecretSpan, matches

_HINT: Final = re.compile(r"(?i)hook|ping|heartbeat")

_KEY: Final = (
    r"(?P<secret>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|(?=(?:[a-z_]{0,32}[0-9]){3})[a-z0-9_]{20,256}"
    r"|(?=[\w-]{0,32}[0-9])(?=[\w-]{0,32}[A-Z])(?=[\w-]{0,32}[a-z])[A-Za-z0-9_-]{20,256})(?!@|[\w.-]*[\w-])"
)
"""Segment that nobody would choose: a UUID, or twenty characters with digits among letters; no name of a file."""

_SEGMENT: Final = r"(?!(?:commits?|blob|tree|raw|compare|pull|releases?|wiki|docs)/)[\w.:@~-]{1,64}/"
"""Segment before the key; those of a repository are followed by hashes."""

_HOST_THAT_RECEIVES: Final = re.compile(
    r"://(?:[\w-]{1,63}\.){0,4}(?:[a-z0-9]{1,16}-)?(?:web)?(?:hooks?|ping|heartbeats?)(?:-[a-z0-9]{1,16})?\.[\w.-]{2,128}(?::\d{2,5})?/"
    rf"(?:{_SEGMENT}){{0,6}}?{_KEY}"
)
_PATH_THAT_RECEIVES: Final = re.compile(
    rf"://[\w.-]{{1,253}}(?::\d{{2,5}})?/(?:{_SEGMENT}){{0,6}}?"
    r"(?:(?:generic|web)?-?hook(?:-test)?|(?:incoming[_-]?|build[_-]?|deploy[_-]?)(?:web)?hooks?|ping|heartbeat)/"
    rf"(?:{_SEGMENT}){{0,2}}?{_KEY}",
    re.IGNORECASE,
)
"""One hook, told in the singular: a list of them (`/webhooks/…`) has ids, which open nothing."""


def hook_keys(text: str) -> Iterator[SecretSpan]:
    """Finds the key in an address that receives, by its host (`hc-ping.com`) or by its path (`/webhook/…`)."""
    if "://" in text and _HINT.search(text):
        yield from matches(_HOST_THAT_RECEIVES, text, "webhook")
        yield from matches(_PATH_THAT_RECEIVES, text, "webhook")
