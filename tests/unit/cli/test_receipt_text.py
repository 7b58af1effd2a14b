"""Receipt of a stored memory in words: the ways beside a near one are those that its caller has."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.cli.printing.receipt_text import receipt_lines


@pytest.mark.parametrize(
    ("own", "standing", "is_anothers"),
    [
        ("unreviewed", "unreviewed", True),
        ("unreviewed", "trusted", False),
        ("trusted", "unreviewed", True),
        ("trusted", "trusted", True),
    ],
)
def test_what_another_wrote_is_reported_on(own: str, standing: str, is_anothers: bool) -> None:
    """Falls without `_way_beside`: the one way that is named is refused; an agent may propose for what is trusted."""
    near = {"id": "mem_b", "standing": standing, "differs_in": "this says 9", "content": "It is 8."}
    stored: dict[str, Any] = {
        **{"id": "mem_a", "version": 1, "supersedes": None, "status": "active", "status_reason": None},
        **{"active": True, "embedding_model": "m", "standing": own},
        "receipt": {"redacted": [], "similar": [near]},
    }
    told = "\n".join(receipt_lines(stored))
    assert "mem supersede mem_b --by mem_a" in told
    assert ("if another wrote it: mem outcome mem_b failed" in told) == is_anothers
