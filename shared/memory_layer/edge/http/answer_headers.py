"""Headers of every answer, errors too: nothing is guessed, framed, kept by a cache, or told to another site.

The version of the service is there, for clients of another one.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memory_layer.version import VERSION

VERSION_HEADER: Final = "memory-layer-version"
CONTENT_POLICY: Final = "content-security-policy"

ANSWER_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "x-content-type-options": "nosniff",
        CONTENT_POLICY: "default-src 'none'; frame-ancestors 'none'",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        VERSION_HEADER: VERSION,
    }
)
"""Source: OWASP, REST Security Cheat Sheet, security headers; and the version of what answers."""


def with_answer_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of an answer, with those of every answer that it does not set itself; names in lower case."""
    return {**ANSWER_HEADERS, **{name.lower(): str(value) for name, value in headers.items()}}
