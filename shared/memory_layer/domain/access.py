"""Callers, the memories that they see, and the ones that they may change."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, Self

from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory, Scope, Source

Role = Literal["agent", "reviewer", "admin"]

SHARED_PROJECT = "_shared"
"""The tenant-wide project that every recall reads beside its own (SPEC 3.26)."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller, as the token's claims say: never taken from a body.

    Args:
        email: proved to be the caller's own, which makes them a person.
        persona: the one that they write under unless they name another of theirs; None: under none.
        personas: those that they see and may write under beside it.
        acts_for: tells whether they may speak for end users.
        user: the end user for whom they speak in this request.
        is_proven: tells whether something shows who calls: a token, a terminal; a port of loopback alone does not.
        tools: names and globs of the MCP tools that the token's persona may use; empty: all of the role.
    """

    tenant: str
    subject: str
    email: str | None = None
    persona: str | None = None
    roles: frozenset[Role] = frozenset({"agent"})
    personas: frozenset[str] = frozenset()
    acts_for: bool = False
    user: str | None = None
    is_proven: bool = True
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of who answers for it, in `by`, `approved_by`, votes and quotas: the e-mail, else the subject."""
        return self.email or self.subject

    @property
    def author(self) -> str:
        """Name that `created_by` records: the end user's where the caller speaks for one."""
        return self.user or self.name

    @property
    def holder(self) -> str:
        """Name that idempotency keys, operations and kept contexts belong to: of one persona, or of one end user."""
        return "\n".join((self.name, *sorted(self.own_personas), *([] if self.user is None else [self.user])))

    @property
    def own_personas(self) -> frozenset[str]:
        return self.personas if self.persona is None else self.personas | {self.persona}

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles

    @property
    def is_reviewer(self) -> bool:
        return self.is_admin or "reviewer" in self.roles

    @property
    def is_agent(self) -> bool:
        """Tells whether the caller is neither a person, whose token proves their e-mail, nor a reviewer (SPEC 4.2)."""
        return self.email is None and not self.is_reviewer

    @property
    def is_screened(self) -> bool:
        """Tells whether the caller's own words are read for orders before anybody recalls them (SPEC 5.14)."""
        return self.is_agent or not self.is_proven

    @property
    def may_act_for_users(self) -> bool:
        return self.acts_for or self.is_admin

    def scope(self, project: str) -> Scope:
        return Scope(self.tenant, project)


def acting_for(principal: Principal, user: str) -> Principal:
    """Caller with the persona, the view and the authorship of an end user, and the rights of their own (SPEC 4.4)."""
    return replace(principal, user=user, persona=user, personas=frozenset())


AGENT_PREFIX = "agent:"
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_CLIENT_SUFFIX = re.compile(r"(?<=.)-(?:vscode|(?:mcp-)?client(?:-.*)?)$")
"""End of the name that an agent's MCP client has beside the agent's own: `codex-mcp-client`, `cursor-vscode`."""

_CLIENT_CHARS = 48


def agent_subject(client: str | None, nameless: str) -> str:
    """Subject of a coding agent on this machine, by the name that its client gives itself.

    One principal a client, over MCP and the command line alike. The prefix and the few characters left keep a client
    from calling itself a person or `local`.

    Args:
        nameless: subject of a client without a name, or with this one, which says as little.
    """
    words = _NO_SLUG.sub("-", (client or "").lower()).strip("-")
    slug = _CLIENT_SUFFIX.sub("", words)[:_CLIENT_CHARS].strip("-")
    return nameless if slug in ("", nameless) else f"{AGENT_PREFIX}{slug}"


def as_agent(principal: Principal, client: str | None, nameless: str) -> Principal:
    """Caller of MCP as the agent that speaks (SPEC 4.3): neither a person's words nor a reviewer's rights are its own.

    An agent's own token is one principal, whichever client carries it. Beside a person's name, or without a token, the
    client is told apart by its name.

    Args:
        client: name that the client gives itself.
        nameless: subject of a client without a name.
    """
    if principal.is_agent:
        return principal
    agent = agent_subject(client, nameless)
    named = f"{AGENT_PREFIX}{agent.removeprefix(AGENT_PREFIX)}:{principal.name}"
    subject = named if principal.is_proven else agent
    return replace(principal, subject=subject, email=None, roles=frozenset({"agent"}))


def agent_voice(name: str) -> str:
    """Name under which an agent counts as one voice: its token's, whatever its clients call themselves.

    The client of `agent:codex:ada@acme.test` says its own name, so that one token could speak as many; what counts
    (witnesses, budgets, quotas) goes by `agent:ada@acme.test`. Without a token the client's name is all there is.
    """
    client, separator, holder = name.removeprefix(AGENT_PREFIX).partition(":")
    return f"{AGENT_PREFIX}{holder}" if name.startswith(AGENT_PREFIX) and client and separator else name


