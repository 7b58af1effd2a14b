"""Claims of a token as a principal, and the header of a service: what proves what, whatever the claims hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_layer.domain.access import Principal
from memory_layer.edge.http.principals import PERSONAS_MAX, claims_of, principal_of, speaking_for
from memory_layer.errors import Forbidden, Invalid, Unauthenticated
from tests.given import ADMIN

BARE = {"tenant": "acme", "sub": "s"}


@pytest.mark.parametrize(
    ("claims", "is_person"),
    [
        ({"email": "ada@acme.test", "email_verified": True}, True),
        ({"email": "ada@acme.test", "email_verified": "true"}, True),
        ({"email": "ada@acme.test"}, False),
        ({"email": "ada@acme.test", "email_verified": False}, False),
        ({"email": "ada@acme.test", "email_verified": "false"}, False),
        ({"email": "ada@acme.test", "email_verified": 1}, False),
        ({"email": "ada@acme.test", "email_verified": None}, False),
        ({"email": "", "email_verified": True}, False),
        ({"email": ["ada@acme.test"], "email_verified": True}, False),
        ({"email_verified": True}, False),
    ],
)
def test_a_person_is_who_proved_an_address(claims: dict[str, Any], is_person: bool) -> None:
    """Safeguard: `_proved_email`. An address that nobody proved lends not even its name."""
    principal = principal_of(BARE | claims)
    assert principal.is_agent == (not is_person)
    assert principal.name == ("ada@acme.test" if is_person else "s")


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "desk\nclara"},
        {"persona": "clara\nclara"},
        {"personas": ["clara\u200b"]},
        {"persona": "clara\u202e"},
        {"sub": "desk\u2028clara"},
        {"sub": "desk\ud800"},
        {"email": "ada@acme.test\nclara", "email_verified": True},
    ],
)
def test_a_name_is_one_line_that_is_seen(claims: dict[str, Any]) -> None:
    """Safeguard: `_is_one_line`; joined by line ends, two names were one holder of keys and of their answers."""
    with pytest.raises(Unauthenticated):
        principal_of(BARE | claims)


@pytest.mark.parametrize("name", ["山田\u3000太郎", "Zoé\u00a0Dupont", "می\u200cخواهم", "क्\u200dष"])
def test_names_of_every_script_are_names(name: str) -> None:
    """Falls with `isprintable` in their place, and for several personas of an authorizer's text with `split()`."""
    principal = principal_of({"tenant": "acme", "sub": name, "personas": f"[{name} ops]"})
    assert principal.name == name
    assert principal.personas == {name, "ops"}


def test_an_agent_beside_a_token_is_none_by_a_tokens_name() -> None:
    """Safeguards: `names_behind` in `_no_others`, and `are_ours` where a job goes on as who began it."""
    codex = Principal("acme", "agent:codex:ada@acme.test")
    assert principal_of(claims_of(codex), are_ours=True) == codex
    marked = principal_of(claims_of(codex))
    assert marked.name == "unverified:agent:codex:ada@acme.test"
    assert principal_of(claims_of(marked)) == marked


@pytest.mark.parametrize(
    "roles",
    [
        *(
            {"admin": 1},
            {"admin"},
            "{admin}",
            ["admin", "root"],
            ["admin", 1],
            [["admin"]],
            ["Admin"],
            "admin;",
        ),
        *(1, True, None, "", [], "[admin", "admin]", "[[admin]]", '["admin"]', '{"admin": 1}', ["admin "]),
    ],
)
def test_roles_that_are_no_list_of_known_texts_are_an_agents(roles: Any) -> None:
    """Safeguard: `_listed`; a set of claims that came as an object made its keys roles."""
    assert principal_of(BARE | {"roles": roles}).roles == {"agent"}


@pytest.mark.parametrize("roles", [["admin"], ("admin",), "[admin]", "admin", " [admin] ".strip()])
def test_roles_in_a_list_or_the_authorizers_text_count(roles: Any) -> None:
    assert principal_of(BARE | {"roles": roles}).is_admin


