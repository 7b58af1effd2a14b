"""The comparison of shown and given output: it finds every drift that is not left out."""

from __future__ import annotations

import pytest

from tests.guides.matching import UnknownId, filled_in, match
from tests.guides.pages import blocks_of, steps_of

A, B = "mem_" + 32 * "a", "mem_" + 32 * "b"


@pytest.mark.parametrize(
    ("shown", "given"),
    [
        ("v1 is active", "v1 is pending"),
        ("v1 is active", "v1 is active, until 2026-05-30"),
        ("v1 is active", ""),
        ("", "a warning"),
        ('{"status": 200, …}', '{"status": 201, "id": 1}'),
        ("mem_01… is active", "mem_short is active"),
        ("mem_01… supersedes mem_01…", f"{A} supersedes {B}"),
    ],
)
def test_another_output_does_not_match(shown: str, given: str) -> None:
    assert match(shown, given, {}) is None


def test_an_id_stands_for_one_id() -> None:
    bound = match("mem_01… supersedes mem_02…", f"{A} supersedes {B}", {})
    assert bound == {"mem_01…": A, "mem_02…": B}
    assert match("mem_01…", A, bound) == {}
    assert match("mem_01…", B, bound) is None
    assert filled_in("mem get mem_02…", bound) == f"mem get {B}"
    with pytest.raises(UnknownId):
        filled_in("mem get mem_03…", bound)


def test_white_space_and_what_is_left_out_do_not_count() -> None:
    assert match('{"a": 1,\n "b": 2, …}', '{"a":1,"b":2,"c":3}', {}) == {}


def test_a_command_goes_on_until_its_quotes_are_closed() -> None:
    page = "```console\n$ curl -s a \\\n  -d '[1,\n  2]'\nshown\n$ mem list\n```\n"
    first, second = steps_of(blocks_of(page)[0])
    assert (first.command, first.output) == ("curl -s a \\\n  -d '[1,\n  2]'", "shown")
    assert (second.command, second.output, second.line) == ("mem list", "", 6)
