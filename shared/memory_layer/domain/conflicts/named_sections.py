"""Lines of files on different things, as their headings say: neither says otherwise of what the other names."""

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.line_order import file_place


def are_of_other_things(one: Memory, other: Memory) -> bool:
    """Tests if each of two lines names what its own headings name, and neither the other's words nor headings do.

    `The name begins with Create`, under `Create`, does not contradict `The name begins with Get`, under `Get`. Only of
    lines that somebody vouches for: an agent could name any headings, and pass by what it contradicts.
    """
    if not all(memory.is_trusted and file_place(memory) for memory in (one, other)):
        return False
    return _names_its_own(one, other) and _names_its_own(other, one)


def _names_its_own(memory: Memory, other: Memory) -> bool:
    said = frozenset(analyze(f"{other.context or ''}\n{other.content}"))
    return not frozenset(analyze(memory.context or "")).intersection(analyze(memory.content)) <= said
