"""`mem playbook` and `mem reorganise`: as people use them on a terminal."""

from __future__ import annotations

import pytest

from tests.unit.cli.conftest import Mem, added, answer


@pytest.mark.parametrize("when", ["2999-01-01", "2026-13-45", "soon"])
def test_a_wrong_moment_blames_the_option_that_said_it(mem: Mem, when: str) -> None:
    added(mem, "Write the test first.", "--type", "strategy", "-c", "convention")
    refused = mem("playbook", "--since", when)
    assert refused.exit_code == 1
    assert "as_of" not in refused.stderr


def test_the_page_names_its_moment_beside_it_and_that_moment_is_taken(mem: Mem) -> None:
    added(mem, "Write the test first.", "--type", "strategy", "-c", "convention")
    shown = mem("playbook")
    assert "--since" not in shown.stdout
    moment = shown.stderr.partition("--since ")[2].split()[0]
    assert answer(mem("playbook", "--since", moment, "--json"))["total"] == 1
