"""Lines of any size are cut into bodies that a server takes."""

from __future__ import annotations

import pytest

from memory_layer.wire import lines as cut
from memory_layer.wire.lines import bodies

SEAL = '{"manifest":{}}'


@pytest.fixture(autouse=True)
def small_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut, "BODY_MAX_BYTES", 12)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], []),
        (["aaaa\n", "", "bbbb\n"], ["aaaa\nbbbb\n"]),
        (["aaaa", "bbbb", "cccc"], ["aaaa\nbbbb\n", "cccc\n"]),
        (["ääää", "bbbb"], ["ääää\n", "bbbb\n"]),
        (["aaaa", SEAL, "b", SEAL], [f"aaaa\n{SEAL}\n", f"b\n{SEAL}\n"]),
        ([{"a": "ä"}], ['{"a": "ä"}\n']),
    ],
)
def test_bodies_end_behind_a_seal_or_where_there_is_no_room(lines: list[str], expected: list[str]) -> None:
    assert list(bodies(lines)) == expected
