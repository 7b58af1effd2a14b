"""Many at once: a batch of memories, the turns of a conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from pydantic import BaseModel, ValidationError

from memory_layer.edge.answers import stored_json, to_text
from memory_layer.edge.call import Caller, Calling, IdempotencyKey, Project, answered, described
from memory_layer.edge.problems import problem, violations_of
from memory_layer.edge.responses import BatchAnswer
from memory_layer.edge.routes.memories import said, stored_answer
from memory_layer.edge.schemas import BatchLine, Turn
from memory_layer.errors import Invalid, Malformed, MemoryLayerError, TooLarge
from memory_layer.ports import Answer
from memory_layer.usecases.add_turns import add_turns
from memory_layer.usecases.idempotency import Once
from memory_layer.usecases.remember import Asked, Result, remember_many

router = Router()
MAX_LINES = 1_000
NDJSON = "application/x-ndjson"

Line = Asked | MemoryLayerError


@router.post(
    "/v1/projects/<project>/memories:batch",
    summary="Store up to 1,000 memories, each on its own",
    operation_id="create_memories",
    tags=["memories"],
    responses=described(200, BatchAnswer, "What became of each line"),
)
def batch(call: Calling, project: Project, key: IdempotencyKey = None) -> Response[str]:
    lines = [_asked(call, key, number, line, BatchLine) for number, line in enumerate(_lines(call.body), 1)]
    good = [line for line in lines if isinstance(line, Asked)]
    results = remember_many(call.ports, call.principal, project, good)
    return _answer(call, lines, results)


@router.post(
    "/v1/projects/<project>/sessions/<session_id>/turns",
    summary="Store turns of a conversation; their surroundings become their context",
    operation_id="add_turns",
    tags=["memories"],
    responses=described(200, BatchAnswer, "What became of each turn"),
)
def turns(call: Calling, project: Project, session_id: str, key: IdempotencyKey = None) -> Response[str]:
    lines = [_asked(call, key, number, line, Turn) for number, line in enumerate(_lines(call.body), 1)]
    good = [line for line in lines if isinstance(line, Asked)]
    results = add_turns(call.ports, call.principal, project, session_id, good)
    return _answer(call, lines, results)


def _lines(body: str) -> list[Any]:
    """The items of an array, of `{"turns": […]}`, of NDJSON, or one object alone; a broken line is an error.

    Raises:
        Malformed: there is nothing, or an array that is no JSON.
        TooLarge: more than 1,000 items.
    """
    items = list(_items(body.strip()))
    if not items:
        raise Malformed("the body is empty; send one JSON object a line, or an array of them")
    if len(items) > MAX_LINES:
        raise TooLarge(f"{len(items):,} lines; send at most {MAX_LINES:,} at once")
    return items


def _items(text: str) -> Iterator[Any]:
    whole = _parsed(text) if text[:1] in ("[", "{") else None
    if isinstance(whole, list):
        yield from whole
    elif isinstance(whole, dict):
        yield from whole["turns"] if isinstance(whole.get("turns"), list) else [whole]
    elif text.startswith("["):
        raise Malformed(f"the array is no JSON: {whole}")
    else:
        yield from (_parsed(line) for line in text.splitlines() if line.strip())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return Malformed(f"this line is no JSON: {error}")


def _asked(call: Caller, key: str | None, number: int, line: Any, model: type[BaseModel]) -> Line:
    if isinstance(line, MemoryLayerError):
        return line
    try:
        body = model.model_validate(line)
    except ValidationError as error:
        found = violations_of({**item, "loc": ("body", *item["loc"])} for item in error.errors())
        return Invalid("this line breaks a rule of the record", found)
    except RecursionError:
        return Malformed("this line is nested too deeply")
    fields = said(body, "on_duplicate", "idempotency_key")
    own_key = getattr(body, "idempotency_key", None) or (f"{key}:{number}" if key else None)
    return Asked(
        fields=fields,
        on_duplicate=getattr(body, "on_duplicate", "ask"),
        once=None if own_key is None else Once(own_key, call.fingerprint(to_text(line)), stored_answer),
    )


def _answer(call: Caller, lines: Sequence[Line], results: Sequence[Result]) -> Response[str]:
    remaining = iter(results)
    told = [
        _told(call, number, next(remaining) if isinstance(line, Asked) else line)
        for number, line in enumerate(lines, 1)
    ]
    is_replay = bool(results) and all(isinstance(result, Answer) for result in results)
    return answered(200, {"results": told}, {"Idempotent-Replayed": "true"} if is_replay else None)


def _told(call: Caller, number: int, result: Result) -> dict[str, Any]:
    if isinstance(result, MemoryLayerError):
        found = problem(result, instance=call.path, request_id=call.request_id)
        return {"line": number, "status": found["status"], "problem": found}
    if isinstance(result, Answer):
        return {"line": number, "status": result.status, "id": json.loads(result.body)["id"]}
    receipt = stored_json(result)["receipt"]
    return {
        "line": number,
        "status": 201 if result.is_new else 200,
        "id": result.memory.id,
        "receipt": receipt,
    }
