"""Attribute that a question asks for by name."""

from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.asked_attribute import asked_attribute


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("What is the timeout of the gateway", "timeout"),
        ("What is the backup schedule of the ledger", "schedule"),
        ("Which database does the ledger use", "database"),
        ("Which database stores the ledger", "database"),
        ("What file names does it look for", "names"),
        ("How many retries does a job get", "retries"),
        ("Who approves changes to the ledger", "approves"),
        ("What is the difference between safe and unsafe", None),
        ("What is the maximum number of jobs", None),
        ("What happens to a failed job", None),
        ("What did the posters say", None),
        ("Who is on call for the ledger", None),
        ("How do I restart the gateway", None),
        ("timeout", None),
    ],
)
def test_the_head_of_what_is_asked_for_is_read(question: str, attribute: str | None) -> None:
    assert asked_attribute(question.split()) == attribute
