"""Routes of projects as stores of files, as the client of Anthropic's Memory Stores calls them."""

from datetime import datetime
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.text_rules import PROJECT
from memory_layer.edge.http import caller, cursors
from memory_layer.edge.http.store_errors import STORES_PATH
from memory_layer.edge.routes.erasure import erased
from memory_layer.edge.shapes import store_bodies as bodies
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.usecases.files import memory_stores

router = Router()

_STORE = f"{STORES_PATH}/<memory_store_id>"
STORES_QUERY = ["memory stores"]
FULL_PAGE = 20
"""Files of a page with their texts, at most."""

StoreId = Annotated[
    str,
    Path(pattern=f"^{bodies.STORE}(?:{PROJECT})$", description="`memstore_` and the project's name"),
]
Beta = Annotated[str | None, Query(description="Sent by that client; nothing follows from it")]
PageLimit = Annotated[int, Query(ge=1, le=100, description="How many a page holds at most")]
Page = Annotated[str | None, Query(max_length=2048, description="`next_page` of the page before")]
View = Annotated[
    bodies.View | None,
    Query(description="`full`: with texts; `basic`: without. Omitted: full of one, else basic"),
]


def project_of(memory_store_id: str) -> str:
    """Project that a store is."""
    return memory_store_id.removeprefix(bodies.STORE)


def _store(info: memory_stores.MemoryStoreInfo) -> Response[str]:
    return caller.json_response(200, document(bodies.store_answer(info)))


_ONE_STORE = caller.described_response(200, bodies.StoreAnswer, "The store")


@router.post(
    STORES_PATH,
    summary="Begin a store of files: a project",
    operation_id="create_memory_store",
    tags=["stores"],
    responses=_ONE_STORE,
)
def create_store(
    call: caller.Calling, body: Annotated[bodies.NewStore, Body()], beta: Beta = None
) -> Response[str]:
    del beta
    made = memory_stores.create_store(call.ports, call.principal, body.name, body.description, body.metadata)
    return _store(made)


@router.get(
    STORES_PATH,
    summary="List the projects that the caller sees a memory of as stores of files",
    operation_id="list_memory_stores",
    tags=["stores"],
    responses=caller.described_response(200, bodies.StoresPage, "A page"),
)
def list_stores(
    call: caller.Calling,
    limit: PageLimit = 20,
    page: Page = None,
    include_archived: Annotated[bool, Query(description="Those that are archived as well")] = False,
    created_from: Annotated[
        Instant | None, Query(alias="created_at[gte]", description="Begun then or later")
    ] = None,
    created_until: Annotated[
        Instant | None, Query(alias="created_at[lte]", description="Begun then or before")
    ] = None,
    beta: Beta = None,
) -> Response[str]:
    del beta
    after = cursors.text_key(page, STORES_QUERY)
    found, next_key = memory_stores.list_stores(call.ports, call.principal, after=after, limit=limit)
    shown = [
        bodies.store_answer(one)
        for one in found
        if (include_archived or one.archived_at is None)
        and _is_within(one.created_at, created_from, created_until)
    ]
    next_page = cursors.text_cursor(next_key, STORES_QUERY)
    return caller.json_response(200, document(bodies.StoresPage(shown, next_page)))


def _is_within(at: datetime, first: datetime | None, last: datetime | None) -> bool:
    return (first is None or at >= first) and (last is None or at <= last)


@router.get(
    _STORE,
    summary="Read a store",
    operation_id="get_memory_store",
    tags=["stores"],
    responses=_ONE_STORE,
)
def read_store(call: caller.Calling, memory_store_id: StoreId, beta: Beta = None) -> Response[str]:
    del beta
    return _store(memory_stores.get_store(call.ports, call.principal, project_of(memory_store_id)))


@router.post(
    _STORE,
    summary="Change what a store is called and is for",
    operation_id="update_memory_store",
    tags=["stores"],
    responses=_ONE_STORE,
)
def update_store(
    call: caller.Calling,
    memory_store_id: StoreId,
    body: Annotated[bodies.StoreRevision, Body()],
    beta: Beta = None,
) -> Response[str]:
    del beta
    changed = memory_stores.update_store(
        call.ports,
        call.principal,
        project_of(memory_store_id),
        name=body.name,
        description=body.description,
        metadata=body.metadata,
    )
    return _store(changed)


@router.post(
    f"{_STORE}/archive",
    summary="Archive a store: its files are read and deleted here from now on, and not written",
    operation_id="archive_memory_store",
    tags=["stores"],
    responses=_ONE_STORE,
)
def archive_store(call: caller.Calling, memory_store_id: StoreId, beta: Beta = None) -> Response[str]:
    del beta
    return _store(memory_stores.archive_store(call.ports, call.principal, project_of(memory_store_id)))


@router.delete(
    _STORE,
    summary="Erase a store: the whole project (admins)",
    operation_id="delete_memory_store",
    tags=["stores"],
    responses=caller.described_response(200, bodies.DeletedStore, "Erased")
    | caller.described_response(202, bodies.DeletedStore, "It takes longer; Location tells how far it is"),
)
def delete_store(call: caller.Calling, memory_store_id: StoreId, beta: Beta = None) -> Response[str]:
    del beta
    project = project_of(memory_store_id)
    memory_stores.get_store(call.ports, call.principal, project)
    done = erased(call, project, ErasureRule(), is_dry_run=False, key=None)
    told = caller.json_response(done.status_code, document(bodies.DeletedStore(memory_store_id)))
    told.headers.update({name: value for name, value in done.headers.items() if name == "Location"})
    return told
