"""Globs match what their authors mean, and no glob can hang the process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.globs import glob_matches


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("src/core/**", "src/core/db/pool.py", True),
        ("src/core/**", "src/core", True),
        ("src/core/**", "src/cores/db.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/sub/a.py", False),
        ("**/tests/**", "a/b/tests/c.py", True),
        ("**/a/**/b", "a/x/a/y/b", True),
        ("*.md", "docs/adr/0001.md", True),
        ("src/", "src/core/db.py", True),
        ("./src/*.py", "src/a.py", True),
        ("src/*.{ts,tsx}", "src/a.tsx", True),
        ("src/{a,b{c,d}}.py", "src/bd.py", True),
        ("src/*.{ts,tsx}", "src/a.py", False),
        ("file?.py", "file1.py", True),
        ("file[0-9].py", "file7.py", True),
        ("testing", "testing", True),
        ("testing", "src/testing", False),
        ("src/[", "src/[", True),
        ("**", "anything/at/all", True),
        ("src/**", "src/core/**", True),
    ],
)
def test_glob(pattern: str, path: str, matches: bool) -> None:
    assert glob_matches(pattern, path) is matches


def test_bombs_end_at_once() -> None:
    assert not glob_matches("*a" * 120 + "b", "a" * 256)
    assert not glob_matches("**/a/" * 50 + "b", "a/" * 120)
    assert not glob_matches("{a,b}" * 40, "a" * 40)
    assert not glob_matches("{" * 100 + "a,b" + "}" * 100 + "*" * 100, "a")


@given(st.text(alphabet="ab*?[]{},!/.\\-^", max_size=40), st.text(alphabet="ab/.", max_size=40))
def test_no_pattern_raises(pattern: str, path: str) -> None:
    glob_matches(pattern, path)


@given(st.text(alphabet="abc/._-", min_size=1, max_size=40))
def test_a_path_matches_itself(path: str) -> None:
    assert glob_matches(path, path)
