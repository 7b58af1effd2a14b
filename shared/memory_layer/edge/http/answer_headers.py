"""Headers of every answer, errors too: nothing is guessed, framed, kept by a cache, or told to another site.

The version of the service is there, for clients of another one.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from memory_layer.version import VERSION

VERSION_HEADER: Final = "memory-layer-version"
CONTENT_POLICY: Final = "content-security-policy"
_SCRIPT: Final = re.compile(r"<script[^>]*>(.*?)</script>", re.DOTALL)

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


@cache
def page_policy(page: str) -> str:
    """Content policy of a page that loads nothing: its own scripts run, by their digests; its styles are inline."""
    digests = (b64encode(sha256(script.encode()).digest()).decode() for script in _SCRIPT.findall(page))
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; frame-ancestors 'none'"
    )
