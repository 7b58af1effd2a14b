"""Exchanges of MCP over streamable HTTP: one JSON-RPC message in a POST, one in its answer, and no session between.

Revision 2026-07-28 says in each message which revision and which client speaks. Before it a client introduced itself
once; the session id that it was given then, and sends with each message, holds its name, so that no server has to
remember it. Source: Model Context Protocol, streamable HTTP of both revisions.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from memory_layer.domain.access import agent_subject
from memory_layer.mcp.tool_calls import INSTRUCTIONS, run_tool
from memory_layer.mcp.tool_documents import tool_document
from memory_layer.mcp.tool_session import Tool, ToolSession
from memory_layer.version import VERSION

MODERN: Final = "2026-07-28"
INTRODUCED: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Revisions with an introduction, newest first."""

UNSAID_REVISION: Final = "2025-03-26"
"""Revision of a message without a header about it. Source: revision 2025-11-25, protocol version header."""

VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
SESSION_HEADER: Final = "mcp-session-id"
META: Final = "io.modelcontextprotocol/"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

SERVER: Final = {"name": "memory-layer", "title": "Memory Layer", "version": VERSION}
ABILITIES: Final = {"tools": {"listChanged": False}}
LISTED_FOR_MS: Final = 300_000
"""How long a client may keep a list of tools: they change with a release, or with the token."""

