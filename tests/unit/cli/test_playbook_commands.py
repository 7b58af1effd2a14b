"""`mem playbook` and `mem reorganise`: as people use them on a terminal."""

from __future__ import annotations

import pytest

from memory_layer.cli.printing import playbook_text
from memory_layer.usecases.recall import compose_playbook
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


def test_a_crowded_playbook_tells_what_it_leaves_out(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where the command, or the reorganised set, prints a part as if it were all there is."""
    for number in (1, 2):
        added(mem, f"Shelf {number} holds box {7 * number}.", "--type", "strategy", "-c", "convention")
    monkeypatch.setattr(compose_playbook, "BULLETS_MAX", 1)
    note = "1 are shown, not shown are 1 that people vouch for"
    assert note in mem("playbook").stderr
    document = answer(mem("reorganise", "--json"))
    assert document["note"].startswith(note)
    assert document["note"] in playbook_text.reorganisation({**document, "id": "reo_1"})


@pytest.mark.parametrize("option", ["--accept", "--drop"])
def test_a_proposal_is_named_by_an_id_and_it_is_said_where_that_is(mem: Mem, option: str) -> None:
    """Falls where the answer is a pattern."""
    refused = mem("reorganise", option, "xyz")
    assert refused.exit_code == 1
    assert "xyz is no id of a proposal; mem reorganise" in refused.stderr
    assert "pattern" not in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mem_1"], "a verdict is missing; end with worked, failed or partial"),
        (["1", "2"], "a verdict is missing; end with worked, failed or partial"),
        (["mem_1", "sideways"], "sideways is no verdict; end with worked, failed or partial"),
        (["worked"], "a memory is missing"),
        ([".", "."], ". is no verdict"),
    ],
)
def test_an_outcome_says_which_word_it_lacks(mem: Mem, words: list[str], said: str) -> None:
    refused = mem("outcome", *words)
    assert refused.exit_code == 1
    assert said in refused.stderr
