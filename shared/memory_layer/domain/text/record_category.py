"""Category of a line of minutes or a journal: what was decided, what is to do, and else what was said and happened."""

import re
from collections.abc import Sequence

from memory_layer.domain.memory import Category
from memory_layer.domain.text.heading_category import category_above


def category_of_record(titles: Sequence[str], head: str, said: Category) -> Category:
    """Category of a line of minutes, which tells what was said and orders nothing.

    Args:
        titles: headings over it, outermost first.
        said: what its words alone tell.
    """
    above = category_above(titles)
    if above in _TOLD_BY_RECORDS:
        return above
    if said in _TOLD_BY_RECORDS:
        return said
    return "decision" if _AGREED.search(head) else "context"


_TOLD_BY_RECORDS = frozenset({"todo", "workaround", "decision", "gotcha", "troubleshooting"})
_AGREED = re.compile(
    r"\b(?:(?:we|tsc|board|team|group|committee) (?:decided|agreed)|(?:was|were|is|are) (?:agreed|approved|decided)"
    r"|agreed to|consensus (?:is|was|on|to)|voted|vote results?|beschlossen|beschlie(?:\u00df|ss)t"
    r"|(?:einstimmig|mehrheitlich) (?:angenommen|gew\u00e4hlt|genehmigt)|wird (?:angenommen|genehmigt|gew\u00e4hlt)"
    r"|nimmt die wahl an|nahm die wahl)\b",
    re.IGNORECASE,
)
"""Words in which minutes tell that something was decided."""
