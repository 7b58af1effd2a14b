"""Command for the audit log."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_layer.cli.printing import audit_text
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated

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
    from memory_layer.edge.http.cursors import audit_cursor, audit_position
    from memory_layer.edge.shapes.audit_answers import AuditPeriod, audit_json, verification_json
    from memory_layer.ports.audit import AuditFilter
    from memory_layer.usecases.ground.audit_log import read_audit, verify_audit

    if verify:
        found = verify_audit(call.ports, call.principal, call.project)
        document = verification_json(found)
        return CommandOutput(document, audit_text.verification_text, is_refused=not found.is_valid)
    period = validated(AuditPeriod, {"since": since, "until": until})
    asked = AuditFilter(principal=principal, about=about, what=what, since=period.since, until=period.until)
    before = audit_position(cursor, call.project, asked)
    page = read_audit(call.ports, call.principal, call.project, asked, before=before, limit=limit)
    following = audit_cursor(page.next_before, call.project, asked)
    return CommandOutput(audit_json(page, following), audit_text.entries)
