"""Admission of a record that comes from another project or file."""

from dataclasses import fields, replace
from typing import Any

from memory_layer.domain.memory import Memory, content_hash
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.time.resolve_times import with_times
from memory_layer.errors import Invalid
from memory_layer.usecases.ground.admission import admit, refuse_secret_names
from memory_layer.usecases.write.draft import check_coherence


def admit_record(memory: Memory, policy: Policy) -> tuple[Memory, tuple[RedactionFinding, ...]]:
    """Returns the record as it may be stored in a project, with what was redacted from it.

    Raises:
        Invalid: as `admit` and `check_coherence`.
    """
    said = {_ADMITTED_AS.get(name, name): getattr(memory, name) for name in _FIELDS}
    admitted = admit(said, policy, is_record=True)
    _refuse_secret_links(memory, policy)
    check_coherence(memory)
    if not admitted.redacted:
        return memory, ()
    changed = {name: admitted.fields[_ADMITTED_AS.get(name, name)] for name in _FIELDS}
    changed["content_hash"] = content_hash(changed["content"])
    return with_times(replace(memory, **changed)), admitted.redacted


_FIELDS = tuple(field.name for field in fields(Memory))
_ADMITTED_AS = {"status_reason": "reason"}
"""Names of fields in `admit`, where they differ from the record's."""

_LINKS = {"supersedes": "id", "superseded_by": "id", "approved_by": "created_by"}
"""Fields that hold a name of another record, or of a person, with the field in `admit` that has the same rules."""


def _refuse_secret_links(memory: Memory, policy: Policy) -> None:
    links: dict[str, Any] = {name: linked for name in _LINKS if (linked := getattr(memory, name)) is not None}
    for name, linked in links.items():
        try:
            refuse_secret_names({_LINKS[name]: linked}, policy)
        except Invalid as error:
            found = [replace(violation, pointer=f"/{name}") for violation in error.violations]
            raise Invalid.each(found) from error
