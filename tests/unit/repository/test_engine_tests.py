"""`make test-aws` reads the folders of engine tests alone: to read all tests takes each process half a minute."""

from __future__ import annotations

import re

from tests.given import REPOSITORY

TOLD = re.search(r"^ENGINE_TESTS := (.+)$", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_every_test_that_needs_an_engine_lies_where_they_are_looked_for() -> None:
    assert TOLD
    places = TOLD[1].split()
    assert all((REPOSITORY / place).exists() for place in places)
    marked = [
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "tests").rglob("*.py")
        if re.search(r"\bmark\.engines\b", path.read_text("utf-8"))
    ]
    assert len(marked) > 20
    assert [path for path in marked if not path.startswith(tuple(places))] == []
