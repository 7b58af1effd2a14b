"""Tokens of an issuer: signed by its key, for this client, by this issuer, and never checked with another's key."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from memory_layer.errors import Invalid, Unauthenticated
from memory_layer.local.issuer_tokens import IssuerTokens, with_issuer
from memory_layer.local.tokens import token_authentication
from memory_layer.settings import SignIn
from tests.console.oidc_issuer import CLIENT, KEY_ID, PERSON, Issuer, issuing

SECRET = "s" * 64


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing() as found:
        yield found


@pytest.fixture
def authenticate(issuer: Issuer) -> Any:
    return with_issuer(token_authentication(SECRET), SignIn(issuer.url, console_client=CLIENT))


def request(token: str) -> Any:
    return SimpleNamespace(headers={"authorization": f"Bearer {token}"})


def test_a_token_of_the_issuer_names_its_person(authenticate: Any, issuer: Issuer) -> None:
    principal = authenticate(request(issuer.token()))
    assert (principal.tenant, principal.email, principal.roles) == (
        "local",
        "ada@shop.test",
        frozenset({"reviewer"}),
    )


def test_a_token_of_the_folder_holds_as_before(authenticate: Any) -> None:
    token = jwt.encode({**PERSON, "exp": 4_000_000_000}, SECRET, algorithm="HS256")
    assert authenticate(request(token)).email == "ada@shop.test"


def test_an_access_token_without_an_audience_names_its_client(authenticate: Any, issuer: Issuer) -> None:
    """As a Cognito access token is."""
    claims = {"iss": issuer.url, "exp": 4_000_000_000, "client_id": CLIENT, **PERSON}
    token = jwt.encode(claims, issuer.key, algorithm="RS256", headers={"kid": KEY_ID})
    assert authenticate(request(token)).email == "ada@shop.test"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"aud": ["another"], "client_id": CLIENT},
        {"aud": None},
        {"iss": "https://elsewhere.test"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"tenant": None},
    ],
    ids=str,
)
def test_a_token_of_another_client_issuer_or_time_is_refused(
    authenticate: Any, issuer: Issuer, claims: dict[str, Any]
) -> None:
    with pytest.raises(Unauthenticated):
        authenticate(request(issuer.token(**claims)))


def test_a_token_of_another_key_is_refused(authenticate: Any, issuer: Issuer) -> None:
    forger = Issuer(issuer.url, rsa.generate_private_key(public_exponent=65537, key_size=2048))
    with pytest.raises(Unauthenticated):
        authenticate(request(forger.token()))


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(authenticate: Any, issuer: Issuer) -> None:
    """Falls where the algorithm that a token names is checked with whichever key is at hand."""
    public = issuer.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _, said, _ = issuer.token().split(".")
    for algorithm in ("HS256", "none"):
        head = _base64url(json.dumps({"alg": algorithm, "kid": KEY_ID}).encode())
        proof = hmac.digest(public, f"{head}.{said}".encode(), "sha256") if algorithm != "none" else b""
        with pytest.raises(Unauthenticated):
            authenticate(request(f"{head}.{said}.{_base64url(proof)}"))


def _base64url(said: bytes) -> str:
    return base64.urlsafe_b64encode(said).rstrip(b"=").decode()


def test_an_issuer_out_of_reach_refuses_with_the_reason() -> None:
    with issuing() as gone:
        token = gone.token()
    found = IssuerTokens(gone.url, CLIENT)
    with pytest.raises(Unauthenticated, match=gone.url):
        found.claims_of(token)


@pytest.mark.parametrize("url", ["http://issuer.test", "issuer.test", "file:///etc/passwd"])
def test_an_issuer_without_https_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="https"):
        IssuerTokens(url, CLIENT)
