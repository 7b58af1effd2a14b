"""The state of a sweep as one text: the same in a row and in an item."""

import json
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from memory_layer.domain.fields import canonical_json, instant, rfc3339
from memory_layer.domain.time.sweep_state import SweepName, SweepReport, SweepState
from memory_layer.errors import VersionConflict

_TIMES: Final = frozenset({"leased_until", "walk_began_at", "walked_until", "started_at", "ended_at"})


def state_text(state: SweepState) -> str:
    """Canonical JSON of all but name and version, which stand beside it."""
    said = asdict(state)
    del said["name"], said["version"]
    return canonical_json(_written(said))


def state_digest(name: str, version: int, text: str) -> str:
    """SHA-256, hex."""
    return sha256(f"{name}\n{version}\n{text}".encode()).hexdigest()


def state_of(name: SweepName, version: int, text: str, digest: str) -> SweepState:
    """Read back what `state_text` wrote; a damaged one says nothing but its version: the walk begins anew."""
    if digest != state_digest(name, version, text):
        return SweepState(name=name, version=version)
    said = _read(json.loads(text))
    report = said.pop("last_report")
    return SweepState(name=name, version=version, last_report=report and _report(report), **said)


def sweep_state_conflict(state: SweepState) -> VersionConflict:
    return VersionConflict(
        f"the state of sweep {state.name} is not at version {state.version - 1} any more: another process runs it"
    )


def _written(said: dict[str, Any]) -> dict[str, Any]:
    report = said["last_report"]
    return {
        **{name: rfc3339(value) if isinstance(value, datetime) else value for name, value in said.items()},
        "last_report": report and {n: rfc3339(v) if n in _TIMES else v for n, v in report.items()},
    }


def _read(said: dict[str, Any]) -> dict[str, Any]:
    return {name: instant(value) if name in _TIMES and value else value for name, value in said.items()}


def _report(said: dict[str, Any]) -> SweepReport:
    return SweepReport(**{**_read(said), "failed": tuple(said["failed"])})
