"""Conventions of a project's layout, as far as the files that a run modified show them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from memory_layer.domain.memory import LABEL_MAX_CHARS
from memory_layer.domain.text_rules import text_problem

EXAMPLES_MAX = 3

TESTS = 0.7
MODULES = 0.8
LAYOUT = 0.6
"""Confidence of each kind of pattern, 0..1. Source: Loop Learning, convention detection."""

SOURCE_FOLDERS = (
    *("src", "lib", "app", "source", "packages", "apps", "services", "components", "modules", "server"),
    *("client", "core", "tools"),
)


class Convention(NamedTuple):
    """Convention of a project, with its confidence (0..1) and up to three files that show it, by name."""

    content: str
    confidence: float
    examples: tuple[str, ...]


class _Pattern(NamedTuple):
    """Pattern of paths that shows a convention. `hints`: every path that matches has one; they are searched first."""

    content: str
    confidence: float
    hints: tuple[str, ...]
    path: re.Pattern[str]
    at_least: int = 1


SEVERAL = 2
_TOP = r"(?:.*/)?"
_CODE = "(?:[cm]?[jt]sx?|py|go|rs|java|kt|scala|rb|php|cs|c|cc|cpp|h|hpp|swift|m|ex|exs|clj|hs|ml|vue|svelte|sh|sql)"


def _pattern(content: str, confidence: float, hints: str, path: str, at_least: int = 1) -> _Pattern:
    return _Pattern(content, confidence, tuple(hints.split()), re.compile(path), at_least)


_PATTERNS: Sequence[_Pattern] = (
    _pattern(
        "Tests co-located with source or in test/ directory",
        TESTS,
        ".test. .spec.",
        rf"{_TOP}[^/]*\.(?:test|spec)\.[^/]*",
    ),
    _pattern(
        "ES modules (.mjs) or TypeScript (.ts)",
        MODULES,
        ".mjs .ts .mts .cts",
        rf"{_TOP}[^/]+\.(?:mjs|[cm]?ts|tsx)",
    ),
    _pattern("Python tests named test_*.py", TESTS, "test_", rf"{_TOP}test_[^/]*\.py"),
    _pattern("Python tests named *_test.py", TESTS, "_test.py", rf"{_TOP}[^/]+_test\.py"),
    _pattern(
        "Python tests in tests/ directory",
        TESTS,
        "tests/",
        rf"{_TOP}tests/{_TOP}(?:test_[^/]*|[^/]+_test)\.py",
    ),
    _pattern("Python packages under src/ (src layout)", LAYOUT, ".py", r"src/[^/]+/.*\.py", SEVERAL),
    _pattern("Python project configured in pyproject.toml", MODULES, "pyproject", rf"{_TOP}pyproject\.toml"),
    _pattern("Go tests named *_test.go", TESTS, "_test.go", rf"{_TOP}[^/]+_test\.go"),
    _pattern("Go commands under cmd/", LAYOUT, "cmd/", rf"{_TOP}cmd/.+\.go"),
    _pattern("Go private packages under internal/", LAYOUT, "internal/", rf"{_TOP}internal/.+\.go"),
    _pattern("Go public packages under pkg/", LAYOUT, "pkg/", rf"{_TOP}pkg/.+\.go"),
    _pattern(
        "Rust crates under crates/ (Cargo workspace)",
        LAYOUT,
        "crates/",
        rf"{_TOP}crates/[^/]+/(?:.*\.rs|Cargo\.toml)",
    ),
    _pattern("Rust library rooted at src/lib.rs", LAYOUT, "src/lib.rs", rf"{_TOP}src/lib\.rs"),
    _pattern("Rust program rooted at src/main.rs", LAYOUT, "src/main.rs", rf"{_TOP}src/main\.rs"),
    _pattern("Rust integration tests in tests/ directory", TESTS, "tests/", rf"{_TOP}tests/[^/]+\.rs"),
    _pattern("Java sources under src/main/java", LAYOUT, "src/main/java/", rf"{_TOP}src/main/java/.+\.java"),
    _pattern("Java tests under src/test/java", TESTS, "src/test/java/", rf"{_TOP}src/test/java/.+\.java"),
    *(
        _pattern(f"Source organized under {folder}/", LAYOUT, f"{folder}/", rf"{folder}/.*\.{_CODE}", SEVERAL)
        for folder in SOURCE_FOLDERS
    ),
)
"""Patterns; the first two and the organisation in folders as in Loop Learning; the others in the same manner."""


def normalised(path: str) -> str:
    """The path with slashes, and without a leading `./`."""
    return path.strip().replace("\\", "/").removeprefix("./")


def conventions(paths: Iterable[str]) -> list[Convention]:
    """Conventions that files show, by a fixed list of patterns.

    Args:
        paths: of files, see `normalised`. A path longer than 256 characters, or one that cannot be stored, shows
            nothing.
    """
    files = sorted(path for path in set(paths) if len(path) <= LABEL_MAX_CHARS and not text_problem(path))
    names = "\n".join(files)
    hinted = (pattern for pattern in _PATTERNS if any(hint in names for hint in pattern.hints))
    return [found for pattern in hinted if (found := _shown(pattern, files)) is not None]


def _shown(pattern: _Pattern, files: Sequence[str]) -> Convention | None:
    """Convention of a pattern, if enough of the files match; reads only the first few that do, by name."""
    found = [path for hint in pattern.hints for path in islice(_matching(pattern, hint, files), EXAMPLES_MAX)]
    showing = tuple(sorted(set(found))[:EXAMPLES_MAX])
    enough = len(showing) >= pattern.at_least
    return Convention(pattern.content, pattern.confidence, showing) if enough else None


def _matching(pattern: _Pattern, hint: str, files: Sequence[str]) -> Iterator[str]:
    return (path for path in files if hint in path and pattern.path.fullmatch(path))
