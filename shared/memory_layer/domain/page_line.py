"""Layout of one memory on a page: its reference, the mark of unreviewed words, the words, and what is said of them."""

from datetime import date
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.prompt import first_and_next_lines, in_one_line

UNREVIEWED_MARK: Final = "?"
"""Mark, directly behind the reference, of words that no person said and no reviewer approved."""

MARK_EXPLAINED: Final = f"{UNREVIEWED_MARK} is unreviewed"

RUN_MAX_CHARS: Final = 16
"""Most characters of a run's name; of a longer one, such as a UUID, the last eight tell it from the others."""

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def page_line(ref: int, text: str, *, is_unreviewed: bool, aside: str | None = None) -> str:
    """Lays out a memory: `3 its words`, or `3? its words`; further lines of the words begin with a bar.

    Args:
        ref: number of the memory on its page, which the receipt of the page resolves.
        aside: of `aside_of`; it stands below the words, where no text can put a line of its own.
    """
    first, others = first_and_next_lines(text)
    mark = UNREVIEWED_MARK if is_unreviewed else ""
    said_of_it = [f"  ({aside})"] if aside else []
    return "\n".join([f"{ref}{mark} {first}".rstrip(), *others, *said_of_it])


def aside_of(*, dated: str | None = None, counts: str | None = None) -> str | None:
    """Joins what a page says of a memory besides its words; None for nothing.

    Args:
        dated: the dates that its words mean, days only: ages would be wrong tomorrow.
        counts: how often it worked and failed.
    """
    return "; ".join(in_one_line(part) for part in (dated, counts) if part) or None


def day_text(dated: date) -> str:
    """Formats a day as 8 May 2023: no locale, and fewer tokens than the numbers alone."""
    return f"{dated.day} {_MONTHS[dated.month - 1]} {dated.year}"


def run_name(memory: Memory) -> str | None:
    """Short name of the run that a memory comes from; None for words of a person."""
    run = memory.source_run_id
    if run is None or memory.source == "human":
        return None
    return run if len(run) <= RUN_MAX_CHARS else f"…{run[-8:]}"
