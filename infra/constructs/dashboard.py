"""Dashboard: what the product promises at the top, then its cost, then what it stands on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.cost import daily_cost
from infra.constructs.metrics import ProductMetrics, api_metric, oldest_message, route_latency
from infra.deployment import Deployment
from infra.operations import DeclaredOperation
from memory_layer.manifest import metrics as names
from memory_layer.manifest.metrics import CONTEXT_LAYERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Parts of a deployment that its dashboard shows.

    Args:
        callers: names of the functions that callers wait for.
        queues: of what failed, by name; `waiting` those that functions read.
        log_widgets: of saved queries.
    """

    api_id: str
    table: str
    operations: Sequence[DeclaredOperation]
    functions: Mapping[str, lambda_.IFunction]
    callers: Sequence[str]
    projector: str
    sweeper: str
    queues: Mapping[str, sqs.IQueue]
    waiting: Mapping[str, sqs.IQueue]
    domain: Mapping[str, cloudwatch.Metric]
    log_widgets: Sequence[cloudwatch.IWidget]


def make_dashboard(scope: Construct, deployment: Deployment, shown: Shown) -> cloudwatch.Dashboard:
    """Makes the dashboard of a deployment."""
    dashboard = cloudwatch.Dashboard(scope, "Dashboard", dashboard_name=deployment.title)
    of = ProductMetrics(deployment.title)
    dashboard.add_widgets(*_promises(of, shown))
    dashboard.add_widgets(*_contexts(of))
    dashboard.add_widgets(*shown.log_widgets)
    dashboard.add_widgets(
        cloudwatch.GraphWidget(title="Cost a day, $, about", left=daily_cost(deployment, shown), width=24)
    )
    dashboard.add_widgets(*_requests(shown))
    dashboard.add_widgets(*_projection(of, shown))
    if shown.domain:
        dashboard.add_widgets(
            *(_graph(f"OpenSearch {name}", [metric]) for name, metric in shown.domain.items())
        )
    return dashboard


def _promises(product: ProductMetrics, shown: Shown) -> list[cloudwatch.IWidget]:
    """Widgets of recalls, reviews and the canary."""
    recall, sweep = "recall", shown.sweeper
    of = product.of
    return [
        _graph("Recalls", [of(recall, names.RECALL_LATENCY, statistic="SampleCount", label="recalls")]),
        _graph(
            "Recall, ms",
            [of(recall, names.RECALL_LATENCY, statistic=each, label=each) for each in ("p50", "p95", "p99")],
        ),
        _graph(
            "Share degraded and abstained",
            [
                of(recall, name, statistic="Average", label=label)
                for label, name in (
                    ("degraded", names.RECALL_DEGRADED),
                    ("abstained", names.RECALL_ABSTAINED),
                )
            ],
        ),
        _graph("Waiting for a person", [of(sweep, names.REVIEW_BACKLOG, statistic="Maximum")]),
        _graph("Oldest that waits, s", [of(sweep, names.REVIEW_AGE, statistic="Maximum")]),
        _graph(
            "Canary: failed, and ms",
            [of("canary", names.CANARY_FAILED, statistic="Maximum")],
            right=[of("canary", names.CANARY_LATENCY, statistic="Maximum")],
        ),
    ]


def _contexts(product: ProductMetrics) -> list[cloudwatch.IWidget]:
    """Widgets of contexts, under the names that their source gives them."""

    def of(name: str, statistic: str) -> cloudwatch.Metric:
        return product.of("context", name, statistic=statistic, label=f"{name} {statistic}")

    def by_layer(name: str, statistic: str) -> list[cloudwatch.Metric]:
        return [
            product.of("context", name, statistic=statistic, layer=layer, label=layer)
            for layer in CONTEXT_LAYERS
        ]

    shares = [of(names.CACHE_HIT_RATIO, "Average"), of(names.COHERENCE_SCORE, "Average")]
    return [
        _graph("Contexts, s", [of(names.ASSEMBLY_DURATION, "p50"), of(names.ASSEMBLY_DURATION, "p95")]),
        _graph("Contexts: cached, coherent", shares),
        _graph("Contexts evicted", [of(names.CACHE_EVICTED, "Sum")]),
        _graph("Sources of contexts, p95 in ms", by_layer(names.SOURCE_LATENCY, "p95")),
        _graph("Sources of contexts that failed", by_layer(names.SOURCE_ERRORS, "Sum")),
    ]


def _requests(shown: Shown) -> list[cloudwatch.IWidget]:
    counts = [api_metric(name, shown.api_id, statistic="Sum") for name in ("Count", "4xx", "5xx")]
    return [
        _graph("Requests", counts),
        _graph("Latency p95 by route, ms", [route_latency(shown.api_id, one) for one in shown.operations]),
        _graph("Errors by function", [f.metric_errors(label=name) for name, f in shown.functions.items()]),
        _graph(
            "Throttles by function", [f.metric_throttles(label=name) for name, f in shown.functions.items()]
        ),
        _graph(
            "Duration p95 by function, ms",
            [f.metric_duration(statistic="p95", label=name) for name, f in shown.functions.items()],
        ),
    ]


def _projection(product: ProductMetrics, shown: Shown) -> list[cloudwatch.IWidget]:
    """Widgets of the way from the table to the index, of sweeps and of queues."""
    of, projector = product.of, shown.functions[shown.projector]
    return [
        _graph("Index lag, s", [of(shown.projector, names.INDEX_LAG, statistic="Maximum")]),
        _graph("Iterator age, ms", [projector.metric("IteratorAge", statistic="Maximum")]),
        _graph("Memories with vectors, %", [of(shown.sweeper, names.INDEX_COVERAGE, statistic="Minimum")]),
        _graph("Index repaired", [of(shown.sweeper, names.INDEX_REPAIRED, statistic="Sum")]),
        _graph("Failed and kept", [_depth(name, queue) for name, queue in shown.queues.items()]),
        _graph("Waiting", [_depth(name, queue) for name, queue in shown.waiting.items()]),
        _graph(
            "Oldest of what waits, s",
            [oldest_message(queue).with_(label=name) for name, queue in shown.waiting.items()],
        ),
    ]


def _graph(
    title: str, metrics: Sequence[cloudwatch.IMetric], *, right: Sequence[cloudwatch.IMetric] = ()
) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), right=list(right), width=8)


def _depth(name: str, queue: sqs.IQueue) -> cloudwatch.Metric:
    return queue.metric_approximate_number_of_messages_visible(statistic="Maximum", label=name)
