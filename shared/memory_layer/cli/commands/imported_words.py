"""Words of the memories that an import of an edited file names by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_layer.wire.message import Asked

if TYPE_CHECKING:
    from memory_layer.cli.terminal.invocation import FolderCall
    from memory_layer.cli.terminal.service import Service
    from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignTally


def words_of_lines(call: FolderCall, tally: ForeignTally, files: Sequence[ForeignFile]) -> Mapping[str, str]:
    """Words of lines that are gone or changed, by id: earlier ones as stored, new ones as they would be stored."""
    from memory_layer.domain.memory import Ref
    from memory_layer.usecases.ground.admission import admit

    earlier = (line.supersedes for line in tally.changed_lines)
    refs = [Ref(call.project, id) for id in (*tally.gone, *earlier)]
    found = call.ports.store.memories.get_many(call.principal.tenant, refs)
    policy = call.ports.store.projects.policy(call.principal.scope(call.project))
    changed = {line.where: line.id for line in tally.changed_lines}
    lines = [one for file in files for one in file.memories if one.where in changed]
    new = {changed[one.where]: admit(one.fields, policy).fields["content"] for one in lines}
    return {ref.id: memory.content for ref, memory in found.items()} | new


def words_there(service: Service, document: Mapping[str, Any]) -> Mapping[str, str]:
    """Words of the memories that a service's import names, by id, as far as they are there."""
    from memory_layer.cli.terminal.refusal_text import refusals

    words: dict[str, str] = {}
    changed = (line[end] for line in document["changed_lines"] for end in ("supersedes", "id"))
    for id in dict.fromkeys((*document["gone"], *changed)):
        try:
            words[id] = service.answer(Asked("get_memory", {"id": id}))["content"]
        except refusals():  # of a dry run, or gone by now: the report names it without its words
            continue
    return words
