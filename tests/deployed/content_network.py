"""The content network of the deployed template on loopback: paths, origins and headers as the distribution has them.

Ministack keeps a distribution and serves nothing by it. Not so: caches, TLS, and the network's own errors.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from tests.deployed.ministack import Ministack

NOT_PASSED_ON: Final = frozenset(
    ("connection", "transfer-encoding", "content-encoding", "content-length", "host")
)
_HEADER_OF: Final[Mapping[str, tuple[str, str]]] = {
    "ContentSecurityPolicy": ("content-security-policy", "ContentSecurityPolicy"),
    "FrameOptions": ("x-frame-options", "FrameOption"),
    "ReferrerPolicy": ("referrer-policy", "ReferrerPolicy"),
}


@dataclass(frozen=True)
class ContentNetwork:
    """Distribution of a domain name. Args: server: that has it, and its origins."""

    server: Ministack
    domain: str

    @cached_property
    def _cloudfront(self) -> Any:
        return self.server.client("cloudfront")

    @cached_property
    def config(self) -> dict[str, Any]:
        listed = self._cloudfront.list_distributions()["DistributionList"]["Items"]
        (id,) = (one["Id"] for one in listed if one["DomainName"] == self.domain)
        return dict(self._cloudfront.get_distribution_config(Id=id)["DistributionConfig"])

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx2.Response:
        """Answer of the origin that the path goes to."""
        behavior = self._behavior(path.partition("?")[0])
        if method not in behavior["AllowedMethods"]["Items"]:
            return httpx2.Response(403)
        origin = next(
            one for one in self.config["Origins"]["Items"] if one["Id"] == behavior["TargetOriginId"]
        )
        host = origin["DomainName"].split(".")[0]
        if "CustomOriginConfig" in origin:
            return self._asked(method, path, {**headers, "host": f"{host}.execute-api.localhost"}, body)
        name = self.config["DefaultRootObject"] if path == "/" else path.partition("?")[0].removeprefix("/")
        found = self.server.client("s3").get_object(Bucket=host, Key=name)
        headers = {"content-type": found["ContentType"], "cache-control": found["CacheControl"]}
        content = found["Body"].read()
        return httpx2.Response(200, headers={**headers, **self._sent_with(behavior)}, content=content)

    def _behavior(self, path: str) -> dict[str, Any]:
        for one in self.config.get("CacheBehaviors", {}).get("Items", ()):
            if fnmatchcase(path, one["PathPattern"]):
                return dict(one)
        return dict(self.config["DefaultCacheBehavior"])

    def _sent_with(self, behavior: Mapping[str, Any]) -> dict[str, str]:
        """Headers of the policy of a behavior."""
        told = self._cloudfront.get_response_headers_policy(Id=behavior["ResponseHeadersPolicyId"])
        config = told["ResponseHeadersPolicy"]["ResponseHeadersPolicyConfig"]
        security = config["SecurityHeadersConfig"]
        own = {name: security[key][member] for key, (name, member) in _HEADER_OF.items()}
        custom = {one["Header"]: one["Value"] for one in config["CustomHeadersConfig"]["Items"]}
        return {**own, **custom, "x-content-type-options": "nosniff"}

    def _asked(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx2.Response:
        with httpx2.Client(base_url=self.server.endpoint, timeout=60.0) as client:
            return client.request(method, path, headers=dict(headers), content=body)


@contextmanager
def at_an_origin(network: ContentNetwork) -> Iterator[str]:
    """Origin at which a browser reaches a network."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            told = {
                name.lower(): value
                for name, value in self.headers.items()
                if name.lower() not in NOT_PASSED_ON
            }
            found = network.answer(self.command, self.path, told, body)
            self.send_response(found.status_code)
            for name, value in found.headers.items():
                if name.lower() not in NOT_PASSED_ON:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(found.content)))
            self.end_headers()
            with suppress(ConnectionError):  # the browser has left the page meanwhile
                self.wfile.write(found.content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def network_at(server: Ministack, url: str) -> ContentNetwork:
    """Network of the console's URL."""
    return ContentNetwork(server, urlsplit(url).netloc)
