"""`mem graph` and `mem enrich`: as people use them on a terminal."""

from __future__ import annotations

import pytest

from tests.unit.cli.conftest import Mem, added

ORDERS = "urn:table:orders"


@pytest.fixture
def known(mem: Mem) -> str:
    return added(mem, "Only checkout writes it.", "--entity", ORDERS)


def test_a_block_is_printed_alone_and_what_it_lacks_beside_it(mem: Mem, known: str) -> None:
    shown = mem("enrich", "-", given=f'{{"tables": ["{ORDERS}", "urn:table:refunds"]}}')
    assert known
    assert "Only checkout writes it." in shown.stdout
    assert shown.stdout.endswith(">\n")
    assert "refunds" not in shown.stdout
    assert shown.stderr == "nothing is known of urn:table:refunds\n"


def test_a_block_without_room_is_not_said_to_be_unknown(mem: Mem, known: str) -> None:
    assert known
    shown = mem("enrich", "-", "--tokens", "5", given=ORDERS)
    assert shown.stdout == ""
    assert f"no room for what is known of {ORDERS}" in shown.stderr


def test_a_response_without_a_urn_is_said_to_have_none(mem: Mem) -> None:
    shown = mem("enrich", "-", given="hello")
    assert (shown.stdout, shown.stderr) == ("", "there is no URN in it\n")


def test_one_memory_is_one_and_a_name_that_nobody_uses_is_told_how_to_ask(mem: Mem, known: str) -> None:
    shown = mem("graph", ORDERS).stdout
    assert known in shown
    assert f"{ORDERS} (1 memory)" in shown
    assert "mem search" in mem("graph", "orders").stdout


def test_a_graph_says_whose_words_nobody_vouches_for(mem: Mem, known: str) -> None:
    """Falls without the speaker in `_node_text`."""
    claim = added(mem, "The orders are kept in a cellar.", "--entity", ORDERS, "--agent", "codex")
    assert {known, claim} <= set(mem("graph", ORDERS).stdout.replace(":", " ").split())
    shown = " ".join(mem("graph", ORDERS).stdout.split())
    assert shown.count("unreviewed, by agent:codex") == 1


def test_a_pin_is_told(mem: Mem, known: str) -> None:
    assert ", pinned" in mem("edit", known, "--pin").stdout
    assert ", pinned" not in mem("edit", known, "--unpin").stdout
