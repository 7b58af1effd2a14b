"""Documents and texts of mem connect and mem disconnect."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory_layer.plugin.connection.connect import ConfigurationChange
from memory_layer.plugin.connection.targets import Connection, Destination

_ACTS = {"made": "new", "changed": "changed", "removed": "removed", "unchanged": "as it was"}


def changes_document(
    act: str,
    chosen: Sequence[Connection],
    changes: Sequence[ConfigurationChange],
    place: Destination,
    *,
    is_dry_run: bool,
) -> dict[str, Any]:
    """Document of what was done. Args: act: connect or disconnect."""
    files = [
        {
            "agent": one.user,
            "file": str(one.path),
            "act": one.act,
            **({"diff": one.diff} if is_dry_run else {}),
        }
        for one in changes
    ]
    notes = [one.notes[place.scope] for one in chosen if act == "connect" and one.notes[place.scope]]
    names = [one.title for one in chosen]
    return {
        "act": act,
        "scope": place.scope,
        "dry_run": is_dry_run,
        "agents": names,
        "files": files,
        "notes": notes,
    }


def changes_text(document: Mapping[str, Any]) -> str:
    """Files, each with what became of it; the differences alone where nothing was written."""
    files = document["files"]
    if document["dry_run"]:
        diffs = [one["diff"] for one in files if one["diff"]]
        return "".join(diffs).rstrip("\n") if diffs else "nothing would change"
    acts: dict[str, str] = {}
    for one in files:
        if one["act"] != "unchanged" or one["file"] not in acts:
            acts[one["file"]] = _ACTS[one["act"]]
    lines = [f"{what:9}  {file}" for file, what in acts.items()]
    done = {"connect": "connected", "disconnect": "disconnected"}[document["act"]]
    return "\n".join([f"{done}: {', '.join(document['agents'])}", *lines, *document["notes"]])
