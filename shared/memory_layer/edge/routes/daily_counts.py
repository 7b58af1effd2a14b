"""Route of a project's numbers by day."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.edge.http import caller
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.usecases.ground.daily_counts import DAYS_MAX, DailyCounts, counts_by_day

router = Router()

Days = Annotated[int, Query(ge=1, le=DAYS_MAX, description="How many days, today among them.")]


@router.get(
    "/v1/projects/<project>/stats/days",
    summary="Counts of a project by day",
    operation_id="get_daily_stats",
    tags=["settings"],
    responses=caller.described_response(200, DailyCounts, "The days, the first one first"),
)
def daily_stats(call: caller.Calling, project: caller.Project, days: Days = DAYS_MAX) -> Response[str]:
    return caller.json_response(200, document(counts_by_day(call.ports, call.principal, project, days)))
