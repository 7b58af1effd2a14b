"""Notes that an agent keeps for itself: folders of Claude's memory, of subagents, and of the memory tool."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, LeftOut

_DESCRIPTION: Final = re.compile(
    r"\A---[ \t]*\n(?:.*\n)*?description:[ \t]*(?P<words>\S.*?)[ \t]*\n(?:.*\n)*?---", re.ASCII
)
_DESCRIPTION_MAX_CHARS: Final = 400
_ENTRY: Final = re.compile(r"\[[^\[\]]*\]\((?P<target>[^()\s]+)\)")


def read_agent_notes(text: str, name: str | None = None, beside: Collection[str] = ()) -> ForeignFile:
    """Paragraphs and list items of a file, as words of an agent.

    The description in a file's front matter is the context of what stands under no heading. A line of an index that
    links to a file beside it tells what that file says, and is left out.

    Args:
        beside: names of the files in its folder.
    """
    file = read_markdown(text, name, takes_title=False)
    entries = {memory.where: target for memory in file.memories if (target := _entry_of(memory, beside))}
    described = _description(text)
    return replace(
        file,
        memories=tuple(
            replace(memory, fields=_as_agent(memory.fields, described))
            for memory in file.memories
            if memory.where not in entries
        ),
        left_out=(
            *file.left_out,
            *(LeftOut(where, f"an entry of the index, for {target}") for where, target in entries.items()),
        ),
    )


def _entry_of(memory: ForeignMemory, beside: Collection[str]) -> str | None:
    found = _ENTRY.match(memory.fields["content"])
    return found["target"] if found and found["target"].removeprefix("./") in beside else None


def _as_agent(fields: Mapping[str, Any], described: str | None) -> Mapping[str, Any]:
    context = fields.get("context") or described
    return {**fields, "source": "run", **({"context": context} if context else {})}


def _description(text: str) -> str | None:
    head = text[: 4 * _DESCRIPTION_MAX_CHARS].replace("\r\n", "\n")
    found = _DESCRIPTION.match(head)
    return found["words"].strip("\"'")[:_DESCRIPTION_MAX_CHARS] if found else None
