"""Commands for the service itself: serve it, mint tokens, examine the data folder."""

import gc
import ipaddress
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

import typer

from memory_layer.cli.commands.mcp import talk
from memory_layer.cli.terminal import invocation, refusal_text, service
from memory_layer.cli.terminal.served import surroundings
from memory_layer.cli.terminal.speaker import refuse_agent
from memory_layer.version import VERSION

app = typer.Typer()
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080


WORKERS_MAX = 64

LogKind = Literal["requests"]

SERVING = "a server serves a data folder of this machine"
MINTING = "a token is signed with the key of a data folder; in the cloud the issuer mints them"
OPENING = "the link is made with the key of a data folder; of a service, open its address"
EXAMINING = "the doctor examines a data folder; how a server is, GET /readyz tells"
Serves, Mints = service.works_here_alone(SERVING), service.works_here_alone(MINTING)
Opens, Examines = service.works_here_alone(OPENING), service.works_here_alone(EXAMINING)


@app.command()
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0: any.")
    ] = DEFAULT_PORT,
    data: invocation.Data = None,
    auth: Annotated[bool, typer.Option("--auth", help="Ask for tokens (see: mem token).")] = False,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=WORKERS_MAX, help="Processes that answer, each with its own index in memory."
        ),
    ] = 1,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Serve MCP on stdio instead, as mem mcp does; HTTP has it at /mcp.")
    ] = False,
    log: Annotated[
        LogKind | None,
        typer.Option("--log", help="requests: a line of JSON a request on stderr, without contents."),
    ] = None,
    url: Annotated[str | None, Serves] = None,  # noqa: ARG001 it is refused
) -> None:
    """Serve the HTTP API, its docs and MCP. Commands on the same data folder are handed over to it."""
    if mcp:
        return talk(None, data, None, context.obj)
    from memory_layer.errors import Forbidden
    from memory_layer.settings import read_settings

    with refusal_text.errors_on_stderr(False):
        service.refuse_service_of_environment(data, surroundings().environ, SERVING)
        if not auth and not is_loopback(host):
            raise Forbidden(
                f"not serving on {host} without --auth: whoever reaches this machine could read and write "
                "all memories; add --auth, and mint tokens with: mem token --tenant NAME --principal WHO"
            )
        port = _free_port(host, port)
        settings = replace(read_settings(data_dir=data), logs_requests=bool(log))
        _offer_model(settings)
        if workers == 1:
            _serve_alone(settings, host, port, auth, context.obj(settings, context.find_root().command))
        else:
            _serve_by_workers(settings, host, port, auth, workers, context.obj)


def _serve_alone(settings: Any, host: str, port: int, auth: bool, beside: Any) -> None:
    gc.disable()  # the server enables it once all is loaded
    from memory_layer.local.server import serve as serve_until_interrupted

    serve_until_interrupted(settings, host=host, port=port, with_auth=auth, beside=beside)


def _serve_by_workers(settings: Any, host: str, port: int, auth: bool, count: int, begin_beside: Any) -> None:
    from memory_layer.local.workers import Serving, serve_by_workers

    serve_by_workers(Serving(settings, host, port, auth, begin_beside), count)


