"""Metrics for the alarms and the dashboard."""

from typing import Final

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

from infra.operations import DeclaredOperation
from memory_layer.manifest.metrics import (
    INDEX_COVERAGE,
    INDEX_LAG,
    INDEX_REPAIRED,
    NAMESPACE,
    SERVICE_DIMENSION,
    SWEEP_FAILED,
)

ONE_MINUTE: Final = Duration.minutes(1)
DOMAIN_METRICS: Final = (
    *("ClusterStatus.red", "ClusterIndexWritesBlocked"),
    *("FreeStorageSpace", "JVMMemoryPressure", "KNNGraphMemoryUsagePercentage"),
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
        period=Duration.minutes(5),
    )


def iterator_age(function: lambda_.IFunction) -> cloudwatch.Metric:
    """Milliseconds that the newest change of a batch had waited."""
    return function.metric("IteratorAge", statistic="Maximum", period=ONE_MINUTE)


def oldest_message(queue: sqs.IQueue) -> cloudwatch.Metric:
    """Seconds that the oldest message of a queue has waited."""
    return queue.metric_approximate_age_of_oldest_message(period=ONE_MINUTE, statistic="Maximum")


def sweep_failed(function_name: str) -> cloudwatch.Metric:
    """Number of records and projects on which runs of sweeps failed."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=SWEEP_FAILED,
        dimensions_map={SERVICE_DIMENSION: function_name},
        statistic="Sum",
        period=Duration.hours(1),
    )


def index_coverage(function_name: str) -> cloudwatch.Metric:
    """Percent of the records that have vectors."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=INDEX_COVERAGE,
        dimensions_map={SERVICE_DIMENSION: function_name},
        statistic="Minimum",
        period=Duration.hours(1),
    )


def index_repaired(function_name: str) -> cloudwatch.Metric:
    """Number of index entries that differed from the table."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=INDEX_REPAIRED,
        dimensions_map={SERVICE_DIMENSION: function_name},
        statistic="Sum",
        period=Duration.days(1),
    )


def index_lag(function_name: str) -> cloudwatch.Metric:
    """Seconds until a change could be found."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=INDEX_LAG,
        dimensions_map={SERVICE_DIMENSION: function_name},
        statistic="Maximum",
        period=ONE_MINUTE,
    )


def domain_metrics(domain_name: str) -> dict[str, cloudwatch.Metric]:
    """Metrics of the domain by name; OpenSearch Service still counts under its first name."""
    return {
        name: cloudwatch.Metric(
            namespace="AWS/ES",
            metric_name=name,
            dimensions_map={"DomainName": domain_name, "ClientId": Aws.ACCOUNT_ID},
            statistic="Minimum" if name == "FreeStorageSpace" else "Maximum",
            period=ONE_MINUTE,
        )
        for name in DOMAIN_METRICS
    }
