"""Routes of authors whose lines were judged: their records, and the reset of one."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path

from memory_layer.domain.learning.author_summaries import AuthorSummary
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes import author_answers
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.requests import Reason
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.review.author_standing import list_authors, reset_author

router = Router()

AuthorId = Annotated[str, Path(pattern="^[0-9a-f]{12}$", description="The author's id, as the list has it")]


@router.get(
    "/v1/projects/<project>/authors",
    summary="Authors whose lines were judged, those who rank lowest first (reviewers of all personas)",
    operation_id="list_authors",
    tags=["reviews"],
    responses=caller.described_response(200, author_answers.AuthorsAnswer, "What was found of each"),
)
def authors(
    call: caller.Calling, project: caller.Project, limit: caller.Limit = 50, cursor: caller.Cursor = None
) -> Response[str]:
    bound_to = ["authors", project]
    after = decode_cursor(cursor, bound_to)
    page = list_authors(call.ports, call.principal, project, after=after, limit=limit)
    following = encode_cursor(page.next_key, bound_to)
    return caller.json_response(200, author_answers.authors_json(page.authors, following))


@router.post(
    "/v1/projects/<project>/authors/<author>/reset",
    summary="Begin an author's record anew (reviewers of all personas)",
    operation_id="reset_author",
    tags=["reviews"],
    responses=caller.described_response(200, author_answers.AuthorAnswer, "The record as it is now"),
)
def reset(
    call: caller.Calling,
    project: caller.Project,
    author: AuthorId,
    body: Annotated[Reason | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    reason, once = (body.reason if body else None), call.once(key, _reset_answer)
    done = reset_author(call.ports, call.principal, project, author, reason=reason, once=once)
    return (
        caller.replayed_response(done)
        if isinstance(done, IdempotencyRecord)
        else caller.json_response(200, author_answers.author_json(done))
    )


def _reset_answer(done: AuthorSummary) -> tuple[int, str]:
    return 200, to_text(author_answers.author_json(done))
