"""Lookup of a project's records by their content, to recognise those of another project."""

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from memory_layer.domain.lifecycle import status_before_expiry
from memory_layer.domain.memory import ENDED_STATUSES, Memory, Scope
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import every_record


@dataclass
class ContentLookup:
    """Index of a project's records by content and persona; the project is read once, at the first lookup."""

    ports: Ports
    scope: Scope
    _is_known: bool = False
    _in_use: dict[bytes, str] = field(default_factory=dict)
    _ended: dict[bytes, str] = field(default_factory=dict)

    def twin_of(self, memory: Memory) -> str | None:
        """Id of a record in use that says the same to the same persona; None: there is none, and this one is added."""
        self._read()
        twin_id = self._in_use.setdefault(content_digest(memory), memory.id)
        return None if twin_id == memory.id else twin_id

    def ended_twin_of(self, memory: Memory) -> str | None:
        """Id of a record out of use that says the same, if none in use does."""
        self._read()
        said = content_digest(memory)
        return None if said in self._in_use else self._ended.get(said)

    def _read(self) -> None:
        if self._is_known:
            return
        self._is_known = True
        now = self.ports.clock.now()
        for memory in every_record(self.ports.store.memories, self.scope):
            if is_in_use(memory, now):
                self._in_use[content_digest(memory)] = memory.id
            elif was_taken_out(memory, now):
                self._ended[content_digest(memory)] = memory.id


def is_in_use(memory: Memory, now: datetime) -> bool:
    return memory.is_active and not memory.has_expired(now)


def was_taken_out(memory: Memory, now: datetime) -> bool:
    """True for a record that was taken out of use, and not by its age."""
    return memory.status in ENDED_STATUSES and status_before_expiry(memory, now) is None


def content_digest(memory: Memory) -> bytes:
    """Digest of content and persona, 16 bytes: one is kept for each record in use."""
    return sha256(f"{memory.content_hash}\0{memory.persona or ''}".encode()).digest()[:16]
