"""Command for the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import audit_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app, served="reads")
def audit(
    call: Invocation,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the chain; exits with 1 where it does not hold.")
    ] = False,
    principal: Annotated[str | None, typer.Option(help="Entries of this principal.")] = None,
    about: Annotated[str | None, typer.Option(help="Entries about this memory, run or learning.")] = None,
    what: Annotated[str | None, typer.Option(help="Entries of this kind, such as created.")] = None,
    since: Annotated[str | None, typer.Option(help="RFC 3339, with its zone.")] = None,
    until: Annotated[str | None, typer.Option(help="RFC 3339, with its zone.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show every change and decision, the last first.

    With --verify it checks that none was altered since.
    """
    if verify:
        document = call.answer(Asked("verify_audit"), _verification)
        return CommandOutput(document, audit_text.verification_text, is_refused=not document["is_valid"])
    said = given(principal=principal, about=about, what=what, since=since, until=until)
    asked = Asked("read_audit", query={**said, "limit": limit, "cursor": cursor})
    document = call.answer(asked, lambda here: _entries(here, said, limit, cursor))
    if not document["entries"]:
        tell_if_empty(call)
    return CommandOutput(document, audit_text.entries)


def _verification(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.audit_answers import verification_json
    from memory_layer.usecases.ground.audit_log import verify_audit

    return verification_json(verify_audit(here.ports, here.principal, here.project))


def _entries(here: FolderCall, said: Mapping[str, Any], limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import audit_cursor, audit_position
    from memory_layer.edge.shapes.audit_answers import AuditPeriod, audit_json
    from memory_layer.ports.audit import AuditFilter
    from memory_layer.usecases.ground.audit_log import read_audit

    times = {name: value for name, value in said.items() if name in ("since", "until")}
    period = validated(AuditPeriod, times)
    asked = AuditFilter(**{**said, "since": period.since, "until": period.until})
    before = audit_position(cursor, here.project, asked)
    page = read_audit(here.ports, here.principal, here.project, asked, before=before, limit=limit)
    return audit_json(page, audit_cursor(page.next_before, here.project, asked))
