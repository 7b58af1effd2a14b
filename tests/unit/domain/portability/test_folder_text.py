"""Ends of lines at the end of a folder's file are no words of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.portability.file_text import text_sha256
from memory_layer.domain.portability.folder_text import FolderHashes, edited, ended, told_by_words, words_of
from memory_layer.domain.portability.mirror_plan import KnownFile

TEXTS = st.text(st.sampled_from(["a", " ", "\n", "\r"]), max_size=8)


@given(TEXTS, TEXTS)
def test_words_are_the_folders_and_ends_the_projects(here: str, before: str) -> None:
    stored = edited(here, before)
    assert words_of(stored) == words_of(here)
    assert stored.removeprefix(words_of(stored)) == before.removeprefix(words_of(before))
    assert edited(ended(before), before) == before


@given(TEXTS)
def test_a_text_on_disk_ends_its_last_line_and_has_no_other_words(text: str) -> None:
    assert ended(text) == "" or ended(text).endswith("\n")
    assert ended(text).removeprefix(text) in ("", "\n")
    assert words_of(ended(text)) == words_of(text)
    assert ended(ended(text)) == ended(text)


def known(path: str, text: str) -> KnownFile:
    return KnownFile(path, text_sha256(text), text_sha256(words_of(text)))


def listed(path: str, text: str) -> KnownFile:
    return KnownFile(path, text_sha256(text))


@pytest.mark.parametrize(
    ("was", "here", "now", "told"),
    [
        (known("/a", "x"), "x\n", listed("/a", "x"), "x"),
        (known("/a", "x\n\n\n"), "x", listed("/a", "x\n\n\n"), "x\n\n\n"),
        (known("/a", "x"), "x\r\n", listed("/a", "y"), "x"),
        (known("/a", "x"), "x\n", listed("/a", "x\n"), "x"),
        (known("/a", "x"), "y\n", listed("/a", "y"), "y"),
        (known("/b", "x"), "x\n", listed("/b", "x"), "x"),
        (None, "x\n", listed("/a", "x"), "x"),
        (None, "x", listed("/a", "x\n"), "x\n"),
        (None, "x\n", listed("/b", "x"), "x\n"),
        (known("/a", "x"), "z\n", listed("/a", "y"), "z\n"),
    ],
)
def test_a_file_that_only_ends_otherwise_is_told_as_the_projects(
    was: KnownFile | None, here: str, now: KnownFile, told: str
) -> None:
    found = told_by_words({"1": was} if was else {}, {"/a": FolderHashes.of(here)}, {"1": now})
    assert found == {"/a": text_sha256(told)}
