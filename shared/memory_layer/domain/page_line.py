"""Layout of one memory on a page: its reference, the mark of unreviewed words, the words, and what is said of them."""

from memory_layer.domain.attribution import UNREVIEWED_MARK
from memory_layer.domain.prompt import first_and_next_lines


def page_line(ref: int, text: str, *, is_unreviewed: bool, aside: str | None = None) -> str:
    """Lays out a memory: `3 its words`, or `3? its words`; further lines of the words begin with a bar.

    Args:
        ref: number of the memory on its page, which the receipt of the page resolves.
        aside: what is said of it besides; it stands below the words, where no text can put a line of its own.
    """
    first, others = first_and_next_lines(text)
    mark = UNREVIEWED_MARK if is_unreviewed else ""
    line = f"{ref}{mark} {first}".rstrip()
    if not others and not aside:
        return line
    said_of_it = [f"  ({aside})"] if aside else []
    return "\n".join([line, *others, *said_of_it])
