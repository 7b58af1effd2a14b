from __future__ import annotations

import pytest

from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.synonym_tables import SAME, TOPICS
from memory_layer.domain.text.synonyms import by_key, expanded, otherwise_said, short_forms


@pytest.mark.parametrize(
    ("query", "more"),
    [
        ("a11y", "accessibility"),
        ("K8s upgrade", "kubernetes"),
        ("env vars of the worker", "environment variable"),
        ("Umgebungen", "environment"),
        ("Which security fixes are there", "vulnerability CVE GHSA advisory"),
        ("security groups and CVEs", "security vulnerability GHSA advisory"),
    ],
)
def test_a_question_is_searched_with_what_its_words_stand_for(query: str, more: str) -> None:
    assert expanded(query, {}) == f"{query} {more}"


@pytest.mark.parametrize(
    "query", ["Max is late", "auth entication", "the repository and its repo", "be kind", ""]
)
def test_nothing_is_added_twice_or_to_plain_words(query: str) -> None:
    """Falls where what the question says already is added, or where a short form is an English word."""
    assert "repository repository" not in expanded(query, {})
    assert expanded("be kind, Max", {}) == "be kind, Max"
    assert expanded("security group", {}) == "security group"


@pytest.mark.parametrize(
    ("question", "forms"),
    [
        ("start a virtual machine", ("vm", "vms")),
        ("where is the configuration", ("cfg", "config")),
        ("is Kubernetes used", ()),
        (" ".join(["the configuration"] * 17), ()),
    ],
)
def test_what_has_a_short_form_is_searched_by_it_too(question: str, forms: tuple[str, ...]) -> None:
    assert short_forms(question) == forms


def test_topics_are_no_part_of_the_search() -> None:
    assert expanded("deploy", {}) == "deploy"
    assert "rollout" in otherwise_said("deploy", {})


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("auth", "jwt"),
        ("git", "commit"),
        ("a11y", "aria"),
        ("database", "datenbank"),
        ("k8s", "helm"),
        ("naming", "camelcase"),
    ],
)
def test_a_word_is_said_otherwise(word: str, other: str) -> None:
    assert set(analyze(other)) <= otherwise_said(word, {})


def test_a_projects_words_come_before_the_tables() -> None:
    """Falls where the settings are looked up by another spelling than the question's."""
    own = by_key({"DB": ("orders ledger",), "Caf\u00e9": ("menu",)})
    assert expanded("the db of the caf\u00e9", own) == "the db of the caf\u00e9 orders ledger menu"


@pytest.mark.parametrize("table", [SAME, TOPICS])
def test_every_line_says_something_else_for_a_word(table: str) -> None:
    for line in table.strip().splitlines():
        keys, separator, said = line.partition(": ")
        assert separator, line
        assert said.strip(), line
        assert keys == keys.lower(), line


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("revert", "Roll back by the previous tag; a rollback takes a minute."),
        ("picture", "Images are served by the CDN."),
        ("sizes", "The maximum is two megabytes."),
    ],
)
def test_words_of_daily_work_are_said_for_each_other(asked: str, text: str) -> None:
    """Falls without the table of words that are alike: a loosely worded question shares no word with its answer."""
    assert not otherwise_said(asked, {}).isdisjoint(analyze(text))
    assert otherwise_said("crocodile", {}).isdisjoint(analyze(text))


def test_words_that_are_alike_are_no_part_of_the_search() -> None:
    assert expanded("Where are the pictures?", by_key({})) == "Where are the pictures?"
