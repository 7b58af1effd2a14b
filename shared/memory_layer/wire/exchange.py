"""One exchange with the service: repeated where that is safe, and its answer or its problem.

Written as steps: a `Request` is to be sent, a `Pause` is to be waited for, and whoever carries the steps out does so
in this thread or on an event loop.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from memory_layer.wire.message import VERSION_HEADER, Reply, Request
from memory_layer.wire.problem import MemoryProblem, told_problem
from memory_layer.wire.refusals import foreign_reply, with_place, with_version

ATTEMPTS_MAX: Final = 8
FIRST_PAUSE_S: Final = 0.1
PATIENCE_S: Final = 30.0
"""Seconds that all pauses of an exchange take together at most; a server that asks for more is answered with its
problem."""

GATEWAY_STATUSES: Final = frozenset({502, 504})
"""Said by what stands before the service, of a request that may have arrived."""

LATER_STATUSES: Final = frozenset({429, 503})
IN_FLIGHT: Final = "in_flight"
SEE_OTHER: Final = 303


@dataclass(frozen=True, slots=True)
class Pause:
    """Time to wait before the next step."""

    seconds: float


Steps: TypeAlias = "Generator[Request | Pause, Reply | None, Reply]"


def exchange(request: Request, *, place: str, patience_s: float = PATIENCE_S) -> Steps:
    """Steps to the good answer of a request.

    Raises:
        MemoryProblem
    """
    waited = 0.0
    for attempt in range(1, ATTEMPTS_MAX + 1):
        try:
            reply = yield request
        except MemoryProblem as problem:
            found, may_repeat = problem, problem.code == "unreachable" or request.is_repeatable
        else:
            assert reply is not None  # the answer to a request
            if reply.status == SEE_OTHER:
                return (yield from _at_its_link(reply, place))
            if 200 <= reply.status < 300:
                return _readable(reply, request, place)
            found = _problem_of(reply, request, place)
            may_repeat = _may_repeat(found, request)
        pause = found.retry_after_s if found.retry_after_s is not None else _backoff(attempt)
        if not may_repeat or attempt == ATTEMPTS_MAX or waited + pause > _patience(found, patience_s):
            raise found
        waited += pause
        yield Pause(pause)
    raise AssertionError("the last attempt raises")


def _patience(problem: MemoryProblem, patience_s: float) -> float:
    """Seconds that may be waited: nobody waits long for an address at which nothing answers."""
    return min(patience_s, 1.0) if problem.code == "unreachable" else patience_s


def _may_repeat(problem: MemoryProblem, request: Request) -> bool:
    if problem.code == "outcome_unknown" or problem.status in GATEWAY_STATUSES:
        return request.is_repeatable
    return problem.status in LATER_STATUSES or problem.code == IN_FLIGHT


def _backoff(attempt: int) -> float:
    """Twice as long each time, and not the same for all who wait."""
    return FIRST_PAUSE_S * (1 << (attempt - 1)) * (0.75 + os.urandom(1)[0] / 512)


def _at_its_link(reply: Reply, place: str) -> Steps:
    """Follows the link to an answer that was too large for its own reply; no token goes there."""
    link = Request("GET", reply.headers["location"], {})
    return _readable((yield link) or reply, link, place)


def _readable(reply: Reply, request: Request, place: str) -> Reply:
    if VERSION_HEADER not in reply.headers and reply.headers.get("content-type", "").startswith("text/html"):
        raise foreign_reply(reply, request, place)
    try:
        reply.document()
    except ValueError:
        raise foreign_reply(reply, request, place) from None
    return reply


def _problem_of(reply: Reply, request: Request, place: str) -> MemoryProblem:
    told = told_problem(reply.status, reply.body, _retry_after(reply.headers))
    if told is None:
        return foreign_reply(reply, request, place, _retry_after(reply.headers))
    return with_version(with_place(told, place), reply)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; a date there is not read, and the pause is our own."""
    given = headers.get("retry-after", "")
    return float(given) if given.isdigit() else None
