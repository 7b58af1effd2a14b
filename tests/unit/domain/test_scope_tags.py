"""Which tags put a memory first in a scope."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.access import Principal
from memory_layer.domain.scope_tags import KnownTags, WriteScope, is_narrow, known_paths
from tests.given import SCOPE, START, a_memory

PATHS = tuple(f"src/area{number}/main.py" for number in range(8)) + tuple(f"web/page{n}.ts" for n in range(6))
SAID = a_memory(SCOPE, tags=("src/**",))
BOT = replace(SAID, source="run", created_by="bot")


@pytest.mark.parametrize("tag", ["**", "*", "**/*", "{a,**}", "**/**", "[!~]*", "**/*.*", "*.*"])
def test_a_tag_that_matches_everything_is_not_narrow(tag: str) -> None:
    """Falls without `_UNLIKE`."""
    assert not is_narrow(tag)


@pytest.mark.parametrize(
    ("tag", "is_told"),
    [("src/**", False), ("{*.py,*.ts}", False), ("web/**", True), ("src/area1/**", True), ("docker", True)],
)
def test_a_tag_that_matches_more_than_half_of_the_known_paths_is_not_narrow(tag: str, is_told: bool) -> None:
    assert is_narrow(tag, PATHS) is is_told
    assert is_narrow(tag, PATHS[:3])


def test_a_glob_tells_of_a_path_below_it() -> None:
    """Falls where paths are tags without wildcards: a project of globs then has none, and nothing is too broad."""
    tags = ["docker", "src/**", "b/c.py", "a/b", "urn:li:a/*", "*.tf"]
    assert known_paths(tags) == ("a/b", "b/c.py", "name/name.tf", "src/name/name")


GLOBS = ("src/api/**", "src/web/*.ts", "src/{db,sql}/**", "*.tf", "tests/**")


@pytest.mark.parametrize(
    ("tag", "is_told"),
    [
        ("src/**", False),
        ("s*/**", False),
        ("{src,tests}/**", False),
        ("src/*/**", False),
        ("src/api/**", True),
        ("src/api/**/*.ts", True),
        ("*.tf", True),
        ("{tests,docs}/**", True),
    ],
)
def test_a_tag_that_covers_more_than_half_of_the_other_globs_is_not_narrow(tag: str, is_told: bool) -> None:
    assert is_narrow(tag, known_paths([*GLOBS, tag])) is is_told


def test_of_a_few_globs_half_says_nothing() -> None:
    """Falls with a smaller PATHS_MIN: in a project of four tags the general one stands beside what it covers."""
    few = ["src/**", "src/api/**", "src/web/**", "docs/**"]
    assert all(is_narrow(tag, known_paths(few)) for tag in few)


def test_a_tag_does_not_count_against_itself() -> None:
    """Falls where the own path counts, in whichever writing."""
    paths = known_paths(["src/**", "src/a/**", "src/b/**", "docs/**", "web/**"])
    assert is_narrow("src/**", paths)
    assert is_narrow("src/**/*", paths)


def test_trusted_tags_alone_are_counted() -> None:
    """Falls where all are: an agent writes tags until its own looks narrow, or a person's too broad."""
    trusted = ["src/api/**", "src/web/**", "src/db/**", "docs/**", "src/cli/**"]
    fillers = [f"zz/{number}" for number in range(64)]
    assert not is_narrow("src/**", known_paths(KnownTags([*trusted, *fillers], trusted).trusted))
    crowd = [f"src/api/{number}" for number in range(64)]
    assert is_narrow("src/api/**", known_paths(KnownTags([*trusted, *crowd], trusted).trusted))


def test_of_many_paths_those_counted_are_from_all_over() -> None:
    """Falls where the first by name are taken."""
    paths = known_paths([f"{letter}/{number}" for letter in "abcde" for number in range(101)])
    assert len(paths) <= 200
    assert {path[0] for path in paths} == set("abcde")


def test_only_trusted_tags_put_a_memory_first() -> None:
    """Falls without `is_trusted` in `puts_first`: an agent would fill every prompt of the scope."""
    scope = WriteScope(["src/area1/main.py"])
    assert scope.puts_first(SAID)
    assert scope.puts_first(replace(BOT, approved_by="rae", approved_at=START))
    assert not scope.puts_first(BOT)
    assert not scope.puts_first(replace(SAID, tags=("web/**",)))


def test_an_agents_own_memory_comes_first_where_nobody_else_reads() -> None:
    mine = replace(BOT, persona="ops")
    assert WriteScope(["src/a"], caller=Principal("acme", "bot", persona="ops")).puts_first(mine)
    assert not WriteScope(["src/a"], caller=Principal("acme", "other", persona="ops")).puts_first(mine)
    assert not WriteScope(["src/a"], caller=Principal("acme", "bot")).puts_first(BOT)
