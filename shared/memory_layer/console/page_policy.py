"""Headers of the console's files: its own scripts run and nothing else does, and no page frames it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from memory_layer.edge.http.answer_headers import CONTENT_POLICY

CYTOSCAPE_STYLE: Final = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""Digest of the one style element that the graph's library adds: it is empty, and filled by the object model."""


def content_policy(issuers: Sequence[str] = ()) -> str:
    """Content policy of the console's page. Args: issuers: origins that it asks for a sign-in besides its own."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            " ".join(("connect-src 'self'", *issuers)),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


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
