"""Lines of files on different things, as their headings say: neither says otherwise of what the other names."""

import re
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.line_order import vouched_place

_OF_ITSELF: Final = re.compile(
    r"\b(?:this|dies\w{1,2}) (?:tutorial|guide|how-?to|page|document|section|chapter|article|example|scenario"
    r"|anleitung|seite|dokuments?|abschnitts?|kapitels?|beispiels?)\b",
    re.IGNORECASE,
)
"""Words by which a line speaks of the text that it stands in."""


def are_of_other_things(one: Memory, other: Memory) -> bool:
    """Tests if each of two lines names what its own headings name, and neither the other's words nor headings do.

    `The name begins with Create`, under `Create`, does not contradict `The name begins with Get`, under `Get`; nor do
    lines of two files that both speak of `this tutorial`. Only of lines whose headings somebody vouches for: an agent
    could name any, and pass by what it contradicts.
    """
    places = [vouched_place(memory) for memory in (one, other)]
    files = {place[0] for place in places if place is not None}
    if None in places:
        return False
    if len(files) == 2 and all(_OF_ITSELF.search(memory.content) for memory in (one, other)):
        return True
    return _names_its_own(one, other) and _names_its_own(other, one)


def _names_its_own(memory: Memory, other: Memory) -> bool:
    said = frozenset(analyze(f"{other.context or ''}\n{other.content}"))
    return not frozenset(analyze(memory.context or "")).intersection(analyze(memory.content)) <= said
