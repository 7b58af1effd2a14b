"""Routes of the audit log."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import audit_cursor, audit_position
from memory_layer.edge.shapes import audit_answers
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.ports.audit import AuditFilter
from memory_layer.usecases.ground.audit_log import AuditVerification, read_audit, verify_audit

router = Router()

Named = Annotated[str | None, Query(min_length=1, max_length=256, description="Only entries with this value")]
Moment = Annotated[Instant | None, Query(description="RFC 3339, with its zone; inclusive")]


@router.get(
    "/v1/projects/<project>/audit",
    summary="Every change and decision, the last first (reviewers of all personas)",
    operation_id="read_audit",
    tags=["reviews"],
    responses=caller.described_response(
        200, audit_answers.AuditAnswer, "Entries; those of what is erased have digests alone"
    ),
)
def audit(
    call: caller.Calling,
    project: caller.Project,
    principal: Named = None,
    about: Named = None,
    what: Named = None,
    since: Moment = None,
    until: Moment = None,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    asked = AuditFilter(principal=principal, about=about, what=what, since=since, until=until)
    before = audit_position(cursor, project, asked)
    page = read_audit(call.ports, call.principal, project, asked, before=before, limit=limit)
    following = audit_cursor(page.next_before, project, asked)
    return caller.json_response(200, audit_answers.audit_json(page, following))


@router.get(
    "/v1/projects/<project>/audit/verify",
    summary="Check the chain of the audit log, and name the first entry that does not hold (reviewers of all personas)",
    operation_id="verify_audit",
    tags=["reviews"],
    responses=caller.described_response(200, AuditVerification, "What was read, and where it breaks"),
)
def verification(call: caller.Calling, project: caller.Project) -> Response[str]:
    found = verify_audit(call.ports, call.principal, project)
    return caller.json_response(200, audit_answers.verification_json(found))
