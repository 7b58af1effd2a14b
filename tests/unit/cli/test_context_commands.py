"""`mem context`, `mem feedback`, `mem tuning`: as people use them on a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Mem, added, answer, problem

INTENT = "how long does the queue keep messages?"


@pytest.fixture
def known(mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    return added(mem, "The queue keeps messages for four days.")


def test_a_context_is_a_page_and_what_it_cost(mem: Mem, known: str) -> None:
    shown = mem("context", INTENT, "--tokens", "200", "--request-id", "r1")
    assert "\n1 The queue keeps messages for four days.\n" in shown.stdout
    assert "(wordpiece)" in shown.stderr
    assert "mem feedback r1" in shown.stderr
    receipt = shown.stderr.partition("--recall ")[2].split()[0]
    assert known in mem("outcome", "--recall", receipt, "1", "--worked").stdout
    document = answer(mem("context", INTENT, "--tokens", "200", "--json"))
    assert [part["id"] for part in document["fragments"]] == [known]
    assert 0 < document["metadata"]["total_tokens"] <= 200


def test_feedback_tunes_and_a_reset_takes_it_back(mem: Mem, known: str) -> None:
    assert known
    mem("context", INTENT, "--request-id", "r1")
    assert "nothing has tuned it yet" in mem("tuning").stdout
    first = answer(mem("feedback", "r1", "--completeness", "0.2", "--json"))
    assert first["counted"]
    assert first["tuning"]["entity_share"] == 0.35
    assert "it counts once" in mem("feedback", "r1", "--completeness", "0.1").stdout
    assert "entity_share 0.35" in mem("tuning").stdout
    mem("context", INTENT, "--request-id", "r2")
    assert "noted, and tuned by it" in mem("feedback", "r2", "--completeness", "0.1").stdout
    mem("context", INTENT, "--request-id", "r3")
    assert (
        "it moves nothing: that takes --coherence below"
        in mem("feedback", "r3", "--satisfaction", "0.1").stdout
    )
    assert "off; it takes pages of which mem feedback --useful says what was used" in mem("tuning").stdout
    assert answer(mem("tuning", "--reset", "--json"))["entity_share"] == 0.3
    assert "reset to the defaults" in mem("tuning").stdout


def test_what_is_not_there_is_said_in_words(mem: Mem, known: str) -> None:
    assert known
    assert (
        "there is no tokenizer 'bpe'"
        in problem(mem("context", INTENT, "--tokenizer", "bpe", "--json"))["detail"]
    )
    assert "no such source" in problem(mem("context", INTENT, "--source", "L5", "--json"))["detail"]
    unknown = problem(mem("feedback", "r9", "--completeness", "0.2", "--json"))
    assert (unknown["status"], "for you as r9" in unknown["detail"]) == (404, True)


def test_a_warning_names_the_option_that_helps(mem: Mem, known: str) -> None:
    assert known
    told = mem("context", INTENT, "--tokens", "9").stderr
    assert "raise --tokens for more" in told
    poor = mem("context", INTENT, "--model", "claude-sonnet-4-5", "--cost-max", "0.00003").stderr
    assert "raise --cost-max for more" in poor
    assert "--tokens for more" not in poor


def test_a_page_that_is_piped_on_is_that_page_alone(mem: Mem, known: str) -> None:
    page = json.loads(mem("context", INTENT, "--format", "json").stdout)
    assert known
    assert list(page["project"].values()) == [{"1": "The queue keeps messages for four days."}]
    whole = mem("context", INTENT)
    assert whole.stdout.endswith(">\n")
    assert "1 memories" not in whole.stderr


@pytest.mark.parametrize("asked", [(INTENT, "--tokens", "5"), ("waiting lines", "--quality-min", "1")])
def test_what_was_left_out_is_not_said_to_be_unknown(mem: Mem, known: str, asked: tuple[str, ...]) -> None:
    assert known
    shown = mem("context", *asked)
    assert shown.stdout == ""
    assert "all that bears on it was left out" in shown.stderr
    assert "is known" not in shown.stderr


def test_nothing_known_is_said_beside_an_empty_page(mem: Mem, known: str) -> None:
    assert known
    shown = mem("context", INTENT, "-p", "empty")
    assert shown.stdout == ""
    assert "nothing that bears on it is known" in shown.stderr


def test_a_context_without_an_intent_is_what_a_session_begins_with(mem: Mem, known: str) -> None:
    """Falls where the command wants an intent, or does not hand its absence on."""
    rule = added(mem, "Run the formatter before every commit.", "--type", "convention")
    document = answer(mem("context", "--json"))
    assert [part["id"] for part in document["fragments"]] == [rule]
    mem("edit", known, "--pin")
    assert set(re.findall(r"^\d .+$", mem("context").stdout, re.MULTILINE)) == {
        "1 The queue keeps messages for four days.",
        "2 Run the formatter before every commit.",
    }


def test_a_source_that_was_not_asked_is_not_said_to_know_nothing(mem: Mem) -> None:
    shown = mem("context", INTENT)
    assert "embedding provider unavailable" in shown.stderr
    assert "not all could be asked" in shown.stderr
    assert "is known" not in shown.stderr


def test_no_time_at_all_is_refused_as_over_http(mem: Mem) -> None:
    assert "time_ms" in problem(mem("context", INTENT, "--budget-ms", "0", "--json"))["detail"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--tokens", "-5"), "--tokens: "),
        (("--budget-ms", "0"), "--budget-ms: "),
        (("--quality-min", "7"), "--quality-min: "),
        (("--detail", "huge"), "--detail: "),
        (("--source", "L9"), "--source: "),
        (("--entity", ""), "--entity: "),
        (("--request-id", "a b"), "--request-id: "),
        (("--source", "workshop"), "source workshop is what a session said; give --session or --source"),
    ],
)
def test_what_is_wrong_is_named_as_it_was_typed(mem: Mem, options: tuple[str, str], named: str) -> None:
    told = mem("context", INTENT, *options).stderr.splitlines()[-1]
    assert told.startswith(f"mem: {named}")


def test_each_of_several_is_named_as_it_was_typed(mem: Mem) -> None:
    told = mem("context", INTENT, "--tokens", "-5", "--detail", "huge").stderr
    assert {line.split(":")[0].split()[-1] for line in told.replace("mem: ", "").splitlines()} == {
        "--tokens",
        "--detail",
    }


def test_feedback_without_a_number_says_what_it_takes(mem: Mem) -> None:
    refused = mem("feedback", "r1")
    assert refused.stderr.startswith("mem: say at least one of --coherence, --completeness, --contradictions")


def fragments(mem: Mem, *options: str, given: str | None = None) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = answer(mem("context", INTENT, *options, "--json", given=given))["fragments"]
    return shown


def test_what_is_pinned_goes_in(mem: Mem, known: str) -> None:
    """By a tag, by an id, and by the object that HTTP takes; falls where the option is not handed on."""
    pinned = added(mem, "Lunch is served at noon.", "--tag", "runbook.md")
    assert [part["id"] for part in fragments(mem)] == [known]
    pins = '{"pin": {"patterns": ["*.md"]}}'
    for options in (("--pin", "*.md"), ("--pin", "x", "--pin", pinned), ("--kv-policy", pins)):
        assert {part["id"] for part in fragments(mem, *options)} == {known, pinned}


def test_tier_rules_are_read_from_standard_input_too(mem: Mem, known: str) -> None:
    small = '{"evict": {"max_total_size_gb": 1e-9}}'
    assert [part["id"] for part in fragments(mem, "--pin", known, "--kv-policy", "-", given=small)] == [known]
    assert fragments(mem, "--kv-policy", "-", given=small) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--pin", ""), "mem: pin: the pattern is empty"),
        (("--kv-policy", "{"), "mem: --kv-policy takes JSON, and this is none"),
        (("--kv-policy", "[]"), "mem: --kv-policy takes one JSON object, such as"),
        (("--kv-policy", '{"pin": 5}'), "mem: --kv-policy: pin: give a JSON object"),
        (("--kv-policy", '{"pins": {}}'), "there are: pin, compress, evict"),
        (("--kv-policy", '{"evict": {"lru_weight": 1}}'), "mem: --kv-policy: evict: give both lru_weight"),
        (("--pin", "x", "--kv-policy", '{"pin": {}}'), "mem: --kv-policy has a pin of its own"),
    ],
)
def test_tier_rules_that_cannot_hold_are_refused_in_words(
    mem: Mem, options: tuple[str, ...], told: str
) -> None:
    assert told in mem("context", INTENT, *options).stderr