@pytest.mark.parametrize(
    ("claims", "persona", "personas"),
    [
        ({}, None, set()),
        ({"persona": "ops"}, "ops", set()),
        ({"persona": "two words"}, "two words", set()),
        ({"personas": ["ops"]}, "ops", set()),
        ({"personas": ["ops", "ops"]}, "ops", set()),
        ({"personas": ["ops", "team"]}, None, {"ops", "team"}),
        ({"personas": "[ops team]"}, None, {"ops", "team"}),
        ({"persona": "ops", "personas": ["ops", "team"]}, "ops", {"team"}),
        ({"persona": "ops", "personas": ["team"]}, "ops", {"team"}),
        ({"persona": "", "personas": []}, None, set()),
    ],
)
def test_a_token_may_hold_several_personas(claims: Any, persona: str | None, personas: set[str]) -> None:
    principal = principal_of(BARE | claims)
    assert (principal.persona, principal.personas) == (persona, personas)


@pytest.mark.parametrize(
    "claims",
    [
        *({"persona": {"ops": 1}}, {"persona": ["ops"]}, {"persona": 7}, {"persona": "x" * 257}),
        *({"personas": {"ops": 1}}, {"personas": 7}, {"personas": ["ops", 7]}, {"personas": ["ops", ""]}),
        {"personas": [f"p{n}" for n in range(PERSONAS_MAX + 1)]},
    ],
)
def test_a_misshapen_persona_is_no_token(claims: Any) -> None:
    """Safeguard: the check in `_personas`; left out, a private note would be written for everyone."""
    with pytest.raises(Unauthenticated, match="persona"):
        principal_of(BARE | claims)


@pytest.mark.parametrize(
    ("claimed", "may"), [(True, True), ("true", True), (1, False), ("yes", False), (None, False)]
)
def test_the_right_to_speak_for_users_is_a_claim(claimed: Any, may: bool) -> None:
    assert principal_of(BARE | {"acts_for": claimed}).may_act_for_users == may


def test_the_header_needs_the_right_and_a_shape() -> None:
    service, agent = Principal("acme", "desk", acts_for=True), Principal("acme", "s")
    assert speaking_for(agent, None) is agent
    for user in (
        "u-17",
        "ada@acme.test",
        "auth0|5f7c",
        "0b7f4a1e-7d3c-4c1a-9d54-0c6f2c1e8a11",
        "Zoe+1",
        "x" * 128,
    ):
        assert (speaking_for(service, user).author, speaking_for(ADMIN, user).persona) == (user, user)
    for user in ("", " ", "-x", "a b", "a,b", "a\nb", "ü", "x" * 129, "u-17\n"):
        with pytest.raises(Invalid) as refused:
            speaking_for(service, user)
        assert refused.value.violations[0].pointer == "/headers/memory-user"
        assert "letters, digits" in refused.value.violations[0].reason
    for user in ("u-17", "a b"):  # who may not speak for others learns no shape
        with pytest.raises(Forbidden, match="acts_for"):
            speaking_for(agent, user)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["admin", "reviewer", "true"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["admin", "ops"]) | st.text(), inner)
    ),
    max_leaves=6,
)
NAMES = (
    "tenant",
    "sub",
    "email",
    "email_verified",
    "persona",
    "personas",
    "roles",
    "acts_for",
    "tools",
    "user",
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, JSON)))
@example({**BARE, "roles": {"admin": 1}})
@example({**BARE, "user": "ada", "roles": ["agent"]})
def test_whatever_claims_hold_they_prove_no_more_than_they_say(claims: dict[str, Any]) -> None:
    """Fuzzed: either no token, or a principal whose every right stands in a claim of the right kind."""
    try:
        principal = principal_of(claims)
    except Unauthenticated:
        return
    roles = claims.get("roles")
    words = roles if isinstance(roles, list) else str(roles).strip("[]").split()
    assert principal.roles == {"agent"} or (isinstance(roles, list | str) and principal.roles <= set(words))
    assert principal.email is None or claims["email_verified"] in (True, "true")
    assert principal.acts_for == (claims.get("acts_for") is True or claims.get("acts_for") == "true")
    assert principal.user is None
    assert bool(principal.tools) == (claims.get("tools") is not None)
    assert all(isinstance(name, str) and name for name in principal.own_personas)
    assert principal_of(claims_of(principal)) == principal
