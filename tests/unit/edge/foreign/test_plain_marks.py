"""Marks of Markdown are no words of a memory, and what is struck out is said no more."""

from __future__ import annotations

import re

import pytest

from memory_layer.edge.foreign import inline_marks, plain_marks, ticked_lists
from memory_layer.edge.foreign.inline_marks import without_inline_marks
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
        ("# Rules\n\n- [ ] Each route has a test", "Each route has a test"),
        ("# Release steps\n\n- [x] Tag the commit", "Tag the commit"),
        ("# Action items\n\n- [x] Logs must rotate", "Done: Logs must rotate"),
        ("# Next steps\n\n- [ ] Tag the commit", "Next steps: To do: Tag the commit"),
        ("- [ ] Never commit secrets", "Never commit secrets"),
        ("- [x] Secrets must stay out of logs", "Secrets must stay out of logs"),
        ("- [ ] Niemals direkt auf main pushen", "Niemals direkt auf main pushen"),
        ("- Before a merge:\n  - [ ] build", "Before a merge:\n- To do: build"),
        ("[ ] is the empty list", "[ ] is the empty list"),
        ("[x] (#12) adds a route", "[x] (#12) adds a route"),
        ("In C# write items[^1] and items[^2]", "In C# write items[^1] and items[^2]"),
        ("It matches foo[^a-z] only", "It matches foo[^a-z] only"),
        (
            "Builds take ~~10 minutes on CI and ~~20 minutes on a laptop",
            "Builds take ~~10 minutes on CI and ~~20 minutes on a laptop",
        ),
        ("Paths ~~/data and ~~/logs are local", "Paths ~~/data and ~~/logs are local"),
        ("- Present:\n  - ~~Ada~~\n  - Bob", "Present:\n- Bob"),
        ("Copy C~~a~~b as it is", "Copy C~~a~~b as it is"),
        ("The port is 80 ~~or 81~~.", "The port is 80."),
        ("Say:\n````md\n```\n~~keep me~~\n```\n````", "Say:\n````md\n```\n~~keep me~~\n```\n````"),
        ("Write ``a ` ~~b~~`` and \\~~c~~", "Write ``a ` ~~b~~`` and \\~~c~~"),
        ("| a |\n|---|\n| `x[^2]` ~~y~~ z |", "| a |\n|---|\n| `x[^2]` z |"),
        ("| ~~a | b~~ |\n|---|---|\n| c | d |", "| ~~a | b~~ |\n|---|---|\n| c | d |"),
        ("Use ~~strike~~ to strike out text", "Use ~~strike~~ to strike out text"),
        ("[^1]: Since the second release.", "Since the second release."),
        ("Ring\n: The nodes of one region", "Ring: The nodes of one region"),
        ("Write `~~x~~`, `[ ]` and `a[^1]` as they are", "Write `~~x~~`, `[ ]` and `a[^1]` as they are"),
        ("Ring `~~x~~` ![up](a_(b).svg)", "Ring `~~x~~` up"),
        ("Sizes range from ~~ to ~~", "Sizes range from ~~ to ~~"),
    ],
)
def test_a_line_is_stored_as_it_is_read(line: str, content: str) -> None:
    """Falls without `without_marks`."""
    assert [one.fields["content"] for one in read_markdown(line).memories] == [content]


def test_the_mark_of_a_footnote_is_left_out_where_the_file_defines_it() -> None:
    """Falls if each bracket with a caret is a footnote, and if none is."""
    read = read_markdown(
        "Quotas are per tenant[^1], and so[^One]:\n\n[^1]: Since 2.0, all.\n\n[^one]: Later\n"
    )
    assert read.memories[0].fields["content"] == "Quotas are per tenant, and so:"


def test_a_rule_with_a_box_is_no_task() -> None:
    """Falls if the box of a rule is read as a task."""
    (rule,) = read_markdown("# Rules\n\n- [ ] Never commit secrets\n").memories
    assert rule.fields["category"] != "todo"


def test_no_mark_is_looked_for_across_lines_or_without_an_end() -> None:
    """Falls with a pattern that walks from each of many blank lines over all the others, or a parser that does so
    from each of many brackets."""
    patterns = [one for part in (plain_marks, inline_marks, ticked_lists) for one in vars(part).values()]
    forms = [one.pattern for one in patterns if isinstance(one, re.Pattern)]
    assert len(forms) > 5
    assert not [form for form in forms if re.search(r"\\[swW][*+]|(?<!\\)[.\])][*+]", form)]
    brackets = "[" * (inline_marks.BRACKETS_MAX + 1) + " ~~a~~ b"
    assert without_inline_marks(brackets, frozenset()) == brackets


@pytest.mark.parametrize("mark", ["", "[ ] ", "[x] "])
def test_a_line_that_is_struck_out_is_named_and_not_stored(mark: str) -> None:
    """Falls where a box counts as words: an active memory said `[ ]`."""
    read = read_markdown(f"- {mark}~~Use the old mirror.~~\n- Use the new mirror.\n")
    assert [one.fields["content"] for one in read.memories] == ["Use the new mirror."]
    assert [(one.where, one.reason) for one in read.left_out] == [("line 1", STRUCK_OUT)]


def test_a_struck_out_item_goes_with_its_box() -> None:
    """Falls where the box of an item inside of another one is left alone."""
    (kept,) = read_markdown("- A:\n  - [x] ~~q~~\n  - c\n").memories
    assert kept.fields["content"] == "A:\n- c"


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
