"""Lines of files on different things, as their headings say: neither says otherwise of what the other names, and a step
of two procedures is one of each."""

import re
from typing import Final

from memory_layer.domain.attribution import are_of_other_occasions
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import vouched_place

REPEATED_STEP: Final = "imp_step_"
"""Beginning of the id of a step that its file says before, under another heading."""

_WORD: Final = re.compile(r"\w+")

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


def have_same_words(one: str, other: str) -> bool:
    """Tests if two texts differ in case and marks at most."""
    return one == other or _WORD.findall(one.casefold()) == _WORD.findall(other.casefold())


def stand_apart(one: Memory, other: Memory) -> bool:
    """Tests if two memories may both say the same: each of its own release, day or procedure of a file."""
    return are_of_other_occasions(one, other) or _are_steps_of_two_procedures(one, other)


def _are_steps_of_two_procedures(one: Memory, other: Memory) -> bool:
    """Tests if one of two lines repeats the other under another heading. Only where somebody vouches for the headings:
    an agent could repeat what it likes."""
    if not any(memory.id.startswith(REPEATED_STEP) for memory in (one, other)):
        return False
    place, theirs = vouched_place(one), vouched_place(other)
    are_of_one_file = place is not None and theirs is not None and place[0] == theirs[0]
    are_apart = places_of(one.context)[0] != places_of(other.context)[0]
    return are_of_one_file and are_apart and have_same_words(one.content, other.content)


def _names_its_own(memory: Memory, other: Memory) -> bool:
    said = frozenset(analyze(f"{other.context or ''}\n{other.content}"))
    return not frozenset(analyze(memory.context or "")).intersection(analyze(memory.content)) <= said
