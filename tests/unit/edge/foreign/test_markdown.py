"""CLAUDE.md and its like: what becomes a memory, and under which headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import CONTENT_MAX_BYTES, CONTEXT_MAX_BYTES
from memory_layer.edge.foreign.markdown import WHOLE_ITEM_MAX_CHARS, read_markdown
from memory_layer.edge.foreign.titles import HEADING_MAX_CHARS
from memory_layer.errors import MemoryLayerError

FILE = """\
---
title: how we work
---
# Project

Intro with `code`.

<!-- hidden

from all -->
## Table of Contents
- [Build](#build)
- Tests, see below

## **Build**
Run the tests:
```sh
make test
```

Rules:

- Use tabs <!-- not spaces -->
- Keep it *small*
  - in lines
  - in files
- [the guide](docs/guide.md)

### Tests

[![badge](https://x.test/y.svg)](https://z.test)  https://foo.test/bar

@docs/other.md

1. First
   second line

| engine | port |
|---|---|
| db | 5432 |

## Empty
"""


def read(text: str) -> list[Mapping[str, Any]]:
    return [memory.fields for memory in read_markdown(text).memories]


def said(text: str) -> list[str]:
    return [fields["content"] for fields in read(text)]


def said_under(text: str) -> list[tuple[str, str]]:
    return [(fields["content"], fields.get("context", "")) for fields in read(text)]


def test_paragraphs_and_items_are_memories_under_their_headings() -> None:
    found = [(m.where, m.fields["content"], m.fields["context"]) for m in read_markdown(FILE).memories]
    assert found == [
        ("line 6", "Intro with `code`.", "Project"),
        ("line 16", "Run the tests:\n```sh\nmake test\n```", "Project > Build"),
        ("line 23", "Use tabs", "Project > Build > Rules"),
        ("line 24", "Keep it *small*\n- in lines\n- in files", "Project > Build > Rules"),
        ("line 35", "First second line", "Project > Build > Tests"),
        ("line 38", "| engine | port |\n|---|---|\n| db | 5432 |", "Project > Build > Tests"),
    ]


@pytest.mark.parametrize(("name", "tags"), [("CLAUDE.md", ("CLAUDE.md",)), (None, None), ("a[b.md", None)])
def test_the_name_of_the_file_is_the_tag(name: str | None, tags: tuple[str, ...] | None) -> None:
    (memory,) = read_markdown("Use tabs.", name).memories
    assert memory.fields.get("tags") == tags


@pytest.mark.parametrize(
    "text",
    [
        *["", "# Only a heading", "---\nkey: value\n---\n", "<!-- a -->", "- ", "***", "[a]: http://b.test"],
        *[
            "- [a](b)\n- [c](d 'e')",
            "![x](y)",
            "<https://a.test>",
            "@AGENTS.md",
            "<br/>",
            "## Contents\n\n- A",
        ],
    ],
)
def test_what_says_nothing_is_skipped(text: str) -> None:
    assert read(text) == []


def test_a_long_item_is_split_and_its_parts_know_what_they_belong_to() -> None:
    long = "word " * (WHOLE_ITEM_MAX_CHARS // 5)
    found = read(f"- Releases:\n  - {long}\n  - short\n- Tags\n  - {long}")
    assert [(fields["content"][:5], fields.get("context")) for fields in found] == [
        ("word ", "Releases"),
        ("short", "Releases"),
        ("Tags", None),
        ("word ", "Tags"),
    ]


def test_code_stays_with_its_paragraph_and_only_with_that() -> None:
    assert said("Do this.\n\n    make\n\n```\nthen\n```\n\n- item\n\n```\nalone\n```") == [
        "Do this.\n```\nmake\n```\n```\nthen\n```",
        "item",
        "```\nalone\n```",
    ]
    assert said("````\n```\nnested\n```\n````") == ["````\n```\nnested\n```\n````"]


def test_a_sentence_that_leads_into_nothing_stays_itself() -> None:
    assert said("Mind the gap:\n\nAlways.") == ["Mind the gap:", "Always."]


def test_what_is_too_long_for_a_memory_is_refused_with_its_line() -> None:
    file = read_markdown(f"Fine.\n\n{'x' * (CONTENT_MAX_BYTES + 1)}\n\nFine, too.")
    assert [memory.fields["content"] for memory in file.memories] == ["Fine.", "Fine, too."]
    (refused,) = file.refused
    assert refused.where == "line 3"
    assert "32,769 bytes of UTF-8; the limit is 32,768" in refused.problem


def test_code_too_long_to_go_with_its_paragraph_is_on_its_own() -> None:
    code = "x" * (CONTENT_MAX_BYTES - 10)
    assert said(f"Run this now:\n```\n{code}\n```") == ["Run this now:", f"```\n{code}\n```"]


def test_headings_however_long_make_a_context_that_can_be_stored() -> None:
    nested = "".join(f"{'  ' * depth}- {'語' * 600}\n" for depth in range(20))
    for fields in read(f"# {'é' * 9_000}\n\n{nested}"):
        assert len(fields["context"].encode()) <= CONTEXT_MAX_BYTES
    assert len(read("# " + "x" * 500 + "\n\ntext")[0]["context"]) == HEADING_MAX_CHARS


def test_nesting_beyond_reason_is_refused_and_not_lost() -> None:
    with pytest.raises(MemoryLayerError, match=r"line \d+: nested too deeply"):
        read_markdown("\n".join("  " * depth + "- item" for depth in range(100)))


def test_windows_line_ends_change_nothing() -> None:
    assert read(FILE.replace("\n", "\r\n")) == read(FILE)


MARKS = st.text(alphabet=st.sampled_from("-*#>`|[]()!:.<1 \n\tab~=\\&_é"), max_size=300)


@given(st.text() | MARKS)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        file = read_markdown(text, "n.md")
    except MemoryLayerError:
        return
    assert all(memory.fields["content"].strip() for memory in file.memories)


def test_a_heading_that_forbids_stays_with_its_lines() -> None:
    """Falls where a heading is context only: `Use lodash` is then a recommendation."""
    assert said_under("# Web\n\n## Never do this\n- Use lodash\n\n## Naming\n- Use snake_case") == [
        ("Never do this: Use lodash", "Web > Never do this"),
        ("Use snake_case", "Web > Naming"),
    ]


def test_it_governs_what_stands_deeper_until_something_else_is_recommended() -> None:
    text = (
        "## Avoid\n### Styling\n- Inline styles\n\nGlobals.\n### Instead\n- Modules\n## Tests\n- Use pytest"
    )
    assert said(text) == ["Avoid: Inline styles", "Avoid: Globals.", "Modules", "Use pytest"]


@pytest.mark.parametrize("line", ["**Never**", "**Never:**", "Never:"])
def test_a_line_before_a_list_forbids_as_a_heading_does(line: str) -> None:
    assert said(f"## Git\n{line}\n\n- Push to main\n\n**Style**\n\n- Squash") == [
        "Never: Push to main",
        "**Style**",
        "Squash",
    ]


def test_conditions_and_refusals_together() -> None:
    assert said("## On Windows\n### Don't\n- Use symlinks\n- Never use fork") == [
        "On Windows > Don't: Use symlinks",
        "On Windows: Never use fork",
    ]


def test_code_and_tables_keep_their_own_lines_under_what_governs_them() -> None:
    assert said("## Bad\n```py\neval(x)\n```\n## Verboten\n| a |\n|---|\n| b |") == [
        "Bad:\n```py\neval(x)\n```",
        "Verboten:\n| a |\n|---|\n| b |",
    ]


def test_lines_have_a_category_and_stand_until_their_file_drops_them() -> None:
    """Falls where the type of a gotcha lets it expire after 90 days, though the file says it still."""
    (gotcha,) = read("## Gotchas\n- Safari drops the cookie.")
    assert (gotcha["category"], gotcha["expires_at"]) == ("gotcha", None)


def test_a_comment_goes_and_one_in_code_is_what_the_line_is_about() -> None:
    assert said(
        "Skip a block with `<!-- lint: off -->`. <!-- todo --> Or a file with ``<!-- `lint` -->``."
    ) == ["Skip a block with `<!-- lint: off -->`.  Or a file with ``<!-- `lint` -->``."]
    assert said("A lone ` mark <!-- a ` b --> ends.") == ["A lone ` mark <!-- a ` b --> ends."]


def left_out(text: str) -> list[tuple[str, str]]:
    return [(part.where, part.reason) for part in read_markdown(text).left_out]


def test_a_comment_within_a_stored_line_is_named_too() -> None:
    """Falls where an import tells of whole lines alone."""
    within = "a comment within the line, whose other words are stored"
    text = "- Decode <!-- lint-disable MD013 --> first.\n- Mark `<!-- off -->`.\n\nOne\n<!-- two\nthree --> four.\n"
    assert left_out(text) == [("line 1", within), ("line 5", within)]
    assert left_out("<b>Bold <!-- why --></b>\n\n<b><!-- alone --></b>") == [
        ("line 3", "links, badges or tags alone"),
        ("line 1", within),
    ]


def test_every_line_that_is_no_memory_is_named_with_the_reason() -> None:
    assert left_out(FILE) == [
        ("line 2", "front matter"),
        ("lines 8-10", "a comment"),
        ("line 11", "a heading with nothing under it"),
        ("lines 12-13", "table of contents"),
        ("line 27", "links, badges or tags alone"),
        ("lines 31-33", "links, badges or tags alone"),
        ("line 42", "a heading with nothing under it"),
        ("line 23", "a comment within the line, whose other words are stored"),
    ]
    assert left_out("[a]: http://b.test\n\nText.") == [("line 1", "definition of a link")]
    assert left_out("## Mere:\n\nLeads:\n\n- [a](b)\n") == [
        ("lines 1-3", "a heading with nothing under it"),
        ("line 5", "links, badges or tags alone"),
    ]


def test_sentences_before_a_list_are_not_lost() -> None:
    """Falls where a paragraph that leads into a list is a heading and nothing else."""
    text = "We use pnpm. The lock file is checked in.\nFor releases we run:\n\n- `make tag`\n"
    assert said_under(f"# A\n\n{text}") == [
        ("We use pnpm. The lock file is checked in. For releases we run:", "A"),
        ("`make tag`", "A > For releases we run"),
    ]


@given(st.lists(st.sampled_from(["# A", "## Never", "- b", "  - c", "d:", "e. F:", "", "[x](y)", "<!-- z", "-->", "```",
                                 "| a |", "|---|", "> q", "[l]: m", "1. n", "***", "<br>"]), max_size=14))  # fmt: skip
def test_no_line_vanishes(lines: list[str]) -> None:
    """Each line with a word, tags aside, is said by a memory, stands over one, or is named as left out."""
    file = read_markdown("\n".join(lines))
    named = {number for part in file.left_out for number in numbers_of(part.where)}
    said = "\n".join(f"{fields['content']}\n{fields.get('context', '')}" for fields in read("\n".join(lines)))
    for number, line in enumerate(lines, 1):
        words = re.findall(r"[A-Za-z]+", line.replace("<br>", ""))
        assert number in named or all(word in said for word in words)


def numbers_of(where: str) -> range:
    first, _, last = where.removeprefix("lines ").removeprefix("line ").partition("-")
    return range(int(first), int(last or first) + 1)


def test_references_are_their_names_alone() -> None:
    """Falls where addresses of issues and commits are stored, which outweigh what the line says in a search."""
    text = (
        "- Retry the upload ([#12](https://forge.example/shop/issues/12)) "
        "([0a1b2c3](https://forge.example/shop/commit/0a1b2c3d4e5f)) by [@kim](https://forge.example/kim)\n"
        "- Follow [the guide](https://forge.example/guide) and [acme/shop#7](https://forge.example/shop/7).\n"
        "- Read totals anew ([#9](https://github.com/shop/9) by [Kim](https://github.com/kim)), see [docs](https://a.b/docs)\n"
    )
    assert [one.fields["content"] for one in read_markdown(text).memories] == [
        "Retry the upload (#12) (0a1b2c3) by @kim",
        "Follow [the guide](https://forge.example/guide) and acme/shop#7.",
        "Read totals anew (#9 by Kim), see [docs](https://a.b/docs)",
    ]


def test_a_wrapped_paragraph_is_one_line_and_its_breaks_stay() -> None:
    """Falls where a page cuts a sentence at the margin of the file."""
    text = (
        "- Close the pool when the\n  loop ends,\n  so that it is free.\n\nOne  \ntwo\\\nthree\n\u2705 four\n"
    )
    said = [one.fields["content"] for one in read_markdown(text, "x.md").memories]
    assert said == ["Close the pool when the loop ends, so that it is free.", "One\ntwo\nthree\n\u2705 four"]


def test_code_keeps_its_lines() -> None:
    text = "Run this, and\nwait:\n\n```sh\nmake a\nmake b\n```\n"
    said = [one.fields["content"] for one in read_markdown(text, "x.md").memories]
    assert said == ["Run this, and wait:\n```sh\nmake a\nmake b\n```"]


NEWS = """\
# Changelog

## Version 8.0

Released 2021-05-11

**Deprecated parts**:

The `parcels` argument goes in 9.0.

**Enhancements:**

- Labels print faster.
- Full Changelog: https://forge.example/shop/compare/7.0...8.0
- See [the older ones](old.md) for details
- @kim made their first contribution in #12
- Thanks to @kim and @lee!
- No notable changes.
- Thanks to the cache, @kim's labels print at once.
- No labels are changed by a reprint.
- Carrier 3.11.0a4 (#2217)

<a name="7.0"></a>
"""


def test_lines_of_a_changelog_that_tell_no_news_are_named_and_not_stored() -> None:
    """Falls where a link to a comparison is an answer to a question about a version."""
    file = read_markdown(NEWS, "CHANGELOG.md")
    assert [one.fields["content"].rpartition(": ")[2] for one in file.memories] == [
        "The `parcels` argument goes in 9.0.",
        "Labels print faster.",
        "Thanks to the cache, @kim's labels print at once.",
        "No labels are changed by a reprint.",
        "Carrier 3.11.0a4 (#2217)",
    ]
    assert [(one.where, one.reason) for one in file.left_out] == [
        ("line 5", "a version or a date alone"),
        ("lines 14-15", "a link to the changes alone"),
        ("lines 16-17", "names of contributors alone"),
        ("line 18", "tells of no change"),
        ("line 23", "links, badges or tags alone"),
    ]


def test_contributors_with_pictures_are_named_and_not_stored() -> None:
    """Falls where the title of a link, which has parentheses, makes of a name a memory."""
    text = '# 2.0\n\n### Contributors to this release\n\n- <img src="a.png"/> [Kim](https://kim.test "+2 (#7)")\n'
    file = read_markdown(text, "CHANGELOG.md")
    assert not file.memories
    assert ("line 5", "links, badges or tags alone") in [(one.where, one.reason) for one in file.left_out]


def test_a_heading_is_stored_without_the_address_of_its_link() -> None:
    """Falls where a line is found for the version that its release is compared with."""
    text = "# Changes\n\n## [2.6.0](https://git.test/compare/2.5.0...2.6.0) (2021-10-14)\n\n- Labels print faster.\n"
    (line,) = read_markdown(text, "CHANGELOG.md").memories
    assert line.fields["context"] == "Changes > 2.6.0 (2021-10-14)"


def test_a_release_without_changes_tells_no_news() -> None:
    text = "# 0.8.6\n\nReleased without changes to fix the build of the docs.\n\n# 0.8.5\n\n- Fix a crash\n"
    file = read_markdown(text, "CHANGELOG.md")
    assert [memory.fields["content"] for memory in file.memories] == ["Fix a crash"]
    assert [(one.where, one.reason) for one in file.left_out] == [
        ("line 1", "a heading with nothing under it"),
        ("line 3", "tells of no change"),
    ]


def test_the_same_lines_of_other_files_are_stored() -> None:
    file = read_markdown("# Team\n\n- No changes\n- Thanks to @kim and @lee!\n", "CLAUDE.md")
    assert len(file.memories) == 2


def test_a_line_below_a_version_dates_it_and_a_label_heads_its_paragraphs() -> None:
    parts, labels, *_ = read_markdown(NEWS, "CHANGELOG.md").memories
    assert parts.fields["said_at"] == datetime(2021, 5, 11, tzinfo=UTC)
    assert parts.fields["context"].endswith("(Released 2021-05-11) > Deprecated parts")
    assert labels.fields["context"].endswith("(Released 2021-05-11) > Enhancements")


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ('title: "Wartungsmodus"\nweight: 20', "Wartungsmodus"),
        ("+++\ntitle = 'Move a server'\n+++", "Move a server"),
        ("name: house-rules\ndescription: Rules of the house", "house-rules"),
        ("name: rules\ntitle: Rules of the house", "Rules of the house"),
        ("title: >\n  folded", ""),
        ("weight: 20", ""),
    ],
)
def test_the_title_of_a_front_matter_stands_over_a_file_without_one(front: str, title: str) -> None:
    """Falls where it is left out: nothing else says what the page is about."""
    head = front if front.startswith("+++") else f"---\n{front}\n---"
    above = (title,) if title else ()
    assert said_under(f"{head}\n\nUse the console.\n\n## Steps\n\nStop the shop.\n") == [
        ("Use the console.", " > ".join(above)),
        ("Stop the shop.", " > ".join((*above, "Steps"))),
    ]
    assert said_under(f"{head}\n# Own title\n\nUse the console.\n") == [("Use the console.", "Own title")]


def test_a_heading_is_stored_without_the_id_of_its_links() -> None:
    text = "# Install {#install}\n\nUse brew.\n\n## On Linux {: #linux .x }\n\nUse apt.\n\n## Maps {a: 1}\n\nUse {x}.\n"
    assert [context for _, context in said_under(text)] == [
        "Install",
        "Install > On Linux",
        "Install > Maps {a: 1}",
    ]


@pytest.mark.parametrize("text", ["TODO", "_To be added._", "TBD.", "> Coming soon!", "Kommt noch"])
def test_a_placeholder_is_named_and_not_stored(text: str) -> None:
    assert left_out(f"# Disk full\n\n## Mitigation\n\n{text}\n\n## Impact\n\nWrites fail.\n") == [
        ("line 3", "a heading with nothing under it"),
        ("line 5", "a placeholder"),
    ]
    assert said(f"- {text} by the team on call\n") != []


def test_words_behind_a_nested_list_are_stored_and_not_told_as_left_out() -> None:
    """Falls where the block of an item ends at its list: the report called its last words a definition of a link."""
    text = f"1. Write the record.\n   - {'a' * WHOLE_ITEM_MAX_CHARS}\n\n   Raise its number then.\n"
    file = read_markdown(text, "a.md")
    assert file.left_out == ()
    assert any("Raise its number" in memory.fields["content"] for memory in file.memories)


def test_a_step_of_a_numbered_list_is_no_rule_unless_it_or_its_heading_says_so() -> None:
    """Falls without `is_step`: each session began with single steps of procedures."""
    text = (
        "# Runbook\n\n## Restore the shop\n\n1. Stop the old workers\n2. Never skip the dump\n\n"
        "- Keep the dump\n\n## Rules\n\n1. Tag each dump\n"
    )
    assert [one.fields["category"] for one in read_markdown(text).memories] == [
        *("pattern", "convention", "convention", "convention")
    ]


def test_a_question_alone_stands_over_its_answer_with_its_code() -> None:
    """Falls where the code under a question goes with the answer of the one before it."""
    text = "# F\n**Q: How long?**\n\nAn hour.\n\n__How to\nstart?__\n```\nrun\n```\nQ2: Where?\n\n- here\n\n## G\nText."
    assert said_under(text) == [
        ("An hour.", "F > How long?"),
        ("```\nrun\n```", "F > How to start?"),
        ("here", "F > Where?"),
        ("Text.", "F > G"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"**{'Why so ' * 23}long?**",
        "**Ask why? It helps.**",
        "Why **not?**",
        "**Never deploy on Friday. Is that clear?**",
        "Q: Is TLS on? A: Only on port 8443. Clear?",
        "Q3: revenue rose by 12 percent. Will it last?",
        "F. Scott wrote it, will you ask?",
    ],
)
def test_what_is_more_than_a_question_in_bold_is_a_memory(text: str) -> None:
    assert said(f"{text}\n\nAn answer.") == [text, "An answer."]


def test_questions_with_nothing_under_them_are_memories() -> None:
    """Falls where every question in bold is a heading: a guide of questions was left out."""
    asked = ["**What failed?**", "**What would you change?**"]
    assert said("# Guide\n" + "\n\n".join(asked) + "\n\n## Other\nText.") == [*asked, "Text."]
