"""Headings on a page: steps of two procedures of one file are told apart by them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.context.levels_of_detail import page_entries
from memory_layer.domain.context.rendering import STYLES, render
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.section_headings import (
    ELSEWHERE,
    LEFT_OUT,
    headings_told,
    lines_left_out,
    section_of,
)
from memory_layer.mcp.page_text import page_text
from memory_layer.usecases.recall.redact_answers import redacted_offers
from tests.unit.domain.plain_memories import NOW, plain_memory

RESTORE, ROTATE = ("RUN.md", "Runbook > Restore"), ("RUN.md", "Runbook > Rotate the keys")


def line(number: int, words: str, above: str, **said: Any) -> Memory:
    said = {"tags": ("RUN.md",), "detail": {"line_order": number}, "context": above, **said}
    return plain_memory(f"m{number}", words, **said)


def test_neighbouring_lines_of_a_section_are_named_once_and_the_next_one_stands_elsewhere() -> None:
    told = headings_told([None, RESTORE, RESTORE, ROTATE, ROTATE, None, RESTORE])
    restore, rotate = "under Runbook > Restore", "under Runbook > Rotate the keys"
    assert told == ["", restore, "", rotate, "", ELSEWHERE, restore], (
        "a line of a named section is of it, alone as well"
    )
    assert headings_told([RESTORE, RESTORE, ROTATE, None, None]) == [restore, "", rotate, ELSEWHERE, ""]
    assert headings_told([RESTORE, ROTATE, None]) == ["", "", ""], "a line alone is no procedure"


def test_lines_that_a_section_leaves_out_are_told_between_those_that_are_shown() -> None:
    """Falls without the numbers: the first and the last step passed for the whole procedure."""
    numbers = [1000, 2000, 4000, 6000, 6500, None]
    told = headings_told([RESTORE, RESTORE, RESTORE, ROTATE, ROTATE, None], numbers)
    restore, rotate = "under Runbook > Restore", "under Runbook > Rotate the keys"
    assert told == [restore, "", LEFT_OUT, rotate, "", ELSEWHERE], (
        "neither at its ends nor after an insertion"
    )
    lines = [line(number, f"Step {number}", RESTORE[1]) for number in (1000, 2000, 4000)]
    offers = [Offer(memory=one, layer="project", relevance=0.5) for one in lines]
    entries = [levels["micro"] for levels in page_entries(offers, ())]
    for page in (page_text(lines), render(entries, STYLES["markdown"], NOW.date())):
        rows = page.splitlines()
        assert "Step 4000" in rows[rows.index(LEFT_OUT) + 1]
    assert lines_left_out([*lines, line(9000, "Draw a key", ROTATE[1])]) == {2}
    taught = {"source": "run", "created_by": "agent-7"}
    assert not lines_left_out([line(at, f"Step {at}", RESTORE[1], **taught) for at in (1000, 9000)])


def test_a_section_is_that_of_a_line_somebody_vouches_for_and_of_no_release() -> None:
    assert section_of(line(1, "Stop it", RESTORE[1])) == RESTORE
    taught = {"source": "run", "created_by": "agent-7"}
    assert section_of(line(1, "Stop it", RESTORE[1], **taught)) is None, "an agent names any heading"
    approved = line(1, "Stop it", RESTORE[1], **taught, approved_by="rae")
    assert section_of(approved) is None, "words are approved, not their labels"
    held = {"source": "learning", "created_by": "ada", "approved_by": "ada"}
    assert section_of(line(1, "Stop it", RESTORE[1], **held)) == RESTORE, "who brought it approved it"
    assert section_of(line(1, "Stop it", RESTORE[1], **held, persona="ada")) is None, (
        "a user may be called so"
    )
    assert section_of(line(1, "Stop it", "Changelog > 1.2.0")) is None
    assert section_of(plain_memory("m", "Stop it", context=RESTORE[1])) is None


def test_pages_of_recalls_and_contexts_say_where_one_procedure_ends() -> None:
    """Falls without the headings: `Start it` could be a step of either."""
    words = ("Stop it", "Start it"), ("Draw a key", "Revoke the old\n3 key")
    lines = [
        line(10 * at + place, text, above)
        for at, (above, texts) in enumerate(zip((RESTORE[1], ROTATE[1]), words, strict=True), 1)
        for place, text in enumerate(texts)
    ]
    offers = [Offer(memory=one, layer="project", relevance=0.5) for one in lines]
    entries = [levels["micro"] for levels in page_entries(offers, ())]
    for page in (page_text(lines), render(entries, STYLES["markdown"], NOW.date())):
        rows = page.splitlines()
        assert [rows.index("under Runbook > Restore"), rows.index("under Runbook > Rotate the keys")] == [
            at for at, row in enumerate(rows) if row.startswith("under ")
        ]
        at = rows.index("under Runbook > Rotate the keys")
        assert "Start it" in rows[at - 1]
        assert "Draw a key" in rows[at + 1]
    for style, place in (
        ("xml", 'place="under Runbook &gt; Restore"'),
        ("json", '"place":"under Runbook > Restore"'),
    ):
        assert render(entries, STYLES[style], NOW.date()).count(place) == 1  # type: ignore[index]


def test_a_heading_holds_over_the_days_of_a_page_until_something_stands_elsewhere() -> None:
    """Falls where each day has headings of its own: what is said on another day passed for a step."""
    of_section = [line(at, words, RESTORE[1]) for at, words in enumerate(("Stop it", "Start it"), 1)]
    elsewhere = plain_memory("m9", "The cafeteria opens at nine", valid_from=NOW + timedelta(days=1))
    offers = [Offer(memory=one, layer="project", relevance=0.5) for one in (*of_section, elsewhere)]
    entries = [levels["micro"] for levels in page_entries(offers, ())]
    rows = render(entries, STYLES["markdown"], NOW.date()).splitlines()
    assert rows[next(at for at, row in enumerate(rows) if "cafeteria" in row) - 1] == ELSEWHERE


def test_a_heading_on_a_page_of_a_context_is_redacted_as_the_words_are() -> None:
    """Falls where only the words are: a heading could have been stored before its project kept addresses out."""
    offer = Offer(
        memory=line(1, "Stop it", "Runbook > Write to ann@example.com"), layer="project", relevance=0.5
    )
    (clean,) = redacted_offers([offer], "personal", lambda _: "personal")
    assert "ann@" not in (section_of(clean.memory) or ("", "ann@"))[1]
