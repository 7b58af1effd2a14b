from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.retrieval.specific_tokens import compared_text, specific_tokens

NUMBERS = st.lists(st.integers(0, 99), min_size=3, max_size=3)


def told(question: str) -> list[str]:
    return [token.text for token in specific_tokens(question)]


def is_said(question: str, text: str) -> bool:
    (token,) = specific_tokens(question)
    return token.is_said_in(compared_text(text))


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("What changed in 2.4.0?", ["2.4.0"]),
        ("What changed in v2.4.0-rc.1?", ["v2.4.0-rc.1"]),
        ("does `--no-sync` need UV_CACHE_DIR", ["--no-sync", "UV_CACHE_DIR"]),
        ("who wrote PROJ-1234, E501 and TS2345?", ["PROJ-1234", "E501", "TS2345"]),
        ("Why do I get error 1045, HTTP 429 or exit code 137?", ["1045", "429", "137"]),
        ("keepAliveTimeout or max_connections?", ["keepAliveTimeout", "max_connections"]),
        (
            "When is a ReadTimeoutError raised by BatchProcessorBase?",
            ["ReadTimeoutError", "BatchProcessorBase"],
        ),
        ("Which of them? Which of them?", []),
    ],
)
def test_what_names_one_thing_exactly(question: str, tokens: list[str]) -> None:
    assert told(question) == tokens


@pytest.mark.parametrize(
    "question",
    [
        "Is the timeout 2.5 seconds or 1.5s?",
        "Does it cost 3.50 euros, or $4.20?",
        "Did they meet on 2024-05-03, on 7 May 2023 or at 2.30 pm?",
        "War es am 7.5.2023, vom 3.4. an oder um 14.30 Uhr?",
        "Rewrite config/app.yml, src/test_rows.py and pyproject.toml",
        "GitHub, macOS, iPhone and PostgreSQL with k8s, UTF-8 and Node.js?",
        "How many of the 1200 people came in 2019?",
    ],
)
def test_amounts_dates_and_names_of_products_are_said_in_other_ways(question: str) -> None:
    """Falls where a number with its unit or a product's name must be said in the same letters."""
    assert told(question) == []


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("in 2.4.0?", "Changelog > 2.4.0 (2024-05-03)", True),
        ("in 2.4.0?", "v2.4.0 fixes it", True),
        ("in 2.4?", "2.4.0 and 2.4.1 fix it", True),
        ("in 2.4.0?", "2.4 brought it", True),
        ("in 2.4.0?", "2.40 and 12.4.0 and 2.4.0.1.7 and 2.3.0", False),
        ("in 2.4.0?", "2.3.0 > Fixes", False),
        ("in 2.4.0?", "Since 2.3.0 it is fixed", False),
        ("in 2.4.0-beta.1?", "2.4.0-beta.2", False),
        ("in 2.4.0-beta.1?", "2.4.0", False),
        ("in 2.4.0?", "2.4.0-beta.2", True),
        ("on Python 3.12?", "Requires Python >= 3.8", True),
        ("on Python 3.12?", "Python 3.8 or later is needed", True),
        ("on Python 3.12?", "Python 3.8+ is needed", True),
        ("on Python 3.7?", "Python 3.8 or later is needed", False),
        ("on Python 3.7?", "It runs until Python 3.8", True),
        ("on Python 3.12?", "It runs until Python 3.8", False),
        ("on Python 3.12?", "A stable Python 3.8", False),
        ("on Node 3.12?", "Requires Python >= 3.8", False),
        ("max_connections?", "the Max Connections of the pool", True),
        ("max_connections?", "maxConnections", True),
        ("max_connections?", "at most 40 connections", False),
        ("max_connections?", "climax connections", False),
        ("--default-index?", "the default index is ours", True),
        ("--parallel?", "tests run in parallel", False),
        ("--parallel?", "`parallel` runs them side by side", True),
        ("--parallel?", "use --parallel", True),
        ("--parallel?", "use --parallel-tests", False),
        ("PROJ-1234?", "proj 1234 is done", True),
        ("PROJ-1234?", "PROJ-12345 is done", False),
    ],
)
def test_a_text_names_the_same(question: str, text: str, said: bool) -> None:
    assert is_said(question, text) is said


@given(one=NUMBERS, other=NUMBERS)
def test_versions_are_told_apart_by_their_numbers(one: list[int], other: list[int]) -> None:
    first, second = (".".join(map(str, numbers)) for numbers in (one, other))
    assert is_said(f"in {first}?", f"changed in {second}") is (one == other)
