"""What cannot be stored, named or matched is told, with the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.globs import glob_matches
from memory_layer.domain.text_rules import (
    byte_length_problem,
    glob_problem,
    project_problem,
    text_problem,
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ab\x00c", "NUL (U+0000) at character 2"),
        ("\x1b[31m", "control character (U+001B) at character 0"),
        ("a\ud800", "half of a surrogate pair (U+D800) at character 1"),
    ],
)
def test_what_no_store_gives_back_the_same_is_told_with_its_place(text: str, told: str) -> None:
    assert told in (text_problem(text) or "")


@given(st.text())
def test_text_without_a_problem_survives_utf8(text: str) -> None:
    if text_problem(text) is None:
        assert text.encode().decode() == text


@pytest.mark.parametrize("text", ["", "tab\tline\r\n", "日本語 👩‍💻", "\x7f"])
def test_ordinary_text_has_no_problem(text: str) -> None:
    assert text_problem(text) is None


def test_length_counts_bytes_and_not_characters() -> None:
    assert byte_length_problem("éé", 4) is None
    assert byte_length_problem("ééx", 4) == "5 bytes of UTF-8; the limit is 4"


@pytest.mark.parametrize("slug", ["shop", "_shared", "Web-2.0_x", "7", "a" * 64])
def test_projects_that_may_be(slug: str) -> None:
    assert project_problem(slug) is None


@pytest.mark.parametrize("slug", ["", "_other", ".", "-x", "a/b", "a b", "a\n", "é", "a" * 65])
def test_projects_that_may_not_be(slug: str) -> None:
    assert project_problem(slug) is not None


@pytest.mark.parametrize(
    "tag",
    [
        "build",
        "src/**/*.py",
        "*.{ts,tsx}",
        "{a,{b,c}}/x",
        "[!a-z]*",
        "app/[id]/page.tsx",
        "[[]x",
        "[]]",
        "a{b}c",
        "C++",
        "{a,b}" * 6,
    ],
)
def test_globs_that_may_be(tag: str) -> None:
    assert glob_problem(tag) is None


@pytest.mark.parametrize(
    ("tag", "told"),
    [
        ("src/[ab", "square bracket"),
        ("src/ab]", "square bracket"),
        ("{a,b", "brace"),
        ("a,b}", "brace"),
        ("}{", "brace"),
        ("a" * 257, "257 characters"),
        ("{a,b}" * 7, "128 patterns"),
        ("{" + ",".join(map(str, range(65))) + "}", "65 patterns"),
    ],
)
def test_globs_that_may_not_be_are_told_why(tag: str, told: str) -> None:
    assert told in (glob_problem(tag) or "")


@given(st.lists(st.sampled_from(["a", "b", "{", "}", ","]), max_size=14).map("".join))
def test_a_glob_without_a_problem_is_one_that_can_match(tag: str) -> None:
    if glob_problem(tag) is None and "{" in tag:
        first_choice = tag
        while (end := first_choice.find("}")) >= 0:
            start = first_choice.rfind("{", 0, end)
            inside = first_choice[start + 1 : end]
            if "," not in inside:
                return  # braces without a comma stand for themselves
            first_choice = first_choice[:start] + inside.split(",")[0] + first_choice[end + 1 :]
        assert glob_matches(tag, first_choice)
