"""Route of the sweeps' states."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from memory_layer.edge.http import caller
from memory_layer.edge.shapes.sweep_answers import SweepsAnswer, sweeps_json
from memory_layer.usecases.sweeps.list_sweeps import list_sweeps

router = Router()


@router.get(
    "/v1/sweeps",
    summary="Sweeps, with what each does and last did (admins)",
    operation_id="list_sweeps",
    tags=["settings"],
    responses=caller.described_response(
        200, SweepsAnswer, "They walk over all projects: counts, and no id of any memory"
    ),
)
def sweeps(call: caller.Calling) -> Response[str]:
    found = list_sweeps(call.ports, call.principal)
    return caller.json_response(200, sweeps_json(found, call.ports.clock.now()))
