"""A list that tries nothing out, asked for on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2

from tests.contract.learn.test_uncited_runs import ADVICE, QUESTION
from tests.e2e.test_commands_over_http import serving
from tests.run_examples import loop
from tests.unit.cli.conftest import Mem, added, answer


def test_a_search_explores_unless_it_is_told_not_to(mem: Mem, tmp_path: Path) -> None:
    """Here and over a service. Falls where the option does not reach the recall."""
    for content in ADVICE:
        added(mem, content, "--on-duplicate", "create")
    asked = ("search", QUESTION, "-n", "3", "--json")
    answer(mem(*asked, "--run", "first"))
    answer(mem("run", "-", "--json", given=json.dumps(loop(run_id="first", project="shop"))))
    chances: list[list[float | None]] = []
    with serving(tmp_path / "data") as url:
        for service in ((), ("--url", url)):
            for option in ((), ("--no-explore",)):
                found = answer(mem(*asked, *option, *service))
                id = found["memories"][0]["id"]
                recalls = httpx2.get(f"{url}/v1/projects/shop/memories/{id}/recalls").json()["recalls"]
                chances.append([one["chance"] for one in recalls if one["recall_id"] == found["recall_id"]])
    assert [[chance is not None for chance in each] for each in chances] == [[True], [False]] * 2
