"""Routes of pairs: memories that contradict each other or say the same, and decisions on them."""

import re
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Path

from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes import pair_bodies
from memory_layer.edge.shapes.answers import to_text
from memory_layer.errors import Malformed
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.review.list_pairs import list_pairs
from memory_layer.usecases.review.resolve_pair import PairResolution, ResolvedPair, resolve_pair

router = Router()

PairId = Annotated[str, Path(pattern="^par_[0-9a-f]{32}$", description="As conflicts and duplicates list it")]
PairIfMatch = Annotated[
    str | None, Header(alias="If-Match", description="`etag` of the pair, as it was looked at")
]

_ETAG: Final = re.compile(r'(?:W/)?"(\d{1,18})\.(\d{1,18})"')


@router.get(
    "/v1/projects/<project>/conflicts",
    summary="Memories that contradict each other, oldest finds first",
    operation_id="list_conflicts",
    tags=["reviews"],
    responses=caller.described_response(
        200, pair_bodies.ConflictsAnswer, "Those of which both are in use and say what they said then"
    ),
)
def conflicts(
    call: caller.Calling, project: caller.Project, limit: caller.Limit = 50, cursor: caller.Cursor = None
) -> Response[str]:
    return _pair_page(call, project, "conflict", limit, cursor)


@router.get(
    "/v1/projects/<project>/duplicates",
    summary="Memories that say nearly the same, oldest finds first",
    operation_id="list_duplicates",
    tags=["reviews"],
    responses=caller.described_response(
        200, pair_bodies.DuplicatesAnswer, "Those of which both are in use and say what they said then"
    ),
)
def duplicates(
    call: caller.Calling, project: caller.Project, limit: caller.Limit = 50, cursor: caller.Cursor = None
) -> Response[str]:
    return _pair_page(call, project, "duplicate", limit, cursor)


def _pair_page(
    call: caller.Caller, project: str, kind: PairKind, limit: int, cursor: str | None
) -> Response[str]:
    bound_to = [kind, project]
    after = decode_cursor(cursor, bound_to)
    page = list_pairs(call.ports, call.principal, project, kind, after=after, limit=limit)
    next_cursor = encode_cursor(page.next_key, bound_to)
    return caller.json_response(200, pair_bodies.pairs_json(kind, page, next_cursor, call.ports.clock.now()))


@router.post(
    "/v1/projects/<project>/conflicts/<id>/resolve",
    summary="Decide on two memories, of either list (reviewers)",
    operation_id="resolve_conflict",
    tags=["reviews"],
    responses=caller.described_response(
        200, pair_bodies.ResolvedAnswer, "What was decided; undo brings a superseded memory back"
    ),
)
def resolve(
    call: caller.Calling,
    project: caller.Project,
    id: PairId,
    body: Annotated[pair_bodies.Resolution, Body()],
    if_match: PairIfMatch = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    decision = PairResolution(**body.model_dump())
    expected, once = _expected_versions(if_match), call.once(key, _resolved_answer)
    result = resolve_pair(call.ports, call.principal, project, id, decision, expected=expected, once=once)
    return (
        caller.replayed_response(result)
        if isinstance(result, IdempotencyRecord)
        else caller.json_response(200, pair_bodies.resolved_json(result))
    )


def _expected_versions(if_match: str | None) -> tuple[int, int] | None:
    """Versions of both memories that If-Match names, in the order of the pair's ids; None for none or `*`.

    Raises:
        Malformed: it is no `etag` of a pair.
    """
    if if_match is None or if_match.strip() == caller.ANY_VERSION:
        return None
    match = _ETAG.fullmatch(if_match.strip())
    if match is None:
        raise Malformed(f'If-Match takes the `etag` of a pair, such as "3.1", not {if_match!r}')
    return int(match[1]), int(match[2])


def _resolved_answer(done: ResolvedPair) -> tuple[int, str]:
    return 200, to_text(pair_bodies.resolved_json(done))
