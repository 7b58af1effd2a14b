"""Lists of who was there become one memory that names them all."""

from __future__ import annotations

import pytest

from memory_layer.edge.foreign.markdown import read_markdown


def contents(text: str) -> list[str]:
    file = read_markdown(text, "2025-03-04.md")
    assert file.left_out == (), "every line is said by a memory"
    return [memory.fields["content"] for memory in file.memories]


@pytest.mark.parametrize("title", ["Present", "Attendees", "In attendance", "Teilnehmende", "Apologies"])
def test_people_of_a_meeting_are_one_memory(title: str) -> None:
    """Falls where each name is a memory of its own, of which a meeting of twenty has twenty."""
    text = f"# Guild Meeting 2025-03-04\n\n## {title}\n\n* Ann Oak @oak (chair)\n* Bo Elm\n\n## Ferry\n\n* It sank.\n"
    assert contents(text) == [f"{title}: Ann Oak @oak (chair), Bo Elm", "It sank."]


def test_a_lead_names_people_as_a_heading_does() -> None:
    assert contents("# Guild Meeting 2025-03-04\n\nPresent:\n\n- Ann Oak\n- Bo Elm\n") == [
        "Present: Ann Oak, Bo Elm"
    ]


@pytest.mark.parametrize(
    ("title", "items"),
    [
        ("Present", ["Ann Oak", "Bo Elm was late"]),
        ("Guests", ["Ask for a badge. Wear it."]),
        ("Sails", ["Jib", "Spinnaker"]),
    ],
)
def test_other_lists_stay_lines(title: str, items: list[str]) -> None:
    rows = "\n".join(f"- {item}" for item in items)
    assert contents(f"# Guild Meeting 2025-03-04\n\n## {title}\n\n{rows}\n") == items
