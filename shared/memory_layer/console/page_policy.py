"""Headers of the console's files: its own scripts run and nothing else does, and no page frames it."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from memory_layer.edge.http.answer_headers import CONTENT_POLICY

GRAPH_STYLE: Final = ".__________cytoscape_container { position: relative; }"
"""Text of the one style element that the graph's library adds. Source: cytoscape.js, canvas renderer."""


def content_policy(issuers: Sequence[str] = ()) -> str:
    """Content policy of the console's page. Args: issuers: origins that it asks for a sign-in besides its own."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src 'self' {_digest(GRAPH_STYLE)}",
            "img-src 'self' data:",
            " ".join(("connect-src 'self'", *issuers)),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


PAGE_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        CONTENT_POLICY: content_policy(),
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
    }
)
"""Source: OWASP, HTTP Headers Cheat Sheet."""


def page_headers(issuers: Sequence[str]) -> Mapping[str, str]:
    """The same for a page that asks issuers for a sign-in. Args: issuers: their origins."""
    return {**PAGE_HEADERS, CONTENT_POLICY: content_policy(issuers)}
