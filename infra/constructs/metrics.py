"""Metrics for the alarms and the dashboard."""

from typing import Final

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs

from infra.operations import DeclaredOperation
from memory_layer.manifest.metrics import DEPLOYMENT_DIMENSION, LAYER_DIMENSION, NAMESPACE, SERVICE_DIMENSION

ONE_MINUTE: Final = Duration.minutes(1)
FIVE_MINUTES: Final = Duration.minutes(5)

SUMMED: Final = ("ThreadpoolSearchRejected", "ThreadpoolWriteRejected")
LOWEST: Final = ("FreeStorageSpace",)
DOMAIN_METRICS: Final = (
    *("ClusterStatus.red", "ClusterIndexWritesBlocked", *LOWEST, "JVMMemoryPressure"),
    *("KNNGraphMemoryUsagePercentage", "KNNCircuitBreakerTriggered", *SUMMED),
)
"""Source: monitoring cluster metrics, OpenSearch Service developer guide."""


class ProductMetrics:
    """Metrics that functions of one deployment emit. Args: deployment: its name, a dimension of each."""

    def __init__(self, deployment: str) -> None:
        self._deployment = deployment

    def of(
        self,
        function: str,
        name: str,
        *,
        statistic: str,
        period: Duration = ONE_MINUTE,
        layer: str | None = None,
        label: str | None = None,
    ) -> cloudwatch.Metric:
        """Metric of manifest/metrics.py. Args: layer: of a context's source."""
        dimensions = {SERVICE_DIMENSION: function, DEPLOYMENT_DIMENSION: self._deployment}
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=name,
            dimensions_map={**dimensions, **({LAYER_DIMENSION: layer} if layer else {})},
            statistic=statistic,
            period=period,
            label=label,
        )


def api_metric(name: str, api_id: str, *, statistic: str, period: Duration = ONE_MINUTE) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name=name,
        dimensions_map={"ApiId": api_id},
        statistic=statistic,
        period=period,
    )


def route_latency(api_id: str, operation: DeclaredOperation) -> cloudwatch.Metric:
    """p95 in milliseconds. Source of the dimensions: metrics for HTTP APIs in API Gateway's developer guide."""
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name="Latency",
        dimensions_map={
            "ApiId": api_id,
            "Method": operation.method,
            "Resource": operation.path,
            "Stage": "$default",
        },
        statistic="p95",
        period=FIVE_MINUTES,
        label=operation.route_key,
    )


def oldest_message(queue: sqs.IQueue) -> cloudwatch.Metric:
    """Seconds that the oldest message of a queue has waited."""
    return queue.metric_approximate_age_of_oldest_message(period=ONE_MINUTE, statistic="Maximum")


def account_concurrency() -> cloudwatch.Metric:
    """Executions of the account and region that are used, reserved or provisioned."""
    return cloudwatch.Metric(
        namespace="AWS/Lambda",
        metric_name="ClaimedAccountConcurrency",
        statistic="Maximum",
        period=FIVE_MINUTES,
    )


def consumed(table: str, kind: str, period: Duration = FIVE_MINUTES) -> cloudwatch.Metric:
    """Capacity units that a table used. Args: kind: Read or Write."""
    return _of_table(table, f"Consumed{kind}CapacityUnits", period)


def throttles(table: str) -> cloudwatch.MathExpression:
    """Reads and writes that a table refused for want of capacity: of a hot partition, too."""
    events = {
        kind.lower(): _of_table(table, f"{kind}ThrottleEvents", FIVE_MINUTES) for kind in ("Read", "Write")
    }
    return cloudwatch.MathExpression(
        expression="FILL(read, 0) + FILL(write, 0)", using_metrics=events, period=FIVE_MINUTES
    )


def _of_table(table: str, name: str, period: Duration) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB",
        metric_name=name,
        dimensions_map={"TableName": table},
        statistic="Sum",
        period=period,
    )


def domain_metrics(domain_name: str) -> dict[str, cloudwatch.Metric]:
    """Metrics of the domain by name; OpenSearch Service still counts under its first name."""
    return {
        name: cloudwatch.Metric(
            namespace="AWS/ES",
            metric_name=name,
            dimensions_map={"DomainName": domain_name, "ClientId": Aws.ACCOUNT_ID},
            statistic="Minimum" if name in LOWEST else "Sum" if name in SUMMED else "Maximum",
            period=ONE_MINUTE,
        )
        for name in DOMAIN_METRICS
    }
