"""Principals, their views, and what they may change: each rule falls with the line that it names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.access import (
    AGENT_PREFIX,
    Principal,
    Viewer,
    acting_for,
    agent_subject,
    agent_voice,
    as_agent,
    is_author,
    may_audit,
    may_change,
    may_claim_human,
    may_see_memory,
    may_write_under,
    names_behind,
    review_viewer_of,
    viewer_of,
)
from memory_layer.domain.memory import Doubt, Memory
from tests.given import ADMIN, AGENT, REVIEWER, SCOPE, START

SERVICE = Principal("acme", "desk", acts_for=True)
EVERYBODY = Viewer(sees_all_personas=True)


def memory(**fields: Any) -> Memory:
    said = {"id": "m1", "tenant": SCOPE.tenant, "project": SCOPE.project, "content": "Deploy on Tuesdays."}
    made = {"source": "run", "created_by": "s", "created_at": START, "updated_at": START, "content_hash": "h"}
    return Memory(**{**said, **made, **fields})


def test_views_are_of_all_own_personas_and_of_an_end_user_alone() -> None:
    several = Principal("acme", "s", persona="ops", personas=frozenset({"team"}))
    assert viewer_of(AGENT) == viewer_of(REVIEWER) == Viewer()
    assert viewer_of(several) == Viewer.of("ops", "team")
    assert viewer_of(ADMIN) == EVERYBODY
    for speaker in (SERVICE, several, REVIEWER, ADMIN):
        assert viewer_of(acting_for(speaker, "u-17")) == Viewer.of("u-17")
        assert review_viewer_of(acting_for(speaker, "u-17")) == Viewer.of("u-17")


def test_reviewers_see_every_personas_queue_unless_their_token_names_personas() -> None:
    assert review_viewer_of(REVIEWER) == review_viewer_of(ADMIN) == EVERYBODY
    assert review_viewer_of(replace(REVIEWER, persona="ops")) == Viewer.of("ops")
    assert review_viewer_of(replace(REVIEWER, personas=frozenset({"ops", "web"}))) == Viewer.of("ops", "web")
    assert review_viewer_of(AGENT) == Viewer()


@pytest.mark.parametrize(
    ("fields", "is_seen"),
    [
        ({}, False),
        ({"status": "inactive"}, False),
        ({"status": "pending"}, True),
        ({"status": "quarantined"}, True),
        ({"status": "stale"}, True),
        ({"status": "rejected"}, True),
        ({"approved_by": "rae@acme.test", "approved_at": START}, True),
        ({"doubted": Doubt(since=START)}, True),
    ],
)
def test_a_reviewer_opens_of_others_personas_what_waits_or_was_decided(
    fields: dict[str, Any], is_seen: bool
) -> None:
    """What nobody asks a reviewer about stays the persona's own."""
    found = memory(persona="ops", **fields)
    assert may_see_memory(REVIEWER, found) == is_seen
    assert not may_see_memory(AGENT, found)
    assert not may_see_memory(replace(REVIEWER, persona="web"), found)
    assert may_see_memory(replace(AGENT, persona="ops"), found)


def test_who_writes_under_which_persona() -> None:
    several = Principal("acme", "s", personas=frozenset({"ops", "team"}))
    assert [may_write_under(several, name) for name in ("ops", "team", None, "web")] == [
        True,
        True,
        True,
        False,
    ]
    assert may_write_under(REVIEWER, "web")
    for speaker in (SERVICE, ADMIN):
        acting = acting_for(speaker, "u-17")
        assert [may_write_under(acting, name) for name in ("u-17", None, "u-18")] == [True, False, False]


def test_who_speaks_for_an_end_user_keeps_the_rights_of_their_own() -> None:
    acting = acting_for(SERVICE, "ada@acme.test")
    assert (acting.name, acting.author, acting.persona) == ("desk", "ada@acme.test", "ada@acme.test")
    assert acting.is_agent
    assert not may_claim_human(acting)
    assert acting.holder not in (SERVICE.holder, acting_for(SERVICE, "ben").holder)


