"""`mem events` and `mem webhook` as a terminal runs them."""

from __future__ import annotations

import json

import pytest

from memory_layer.cli.commands import changes
from memory_layer.manifest import env
from tests.receivers import LOOPBACK, receiving
from tests.unit.cli.conftest import Mem, answer


def added(mem: Mem, words: str) -> str:
    return str(answer(mem("add", words, "--json"))["id"])


def test_changes_are_shown_by_pages_and_by_type(mem: Mem) -> None:
    first = added(mem, "Run the importer with mode=ro.")
    added(mem, "Close each file after use.")
    shown = mem("events")
    assert "memory.created" in shown.stdout
    assert first in shown.stdout
    page = answer(mem("events", "-n", "1", "--json"))
    assert (page["events"][0]["subject"], page["next_after"], page["is_last"]) == (first, 1, False)
    assert "more: --after 1" in mem("events", "-n", "1").stdout
    assert mem("events", "--type", "memory.stale").stdout == "no change\n"
    refused = mem("events", "--type", "memory.eaten")
    assert (refused.exit_code, "memory.created" in refused.stderr) == (1, True)
    assert mem("events", "--after", "9").exit_code == 1


def test_what_changes_is_followed_until_it_is_interrupted(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    first = added(mem, "Run the importer with mode=ro.")

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupt)
    followed = mem("events", "--follow", "--after", "0", "--json")
    assert (followed.exit_code, json.loads(followed.stdout)["subject"]) == (0, first)
    assert mem("events", "-f").stdout == ""
    assert changes.LOOK_S > 0


def test_a_webhook_is_added_tried_listed_and_removed(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(env.WEBHOOK_NETWORKS, LOOPBACK)
    with receiving() as receiver:
        made = mem("webhook", "add", receiver.url, "--type", "memory.approved")
        assert "secret whsec_" in made.stdout
        (listed,) = answer(mem("webhook", "list", "--json"))["webhooks"]
        assert listed["types"] == ["memory.approved"]
        tried = mem("webhook", "test", listed["id"])
        assert (tried.exit_code, tried.stdout.startswith("taken with 204")) == (0, True)
    failed = mem("webhook", "test", listed["id"])
    assert (failed.exit_code, "not taken: no answer" in failed.stdout) == (1, True)
    assert "ready" in mem("webhook", "list").stdout
    assert mem("webhook", "remove", listed["id"]).exit_code == 0
    assert mem("webhook", "list").stdout == "no webhook\n"
    assert mem("webhook", "remove", listed["id"]).exit_code == 1
    assert mem("webhook", "add", "ftp://a.example").exit_code == 1
    monkeypatch.setenv(env.WEBHOOK_NETWORKS, "here")
    assert env.WEBHOOK_NETWORKS in mem("webhook", "list").stderr


def test_a_private_address_is_refused_by_the_rule_of_deliveries(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where an address is judged at the first delivery alone: it would be told of as added, and never sent to."""
    refused = mem("webhook", "add", "https://127.0.0.1:9/hook")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"not sent to private addresses, but for networks that {env.WEBHOOK_NETWORKS}" in refused.stderr
    assert "it takes https" in mem("webhook", "add", "http://93.184.215.14/hook").stderr
    monkeypatch.setenv(env.WEBHOOK_NETWORKS, LOOPBACK)
    assert mem("webhook", "add", "https://127.0.0.1:9/hook").exit_code == 0
    assert mem("webhook", "add", "https://nobody.invalid/hook").exit_code == 0


def test_ids_are_whole_on_a_narrow_terminal(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where a column with ids is folded: half of one is copied."""
    monkeypatch.setenv("COLUMNS", "40")
    first = added(mem, "Run the importer with mode=ro.")
    hook = answer(mem("webhook", "add", f"https://nobody.invalid/{'x' * 60}", "--json"))["id"]
    assert first in mem("events").stdout
    assert hook in mem("webhook", "list").stdout
    assert first in mem("list", "--fields", "id,content,category,created_at").stdout


def test_an_agent_registers_no_receiver(mem: Mem) -> None:
    assert mem("webhook", "add", "https://a.example", "--agent", "codex").exit_code == 1
