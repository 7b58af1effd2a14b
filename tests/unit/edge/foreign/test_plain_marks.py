"""Marks of Markdown are no words of a memory, and what is struck out is said no more."""

from __future__ import annotations

import pytest

from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.edge.foreign.silent_lines import NOTHING_SAID, STRUCK_OUT


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("- [ ] Renew the certificate", "To do: Renew the certificate"),
        ("# Review checklist\n\n- [ ] Each route has a test", "Each route has a test"),
        ("Write a list:\n```\n[ ] one\n```", "Write a list:\n```\n[ ] one\n```"),
        ("a = (m : matrix)", "a = (m : matrix)"),
        ("- [x] Buy the disks", "Done: Buy the disks"),
        ("- ~~Use the old mirror~~ Use the new mirror.", "Use the new mirror."),
        ("Press ![the gear](gear.svg) to open it", "Press the gear to open it"),
        ("Quotas are per tenant[^1].", "Quotas are per tenant."),
        ("[^1]: Since the second release.", "Since the second release."),
        ("Ring\n: The nodes of one region", "Ring: The nodes of one region"),
        ("Write `~~x~~`, `[ ]` and `a[^1]` as they are", "Write `~~x~~`, `[ ]` and `a[^1]` as they are"),
        ("Sizes range from ~~ to ~~", "Sizes range from ~~ to ~~"),
    ],
)
def test_a_line_is_stored_as_it_is_read(line: str, content: str) -> None:
    """Falls without `without_marks`."""
    assert [one.fields["content"] for one in read_markdown(line).memories] == [content]


@pytest.mark.parametrize("mark", ["", "[ ] ", "[x] "])
def test_a_line_that_is_struck_out_is_named_and_not_stored(mark: str) -> None:
    """Falls where a box counts as words: an active memory said `[ ]`."""
    read = read_markdown(f"- {mark}~~Use the old mirror.~~\n- Use the new mirror.\n")
    assert [one.fields["content"] for one in read.memories] == ["Use the new mirror."]
    assert [(one.where, one.reason) for one in read.left_out] == [("line 1", STRUCK_OUT)]


@pytest.mark.parametrize("before", ["", "> ", "- See below.\n\n  "])
def test_each_footnote_is_a_memory(before: str) -> None:
    """Falls where a footnote ends at an empty line alone: the second one's words stood behind the first one's."""
    rest = before.rpartition("\n")[2]
    notes = "\n".join(
        (f"{before}[^1]: First.", f"{rest}[^b]: Second one", f"{rest}goes on.", f"{rest}[^c]: Third.")
    )
    said = "\n".join(one.fields["content"] for one in read_markdown(f"{notes}\n").memories)
    assert said.removeprefix("See below.\n") == "First.\nSecond one goes on.\nThird."


def test_a_footnote_of_nothing_but_a_link_says_nothing() -> None:
    read = read_markdown("Quotas are per tenant.[^1]\n[^1]: https://docs.test/quotas\n")
    assert [one.fields["content"] for one in read.memories] == ["Quotas are per tenant."]
    assert [(one.where, one.reason) for one in read.left_out] == [("line 2", NOTHING_SAID)]
