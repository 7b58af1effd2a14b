"""Which tags put a memory first in a scope."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_layer.domain.access import Principal
from memory_layer.domain.scope_tags import WriteScope, is_narrow, known_paths
from tests.given import SCOPE, START, a_memory

PATHS = tuple(f"src/area{number}/main.py" for number in range(8)) + tuple(f"web/page{n}.ts" for n in range(6))
SAID = a_memory(SCOPE, tags=("src/**",))
BOT = replace(SAID, source="run", created_by="bot")


@pytest.mark.parametrize("tag", ["**", "*", "**/*", "{a,**}", "**/**", "[!~]*"])
def test_a_tag_that_matches_everything_is_not_narrow(tag: str) -> None:
    """Falls without `_UNLIKE`."""
    assert not is_narrow(tag)


@pytest.mark.parametrize(
    ("tag", "is_told"),
    [("src/**", False), ("{*.py,*.ts}", False), ("web/**", True), ("src/area1/**", True), ("docker", True)],
)
def test_a_tag_that_matches_more_than_half_of_the_known_paths_is_not_narrow(tag: str, is_told: bool) -> None:
    assert is_narrow(tag, PATHS) is is_told
    assert is_narrow(tag, PATHS[:3])  # of three paths half says nothing


def test_paths_are_tags_without_wildcards() -> None:
    assert known_paths(["docker", "src/**", "b/c.py", "a/b", "urn:li:a/b"]) == ("a/b", "b/c.py")


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
