"""A record that comes from elsewhere, through the gate that every text passes."""

from dataclasses import fields, replace
from typing import Any

from memory_layer.domain.memory import Memory, content_hash
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.errors import Invalid, Violation
from memory_layer.usecases.ground.admission import admit, refuse_secret_names
from memory_layer.usecases.write.draft import check_coherence


def admit_record(memory: Memory, policy: Policy) -> tuple[Memory, tuple[RedactionFinding, ...]]:
    """The record as it may be stored in a project, and what was taken out of it.

    Raises:
        Invalid: as `gate.admit` and `drafting.check_coherence`.
    """
    said = {_SAID_AS.get(name, name): getattr(memory, name) for name in _FIELDS}
    admitted = admit(said, policy)
    _refuse_secret_links(memory, policy)
    check_coherence(memory)
    if not admitted.redacted:
        return memory, ()
    changed = {name: admitted.fields[_SAID_AS.get(name, name)] for name in _FIELDS}
    changed["content_hash"] = content_hash(changed["content"])
    return replace(memory, **changed), admitted.redacted


_FIELDS = tuple(field.name for field in fields(Memory))
_SAID_AS = {"status_reason": "reason"}
"""By which name the gate knows a field."""

_LINKS = {"supersedes": "id", "superseded_by": "id", "approved_by": "created_by"}
"""Fields that hold a name of another record, or of a person, and how the gate calls those."""


def _refuse_secret_links(memory: Memory, policy: Policy) -> None:
    links: dict[str, Any] = {name: linked for name in _LINKS if (linked := getattr(memory, name)) is not None}
    for name, linked in links.items():
        try:
            refuse_secret_names({_LINKS[name]: linked}, policy)
        except Invalid as error:
            found = tuple(Violation(f"/{name}", violation.detail) for violation in error.violations)
            raise Invalid(f"/{name} {found[0].detail}; name another one", found) from error
