"""Lock of the API's own address: behind a content network a request has to have come through it."""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Any, Final

from memory_layer.errors import Forbidden

SECRET_HEADER: Final = "x-memory-layer-origin"
"""Header in which the network sends the secret."""

HOST_HEADER: Final = "x-memory-layer-host"
"""Header in which the network sends the name that its caller used."""


def let_through(event: Mapping[str, Any], secret: str) -> Mapping[str, Any]:
    """HTTP API event without the network's headers, under the name that its caller used.

    Args:
        secret: of the lock; empty: there is none, and the event stays as it is.

    Raises:
        Forbidden: the event came past the network.
    """
    if not secret:
        return event
    headers = dict(event.get("headers") or {})
    shown, host = headers.pop(SECRET_HEADER, ""), headers.pop(HOST_HEADER, None)
    if not compare_digest(shown.encode(errors="replace"), secret.encode()):
        raise Forbidden(
            "this address is closed; call the deployment by the output ApiUrl, which its firewall stands before"
        )
    named = {} if host is None else {"domainName": host}
    return {**event, "headers": headers, "requestContext": {**event["requestContext"], **named}}
