"""Trace contexts: which are taken, and their two forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.portability.trace_context import traceparent_of_xray, valid_traceparent, xray_header

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"
XRAY = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (PARENT, PARENT),
        (f" {PARENT} ", PARENT),
        (f"00-{TRACE}-{SPAN}-00", f"00-{TRACE}-{SPAN}-00"),
        (f"00-{TRACE}-{SPAN}-03", PARENT),
        (f"cc-{TRACE}-{SPAN}-01-what-the-future-says", PARENT),
        (f"00-{TRACE}-{SPAN}-01-more", None),
        (f"ff-{TRACE}-{SPAN}-01", None),
        (f"00-{'0' * 32}-{SPAN}-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (PARENT.upper(), None),
        (f"{PARENT}\nx", None),
        ("the words of a caller", None),
        ("", None),
        (None, None),
    ],
)
def test_a_trace_context_is_taken_as_w3c_has_it(said: str | None, taken: str | None) -> None:
    assert valid_traceparent(said) == taken


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (XRAY, "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"),
        (
            XRAY.replace("Sampled=1", "Sampled=0;Lineage=a87bd80c:1"),
            "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-00",
        ),
        ("Root=1-5759e988-bd862e3fe1be46a994272793", None),
        ("Root=1-0-0;Parent=53995c3f42cd8ad8", None),
        ("", None),
        (None, None),
    ],
)
def test_a_header_of_xray_says_the_same(said: str | None, taken: str | None) -> None:
    assert traceparent_of_xray(said) == taken


@given(st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1), st.booleans())
def test_a_trace_context_comes_back_from_xray(trace: int, span: int, is_sampled: bool) -> None:
    written = f"00-{trace:032x}-{span:016x}-{int(is_sampled):02x}"
    assert valid_traceparent(written) == written
    assert traceparent_of_xray(xray_header(written)) == written
