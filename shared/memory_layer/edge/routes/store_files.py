"""Routes of the files of a store, as the client of Anthropic's Memory Stores calls them."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.domain.portability.file_paths import prefix_problem
from memory_layer.edge.http import caller, cursors
from memory_layer.edge.http.store_errors import STORES_PATH
from memory_layer.edge.routes.memory_stores import FULL_PAGE, Beta, Page, PageLimit, StoreId, View, project_of
from memory_layer.edge.shapes import store_bodies as bodies
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.errors import Invalid
from memory_layer.usecases.files import memory_stores, write_files
from memory_layer.usecases.files.read_files import file_tree, get_file, listed

router = Router()

_FILES = f"{STORES_PATH}/<memory_store_id>/memories"
_FILE = f"{_FILES}/<id>"
_ONE_FILE = caller.described_response(200, bodies.StoreFile, "The file")


@router.post(
    _FILES,
    summary="Store a new file",
    operation_id="create_store_file",
    tags=["stores"],
    responses=_ONE_FILE,
)
def create_file(
    call: caller.Calling,
    memory_store_id: StoreId,
    body: Annotated[bodies.NewFile, Body()],
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    project = project_of(memory_store_id)
    memory_stores.require_open(call.ports, call.principal, project)
    made = write_files.create_file(call.ports, call.principal, project, body.path, body.content or "")
    return caller.json_response(200, document(bodies.file_answer(made, view or "basic")))


@router.get(
    _FILES,
    summary="List the files of a store, by path",
    operation_id="list_store_files",
    tags=["stores"],
    responses=caller.described_response(200, bodies.StoreFilesPage, "A page"),
)
def list_files(
    call: caller.Calling,
    memory_store_id: StoreId,
    path_prefix: Annotated[str, Query(max_length=1025, description="Only what is below; ends with /")] = "/",
    depth: Annotated[
        int,
        Query(ge=0, le=1, description="1: the folder itself, with folders in the place of what is deeper"),
    ] = 0,
    limit: PageLimit = 20,
    page: Page = None,
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    problem = prefix_problem(path_prefix)
    if problem is not None:
        raise Invalid.at("/query/path_prefix", problem)
    project, query = project_of(memory_store_id), ["store files", memory_store_id, path_prefix, depth]
    memory_stores.get_store(call.ports, call.principal, project)
    after = cursors.text_key(page, query)
    tree = file_tree(call.ports, call.principal, project)
    found = listed(tree.shown(), path_prefix, is_deep=depth == 0)
    left = [one for one in found if after is None or one.path > after]
    size = min(limit, FULL_PAGE) if view == "full" else limit
    next_key = left[size - 1].path if len(left) > size else None
    next_page = cursors.text_cursor(next_key, query)
    return caller.json_response(200, bodies.files_json(left[:size], view or "basic", next_page, tree.note))


@router.get(
    _FILE,
    summary="Read a file",
    operation_id="get_store_file",
    tags=["stores"],
    responses=_ONE_FILE,
)
def read_file(
    call: caller.Calling,
    memory_store_id: StoreId,
    id: caller.MemoryId,
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    found = get_file(call.ports, call.principal, project_of(memory_store_id), id)
    return caller.json_response(200, document(bodies.file_answer(found, view or "full")))


@router.post(
    _FILE,
    summary="Give a file another text, another path, or both",
    operation_id="update_store_file",
    tags=["stores"],
    responses=_ONE_FILE,
)
def update_file(
    call: caller.Calling,
    memory_store_id: StoreId,
    id: caller.MemoryId,
    body: Annotated[bodies.FileRevision, Body()],
    view: View = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    project = project_of(memory_store_id)
    memory_stores.require_open(call.ports, call.principal, project)
    changed = write_files.update_file(
        call.ports,
        call.principal,
        project,
        id,
        text=body.content,
        path=body.path,
        expected_sha256=body.precondition.content_sha256 if body.precondition else None,
    )
    return caller.json_response(200, document(bodies.file_answer(changed, view or "basic")))


@router.delete(
    _FILE,
    summary="Delete a file; its versions stay",
    operation_id="delete_store_file",
    tags=["stores"],
    responses=caller.described_response(200, bodies.DeletedFile, "Deleted"),
)
def delete_file(
    call: caller.Calling,
    memory_store_id: StoreId,
    id: caller.MemoryId,
    expected_content_sha256: Annotated[
        str | None, Query(pattern="^[0-9a-f]{64}$", description="Only if its text has this SHA-256")
    ] = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    write_files.delete_file(
        call.ports, call.principal, project_of(memory_store_id), id, expected_sha256=expected_content_sha256
    )
    return caller.json_response(200, document(bodies.DeletedFile(id)))
