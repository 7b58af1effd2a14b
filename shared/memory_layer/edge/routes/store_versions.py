"""Routes of the versions of a store's files, as the client of Anthropic's Memory Stores calls them."""

import re
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from memory_layer.domain.text_rules import MEMORY_ID
from memory_layer.edge.http import caller, cursors
from memory_layer.edge.http.store_errors import STORES_PATH
from memory_layer.edge.routes.memory_stores import FULL_PAGE, Beta, Page, PageLimit, StoreId, View, project_of
from memory_layer.edge.shapes import store_versions as shapes
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.edge.shapes.store_bodies import VERSION
from memory_layer.errors import NotFound
from memory_layer.usecases.files import file_versions as files
from memory_layer.usecases.files import memory_stores

router = Router()

_VERSIONS = f"{STORES_PATH}/<memory_store_id>/memory_versions"
_VERSION_ID = rf"{VERSION}([1-9][0-9]{{0,8}})_({MEMORY_ID})"
_NO_AUTHOR = "Nothing here has such an author: the list is empty"
VersionId = Annotated[str, Path(pattern=f"^{_VERSION_ID}$", description="As a list has it")]
_ONE = caller.described_response(200, shapes.StoreVersion, "The version")


@router.get(
    _VERSIONS,
    summary="List the versions of a store's files, the newest first",
    operation_id="list_store_versions",
    tags=["stores"],
    responses=caller.described_response(200, shapes.StoreVersionsPage, "A page"),
)
def list_versions(
    call: caller.Calling,
    memory_store_id: StoreId,
    memory_id: Annotated[str | None, Query(description="Those of one file alone")] = None,
    operation: Annotated[
        files.Operation | None, Query(description="Those that came about in this way")
    ] = None,
    api_key_id: Annotated[str | None, Query(description="Those of an agent or service, by its name")] = None,
    service_account_id: Annotated[str | None, Query(description=_NO_AUTHOR)] = None,
    session_id: Annotated[str | None, Query(description=_NO_AUTHOR)] = None,
    made_from: Annotated[
        Instant | None, Query(alias="created_at[gte]", description="Made then or later")
    ] = None,
    made_until: Annotated[
        Instant | None, Query(alias="created_at[lte]", description="Made then or before")
    ] = None,
    limit: PageLimit = 20,
    page: Page = None,
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    project = project_of(memory_store_id)
    memory_stores.get_store(call.ports, call.principal, project)
    wanted = files.VersionFilter(
        operation=operation,
        by=api_key_id,
        made_from=made_from,
        made_until=made_until,
        is_empty=session_id is not None or service_account_id is not None,
    )
    asked = _asked(call, project, memory_id)
    found = [one for one in asked.versions if wanted.accepts(one)]
    query = ["store versions", memory_store_id, memory_id, operation, api_key_id]
    first = _place_after(cursors.text_key(page, query), found)
    size = min(limit, FULL_PAGE) if view == "full" else limit
    shown = [shapes.version_answer(project, one, view or "basic") for one in found[first : first + size]]
    next_key = shown[-1].id if len(found) > first + size else None
    answer = shapes.StoreVersionsPage(shown, cursors.text_cursor(next_key, query), asked.note)
    return caller.json_response(200, document(answer))


def _asked(call: caller.Caller, project: str, memory_id: str | None) -> files.VersionList:
    if memory_id is None:
        return files.all_versions(call.ports, call.principal, project)
    try:
        return files.VersionList(files.versions_of(call.ports, call.principal, project, memory_id))
    except NotFound:
        return files.VersionList([])


def _place_after(last_shown: str | None, found: list[files.FileVersion]) -> int:
    """Place of the first version of a page. Args: last_shown: id of the last one of the page before."""
    if last_shown is None:
        return 0
    memory_id, number = version_named(last_shown)
    places = (
        place
        for place, one in enumerate(found)
        if one.memory_id == memory_id and one.first <= number <= one.last
    )
    return next(places, len(found)) + 1


@router.get(
    f"{_VERSIONS}/<memory_version_id>",
    summary="Read a version of a file",
    operation_id="get_store_version",
    tags=["stores"],
    responses=_ONE,
)
def read_version(
    call: caller.Calling,
    memory_store_id: StoreId,
    memory_version_id: VersionId,
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    project, (memory_id, number) = project_of(memory_store_id), version_named(memory_version_id)
    found = files.version_at(call.ports, call.principal, project, memory_id, number)
    return caller.json_response(200, document(shapes.version_answer(project, found, view or "full")))


@router.post(
    f"{_VERSIONS}/<memory_version_id>/redact",
    summary="Take the words out of a version for good (its author, or admins)",
    operation_id="redact_store_version",
    tags=["stores"],
    responses=_ONE,
)
def redact_version(
    call: caller.Calling, memory_store_id: StoreId, memory_version_id: VersionId, beta: Beta = None
) -> Response[str]:
    del beta
    project, (memory_id, number) = project_of(memory_store_id), version_named(memory_version_id)
    found = files.redact_version(call.ports, call.principal, project, memory_id, number)
    return caller.json_response(200, document(shapes.version_answer(project, found, "full")))


def version_named(memory_version_id: str) -> tuple[str, int]:
    """Memory and number of a version, by its id. Raises: NotFound: it is no such id."""
    named = re.fullmatch(_VERSION_ID, memory_version_id)
    if named is None:
        raise NotFound(f"no version {memory_version_id}; list the versions of its file")
    return named[2], int(named[1])
