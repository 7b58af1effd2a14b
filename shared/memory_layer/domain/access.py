"""Callers, the memories that they see, and the ones that they may change."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory, Scope

Role = Literal["agent", "reviewer", "admin"]

SHARED_PROJECT = "_shared"
"""The tenant-wide project that every recall reads beside its own (SPEC 3.26)."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller, as the token's claims say: never taken from a body."""

    tenant: str
    subject: str
    email: str | None = None
    persona: str | None = None
    roles: frozenset[Role] = frozenset({"agent"})

    @property
    def name(self) -> str:
        """Name that `created_by` and `approved_by` record: the e-mail, else the subject."""
        return self.email or self.subject

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles

    @property
    def is_reviewer(self) -> bool:
        return self.is_admin or "reviewer" in self.roles

    @property
    def is_agent(self) -> bool:
        """Tells whether the caller is neither a person, whose token says their e-mail, nor a reviewer (SPEC 4)."""
        return self.email is None and not self.is_reviewer

    def scope(self, project: str) -> Scope:
        return Scope(self.tenant, project)


@dataclass(frozen=True, slots=True)
class Viewer:
    """View of a search: the persona, beside everyone's, of the memories that it may return."""

    persona: str | None = None
    sees_all_personas: bool = False

    def may_see(self, persona: str | None) -> bool:
        return self.sees_all_personas or persona is None or persona == self.persona


def viewer_of(principal: Principal) -> Viewer:
    return Viewer(principal.persona, principal.is_admin)


def may_change(principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may change a memory: agents only what they created, reviewers and admins all (SPEC 4.5).

    A memory promoted from runs is nobody's own, whoever reported the first of them.
    """
    is_own = memory.created_by == principal.name and not memory.id.startswith(LEARNING_ID_PREFIX)
    return principal.is_reviewer or is_own


def may_claim_human(principal: Principal) -> bool:
    """Tells whether a caller may write `source: human`: reviewers and people may (SPEC 4.6)."""
    return not principal.is_agent


APPLIED_TO, APPLIED_FROM = "applied_to", "applied_from"
"""Relation types: from a memory to the shared copy made of it, and back."""

APPLIED_AS = "applied_as"
"""Key in a shared memory's detail for the role that it serves in."""


def origin_of(memory: Memory) -> str | None:
    """`project/id` of the memory that a shared one was made of; None for others."""
    return next((link.target for link in memory.relations if link.type == APPLIED_FROM), None)


def without_copies(memories: Iterable[Memory]) -> list[Memory]:
    """Drops the shared copies of memories that are in the list themselves, so that one fact appears once."""
    found = list(memories)
    present = {f"{memory.project}/{memory.id}" for memory in found}
    return [memory for memory in found if origin_of(memory) not in present]
