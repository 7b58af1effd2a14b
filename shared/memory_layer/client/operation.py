"""Operations as descriptors: declared once, called by `Memory` and awaited by `AsyncMemory`."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from memory_layer.client.document import reading
from memory_layer.wire.api import Api
from memory_layer.wire.flows import Flow, awaited
from memory_layer.wire.lines import type_of
from memory_layer.wire.message import JSON, Asked
from memory_layer.wire.routes import ROUTES

if TYPE_CHECKING:
    from memory_layer.client.models import OperationAnswer

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741  # an item of a page


class Unset:
    """Argument that was not given, where None says something of its own."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


class Call(Generic[T]):
    """Arguments of an operation, which answers a T."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {name: value for name, value in given.items() if name != "self" and value is not UNSET}


class Blocking:
    """Client whose operations answer in the thread that calls them."""

    _api: Api

    def _carry_out(self, flow: Flow[T]) -> T:
        raise NotImplementedError


class Awaiting:
    """Client whose operations are awaited."""

    _api: Api

    async def _carry_out(self, flow: Flow[T]) -> T:
        raise NotImplementedError


class Declared(Generic[P, T]):
    """Declaration of an operation. Args: declaration: its name, its arguments and its answer."""

    def __init__(self, declaration: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self._declaration = declaration
        _like(self, declaration)

    @property
    def name(self) -> str:
        return self._declaration.__name__

    def asked(self, *args: P.args, **kwargs: P.kwargs) -> Asked:
        return _asked(self.name, self._declaration(None, *args, **kwargs).given)

    @cached_property
    def read(self) -> Callable[[Any], T]:
        """Makes the answer of its document."""
        return reading(get_args(get_type_hints(self._declaration)["return"])[0])

    def flow(self, api: Api, asked: Asked) -> Flow[T]:
        reply = yield from api.steps(asked)
        return self.read(reply.document())


class SingleOperation(Declared[P, T]):
    """Operation that answers at once."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, client: None, owner: type) -> SingleOperation[P, T]: ...
        @overload
        def __get__(self, client: Blocking, owner: type) -> Callable[P, T]: ...
        @overload
        def __get__(self, client: Awaiting, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self

        def called(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client._carry_out(self.flow(client._api, self.asked(*args, **kwargs)))

        return _like(called, self._declaration)


class Paged(Declared[P, T], Generic[P, T, I]):
    """Operation that answers a page. Args: field: of the page, which holds the items."""

    def __init__(self, declaration: Callable[Concatenate[Any, P], Call[T]], field: str) -> None:
        super().__init__(declaration)
        self.field = field

    if TYPE_CHECKING:

        @overload
        def __get__(self, client: None, owner: type) -> Paged[P, T, I]: ...
        @overload
        def __get__(self, client: Blocking, owner: type) -> Pages[P, T, I]: ...
        @overload
        def __get__(self, client: Awaiting, owner: type) -> AsyncPages[P, T, I]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self
        bound: Any = Pages if isinstance(client, Blocking) else AsyncPages
        return _like(bound(client, self), self._declaration)


class Pages(Generic[P, T, I]):
    """Operation of a client: one page when called, each item of all pages by `each`."""

    def __init__(self, client: Blocking, paged: Paged[P, T, I]) -> None:
        self._client, self._paged = client, paged

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._page(self._paged.asked(*args, **kwargs))

    def each(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[I]:
        """Each item, with a request a page."""
        asked: Asked | None = self._paged.asked(*args, **kwargs)
        while asked is not None:
            page = self._page(asked)
            yield from getattr(page, self._paged.field)
            asked = _next_page(asked, page)

    def _page(self, asked: Asked) -> T:
        return self._client._carry_out(self._paged.flow(self._client._api, asked))


class AsyncPages(Generic[P, T, I]):
    """As `Pages`, awaited, and iterated by `async for`."""

    def __init__(self, client: Awaiting, paged: Paged[P, T, I]) -> None:
        self._client, self._paged = client, paged

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._page(self._paged.asked(*args, **kwargs))

    async def each(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[I]:
        """Each item, with a request a page."""
        asked: Asked | None = self._paged.asked(*args, **kwargs)
        while asked is not None:
            page = await self._page(asked)
            for item in getattr(page, self._paged.field):
                yield item
            asked = _next_page(asked, page)

    async def _page(self, asked: Asked) -> T:
        return await self._client._carry_out(self._paged.flow(self._client._api, asked))


class LongOperation(Declared[P, T]):
    """Operation that may take longer than a request."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, client: None, owner: type) -> LongOperation[P, T]: ...
        @overload
        def __get__(self, client: Blocking, owner: type) -> Waited[P, T]: ...
        @overload
        def __get__(self, client: Awaiting, owner: type) -> AsyncWaited[P, T]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        if client is None:
            return self
        bound: Any = Waited if isinstance(client, Blocking) else AsyncWaited
        return _like(bound(client, self), self._declaration)

    def waited(self, api: Api, asked: Asked) -> Flow[T]:
        document = yield from awaited(api, asked)
        return self.read(document)

    def begun(self, api: Api, asked: Asked) -> Flow[T | OperationAnswer]:
        from memory_layer.client.models import OperationAnswer

        reply = yield from api.steps(asked)
        document = reply.document()
        return OperationAnswer(document) if reply.status == 202 else self.read(document)


class Waited(Generic[P, T]):
    """Operation of a client: when called it is waited for; `begin` does not wait."""

    def __init__(self, client: Blocking, long: LongOperation[P, T]) -> None:
        self._client, self._long = client, long

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._client._carry_out(
            self._long.waited(self._client._api, self._long.asked(*args, **kwargs))
        )

    def begin(self, *args: P.args, **kwargs: P.kwargs) -> T | OperationAnswer:
        """Answer, or the operation that goes on without us: see `wait`."""
        return self._client._carry_out(self._long.begun(self._client._api, self._long.asked(*args, **kwargs)))


class AsyncWaited(Generic[P, T]):
    """As `Waited`, awaited."""

    def __init__(self, client: Awaiting, long: LongOperation[P, T]) -> None:
        self._client, self._long = client, long

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        flow = self._long.waited(self._client._api, self._long.asked(*args, **kwargs))
        return await self._client._carry_out(flow)

    async def begin(self, *args: P.args, **kwargs: P.kwargs) -> T | OperationAnswer:
        """Answer, or the operation that goes on without us: see `wait`."""
        flow = self._long.begun(self._client._api, self._long.asked(*args, **kwargs))
        return await self._client._carry_out(flow)


operation = SingleOperation
long_operation = LongOperation


def paged(
    field: str, items: type[list[I]]
) -> Callable[[Callable[Concatenate[Any, P], Call[T]]], Paged[P, T, I]]:
    """Declares an operation that answers pages. Args: field: holds the items; items: their list, for type checkers."""
    del items
    return lambda declaration: Paged(declaration, field)


def _like(called: Any, declaration: Any) -> Any:
    """Gives what is called the words of its declaration."""
    called.__name__, called.__doc__ = declaration.__name__, declaration.__doc__
    return called


def _asked(name: str, given: Mapping[str, Any]) -> Asked:
    """Request of an operation's arguments, each in its place."""
    route = ROUTES[name]
    path = {one: given[one] for one in re.findall(r"{(\w+)}", route.target) if one in given}
    query = {one: given.get(_argument(one)) for one in route.query}
    headers = {one: _header(one, given.get(one.replace("-", "_"))) for one in route.headers}
    placed = {*path, *map(_argument, query), *(one.replace("-", "_") for one in headers)}
    fields = {_field(one, placed): value for one, value in given.items() if one not in placed}
    body = fields.get("body") if route.body == "whole" else fields if route.body else None
    return Asked(name, path, query, headers, body, _type_of(body, query.get("format")))


def _argument(parameter: str) -> str:
    """Argument of a parameter: `created_at_gte` is `created_at[gte]`."""
    return parameter.replace("[", "_").rstrip("]")


def _field(argument: str, placed: set[str]) -> str:
    """Field of a body by its argument: `body_id` is the `id` beside one in the path, `from_` no keyword."""
    named = argument.removeprefix("body_")
    return named if named in placed else argument.removesuffix("_")


def _header(name: str, value: Any) -> str | None:
    if value is None:
        return None
    return f'"{value}"' if name == "if-match" and isinstance(value, int) else str(value)


def _type_of(body: Any, format: str | None) -> str:
    return type_of(format) if isinstance(body, str | bytes) else JSON


def _next_page(asked: Asked, page: Any) -> Asked | None:
    if page.next_cursor is None:
        return None
    query = {**asked.query, "cursor": page.next_cursor}
    return Asked(asked.operation, asked.path, query, asked.headers)
