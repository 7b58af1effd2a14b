"""Admonitions and tabs of documentation systems: their words are stored as words, and commands stay with their step."""

from __future__ import annotations

import pytest

from memory_layer.edge.foreign.containers import without_containers
from memory_layer.edge.foreign.markdown import read_markdown


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
