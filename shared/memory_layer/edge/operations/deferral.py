"""Choice between an answer at once, for small work, and an operation, for larger work (SPEC 2.91)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from aws_lambda_powertools.event_handler import Response

from memory_layer.edge.http.caller import Caller, described_response, json_response, replayed_response
from memory_layer.edge.operations.jobs import Ticket, Work, accept, known_operation, ticket
from memory_layer.edge.shapes.answer_models import OperationAnswer
from memory_layer.edge.shapes.answers import operation_json, to_text
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.idempotency import IdempotentRequest, answered_once, earlier_answer
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing

AT_ONCE_RECORDS: Final = 1_000
"""Most records of work that is answered at once: nobody waits longer than about two seconds."""

LATER: Final = described_response(202, OperationAnswer, "It takes longer; Location tells how far it is")


def answered_or_accepted(
    call: Caller,
    project: str,
    key: str | None,
    *,
    is_small: bool,
    at_once: Callable[[Ports], dict[str, Any]],
    later: Callable[[], Work],
    is_whole: bool = False,
) -> Response[str]:
    """Answers 200 with the result, or 202 with the operation; the same key gets the same again.

    Args:
        at_once: does the work; may be done twice without harm.
        later: says what the operation has to do.
        is_whole: the work and the answer under its key are there together or not at all; where no transaction holds
            them, it is an operation however small it is, which is resumed until it is done.
    """
    place, once = ticket_of(call, key), _idempotent_request(call, key)
    store, scope, now = call.ports.store, call.principal.scope(project), call.ports.clock.now()
    known = known_operation(call.ports, call.principal, place) if key is not None else None
    if known is not None:
        return accepted_response(known)
    if is_small and not (is_whole and call.ports.transactions is None):

        def answered(ports: Ports) -> dict[str, Any] | IdempotencyRecord:
            return answered_once(
                ports.store.requests, ports.store.writer, scope, once, now, lambda: at_once(ports)
            )

        result = all_or_nothing(call.ports, answered) if is_whole else answered(call.ports)
        return (
            replayed_response(result) if isinstance(result, IdempotencyRecord) else json_response(200, result)
        )
    earlier = earlier_answer(store.requests, scope, once, now) if once is not None else None
    if earlier is not None:
        return replayed_response(earlier)
    return accepted_response(accept(call.ports, call.principal, place, later()))


def accepted_response(operation: Operation) -> Response[str]:
    """Answer 202, with the operation's URL."""
    location = {"Location": f"/v1/operations/{operation.id}"}
    return json_response(202, to_text(operation_json(operation)), location)


def ticket_of(call: Caller, key: str | None) -> Ticket:
    """Ticket of this request's work: its id, the same for the same key."""
    return ticket(call.ports.new_id, call.principal.holder, call.path, _fingerprint(call), key)


def _idempotent_request(call: Caller, key: str | None) -> IdempotentRequest | None:
    once = call.once(key, lambda result: (200, to_text(result)))
    return once and replace(once, fingerprint=_fingerprint(call))


def _fingerprint(call: Caller) -> str:
    """Hash of the request with its parameters: a dry run is another request."""
    asked = call.request.resolved_event.resolved_query_string_parameters or {}
    return call.fingerprint(f"{to_text(sorted(asked.items()))}\n{call.body}")
