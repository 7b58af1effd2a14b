"""Documents and texts of mem connect and mem disconnect."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory_layer.plugin.connection.connect import ConfigurationChange
from memory_layer.plugin.connection.targets import CONNECTIONS, Scope

_ACTS = {"made": "new", "changed": "changed", "removed": "removed", "unchanged": "as it was"}


def changes_document(
    act: str,
    agents: Sequence[str],
    changes: Sequence[ConfigurationChange],
    scope: Scope,
    *,
    notes: Sequence[str],
    is_dry_run: bool,
) -> dict[str, Any]:
    """Document of what was done. Args: act: connect or disconnect; agents: titles of those who were."""
    return {
        "act": act,
        "scope": scope,
        "dry_run": is_dry_run,
        "agents": list(agents),
        "files": [_file(one, is_dry_run) for one in changes],
        "notes": list(notes),
    }


def _file(change: ConfigurationChange, is_dry_run: bool) -> dict[str, Any]:
    shared = {"shared_with": list(change.shared_with)} if change.shared_with else {}
    diff = {"diff": change.diff} if is_dry_run else {}
    return {"agent": change.user, "file": str(change.path), "act": change.act, **shared, **diff}


def changes_text(document: Mapping[str, Any]) -> str:
    """Files, each with what became of it; the differences alone where nothing was written."""
    files = document["files"]
    if document["dry_run"]:
        diffs = [one["diff"] for one in files if one["diff"]]
        return "\n".join(
            ["".join(diffs).rstrip("\n") if diffs else "nothing would change", *document["notes"]]
        )
    acts: dict[str, str] = {}
    for one in files:
        if _is_told(document, one, acts):
            acts[one["file"]] = _line(one)
    return "\n".join([*_heading(document), *acts.values(), *document["notes"]])


def _heading(document: Mapping[str, Any]) -> list[str]:
    done = {"connect": "connected", "disconnect": "disconnected"}[document["act"]]
    if document["agents"]:
        return [f"{done}: {', '.join(document['agents'])}"]
    return [] if document["notes"] else ["no agent was connected here"]


def _is_told(document: Mapping[str, Any], file: Mapping[str, Any], told: Mapping[str, str]) -> bool:
    """Tells if a file has a line: of those that a disconnection leaves, the ones that others share alone."""
    if file["act"] != "unchanged":
        return True
    is_of_interest = document["act"] == "connect" or "shared_with" in file
    return is_of_interest and file["file"] not in told


def _line(file: Mapping[str, Any]) -> str:
    if "shared_with" not in file:
        return f"{_ACTS[file['act']]:9}  {file['file']}"
    names = ", ".join(CONNECTIONS[one].title for one in file["shared_with"])
    return f"{'stays':9}  {file['file']} (shared with {names})"
