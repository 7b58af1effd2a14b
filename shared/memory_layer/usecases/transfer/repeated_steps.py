"""Steps that two procedures of a file share: each has a memory of its own, with its place in the file."""

from dataclasses import replace

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import ordering_file
from memory_layer.domain.text.named_sections import REPEATED_STEP, have_same_words
from memory_layer.usecases.transfer.followed_file import Asked, repeated_step_id


def as_repeated_step(one: Asked, twin: Memory, file: str) -> Asked | None:
    """Step with the id of one that its file says before, under another heading; None: it is none.

    Args:
        one: step of a numbered list of the file.
        twin: that says the same.
    """
    where, item = one
    fields = item.fields
    is_repeated = ordering_file(twin) == file and have_same_words(twin.content, fields["content"])
    is_same_place = places_of(twin.context)[0] == (fields.get("context") or "")
    if fields["id"].startswith(REPEATED_STEP) or is_same_place or not is_repeated:
        return None
    return where, replace(item, fields={**fields, "id": repeated_step_id(file, fields["id"])})
