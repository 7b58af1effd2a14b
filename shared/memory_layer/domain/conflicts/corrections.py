"""Corrections of trusted memories that two others found wrong: which one belongs to each (SPEC 4.17)."""

from collections.abc import Mapping, Sequence
from typing import Final

from memory_layer.domain.access import agent_voice
from memory_layer.domain.doubt import stands_back
from memory_layer.domain.memory import Doubt, Memory, Ref
from memory_layer.domain.text.repeated_question import AskedQuestion

REVISIONS_MAX: Final = 4
"""Revisions of a proposal by its author that are followed."""


def newest_correction(doubt: Doubt, proposals: Sequence[Memory], question: str) -> Memory | None:
    """Newest correction of a witness, else of anybody, that does not repeat the question; None without any.

    Args:
        proposals: the newest first.
    """
    asked = AskedQuestion(question)
    told = [one for one in proposals if not asked.is_repeated_in(one.content)]
    witnesses = set(map(agent_voice, doubt.witnesses))
    of_witnesses = [one for one in told if agent_voice(one.created_by) in witnesses]
    return next(iter(of_witnesses or told), None)


def corrections_among(memories: Sequence[Memory], question: str) -> dict[Ref, Ref]:
    """Correction of each that stands back, or its author's revision of it, where it is among these as well."""
    doubted = [(memory.ref, memory.doubted) for memory in memories if memory.doubted and stands_back(memory)]
    if not doubted:
        return {}
    known = {memory.ref: memory for memory in memories}
    revisions = {Ref(memory.project, memory.supersedes): memory for memory in memories if memory.supersedes}
    found: dict[Ref, Ref] = {}
    for ref, doubt in doubted:
        revised = [_last_revision(Ref(ref.project, id), revisions) for id in reversed(doubt.proposals)]
        told = newest_correction(doubt, [known[one] for one in revised if one in known], question)
        if told is not None:
            found[ref] = told.ref
    return found


def _last_revision(ref: Ref, revisions: Mapping[Ref, Memory]) -> Ref:
    for _ in range(REVISIONS_MAX):
        if ref not in revisions:
            break
        ref = revisions[ref].ref
    return ref
