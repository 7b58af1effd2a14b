"""Queries of CloudWatch Logs Insights, saved, and shown on the dashboard: they cost when somebody looks, and nothing
else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_logs as logs
from constructs import Construct


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Query over the logs of functions.

    Args:
        lines: of the query.
        functions: whose logs it reads; none: those of all that callers wait for.
        is_shown: it is on the dashboard.
    """

    title: str
    lines: tuple[str, ...]
    functions: tuple[str, ...] = ()
    is_shown: bool = False


LOG_QUERIES: Final = (
    LogQuery(
        "Recall by stage, p95 in ms",
        (
            'filter message = "answered" and operation = "recall"',
            "stats pct(stages.embed, 95) as embed, pct(stages.search, 95) as search, pct(stages.read, 95) as read,"
            " pct(stages.write, 95) as write, pct(duration_ms, 95) as whole by bin(5m)",
        ),
        ("recall",),
        is_shown=True,
    ),
    LogQuery(
        "Kept out, by reason",
        (
            'filter message = "answered" and ispresent(refused)',
            'filter operation in ["create_memory", "create_memories", "add_turns", "put_memory"]',
            "stats count(*) as writes by refused",
            "sort writes desc",
        ),
        ("memories",),
        is_shown=True,
    ),
    LogQuery(
        "What became of memories, by kind of change",
        (
            'filter message = "published"',
            "stats sum(changes.created) as created, sum(changes.doubted) as doubted,"
            " sum(changes.quarantined) as quarantined,"
            " sum(changes.approved) as approved, sum(changes.rejected) as rejected, sum(changes.archived) as archived,"
            " sum(changes.judged) as judged by bin(1h)",
        ),
        ("projector", "compactor"),
        is_shown=True,
    ),
    LogQuery(
        "Requests by operation",
        (
            'filter message = "answered"',
            "stats count(*) as requests, pct(duration_ms, 95) as p95_ms, sum(cold_start) as cold by operation",
            "sort requests desc",
        ),
        is_shown=True,
    ),
    LogQuery(
        "Slowest requests",
        (
            'filter message = "answered"',
            "fields @timestamp, operation, status, duration_ms, cold_start, request_id",
            "sort duration_ms desc",
            "limit 50",
        ),
    ),
    LogQuery(
        "Errors, with their places",
        (
            'filter level = "ERROR"',
            "fields @timestamp, service, exception_name, exception, request_id",
            "sort @timestamp desc",
            "limit 50",
        ),
    ),
    LogQuery(
        "Sweeps",
        (
            'filter message = "swept"',
            "fields @timestamp, sweep, looked_at, failed_count, complete, stopped",
            "sort @timestamp desc",
            "limit 100",
        ),
        ("sweep",),
    ),
)


class LogQueries(Construct):
    """Saved queries of a deployment.

    Args:
        groups: names of log groups, by function.
        callers: functions that callers wait for.
    """

    def __init__(
        self, scope: Construct, id: str, title: str, groups: Mapping[str, str], callers: Iterable[str]
    ) -> None:
        super().__init__(scope, id)
        self._groups = groups
        self._callers = tuple(callers)
        for query in LOG_QUERIES:
            logs.CfnQueryDefinition(
                self,
                query.title.title().replace(" ", "").replace(",", ""),
                name=f"{title}/{query.title}",
                query_string="\n| ".join(query.lines),
                log_group_names=self._read(query),
            )

    def widgets(self) -> list[cloudwatch.IWidget]:
        """Widgets of the queries that are shown."""
        return [
            cloudwatch.LogQueryWidget(
                title=query.title,
                log_group_names=self._read(query),
                query_lines=list(query.lines),
                view=cloudwatch.LogQueryVisualizationType.TABLE,
                width=12,
            )
            for query in LOG_QUERIES
            if query.is_shown
        ]

    def _read(self, query: LogQuery) -> list[str]:
        return [self._groups[name] for name in query.functions or self._callers if name in self._groups]