def is_loopback(host: str) -> bool:
    """Tells if only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _free_port(host: str, port: int) -> int:
    """Port of an address that is free, checked before anything is loaded. Args: port: 0: any.

    Raises:
        Conflict: nobody can listen there, or somebody does.
    """
    from memory_layer.errors import Conflict

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host.strip("[]"), port), family=family) as listening:
            return int(listening.getsockname()[1])
    except OSError as error:
        raise Conflict(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another: --port, --host; make serve PORT="
        ) from error


def _offer_model(settings: Any) -> None:
    """Offers the model to a person only: the server itself says what it does without one."""
    from memory_layer.bootstrap.embedded import open_embedded
    from memory_layer.cli.commands.model import build_if_wanted, is_interactive

    if not is_interactive():
        return
    backend = open_embedded(settings)
    try:
        build_if_wanted(backend.ports.embedder, settings)
    finally:
        backend.close()


@app.command()
def token(
    tenant: Annotated[str, typer.Option(help="Whose memories it opens.")],
    principal: Annotated[str, typer.Option(help="Who carries it; an e-mail address names a person.")],
    persona: Annotated[
        list[str] | None, typer.Option(help="Whose memories it sees beside everyone's; repeat for more.")
    ] = None,
    role: Annotated[list[str] | None, typer.Option(help="agent (default), reviewer, admin; repeat.")] = None,
    acts_for: Annotated[
        bool, typer.Option("--acts-for", help="For a service: it may speak for end users (Memory-User).")
    ] = False,
    tool: Annotated[
        list[str] | None, typer.Option(help="MCP tools it may use, such as search_*; repeat. Default: all.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it holds.")] = 30,
    data: invocation.Data = None,
    url: Annotated[str | None, Mints] = None,  # noqa: ARG001 it is refused
    json: invocation.AsJson = False,
) -> None:
    """Mint a token for `mem serve --auth`."""
    from memory_layer.domain.fields import rfc3339
    from memory_layer.local.tokens import mint, secret_of
    from memory_layer.settings import read_settings

    with refusal_text.errors_on_stderr(json):
        service.refuse_service_of_environment(data, surroundings().environ, MINTING)
        refuse_agent("minting a token")
        roles, now, own = _roles(role or ["agent"]), datetime.now(UTC), persona or []
        _check_tenant(tenant, principal)
        _check_tools(tool)
        secret, lifetime = secret_of(read_settings(data_dir=data).data_dir), timedelta(days=days)
        minted = mint(
            secret,
            tenant=tenant,
            principal=principal,
            persona=own[0] if len(own) == 1 else None,
            roles=roles,
            now=now,
            lifetime=lifetime,
            personas=own if len(own) > 1 else (),
            acts_for=acts_for,
            tools=tool or (),
        )
        document = {"token": minted, "expires_at": rfc3339(now + lifetime)}
        invocation.print_output(invocation.CommandOutput(document, lambda shown: str(shown["token"])), json)


@app.command()
def console(
    tenant: Annotated[str, typer.Option(help="Whose memories it opens.")] = "local",
    principal: Annotated[str, typer.Option(help="Who enters; an e-mail address names a person.")] = "local",
    role: Annotated[list[str] | None, typer.Option(help="admin (default), reviewer, agent; repeat.")] = None,
    data: invocation.Data = None,
    url: Annotated[str | None, Opens] = None,  # noqa: ARG001 it is refused
    json: invocation.AsJson = False,
) -> None:
    """Print a link that opens the console once.

    It is that of the running server, and holds for 10 minutes.
    """
    from memory_layer.local.console_links import entry_link, running_origin
    from memory_layer.settings import read_settings

    with refusal_text.errors_on_stderr(json):
        service.refuse_service_of_environment(data, surroundings().environ, OPENING)
        refuse_agent("opening the console")
        _check_tenant(tenant, principal)
        folder = read_settings(data_dir=data).data_dir
        claims: dict[str, Any] = {"tenant": tenant, "sub": principal, "roles": _roles(role or ["admin"])}
        if "@" in principal:
            claims |= {"email": principal, "email_verified": True}
        document = {"url": entry_link(folder, running_origin(folder), claims)}
        invocation.print_output(invocation.CommandOutput(document, lambda shown: str(shown["url"])), json)


def _roles(asked: list[str]) -> list[str]:
    """Roles asked for. Raises: Invalid: there is no such role."""
    from typing import get_args

    from memory_layer.domain.access import Role
    from memory_layer.errors import Invalid

    for role in asked:
        if role not in get_args(Role):
            raise Invalid.at("/role", f"there is no role {role!r}; there are: {', '.join(get_args(Role))}")
    return asked


def _check_tenant(tenant: str, principal: str) -> None:
    """Refuses names whose token its own server would refuse.

    Raises:
        Invalid: tenant or principal is misshapen.
    """
    from memory_layer.edge.http.principals import principal_of
    from memory_layer.errors import Invalid, Unauthenticated

    try:
        principal_of({"tenant": tenant, "sub": principal})
    except Unauthenticated as error:
        if not principal.strip():
            raise Invalid.at("/principal", "--principal is blank; say whose token it is") from error
        raise Invalid.at("/tenant", f"{tenant!r} for {principal!r} makes no token: use a slug") from error


def _check_tools(globs: list[str] | None) -> None:
    """Refuses a list of tools by which a token would open none. Raises: Invalid"""
    from memory_layer.domain.access import Principal, may_use_tool
    from memory_layer.errors import Invalid
    from memory_layer.mcp.tools import TOOLS

    names = [tool.name for tool in TOOLS]
    for glob in globs or ():
        if not any(may_use_tool(Principal("_", "_", tools=(glob,)), name) for name in names):
            raise Invalid.at("/tool", f"no tool is called {glob!r}; there are: {', '.join(names)}")


@app.command()
def doctor(
    data: invocation.Data = None,
    url: Annotated[str | None, Examines] = None,  # noqa: ARG001 it is refused
    json: invocation.AsJson = False,
) -> None:
    """Say what is wrong with a data folder, and what to do."""
    from memory_layer.cli.printing import memory_text
    from memory_layer.cli.terminal.next_command import typed_options
    from memory_layer.local.doctor import diagnose, report_json
    from memory_layer.settings import read_settings

    with refusal_text.errors_on_stderr(json):
        service.refuse_service_of_environment(data, surroundings().environ, EXAMINING)
        findings = diagnose(read_settings(data_dir=data))
    with typed_options(None, data):
        invocation.print_output(invocation.CommandOutput(report_json(findings), memory_text.findings), json)
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(refusal_text.REFUSED)


@app.command()
def version(url: service.Url = None, token: service.Token = None, json: invocation.AsJson = False) -> None:
    """Print the version.

    It is that of this installation, or with --url that of a server.
    """
    with refusal_text.errors_on_stderr(json):
        document = {"version": VERSION} if url is None else _version_there(url, token)
        output = invocation.CommandOutput(document, lambda told: f"memory-layer {told['version']}")
        invocation.print_output(output, json)


def _version_there(url: str, token: str | None) -> dict[str, Any]:
    from memory_layer.wire.message import Asked

    there = service.open_service(url, token, None, surroundings().environ)
    document: dict[str, Any] = there.answer(Asked("get_version"))
    return document