def names_behind(name: str) -> tuple[str, ...]:
    """Names that an agent speaks beside: whose token it carries, and what its client is called, whoever's token.

    For `agent:codex:ada@acme.test` these are `ada@acme.test` and `agent:codex`; for all others there are none.
    """
    client, _, holder = name.removeprefix(AGENT_PREFIX).partition(":")
    return (holder, f"{AGENT_PREFIX}{client}") if name.startswith(AGENT_PREFIX) and client and holder else ()


def may_use_tool(principal: Principal, tool: str) -> bool:
    """Tells whether the token's list of tools, where there is one, names a tool."""
    return not principal.tools or any(fnmatchcase(tool, glob) for glob in principal.tools)


@dataclass(frozen=True, slots=True)
class Viewer:
    """View of a search: the personas, beside everyone's, of the memories that it may return."""

    personas: frozenset[str] = frozenset()
    sees_all_personas: bool = False

    @classmethod
    def of(cls, *personas: str | None) -> Self:
        """View of these personas; None stands for none."""
        return cls(frozenset(name for name in personas if name is not None))

    def may_see(self, persona: str | None) -> bool:
        return self.sees_all_personas or persona is None or persona in self.personas


def viewer_of(principal: Principal) -> Viewer:
    """View of what a caller recalls, lists and counts; who speaks for an end user has that user's view."""
    return Viewer(principal.own_personas, principal.is_admin and principal.user is None)


def review_viewer_of(principal: Principal) -> Viewer:
    """View of what waits for a decision: a reviewer's is every persona's, unless the token names some (SPEC 4.38)."""
    is_for_all = principal.is_reviewer and principal.user is None and not principal.own_personas
    return Viewer(sees_all_personas=True) if is_for_all else viewer_of(principal)


def may_audit(principal: Principal) -> bool:
    """Tells whether a caller may read the audit log, which tells of every persona and end user: reviewers of all."""
    return principal.is_reviewer and review_viewer_of(principal).sees_all_personas


def is_up_for_review(memory: Memory, held: Collection[Source] = ()) -> bool:
    """Tells whether a memory waits for a decision, or a reviewer has taken one on it.

    Args:
        held: sources whose memories wait for approval in this project.
    """
    is_out = memory.status in ("pending", "quarantined", "rejected", "stale")
    waits = memory.is_active and (memory.doubted is not None or memory.source in held)
    return is_out or waits or memory.is_approved


def may_see_memory(principal: Principal, memory: Memory, held: Collection[Source] = ()) -> bool:
    """Tells whether a memory's persona lets a caller know of it: as theirs, or as one to review."""
    viewer = review_viewer_of(principal) if is_up_for_review(memory, held) else viewer_of(principal)
    return viewer.may_see(memory.persona)


def may_write_under(principal: Principal, persona: str | None) -> bool:
    """Tells whether a caller may write under a persona: one of their own, or none; reviewers under each.

    Who speaks for an end user writes under that user's persona alone.
    """
    if principal.user is not None:
        return persona == principal.user
    return principal.is_reviewer or persona is None or persona in principal.own_personas


def is_author(principal: Principal, memory: Memory) -> bool:
    """Tells whether a memory's words are the caller's own.

    Names may meet: an agent owns nothing that a person said, whatever either is called, and a service that speaks for
    an end user owns what lies under that user's persona alone.
    """
    is_own = memory.created_by == principal.author and not (principal.is_agent and memory.source == "human")
    return is_own and (principal.user is None or memory.persona == principal.user)


def may_change(principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may change a memory: agents only what they created, reviewers and admins all (SPEC 4.5).

    A memory promoted from runs is nobody's own, whoever reported the first of them.
    """
    is_own = is_author(principal, memory) and not memory.id.startswith(LEARNING_ID_PREFIX)
    return principal.is_reviewer or is_own


def erases_for_a_person(principal: Principal) -> bool:
    """Tells whether an erasure is a person's right, their own or an end user's, or an admin's act; a program has none.

    What a program did stays on record: otherwise it could take away the traces of what it did to others.
    """
    return principal.is_admin or principal.user is not None or not principal.is_agent


def may_erase(principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may erase a memory: what they created, and admins all; a program nothing trusted."""
    if principal.is_admin:
        return True
    is_own = may_change(principal, memory) and is_author(principal, memory)
    return is_own and (erases_for_a_person(principal) or not memory.is_trusted)


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
    """Drops the shared copies of memories that are in the list themselves, so that one fact appears once.

    A copy is of what somebody reviewed; what nobody vouches for has taken its origin's id since.
    """
    found = list(memories)
    present = {f"{memory.project}/{memory.id}" for memory in found if memory.is_trusted}
    return [memory for memory in found if origin_of(memory) not in present]
