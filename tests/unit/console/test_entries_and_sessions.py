"""Entering the console: a link opens once, soon, at its own address; a session holds there alone, and not for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.console import sessions
from memory_layer.console.entries import ENTRY_LIFETIME, FOLDER, make_entry, redeem_entry
from memory_layer.console.sessions import begin_session, read_session, renew_session, with_sessions
from memory_layer.domain.access import Principal
from memory_layer.errors import Unauthenticated
from memory_layer.local.console_links import OWNER
from memory_layer.local.tokens import LOCAL_PRINCIPAL, mint, no_authentication, token_authentication

SECRET = "s" * 64
HERE = "http://127.0.0.1:8080"
ELSEWHERE = "http://127.0.0.1:9090"


class Event:
    """A request, as far as authentication reads it."""

    def __init__(self, token: str, origin: str = HERE) -> None:
        self.headers = {"authorization": f"Bearer {token}", "host": origin.partition("://")[2]}

    def get(self, _: str) -> None:
        return None


def now() -> datetime:
    return datetime.now(UTC)


def session(origin: str = HERE, *, at: datetime | None = None) -> str:
    token: str = begin_session(SECRET, origin, OWNER, at or now())["token"]
    return token


def test_a_link_opens_once(tmp_path: Path) -> None:
    """Falls where the token's file stays."""
    token = make_entry(tmp_path, HERE, OWNER, now())
    assert redeem_entry(tmp_path, token, HERE, now()) == OWNER
    with pytest.raises(Unauthenticated, match="mem console"):
        redeem_entry(tmp_path, token, HERE, now())


def test_a_link_that_nobody_used_in_time_opens_nothing(tmp_path: Path) -> None:
    token = make_entry(tmp_path, HERE, OWNER, now())
    with pytest.raises(Unauthenticated):
        redeem_entry(tmp_path, token, HERE, now() + ENTRY_LIFETIME)


def test_a_link_opens_nothing_at_another_address_and_is_spent_by_the_attempt(tmp_path: Path) -> None:
    """Falls where another server of the machine may redeem it."""
    token = make_entry(tmp_path, HERE, OWNER, now())
    for origin in (ELSEWHERE, HERE):
        with pytest.raises(Unauthenticated):
            redeem_entry(tmp_path, token, origin, now())


@pytest.mark.parametrize("token", ["", "x", "../token-secret", "a/b"])
def test_a_made_up_link_opens_nothing(tmp_path: Path, token: str) -> None:
    make_entry(tmp_path, HERE, OWNER, now())
    with pytest.raises(Unauthenticated):
        redeem_entry(tmp_path, token, HERE, now())


def test_the_folder_holds_digests_for_its_owner_alone(tmp_path: Path) -> None:
    token = make_entry(tmp_path, HERE, OWNER, now())
    (path,) = (tmp_path / FOLDER).iterdir()
    assert token not in path.name + path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / FOLDER).stat().st_mode & 0o077 == 0


def test_a_session_is_the_person_s_who_entered() -> None:
    authenticate = with_sessions(no_authentication, lambda: SECRET)
    assert authenticate(Event(session())) == LOCAL_PRINCIPAL
    assert LOCAL_PRINCIPAL.is_proven
    assert not authenticate(Event("some other token")).is_proven


@pytest.mark.parametrize(
    "token",
    [
        session(ELSEWHERE),
        session(at=now() - timedelta(hours=2)),
        session() + "x",
        sessions.SESSION_PREFIX,
        session().replace(sessions.SESSION_PREFIX, sessions.SESSION_PREFIX * 2),
    ],
    ids=["of another origin", "ended", "changed", "empty", "prefixed twice"],
)
def test_a_session_that_does_not_hold_is_refused_also_where_no_token_is_asked_for(token: str) -> None:
    """Falls where what is no good session is taken for no token at all, and so for the owner."""
    with pytest.raises(Unauthenticated):
        with_sessions(no_authentication, lambda: SECRET)(Event(token))


def test_a_session_is_no_token_of_the_api_and_a_token_no_session() -> None:
    """Falls without the audience: one would be taken for the other, and outlive its origin."""
    bare = session().removeprefix(sessions.SESSION_PREFIX)
    with pytest.raises(Unauthenticated):
        token_authentication(SECRET)(Event(bare))
    minted = mint(
        SECRET,
        tenant="acme",
        principal="ada",
        persona=None,
        roles=["admin"],
        now=now(),
        lifetime=timedelta(days=1),
    )
    with pytest.raises(Unauthenticated):
        read_session(SECRET, HERE, sessions.SESSION_PREFIX + minted)


def test_a_session_is_renewed_but_not_beyond_twelve_hours() -> None:
    """Falls where a renewal begins anew: a session would never end."""
    begun = now() - sessions.SIGNED_IN_MAX + timedelta(minutes=1)
    ending: dict[str, Any] = begin_session(SECRET, HERE, OWNER, now() - timedelta(minutes=30), entered=begun)
    renewed = renew_session(SECRET, HERE, ending["token"], now())
    assert datetime.fromisoformat(renewed["expires_at"]) <= now() + timedelta(minutes=1)
    with pytest.raises(Unauthenticated):
        renew_session(SECRET, HERE, ending["token"], begun + sessions.SIGNED_IN_MAX)


def test_a_named_person_enters_with_the_rights_that_the_link_names(tmp_path: Path) -> None:
    claims = {"tenant": "acme", "sub": "ada@acme.test", "email": "ada@acme.test", "email_verified": True}
    token = make_entry(tmp_path, HERE, {**claims, "roles": ["reviewer"]}, now())
    begun = begin_session(SECRET, HERE, redeem_entry(tmp_path, token, HERE, now()), now())
    found = with_sessions(token_authentication(SECRET), lambda: SECRET)(Event(begun["token"]))
    assert found == Principal(
        tenant="acme", subject="ada@acme.test", email="ada@acme.test", roles=frozenset({"reviewer"})
    )
