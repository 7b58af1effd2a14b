"""Routes of MCP over HTTP: the exchange itself, and the metadata by which a client learns how to sign in."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.domain.access import as_agent
from memory_layer.edge.http import sign_in
from memory_layer.edge.http.caller import Caller, Calling, json_response
from memory_layer.edge.shapes.requests import PROJECT
from memory_layer.mcp.exchange import exchanged
from memory_layer.mcp.tool_calls import tools_for
from memory_layer.mcp.tool_session import NAMELESS, Tool, ToolSession
from memory_layer.settings import SignIn
from memory_layer.usecases.ground.signed_ports import signed_ports

ProjectOfCalls = Annotated[
    str | None, Query(pattern=PROJECT, description="Where a call goes that names no project")
]


def mcp_router(how: Callable[[], SignIn] = SignIn) -> Router:
    """Router of the two. Args: how: asked at a request, since importing a function reads no environment."""
    router = Router()  # type: ignore[no-untyped-call]

    @router.post(sign_in.MCP_PATH, include_in_schema=False)
    def exchange(call: Calling, project: ProjectOfCalls = None) -> Response[str]:
        sign_in.refuse_foreign_origin(call.request.resolved_event, how())
        answer = exchanged(call.headers, call.body, partial(_offer, call, project), call.ports.new_id)
        return json_response(answer.status, "" if answer.message is None else answer.message, answer.headers)

    @router.get(sign_in.METADATA_PATH, include_in_schema=False)
    @router.get(sign_in.OWN_METADATA_PATH, include_in_schema=False)
    def metadata(request: Request) -> Response[str]:
        return json_response(200, sign_in.metadata(request.resolved_event, how()))

    return router


def _offer(
    call: Caller, project: str | None, client: str | None, session_id: str | None
) -> tuple[ToolSession, Mapping[str, Tool]]:
    """Tools that a token opens, in the name of the agent that carries it; reviews alone are the token's own."""
    agent = as_agent(call.principal, client, NAMELESS)
    ports = signed_ports(call.ports, agent, call.request_id)
    session = ToolSession(
        ports, agent, project, session_id, reviewer=call.principal, reviewer_ports=call.ports
    )
    has_token = call.principal.is_proven
    return session, tools_for(call.principal if has_token else agent)
