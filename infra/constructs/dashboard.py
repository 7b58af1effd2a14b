"""Dashboard of calls, functions, the lag of the index, and failures."""

from collections.abc import Mapping, Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.metrics import (
    api_metric,
    index_coverage,
    index_lag,
    index_repaired,
    iterator_age,
    oldest_message,
    route_latency,
)
from infra.operations import DeclaredOperation


def make_dashboard(
    scope: Construct,
    *,
    api_id: str,
    operations: Sequence[DeclaredOperation],
    functions: Mapping[str, lambda_.IFunction],
    projectors: Mapping[str, lambda_.IFunction],
    sweepers: Sequence[str],
    queues: Mapping[str, sqs.IQueue],
    waiting: Mapping[str, sqs.IQueue],
    domain: Mapping[str, cloudwatch.Metric],
) -> cloudwatch.Dashboard:
    """Makes the dashboard, from the caller at the top to the engine at the bottom.

    Args:
        sweepers: names of the functions that the clock calls.
        queues: of what failed, by what they are for.
        waiting: those that functions read.
    """
    dashboard = cloudwatch.Dashboard(scope, "Dashboard")
    dashboard.add_widgets(
        _graph("Requests", [api_metric(name, api_id, statistic="Sum") for name in ("Count", "4xx", "5xx")]),
        _graph("Latency p95 by route, ms", [_latency(api_id, operation) for operation in operations]),
    )
    dashboard.add_widgets(
        _graph("Errors by function", [f.metric_errors(label=name) for name, f in functions.items()]),
        _graph("Throttles by function", [f.metric_throttles(label=name) for name, f in functions.items()]),
        _graph("Duration p95 by function, ms", [_duration(name, f) for name, f in functions.items()]),
    )
    dashboard.add_widgets(
        _graph("Index lag, s", [index_lag(name) for name in projectors]),
        _graph("Iterator age, ms", [iterator_age(function) for function in projectors.values()]),
        _graph("Failed and kept", [_depth(purpose, queue) for purpose, queue in queues.items()]),
    )
    dashboard.add_widgets(
        _graph("Memories with vectors, %", [index_coverage(name) for name in sweepers]),
        _graph("Index repaired", [index_repaired(name) for name in sweepers]),
    )
    dashboard.add_widgets(
        _graph("Waiting", [_depth(purpose, queue) for purpose, queue in waiting.items()]),
        _graph("Oldest of what waits, s", [_age(purpose, queue) for purpose, queue in waiting.items()]),
    )
    if domain:
        dashboard.add_widgets(*(_graph(f"OpenSearch {name}", [metric]) for name, metric in domain.items()))
    return dashboard


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=8)


def _latency(api_id: str, operation: DeclaredOperation) -> cloudwatch.Metric:
    return route_latency(api_id, operation).with_(label=operation.route_key)


def _duration(name: str, function: lambda_.IFunction) -> cloudwatch.Metric:
    return function.metric_duration(statistic="p95", label=name)


def _depth(purpose: str, queue: sqs.IQueue) -> cloudwatch.Metric:
    return queue.metric_approximate_number_of_messages_visible(statistic="Maximum", label=purpose)


def _age(purpose: str, queue: sqs.IQueue) -> cloudwatch.Metric:
    return oldest_message(queue).with_(label=purpose)
