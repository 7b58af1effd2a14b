"""Marks of Markdown are no words of a memory, and what is struck out is said no more."""

from __future__ import annotations

import pytest

from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.edge.foreign.silent_lines import STRUCK_OUT


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


def test_a_line_that_is_struck_out_is_named_and_not_stored() -> None:
    read = read_markdown("- ~~Use the old mirror.~~\n- Use the new mirror.\n")
    assert [one.fields["content"] for one in read.memories] == ["Use the new mirror."]
    assert [(one.where, one.reason) for one in read.left_out] == [("line 1", STRUCK_OUT)]
