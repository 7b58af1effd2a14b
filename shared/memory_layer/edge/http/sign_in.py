"""Ways to sign in, as OAuth clients ask a resource server for them (RFC 9728), and the origins that may call it."""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.errors import Forbidden
from memory_layer.settings import SignIn

MCP_PATH: Final = "/mcp"
METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
OWN_METADATA_PATH: Final = f"{METADATA_PATH}{MCP_PATH}"


def base_url(event: Any) -> str:
    """URL under which a caller reached the service."""
    domain = (event.get("requestContext") or {}).get("domainName")
    if domain:
        return f"https://{domain}"
    scheme = event.headers.get("x-forwarded-proto", "http")
    return f"{'https' if scheme == 'https' else 'http'}://{event.headers.get('host', 'localhost')}"


def metadata(event: Any, sign_in: SignIn) -> dict[str, Any]:
    """Metadata of the protected resource."""
    url = base_url(event)
    found: dict[str, Any] = {
        "resource": f"{url}{MCP_PATH}",
        "bearer_methods_supported": ["header"],
        "resource_name": "Memory Layer",
        "resource_documentation": f"{url}/docs",
    }
    if sign_in.issuer is not None:
        found["authorization_servers"] = [sign_in.issuer]
    return {**found, "scopes_supported": list(sign_in.scopes)} if sign_in.scopes else found


def challenged(headers: Mapping[str, str], event: Any) -> dict[str, str]:
    """Headers of a refusal, which tell an MCP client without a good token where to read how to get one."""
    found = dict(headers)
    if "WWW-Authenticate" in found and str(event.path) == MCP_PATH:
        found["WWW-Authenticate"] += f' resource_metadata="{base_url(event)}{OWN_METADATA_PATH}"'
    return found


def refuse_foreign_origin(event: Any, sign_in: SignIn) -> None:
    """Refuses the page of another site: by a rebound name it would reach what its own origin may not.

    Raises:
        Forbidden
    """
    origin = event.headers.get("origin")
    own = base_url(event).partition("://")[2]
    if origin is not None and origin.partition("://")[2] != own and origin not in sign_in.origins:
        raise Forbidden("web pages of another origin may not call this; an agent sends no Origin header")