Offer = Callable[[str | None, str | None], tuple[ToolSession, Mapping[str, Tool]]]
"""Tools and their session, for a client's name and its session id."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Answer to a POST. Args: message: None: there is nothing to say."""

    status: int
    message: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class RpcError(Exception):
    """Error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class _Asked:
    """Message, with its headers and the tools of its caller."""

    headers: Mapping[str, str]
    method: str
    params: Mapping[str, Any]
    offer: Offer
    new_id: Callable[[str], str]

    @property
    def is_modern(self) -> bool:
        return _revision(self.headers) not in INTRODUCED

    def offered(self) -> tuple[ToolSession, Mapping[str, Tool]]:
        session, _, client = self.headers.get(SESSION_HEADER, "").partition(".")
        if self.is_modern:
            session, client = "", _client_name(self.params["_meta"].get(f"{META}clientInfo"))
        return self.offer(client or None, session or None)


def exchanged(headers: Mapping[str, str], body: str, offer: Offer, new_id: Callable[[str], str]) -> Exchanged:
    """Answers one message. Args: headers: names in lower case."""
    id = None
    try:
        message = _message(body)
        id = message.get("id")
        if "id" not in message:
            return _noticed(headers)
        asked = _asked(headers, message, offer, new_id)
        result, more = _METHODS[asked.method](asked)
    except RpcError as error:
        return _refused(headers, id, error)
    told = {"resultType": "complete", "_meta": {f"{META}serverInfo": SERVER}} if asked.is_modern else {}
    return Exchanged(200, {"jsonrpc": "2.0", "id": id, "result": {**result, **told}}, more)


def _message(body: str) -> dict[str, Any]:
    message: Any
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "the body is no JSON") from None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    if not isinstance(message, dict) or not is_message or not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "the body is one JSON-RPC request or notification")
    if "id" in message and (isinstance(message["id"], bool) or not isinstance(message["id"], str | int)):
        raise RpcError(INVALID_REQUEST, "the id of a request is a text or a whole number")
    if not _can_be_answered(message):
        raise RpcError(INVALID_REQUEST, "half a surrogate pair is no character: remove it and send it again")
    return message


def _can_be_answered(message: Mapping[str, Any]) -> bool:
    """Tells whether what an answer may repeat of a message has bytes; of arguments those are the names.

    Their values are judged by the tool, in words for the model.
    """
    params = message.get("params")
    arguments = params.get("arguments") if isinstance(params, Mapping) else None
    if isinstance(params, Mapping) and isinstance(arguments, Mapping):
        message = {**message, "params": {**params, "arguments": list(arguments)}}
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _noticed(headers: Mapping[str, str]) -> Exchanged:
    _refuse_unknown(_revision(headers))
    return Exchanged(202)


def _asked(
    headers: Mapping[str, str], message: Mapping[str, Any], offer: Offer, new_id: Callable[[str], str]
) -> _Asked:
    """Checks a request as its revision wants it. Raises: RpcError"""
    params = message.get("params", {})
    if not isinstance(params, Mapping):
        raise RpcError(INVALID_PARAMS, "params is an object")
    asked = _Asked(headers, message["method"], params, offer, new_id)
    if asked.is_modern:
        _check_modern(asked)
    known = _MODERN_METHODS if asked.is_modern else _INTRODUCED_METHODS
    if asked.method not in known:
        raise RpcError(METHOD_NOT_FOUND, "Method not found", asked.method)
    return asked


def _check_modern(asked: _Asked) -> None:
    """Checks what says in each message who speaks, and the headers that repeat it. Raises: RpcError"""
    meta = asked.params.get("_meta")
    needed = [f"{META}{name}" for name in ("protocolVersion", "clientCapabilities")]
    absent = [name for name in needed if not isinstance(meta, Mapping) or name not in meta]
    if absent or not isinstance(meta, Mapping):
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {', '.join(absent)}")
    repeated = {VERSION_HEADER: meta[needed[0]], METHOD_HEADER: asked.method}
    if asked.method == "tools/call":
        repeated[NAME_HEADER] = asked.params.get("name")
    for header, said in repeated.items():
        if asked.headers.get(header) != said:
            raise RpcError(HEADER_MISMATCH, f"header {header} is not what the message says")
    _refuse_unknown(meta[needed[0]])


def _revision(headers: Mapping[str, str]) -> str:
    return headers.get(VERSION_HEADER, UNSAID_REVISION)


def _refuse_unknown(revision: str) -> None:
    if revision != MODERN and revision not in INTRODUCED:
        said = {"supported": [MODERN, *INTRODUCED], "requested": revision}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", said)


def _refused(headers: Mapping[str, str], id: Any, error: RpcError) -> Exchanged:
    """Answer to a message that cannot be served; before 2026-07-28 the status told of the body alone."""
    told = {"code": error.code, "message": str(error)}
    data = {} if error.data is None else {"data": error.data}
    is_served = _revision(headers) in INTRODUCED and id is not None
    status = 404 if error.code == METHOD_NOT_FOUND else 400
    return Exchanged(200 if is_served else status, {"jsonrpc": "2.0", "id": id, "error": {**told, **data}})


Result = tuple[dict[str, Any], dict[str, str]]
"""Result of a request, and headers of its answer."""


def _initialize(asked: _Asked) -> Result:
    wished = asked.params.get("protocolVersion")
    revision = wished if wished in INTRODUCED else INTRODUCED[0]
    slug = agent_subject(_client_name(asked.params.get("clientInfo")), "").partition(":")[2]
    known = {"protocolVersion": revision, "capabilities": ABILITIES, "serverInfo": SERVER}
    return {**known, "instructions": INSTRUCTIONS}, {SESSION_HEADER: f"{asked.new_id('ses_')}.{slug}"}


def _discover(_: _Asked) -> Result:
    known = {"supportedVersions": [MODERN], "capabilities": ABILITIES, "instructions": INSTRUCTIONS}
    return {**known, "ttlMs": LISTED_FOR_MS, "cacheScope": "private"}, {}


def _list_tools(asked: _Asked) -> Result:
    _, tools = asked.offered()
    for_how_long = {"ttlMs": LISTED_FOR_MS, "cacheScope": "private"} if asked.is_modern else {}
    return {"tools": [tool_document(name) for name in tools], **for_how_long}, {}


def _call_tool(asked: _Asked) -> Result:
    session, tools = asked.offered()
    name, arguments = asked.params.get("name"), asked.params.get("arguments")
    if not isinstance(name, str) or name not in tools:
        refuse_tool(name, tools)
    if not isinstance(arguments, Mapping | None):
        raise RpcError(INVALID_PARAMS, "arguments is an object")
    meta = asked.params.get("_meta")
    traced = meta if isinstance(meta, Mapping) else None
    return run_tool(session, tools[name], arguments or {}, traced).document(), {}


def refuse_tool(name: Any, tools: Mapping[str, Tool]) -> NoReturn:
    """Refuses a tool that a caller does not have. Raises: RpcError: always."""
    raise RpcError(INVALID_PARAMS, f"no tool {name}; there are: {', '.join(tools) or 'none for this token'}")


def _ping(_: _Asked) -> Result:
    return {}, {}


def _client_name(info: Any) -> str:
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else ""


_METHODS: Mapping[str, Callable[[_Asked], Result]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
_MODERN_METHODS: Final = frozenset({"server/discover", "tools/list", "tools/call"})
_INTRODUCED_METHODS: Final = frozenset({"initialize", "ping", "tools/list", "tools/call"})
