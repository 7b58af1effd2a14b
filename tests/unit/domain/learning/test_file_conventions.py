"""Conventions say what the files show and no more, with the first three files that show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.file_conventions import Convention, conventions, normalised

TESTS = "Tests co-located with source or in test/ directory"
MODULES = "ES modules (.mjs) or TypeScript (.ts)"


def shown(*paths: str) -> set[str]:
    return {found.content for found in conventions(paths)}


def test_the_example_of_the_design() -> None:
    found = conventions(["test/integration/api.test.mjs", "src/auth/login.test.ts"])
    examples = ("src/auth/login.test.ts", "test/integration/api.test.mjs")
    assert found == [Convention(TESTS, 0.7, examples), Convention(MODULES, 0.8, examples)]


def test_several_source_files_in_one_folder_are_an_organisation() -> None:
    assert conventions(["src/a.js"]) == []
    assert conventions(["src/b/c.js", "src/a.js"]) == [
        Convention("Source organized under src/", 0.6, ("src/a.js", "src/b/c.js"))
    ]
    assert shown("lib/a.rb", "lib/b.rb") == {"Source organized under lib/"}
    assert shown("src/a.png", "src/b.txt", "src/a.js", "notes/b.js") == set()


@pytest.mark.parametrize(
    ("paths", "content", "confidence"),
    [
        (["pkg/test_login.py"], "Python tests named test_*.py", 0.7),
        (["pkg/login_test.py"], "Python tests named *_test.py", 0.7),
        (["tests/unit/test_login.py"], "Python tests in tests/ directory", 0.7),
        (["src/shop/cart.py", "src/shop/__init__.py"], "Python packages under src/ (src layout)", 0.6),
        (["pyproject.toml"], "Python project configured in pyproject.toml", 0.8),
        (["cart/cart_test.go"], "Go tests named *_test.go", 0.7),
        (["cmd/shop/main.go"], "Go commands under cmd/", 0.6),
        (["internal/cart/cart.go"], "Go private packages under internal/", 0.6),
        (["pkg/cart/cart.go"], "Go public packages under pkg/", 0.6),
        (["crates/cart/src/x.rs"], "Rust crates under crates/ (Cargo workspace)", 0.6),
        (["src/lib.rs"], "Rust library rooted at src/lib.rs", 0.6),
        (["src/main.rs"], "Rust program rooted at src/main.rs", 0.6),
        (["tests/cart.rs"], "Rust integration tests in tests/ directory", 0.7),
        (["src/main/java/shop/Cart.java"], "Java sources under src/main/java", 0.6),
        (["src/test/java/shop/CartTest.java"], "Java tests under src/test/java", 0.7),
        (["web/cart.spec.js"], TESTS, 0.7),
        (["web/cart.tsx"], MODULES, 0.8),
    ],
)
def test_patterns(paths: list[str], content: str, confidence: float) -> None:
    assert Convention(content, confidence, tuple(sorted(paths))) in conventions(paths)


def test_what_only_resembles_a_pattern_shows_nothing() -> None:
    assert (
        shown("latest.py", "contest_x.py", "src/main.py", "mypyproject.toml", "a.test/b.js", "x/pkg.go")
        == set()
    )
    assert shown("cmd/run.sh", "pkg/setup.py", "specs.js", "greatest_test.pyc", "mylib.rs/x") == set()


def test_at_most_three_examples_the_first_by_name() -> None:
    (found,) = conventions(f"{name}.mjs" for name in "edcba")
    assert found.examples == ("a.mjs", "b.mjs", "c.mjs")


def test_paths_are_known_however_they_are_written() -> None:
    assert normalised(".\\src\\a.ts") == normalised(" ./src/a.ts") == "src/a.ts"


def test_no_path_is_an_example_that_could_not_be_stored() -> None:
    assert shown("a" * 260 + ".ts", "a\x00.ts", "\ud800.ts") == set()


@given(st.lists(st.text("abc/._test-spjgor", max_size=30), max_size=20), st.randoms())
def test_the_order_of_files_changes_nothing(paths: list[str], random: object) -> None:
    shuffled = list(paths)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = conventions(paths)
    assert found == conventions(shuffled)
    for convention in found:
        assert convention.confidence in (0.6, 0.7, 0.8)
        assert set(convention.examples) <= set(paths)
        assert 1 <= len(convention.examples) <= 3


@pytest.mark.parametrize("piece", ["tests/", "src/", "a/", "test_", ".test.", "crates/a/", "_test"])
def test_no_path_takes_long(piece: str) -> None:
    """A pattern that backtracks would never come to an end of these."""
    conventions([(piece * 200)[:256], (piece * 200)[:240] + "x.py", (piece * 200)[:240] + ".rs"])