def test_an_end_user_who_bears_anothers_name_changes_nothing_of_theirs() -> None:
    """Safeguards: the persona and the source in `is_author`; an end user's name is anybody's choice."""
    acting = acting_for(SERVICE, "ada@acme.test")
    own = memory(created_by="ada@acme.test", persona="ada@acme.test")
    assert may_change(acting, own)
    assert not may_change(acting, replace(own, persona=None))
    assert not may_change(acting, replace(own, source="human"))
    assert not may_change(SERVICE, own)
    assert not may_change(acting_for(SERVICE, "ben"), own)
    assert is_author(Principal("acme", "x", "ada@acme.test"), own)


@pytest.mark.parametrize(
    ("client", "subject"),
    [
        ("claude-code", "agent:claude-code"),
        ("Claude Code", "agent:claude-code"),
        ("codex-mcp-client", "agent:codex"),
        ("cursor-vscode", "agent:cursor"),
        ("gemini-cli-mcp-client-memory", "agent:gemini-cli"),
        ("ada@acme.test", "agent:ada-acme-test"),
        ("local", "agent:local"),
        ("agent:local", "agent:agent-local"),
        ("client", "agent:client"),
        ("x" * 300, "agent:" + "x" * 48),
        ("", "mcp"),
        ("MCP", "mcp"),
        ("…", "mcp"),
        (None, "mcp"),
    ],
)
def test_a_client_is_one_principal_under_a_name_that_is_nobody_elses(
    client: str | None, subject: str
) -> None:
    assert agent_subject(client, "mcp") == subject


@given(st.text())
def test_no_name_makes_a_client_anybody_but_an_agent(client: str) -> None:
    """Safeguard: the prefix; a person is called by an e-mail address, the owner `local`."""
    subject = agent_subject(client, "mcp")
    assert subject == "mcp" or subject.startswith(AGENT_PREFIX)
    assert "@" not in subject
    assert "\n" not in subject
    assert len(subject) < 64


@pytest.mark.parametrize(
    ("name", "voice"),
    [
        ("agent:codex:ada@acme.test", "agent:ada@acme.test"),
        ("agent:cursor:ada@acme.test", "agent:ada@acme.test"),
        ("agent:codex", "agent:codex"),
        ("ada@acme.test", "ada@acme.test"),
        ("agent::ada", "agent::ada"),
    ],
)
def test_one_token_is_one_voice_whatever_its_clients_are_called(name: str, voice: str) -> None:
    assert agent_voice(name) == voice


@pytest.mark.parametrize(
    ("name", "behind"),
    [
        ("agent:codex:ada@acme.test", ("ada@acme.test", "agent:codex")),
        ("agent:codex:svc:ada", ("svc:ada", "agent:codex")),
        ("agent:codex", ()),
        ("ada@acme.test", ()),
        ("agent::ada", ()),
    ],
)
def test_an_agent_speaks_beside_the_holder_of_its_token_and_under_its_clients_name(
    name: str, behind: tuple[str, ...]
) -> None:
    assert names_behind(name) == behind


@pytest.mark.parametrize("client", ["codex", "claude-code", "mcp", None])
def test_each_client_of_a_token_is_the_same_voice(client: str | None) -> None:
    """Falls if a client without a name is told apart from those with one: a token would speak as two."""
    person = Principal("acme", "ada", email="ada@acme.test")
    agent = as_agent(person, client, "mcp")
    assert agent.is_agent
    assert agent_voice(agent.name) == "agent:ada@acme.test"
    assert names_behind(agent.name)[0] == person.name


def test_the_audit_log_is_for_reviewers_of_every_persona() -> None:
    reviewer = Principal("acme", "rev", roles=frozenset({"reviewer"}))
    assert may_audit(reviewer)
    assert may_audit(Principal("acme", "root", persona="ops", roles=frozenset({"admin"})))
    refused = [replace(reviewer, persona="ops"), replace(reviewer, user="sam"), Principal("acme", "bot")]
    assert not any(map(may_audit, refused))
