"""Flows of several requests, written as steps for both clients: an operation that is waited for, an export by parts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from memory_layer.wire.api import Api
from memory_layer.wire.exchange import Pause
from memory_layer.wire.message import Asked, Reply, Request
from memory_layer.wire.problem import MemoryProblem, problem_in

T = TypeVar("T")
Flow: TypeAlias = Generator[Request | Pause, Reply | None, T]

ACCEPTED: Final = 202
FIRST_LOOK_S: Final = 0.05
LONGEST_LOOK_S: Final = 2.0
WAIT_S: Final = 600.0
"""Seconds that an operation is waited for."""


def awaited(
    api: Api, asked: Asked, seconds: float = WAIT_S, tell: Callable[[int, int], None] | None = None
) -> Flow[Any]:
    """Document of a request's result, however long it takes.

    Args:
        tell: told how much is done, and how much there is, while it goes on.

    Raises:
        MemoryProblem: the operation failed, or is not done in time.
    """
    reply = yield from api.steps(asked)
    document = reply.document()
    if not is_operation(reply):
        return document
    result = yield from outcome(api, document["id"], seconds, tell)
    if "parts" in result:
        parts = yield from parts_of(api, result)
        return "".join(parts)
    return result


def is_operation(reply: Reply) -> bool:
    """Tells if the work goes on behind an answer: a 202 may be a proposal as well, which is all that there is."""
    return reply.status == ACCEPTED and reply.headers.get("location", "").startswith("/v1/operations/")


def outcome(
    api: Api, operation_id: str, seconds: float = WAIT_S, tell: Callable[[int, int], None] | None = None
) -> Flow[Mapping[str, Any]]:
    """Result of an operation once it has ended. Args: tell: as `awaited`.

    Raises:
        MemoryProblem: it failed; `not_done`: it goes on still.
    """
    waited, pause = 0.0, FIRST_LOOK_S
    while True:
        state = (yield from api.steps(Asked("get_operation", {"id": operation_id}))).document()
        if state["status"] == "failed":
            raise problem_in(state["problem"])
        if state["status"] != "running":
            return dict(state["result"] or {})
        if tell is not None:
            tell(state["done"], state["total"])
        if waited >= seconds:
            raise MemoryProblem(
                "not_done",
                f"operation {operation_id} is not done after {waited:.0f} s ({state['done']} of {state['total']}); "
                f"it goes on: wait({operation_id!r})",
            )
        yield Pause(pause)
        waited, pause = waited + pause, min(2 * pause, LONGEST_LOOK_S)


def parts_of(api: Api, result: Mapping[str, Any]) -> Flow[list[str]]:
    """Texts of all parts that an export made."""
    texts = []
    for part in result["parts"]:
        texts.append((yield from part_text(api, part["href"])))
    return texts


def part_text(api: Api, href: str) -> Flow[str]:
    """Text of one part. Args: href: `/v1/operations/{id}/parts/{n}`."""
    *_, operation_id, _, number = href.split("/")
    reply = yield from api.steps(Asked("get_operation_part", {"id": operation_id, "n": number}))
    return reply.body.decode()
