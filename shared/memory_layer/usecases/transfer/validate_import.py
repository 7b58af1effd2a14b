"""Validation of a file of records, as a whole before any of it is written."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final

from memory_layer.domain.correction_cycles import records_in_cycles
from memory_layer.domain.fields import canonical_json, memory_from_json, memory_to_json
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.record_rules import RecordFlaw, record_flaws, record_of
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.safety.redaction import redact
from memory_layer.errors import Invalid, Violation
from memory_layer.usecases.ground.project_pages import NAMED_MAX
from memory_layer.usecases.transfer.admit_record import admit_record
from memory_layer.usecases.transfer.cycle_check import Pairs, supersession_links
from memory_layer.usecases.transfer.export_forms import MANIFEST, TENANT
from memory_layer.usecases.transfer.export_project import FORMAT, ExportSeal
from memory_layer.usecases.write.screening import held_if_order

FLAWS_MAX: Final = 20
"""Flaws reported at once."""

VERSION_MAX: Final = 2**30
"""Highest version of an imported record: as many changes again have room below the last number that tables take."""

SPOOL_MAX_BYTES: Final = 8 * 2**20
"""Size up to which records wait in memory, then in a file without a name."""


def _new_spool() -> IO[bytes]:
    return SpooledTemporaryFile(SPOOL_MAX_BYTES)


@dataclass(slots=True)
class ValidatedRecords:
    """Records that may be written: whole, of this project, and redacted by its privacy mode."""

    records: int = 0
    redacted: int = 0
    redacted_ids: list[str] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)  # by id
    corrections: dict[str, Pairs] = field(default_factory=dict)  # by the id of the record that has them
    _spool: IO[bytes] = field(default_factory=_new_spool)

    def add(self, memory: Memory, *, is_redacted: bool = False) -> None:
        self.records += 1
        self.redacted += is_redacted
        if is_redacted and len(self.redacted_ids) < NAMED_MAX:
            self.redacted_ids.append(memory.id)
        self._spool.write(f"{canonical_json(memory_to_json(memory))}\n".encode())

    def memories(self) -> Iterator[Memory]:
        """Records in the order of the file."""
        return map(memory_from_json, self.documents())

    def documents(self) -> Iterator[dict[str, Any]]:
        """Records as JSON documents, in the order of the file."""
        self._spool.seek(0)
        return (json.loads(line) for line in self._spool)

    def close(self) -> None:
        """Discards the records."""
        self._spool.close()


def check_lines(
    lines: Iterable[str],
    scope: Scope,
    policy: Policy,
    *,
    allow_unsealed: bool,
    is_screened: bool = False,
) -> ValidatedRecords:
    """Checks all lines, which come in together or not at all.

    Args:
        scope: project that they go to, and become part of, wherever they came from.
        allow_unsealed: accept lines without a manifest.
        is_screened: hold back what reads like an order; anybody can seal a file.

    Raises:
        Invalid: with the number of each faulty line, up to 20; or with the fault of all of them together.
    """
    reading = _Reading(scope, policy, is_screened)
    try:
        for number, line in enumerate(lines, 1):
            reading.take(number, line.rstrip("\r\n"))
        reading.finish(allow_unsealed)
    except BaseException:
        reading.checked.close()
        raise
    return reading.checked


@dataclass
class _Reading:
    """State of the validation of a file: its records and flaws so far."""

    scope: Scope
    policy: Policy
    is_screened: bool
    checked: ValidatedRecords = field(default_factory=ValidatedRecords)
    seal: ExportSeal = field(default_factory=ExportSeal)
    manifest: Mapping[str, Any] | None = None
    from_project: Any = None
    flaws: list[Violation] = field(default_factory=list)

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            return
        if self.manifest is not None:
            self._flaw(number, "", "stands after the manifest; import each file by itself")
            return
        if not (self.seal.records or self.flaws or line.lstrip().startswith("{")):
            problem = "is no JSON object, so the file is no export of this system"
            raise Invalid.at(f"/lines/{number}", f"line {number}: {problem}", omit("/format"))
        document = self._document(number, line)
        if document is None:
            return
        if document.keys() == {MANIFEST}:
            self._take_manifest(number, document[MANIFEST])
            return
        self.seal.add(f"{line}\n")
        self._take_record(number, document)

    def finish(self, allow_unsealed: bool) -> None:
        self._raise_flaws()
        self._refuse_rings()
        if self.manifest is None:
            if allow_unsealed:
                return
            raise Invalid.at(
                f"/lines/{self.seal.records + 1}",
                f"after {self.seal.records:,} records there is no manifest: the file is cut off, or none of ours; "
                "export it again",
                give("/allow_unsealed", "true"),
            )
        self._compare("records", self.seal.records, "the file is not whole")
        self._compare("sha256", self.seal.sha256, "a line was changed since it was exported")

    def _document(self, number: int, line: str) -> dict[str, Any] | None:
        try:
            document = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            told = str(error).partition(":")[0]
            self._flaw(number, "", f"is no JSON ({told}); the file may be cut off or changed there")
            return None
        if not isinstance(document, dict):
            self._flaw(number, "", "is no JSON object")
            return None
        return document

    def _take_manifest(self, number: int, said: Any) -> None:
        is_ours = isinstance(said, dict) and said.get("format") == FORMAT
        if not is_ours or (self.from_project or said.get("project")) != said.get("project"):
            self._flaw(
                number, "/manifest", f"must have format {FORMAT} and the project of the lines before it"
            )
        self.manifest = said if is_ours else {}

    def _take_record(self, number: int, document: dict[str, Any]) -> None:
        try:
            memory = self._record(number, document)
            if memory is not None:
                self._link(number, memory)
                self._admit(number, memory)
        except RecursionError:
            self._flaw(number, "/detail", "nested too deeply")

    def _link(self, number: int, memory: Memory) -> None:
        first = self.checked.lines.setdefault(memory.id, number)
        if first != number:
            self._flaw(number, "/id", f"is that of line {first} already")
        if pairs := supersession_links(memory):
            self.checked.corrections[memory.id] = pairs

    def _record(self, number: int, document: dict[str, Any]) -> Memory | None:
        if document.get(TENANT, self.scope.tenant) != self.scope.tenant:
            self._flaw(number, f"/{TENANT}", "is another one; it comes from the token alone, leave it out")
        project = document.get("project")
        self.from_project = self.from_project or project
        if project not in (None, self.from_project):
            self._flaw(
                number, "/project", "is another one than in the lines before; import one project at a time"
            )
        document = {**document, TENANT: self.scope.tenant, "project": self.scope.project}
        found = [*record_flaws(document)]
        if not found and document.get("version", 1) > VERSION_MAX:
            found.append(
                RecordFlaw("/version", f"must be at most {VERSION_MAX:,}: later changes count on from there")
            )
        for pointer, detail in found:
            self._flaw(number, pointer, detail)
        return None if found else record_of(document)

    def _admit(self, number: int, memory: Memory) -> None:
        try:
            admitted, redacted = admit_record(memory, self.policy)
        except Invalid as error:
            for violation in error.violations:
                self._flaw(number, violation.pointer, violation.detail)
        else:
            kept = held_if_order(admitted) if self.is_screened else admitted
            self.checked.add(kept, is_redacted=bool(redacted))

    def _flaw(self, number: int, pointer: str, detail: str) -> None:
        self.flaws.append(Violation(f"/lines/{number}{redact(pointer, 'secrets').text}", detail))
        if len(self.flaws) >= FLAWS_MAX:
            self._raise_flaws()

    def _raise_flaws(self) -> None:
        if not self.flaws:
            return
        first = self.flaws[0]
        _, _, number, *path = first.pointer.split("/", 3)
        field_named = f"/{path[0]} " if path else ""
        more = f" (and {len(self.flaws) - 1} more)" if len(self.flaws) > 1 else ""
        raise Invalid(
            f"line {number}: {field_named}{first.detail}{more}; nothing was imported", tuple(self.flaws)
        )

    def _refuse_rings(self) -> None:
        lines, corrections = self.checked.lines, self.checked.corrections
        ring = [id for id in records_in_cycles(chain.from_iterable(corrections.values())) if id in lines]
        if not ring:
            return
        numbers = sorted(lines[id] for id in ring)
        told = ", ".join(map(str, numbers[:FLAWS_MAX]))
        raise Invalid.at(
            f"/lines/{numbers[0]}/superseded_by",
            f"lines {told} supersede each other in a ring; nothing was imported",
        )

    def _compare(self, name: str, counted: object, meaning: str) -> None:
        assert self.manifest is not None
        if self.manifest.get(name) != counted:
            raise Invalid.at(
                f"/lines/{self.seal.records + 1}/manifest/{name}",
                f"the manifest's {name} is not that of the lines, {counted}: {meaning}; nothing was imported",
            )


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
