"""Console over HTTP: its files, its configuration, and the exchange of a one-time token for a session.

Nothing here reads a memory: the page speaks the public API, with the session's token in Authorization.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memory_layer.console.bundle import BUNDLE, INDEX, NOT_KEPT, BundleFile, read_bundle
from memory_layer.console.entries import redeem_entry
from memory_layer.console.issuer_sign_in import oidc_settings, origin_of_issuer
from memory_layer.console.page_policy import PAGE_HEADERS, page_headers
from memory_layer.console.sessions import SESSION_PREFIX, bearer_of, begin_session, renew_session
from memory_layer.edge.http.sign_in import base_url
from memory_layer.errors import NotFound, Unauthenticated
from memory_layer.settings import SignIn
from memory_layer.version import VERSION

ROOT: Final = "/"
FOLDER: Final = "/console/"
CONFIG: Final = "/console/config.json"
SESSION: Final = "/console/session"
JSON: Final = "application/json"

NO_ISSUER: Final = SignIn()

NOT_BUILT: Final = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Memory Layer</title></head>
<body><h1>The console is not built yet</h1>
<p>The API works. To build the console once, run <code>make console</code> in the checkout, then load this page again.
It needs Node.js 20 or newer, or a package index from which it fetches Node.js by itself.</p>
<p><a href="/docs">Documentation of the API</a></p></body></html>
"""


@dataclass(frozen=True, slots=True)
class ConsoleAnswer:
    """Answer of the console. Args: headers: in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ConsolePages:
    """Console of one server.

    Args:
        data_dir: folder whose one-time tokens it takes.
        secret: signs its sessions; it is asked when somebody enters.
        now: clock.
        asks_for_tokens: the API takes no call without a token.
        sign_in: issuer at which people sign in, and the page's client there.
        folder: where the bundle lies.
    """

    def __init__(
        self,
        data_dir: Path,
        secret: Callable[[], str],
        now: Callable[[], datetime],
        *,
        asks_for_tokens: bool,
        sign_in: SignIn = NO_ISSUER,
        folder: Path = BUNDLE,
    ) -> None:
        self._data_dir = data_dir
        self._secret = secret
        self._now = now
        self._config = {"version": VERSION, "asks_for_tokens": asks_for_tokens, "oidc": _oidc(sign_in)}
        self._headers = _page_headers(sign_in)
        self._folder = folder
        self._files: Mapping[str, BundleFile] = {}

    @staticmethod
    def takes(method: str, path: str) -> bool:
        """Tells if a request is for the console."""
        if path == SESSION:
            return method == "POST"
        return method in ("GET", "HEAD") and (path == ROOT or path.startswith(FOLDER))

    def answer(self, method: str, path: str, event: Any) -> ConsoleAnswer:
        """Answers a request that it takes.

        Raises:
            NotFound: there is no such file.
            Unauthenticated: a token opens nothing.
        """
        if path == SESSION:
            return self._json(self._session(event))
        if path == CONFIG:
            return self._json(self._config)
        found = self._file(INDEX if path == ROOT else path.removeprefix(ROOT))
        return found if method == "GET" else ConsoleAnswer(found.status, found.headers, b"")

    def _session(self, event: Any) -> dict[str, Any]:
        """Session for a one-time token, or for a session that is to go on."""
        token, origin = bearer_of(event.headers), base_url(event)
        if not token:
            raise Unauthenticated(
                "send Authorization: Bearer TOKEN, with the token of a link of: mem console"
            )
        if token.startswith(SESSION_PREFIX):
            return renew_session(self._secret(), origin, token, self._now())
        claims = redeem_entry(self._data_dir, token, origin, self._now())
        return begin_session(self._secret(), origin, claims, self._now())

    def _file(self, path: str) -> ConsoleAnswer:
        if not self._files:  # also built while the server runs
            self._files = read_bundle(self._folder)
        found = self._files.get(path)
        if found is None and path == INDEX:
            found = BundleFile(NOT_BUILT, "text/html; charset=utf-8", NOT_KEPT)
        if found is None:
            raise NotFound(f"the console has no file {path}; load the page again")
        headers = {**self._headers, "content-type": found.content_type, "cache-control": found.cache_control}
        return ConsoleAnswer(200, headers, found.content)

    @staticmethod
    def _json(document: Mapping[str, Any]) -> ConsoleAnswer:
        return ConsoleAnswer(200, {"content-type": JSON}, json.dumps(document).encode())


def _oidc(sign_in: SignIn) -> Mapping[str, Any] | None:
    if sign_in.issuer is None or sign_in.console_client is None:
        return None
    return oidc_settings(sign_in.issuer, sign_in.console_client, sign_in.scopes)


def _page_headers(sign_in: SignIn) -> Mapping[str, str]:
    """Headers of each file: where people sign in at an issuer, the page may ask it for their token."""
    if sign_in.issuer is None or sign_in.console_client is None:
        return PAGE_HEADERS
    return page_headers((origin_of_issuer(sign_in.issuer),))
