"""Report of a mirror, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_WORDS: Final[Mapping[str, str]] = {
    "copy": "kept a copy",
    "rename": "moved in the project",
    "update": "stored your edit",
    "delete": "archived",
    "remove": "removed here",
    "write": "written here",
    "create": "stored",
}
_SHOWN_MAX: Final = 50


def mirrored(document: Mapping[str, Any]) -> str:
    """Steps, a line each, the first fifty; then problems, what the project does not list, and the sum."""
    steps = document["steps"]
    lines = [_line(step) for step in steps[:_SHOWN_MAX]]
    if len(steps) > _SHOWN_MAX:
        lines.append(f"… and {len(steps) - _SHOWN_MAX} more")
    lines += [f"! {problem}" for problem in document["problems"]]
    lines += [f"not all of it: {document['note']}"] if document["note"] else []
    return "\n".join([*lines, _sum(document)])


def _line(step: Mapping[str, Any]) -> str:
    source = f" (from {step['source']})" if step["source"] and step["source"] != step["path"] else ""
    why = f": {step['why']}" if step["why"] else ""
    return f"{_WORDS[step['act']]:22} {step['path']}{source}{why}"


def _sum(document: Mapping[str, Any]) -> str:
    counts = document["counts"]
    said = ", ".join(f"{count} {_WORDS[act]}" for act, count in sorted(counts.items())) or "nothing to do"
    return f"{document['folder']}: {said}{' (dry run)' if document['dry_run'] else ''}"
