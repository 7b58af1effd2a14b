"""Trace contexts: the `traceparent` of W3C, and X-Ray's header, which says the same in other words."""

from __future__ import annotations

import re
from typing import Final

TRACEPARENT: Final = "traceparent"
"""Name of the header, of the member of MCP's `_meta`, and of the extension of CloudEvents."""

_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[ -~]*)?")
_ROOT: Final = re.compile(r"1-([0-9a-f]{8})-([0-9a-f]{24})")
_SPAN: Final = re.compile(r"[0-9a-f]{16}")
_SAMPLED: Final = 0x01


def valid_traceparent(text: str | None) -> str | None:
    """Trace context as version 00 writes it; None: there is none, or it is to be ignored.

    Source: W3C Trace Context, sections 3.2 and 4: of a later version the first four members are taken.
    """
    found = _TRACEPARENT.fullmatch((text or "").strip())
    if found is None:
        return None
    version, trace, span, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or not int(trace, 16) or not int(span, 16):
        return None
    return _written(trace, span, is_sampled=bool(int(flags, 16) & _SAMPLED))


def traceparent_of_xray(header: str | None) -> str | None:
    """The same of X-Ray's header; None: it names no trace, or no segment.

    Source: AWS X-Ray developer guide, tracing header: `Root=1-8 digits-24 digits;Parent=16 digits;Sampled=0 or 1`.
    """
    members = dict(one.strip().partition("=")[::2] for one in (header or "").split(";"))
    root, span = _ROOT.fullmatch(members.get("Root", "")), members.get("Parent", "")
    if root is None or _SPAN.fullmatch(span) is None:
        return None
    return valid_traceparent(_written("".join(root.groups()), span, is_sampled=members.get("Sampled") == "1"))


def xray_header(traceparent: str) -> str:
    """X-Ray's header of a valid trace context."""
    _, trace, span, flags = traceparent.split("-")
    return f"Root=1-{trace[:8]}-{trace[8:]};Parent={span};Sampled={int(flags, 16) & _SAMPLED}"


def _written(trace: str, span: str, *, is_sampled: bool) -> str:
    return f"00-{trace}-{span}-{int(is_sampled):02x}"
