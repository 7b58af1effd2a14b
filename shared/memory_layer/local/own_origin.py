"""Origin of a request: this machine and this server's own pages, or somebody else's page.

DNS rebinding shows in Host, another site's page in Origin or Sec-Fetch-Site. A page on another port of this machine is
another site's as well.
"""

from collections.abc import Collection, Mapping
from typing import Final

from memory_layer.edge.http.request_bounds import RequestRefusal

LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
FOREIGN: Final = RequestRefusal(
    403, "forbidden", "this server answers its own machine only, and no web page of another origin"
)
FOREIGN_PAGE: Final = RequestRefusal(403, "forbidden", "this server answers no web page of another origin")
_OWN_SITES: Final = (b"none", b"same-origin")


def refuse_foreign(
    headers: Mapping[bytes, bytes], *, loopback_alone: bool, origins: Collection[str] = ()
) -> RequestRefusal | None:
    """Refusal of a request that comes from elsewhere; None: it does not.

    Args:
        headers: names in lower case.
        loopback_alone: nobody proves who calls, so that the machine has to: its own name stands in Host.
        origins: of pages that may call besides the server's own.
    """
    if loopback_alone:
        is_own = _is_loopback(headers) and _is_own_site(headers) and _is_own_page(headers, ())
        return None if is_own else FOREIGN
    if _is_own_page(headers, origins) and (_is_own_site(headers) or _is_listed(headers, origins)):
        return None
    return None if _is_navigation(headers) else FOREIGN_PAGE


def _is_loopback(headers: Mapping[bytes, bytes]) -> bool:
    host = headers.get(b"host", b"").decode()
    return (host if host.endswith("]") else host.rsplit(":", 1)[0]) in LOOPBACK_HOSTS


def _is_own_site(headers: Mapping[bytes, bytes]) -> bool:
    return headers.get(b"sec-fetch-site", b"none") in _OWN_SITES


def _is_own_page(headers: Mapping[bytes, bytes], origins: Collection[str]) -> bool:
    origin = headers.get(b"origin")
    is_own = origin is None or origin.partition(b"://")[2] == headers.get(b"host", b"")
    return is_own or _is_listed(headers, origins)


def _is_listed(headers: Mapping[bytes, bytes], origins: Collection[str]) -> bool:
    return headers.get(b"origin", b"").decode() in origins


def _is_navigation(headers: Mapping[bytes, bytes]) -> bool:
    """Tells if a person follows a link, or comes back from a sign-in: a browser sends no token with that."""
    is_document = headers.get(b"sec-fetch-dest") == b"document"
    return is_document and headers.get(b"sec-fetch-mode") == b"navigate" and b"origin" not in headers
