"""Admonitions and tabs of documentation systems: their words are stored as words, and commands stay with their step."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.edge.foreign.containers import without_containers
from memory_layer.edge.foreign.markdown import read_markdown
from tests.unit.edge.foreign.test_markdown import numbers_of


def stored(text: str) -> list[str]:
    file = read_markdown(text, "manual.md")
    assert file.left_out == (), "a mark counts as left out"
    return [memory.fields["content"] for memory in file.memories]


@pytest.mark.parametrize(
    "text",
    [
        '!!! warning "Backups"\n    Keep the key.\n\n    It is needed.\n\nAfter it.',
        '??? danger "Backups"\n\n    Keep the key.\n\n    It is needed.\n\nAfter it.',
        '!!! tip "Backups"\n\tKeep the key.\n\n\tIt is needed.\n\nAfter it.',
        ":::tip[Backups]\n    Keep the key.\n\n    It is needed.\n:::\n\nAfter it.",
        "::: note Backups\nKeep the key.\n\nIt is needed.\n:::\nAfter it.",
        "<details>\n<summary><b>Backups</b></summary>\n\nKeep the key.\n\nIt is needed.\n</details>\n\nAfter it.",
        "<details open><summary>Backups</summary>\n\nKeep the key.\n\nIt is needed.\n\n</details>\n\nAfter it.",
    ],
)
def test_a_container_gives_its_title_to_its_first_words_alone(text: str) -> None:
    """Falls where the body of a container is read as a block of code."""
    assert stored(text) == ["**Backups:** Keep the key.", "It is needed.", "After it."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":::warning\nKeep it.\n:::", "**Warning:** Keep it."),
        (":::info\nKeep it.\n:::", "Keep it."),
        ("!!! note\n    Keep it.", "Keep it."),
        ("> [!CAUTION]\n> Keep it.", "**Caution:** Keep it."),
        ("> [!NOTE]\n> Keep it.", "Keep it."),
    ],
)
def test_a_kind_is_told_where_it_says_more_than_note(text: str, words: str) -> None:
    assert stored(text) == [words]


def test_what_is_folded_under_a_question_answers_it() -> None:
    """Falls where `<summary>` is a paragraph: the bare question was found before its answer."""
    folded = "<details>\n<summary>Can I stop it?</summary>\n\nYes.\n\nAt any hour.\n\n</details>"
    file = read_markdown(f":::warning\nMind it.\n{folded}\nAfter it.\n:::", "manual.md")
    assert [(one.fields["content"], one.fields.get("context")) for one in file.memories] == [
        ("**Warning:** Mind it.", None),
        ("**Can I stop it?** Yes.", "Warning"),
        ("At any hour.", "Warning > Can I stop it?"),
        ("After it.", "Warning"),
    ]


def test_the_commands_of_tabs_stay_with_the_step_and_say_of_which_tab_they_are() -> None:
    """Falls where a tab is a paragraph: what its command does is then in another memory."""
    step, code = "Start it anew:", "    ``` bash\n    {} restart\n    ```\n"
    text = f'{step}\n\n=== "Plugin"\n\n{code.format("docker compose")}\n=== "Alone"\n\n{code.format("docker-compose")}'
    plugin = "**Plugin:**\n```bash\ndocker compose restart\n```"
    alone = "**Alone:**\n```bash\ndocker-compose restart\n```"
    assert stored(text) == [f"{step}\n{plugin}\n{alone}"]


def test_a_title_over_a_list_leads_into_it_and_one_in_a_list_stays_in_its_item() -> None:
    file = read_markdown('!!! danger "Never delete"\n    - the key\n    - the dump\n', "manual.md")
    assert [memory.fields["context"] for memory in file.memories] == ["Never delete"] * 2
    item = '1. Fetch it\n\n    !!! info "Size"\n        It is large.\n\n2. Load it\n'
    assert stored(item) == ["Fetch it\n**Size:** It is large.", "Load it"]


@pytest.mark.parametrize(
    "text",
    [
        "!!! warning\nNot indented.",
        "Title\n===\n\n    code",
        "```\n!!! warning\n    in code\n```",
        ":::x\nopen",
        "a ::: b",
    ],
)
def test_what_merely_looks_like_a_container_stays_as_it_is(text: str) -> None:
    assert without_containers(text.split("\n")).lines == text.split("\n")


FENCED_TAB = '{}=== "{}"\n\n    ```bash{}\n    install\n    ```\n\n## Next\n\nStop it first.'


@pytest.mark.parametrize(
    ("tab", "info"), [("`pip`", ""), ('a "b" `c`', ""), ("Linux", ' title="run.sh"'), ("``x```", "")]
)
def test_a_title_with_marks_leaves_the_code_whole(tab: str, info: str) -> None:
    """Falls where the title is written into the line of the fence, which a backtick undoes."""
    words = stored(FENCED_TAB.format("Get it:\n\n", tab, info))
    assert words == [f"Get it:\n**{tab}:**\n```bash{info}\ninstall\n```", "Stop it first."]


SHOWN = '=== "{}"\n    ``` bash\n    run\n    ```\n'


@pytest.mark.parametrize("item", ["", "1. ", "- "])
def test_code_ends_where_commonmark_ends_it(item: str) -> None:
    """Falls where a fence that is indented by four closes or opens code."""
    code = "```\n{}{}```\n".format(SHOWN.format("A"), SHOWN.format("B"))
    shown = item + code.replace("\n", "\n" + " " * len(item)).strip()
    after = 'Keep this.\n\n    ```\n\n!!! tip "Title"\n    Words.\n\n## Next\n\nMore.'
    first, *others = stored(f"{shown}\n\n{after}")
    assert first == code.strip()
    assert others[-2:] == ["**Title:** Words.", "More."]


def test_code_that_nothing_closes_ends_with_its_container() -> None:
    """Falls where the open fence takes the rest of the file."""
    assert stored('=== "A"\n\n    ```bash\n    run\n\nOutside.\n\n## Next\n\nMore.') == [
        "**A:** run",
        "Outside.",
        "More.",
    ]


@pytest.mark.parametrize("before", ["", "Text.\n", "!!! note\n    Words.\n\n"])
def test_a_container_without_a_body_is_its_title(before: str) -> None:
    assert stored(f"{before}:::danger[Never restart it]\n:::\n")[-1] == "Never restart it"


def test_a_kind_alone_is_named_as_left_out() -> None:
    assert [str(one) for one in read_markdown(":::warning\n:::\n\nWords.").left_out] == [
        "LeftOut(where='line 1', reason='a heading with nothing under it')"
    ]


@pytest.mark.parametrize(
    "mark",
    [("!!! danger {}", "    "), (":::danger[{}]", ""), ("=== {}", "    ")],
    ids=["mkdocs", "fenced", "tab"],
)
def test_a_title_governs_all_that_stands_in_its_body_and_nothing_behind_it(mark: tuple[str, str]) -> None:
    """Falls where a title is told to the first paragraph alone, or to a heading in the body."""
    title, indent = mark
    quoted = "Never in production" if indent == "" else '"Never in production"'
    body = "It is bad.\n\nDrop the table.\n\n- Run it\n\n### Tools\n\nUse the script.\n".replace(
        "\n", f"\n{indent}"
    )
    end = ":::" if indent == "" else ""
    text = f"## Ops\n\n{title.format(quoted)}\n{indent}{body.strip()}\n{end}\n\n- Keep it.\n"
    file = read_markdown(text)
    assert [(one.fields["content"], one.fields["context"]) for one in file.memories] == [
        ("**Never in production:** It is bad.", "Ops"),
        ("Never in production: Drop the table.", "Ops > Never in production"),
        ("Never in production: Run it", "Ops > Never in production"),
        ("Never in production: Use the script.", "Ops > Never in production > Tools"),
        ("Keep it.", "Ops"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('!!! tip "**Bold** title"\n    Words.', ["**Bold title:** Words."]),
        (
            '!!! tip "Limits"\n    | a | b |\n    |---|---|\n    | 1 | 2 |',
            ["**Limits:**\n| a | b |\n|---|---|\n| 1 | 2 |"],
        ),
        ('!!! tip "Limits"\n    <p>Words</p>', ["**Limits:**\nWords"]),
        ('=== "Never A"\n    - x\n=== "Never B"\n    - y\n\n- z', ["Never A: x", "Never B: y", "z"]),
        ('=== "A"\n\n        x\n\n=== "B"\n\n        y', ["**A:**\n```\nx\n```\n**B:**\n```\ny\n```"]),
    ],
)
def test_a_title_stands_with_the_block_that_it_begins(text: str, words: list[str]) -> None:
    assert stored(text) == words


def test_a_mark_that_nothing_closes_is_a_line() -> None:
    """Falls where it takes in what stands under later headings."""
    assert stored("<details>\n<summary>A</summary>\n\nText.\n\n## H\n\nMore.\n") == ["A", "Text.", "More."]
    words = stored(":::note[A]\n\nText.\n\n## H\n\nMore.\n\n:::tip[B]\nLast.\n:::\n")
    assert words == [":::note[A]", "Text.", "More.", "**B:** Last."]


LINES = ["", "", "alfa", "- bravo", "1. charlie", "# Delta", "```", "```sh", '!!! tip "Echo"', '=== "`Foxtrot`"',
         ":::note[Golf]", ":::", "::::", "| a |", "<!-- z -->", "~~~", "**Hotel?**"]  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from([0, 0, 0, 2, 4, 4, 8]), st.sampled_from(LINES)), max_size=14))
def test_no_line_of_containers_vanishes(lines: list[tuple[int, str]]) -> None:
    """Falls where a title is dropped, or words of a line are neither said nor named."""
    text = [f"{' ' * indent}{line}" for indent, line in lines]
    file = read_markdown("\n".join(text))
    named = {number for part in file.left_out for number in numbers_of(part.where)}
    said = " ".join(f"{one.fields['content']} {one.fields.get('context')}" for one in file.memories)
    for number, line in enumerate(text, 1):
        for word in re.findall(r"alfa|bravo|charlie|Delta|Echo|Foxtrot|Golf|Hotel", line):
            assert number in named or word in said
