"""Globs match what their authors mean, and no glob can hang the process."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_layer.domain.globs import glob_matches, path_below, required_texts


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


SHORT_PATHS = ["".join(parts) for size in range(1, 4) for parts in product("ab]/", repeat=size)]


@given(st.text(alphabet="ab*?[]{},!/.", min_size=1, max_size=7))
@example("[]a]b")
@example("[!]a]b")
@example(".{?[,/}")
def test_what_matches_has_a_needle_in_it(pattern: str) -> None:
    paths = [path for path in (*SHORT_PATHS, pattern) if glob_matches(pattern, path)]
    assert [path for path in paths if not any(needle in path for needle in required_texts(pattern))] == []


def test_a_needle_is_as_long_as_can_be_told() -> None:
    assert {
        glob: set(required_texts(glob)) - {glob}
        for glob in ("*.md", "docs/", "src/**/a[bc]d.py", "*.{js,ts}")
    } == {
        "*.md": {".md"},
        "docs/": {"docs"},
        "src/**/a[bc]d.py": {"d.py"},
        "*.{js,ts}": {".js", ".ts"},
    }
    assert required_texts("urn:x") == ("urn:x",)


@given(st.text(alphabet="ab*?[]{},!/.\\-^", max_size=40), st.text(alphabet="ab/.", max_size=40))
def test_no_pattern_raises(pattern: str, path: str) -> None:
    glob_matches(pattern, path)


@given(st.text(alphabet="abc/._-", min_size=1, max_size=40))
def test_a_path_matches_itself(path: str) -> None:
    assert glob_matches(path, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/**", "src/name/name"),
        ("*.tf", "name/name.tf"),
        ("src/**/*.ts", "src/name/name.ts"),
        ("docs/", "docs/name/name"),
        ("./x/?[!n]/a", "x/na/a"),
        ("[0-9]*/b", "0name/b"),
        ("a/b.c", "a/b.c"),
        ("src/[", "src/["),
    ],
)
def test_a_glob_matches_the_path_below_it(pattern: str, path: str) -> None:
    assert path_below(pattern) == path
    assert glob_matches(pattern, path)
