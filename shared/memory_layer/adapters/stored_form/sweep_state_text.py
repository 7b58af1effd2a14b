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
    values = asdict(state)
    del values["name"], values["version"]
    return canonical_json(_written(values))


def state_digest(name: str, version: int, text: str) -> str:
    """SHA-256 of a state, hex."""
    return sha256(f"{name}\n{version}\n{text}".encode()).hexdigest()


def state_of(name: SweepName, version: int, text: str, digest: str) -> SweepState:
    """State that `state_text` wrote; of a damaged one only the version: the walk begins anew."""
    if digest != state_digest(name, version, text):
        return SweepState(name=name, version=version)
    values = _read(json.loads(text))
    report = values.pop("last_report")
    return SweepState(name=name, version=version, last_report=report and _report(report), **values)


def sweep_state_conflict(state: SweepState) -> VersionConflict:
    return VersionConflict(
        f"the state of sweep {state.name} is not at version {state.version - 1} any more: another process runs it"
    )


def _written(values: dict[str, Any]) -> dict[str, Any]:
    report = values["last_report"]
    return {
        **{name: rfc3339(value) if isinstance(value, datetime) else value for name, value in values.items()},
        "last_report": report and {n: rfc3339(v) if n in _TIMES else v for n, v in report.items()},
    }


def _read(values: dict[str, Any]) -> dict[str, Any]:
    return {name: instant(value) if name in _TIMES and value else value for name, value in values.items()}


def _report(values: dict[str, Any]) -> SweepReport:
    return SweepReport(**{**_read(values), "failed": tuple(values["failed"])})
