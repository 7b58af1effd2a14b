"""A small issuer on this machine: OpenID Connect's code flow with PKCE, for one public client and one person.

It signs people in without asking them; each answer can be spoilt, as a thief or a careless proxy would.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT = "console"
KEY_ID = "key-1"
PERSON: Mapping[str, Any] = {
    "tenant": "local",
    "sub": "ada",
    "email": "ada@shop.test",
    "email_verified": True,
    "roles": ["reviewer"],
}


@dataclass
class Issuer:
    """Args: spoils: parameters that the way back to the page carries in the place of the right ones."""

    url: str
    key: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )
    spoils: dict[str, str] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def token(self, **claims: Any) -> str:
        """Signed token for the client. Args: claims: in the place of the right ones."""
        until = datetime.now(UTC) + timedelta(minutes=5)
        signed = {"iss": self.url, "aud": CLIENT, "exp": until, **PERSON, **claims}
        return jwt.encode(signed, self.key, algorithm="RS256", headers={"kid": KEY_ID})

    def documents(self) -> Mapping[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
            },
            "/keys": {"keys": [{**key, "kid": KEY_ID, "use": "sig", "alg": "RS256"}]},
        }

    def way_back(self, asked: dict[str, str]) -> str:
        """Address to which the browser is sent, with a code that is good once."""
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT)
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state'], **self.spoils})}"

    def redeemed(self, sent: dict[str, str]) -> tuple[int, Mapping[str, str]]:
        """Answer of the token endpoint (RFC 6749, 5)."""
        asked = self.codes.pop(sent.get("code", ""), None)
        verifier = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"]:
            return self._refuse("the code was used, or the verifier is not its own")
        if (sent.get("client_id"), sent.get("redirect_uri")) != (CLIENT, asked["redirect_uri"]):
            return self._refuse("the code is of another client or page")
        return 200, {"access_token": self.token(), "token_type": "Bearer"}

    def _refuse(self, reason: str) -> tuple[int, Mapping[str, str]]:
        self.refused.append(reason)
        return 400, {"error": "invalid_grant", "error_description": reason}


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Issuer that answers as long as the context is open."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler_of(issuer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield issuer
    server.shutdown()
    server.server_close()


def _handler_of(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, query = urlsplit(self.path).path, urlsplit(self.path).query
            if path == "/authorize":
                self.send_response(302)
                self.send_header("location", issuer.way_back(_single(query)))
                self.end_headers()
            else:
                found = issuer.documents().get(path)
                self._tell(404 if found is None else 200, found)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            self._tell(*issuer.redeemed(_single(body)))

        def _tell(self, status: int, document: Any) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            for name, value in (
                ("content-type", "application/json"),
                ("access-control-allow-origin", "*"),
                ("content-length", str(len(body))),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    return Handler


def _single(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
