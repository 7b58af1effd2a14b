"""Alarms, each with its meaning and the place to look at."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
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
    sweep_failed,
)
from infra.operations import DeclaredOperation

FIVE_MINUTES: Final = Duration.minutes(5)
MB_PER_GB: Final = 1024
"""FreeStorageSpace is told in mebibytes."""

_RISES: Final = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
_FALLS: Final = cloudwatch.ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD

SLOW_ROUTE_MS: Final = 2_000
"""Slowest route without an alarm: longer work answers 202 (SPEC 2.91)."""

SERVER_ERRORS: Final = 5
ITERATOR_AGE_MS: Final = 60_000
UNCOUNTED_MS: Final = 900_000
"""As long as readers look at receipts that are not counted yet."""

INDEX_LAG_S: Final = 60
"""Seconds within which the index is level again after an outage."""

QUEUE_AGE_S: Final = 900
"""Seconds within which a burst is worked off, or the function is stuck."""

COVERAGE_PERCENT: Final = 99
"""Least share of memories with vectors over three hours: the backfill comes four times an hour."""

FREE_STORAGE_SHARE: Final = 0.25
JVM_PRESSURE_PERCENT: Final = 95
KNN_MEMORY_PERCENT: Final = 80
"""Source: recommended CloudWatch alarms, OpenSearch Service developer guide: a quarter of each node's volume; 95 % of
the heap three times in a row. Of what k-NN may use 80 %: what is above that waits for disks."""


class Alarms(Construct):
    """Alarms with one action, made one kind at a time."""

    def __init__(self, scope: Construct, id: str, action: cloudwatch.IAlarmAction) -> None:
        super().__init__(scope, id)
        self._action = action
        self.made: list[cloudwatch.Alarm] = []

    def of_api(self, api_id: str) -> None:
        metric = api_metric("5xx", api_id, statistic="Sum", period=FIVE_MINUTES)
        self._alarm(
            "Api5xx", metric, SERVER_ERRORS, "The API answered 5xx; look for the requests in its access log"
        )

    def of_route(self, api_id: str, operation: DeclaredOperation) -> None:
        """Alarm when a route is slow in two of three periods: a cold start alone does not wake anybody."""
        metric = route_latency(api_id, operation)
        slow = f"over {SLOW_ROUTE_MS} ms for one in twenty"
        description = f"{operation.route_key}: {slow}; see function {operation.function}"
        self._alarm(f"Slow {operation.route_key}", metric, SLOW_ROUTE_MS, description, periods=3, breaches=2)

    def of_function(self, name: str, function: lambda_.IFunction) -> None:
        errors = function.metric_errors(period=FIVE_MINUTES)
        self._alarm(f"{name}Errors", errors, 1, f"Function {name} raised an error; look at its log")
        throttles = function.metric_throttles(period=FIVE_MINUTES)
        description = f"Function {name} ran into its reserved concurrency; raise it in manifest/functions.py"
        self._alarm(f"{name}Throttles", throttles, 1, description)

    def of_queue(self, purpose: str, queue: sqs.IQueue) -> None:
        depth = queue.metric_approximate_number_of_messages_visible(period=FIVE_MINUTES, statistic="Maximum")
        self._alarm(
            f"Queue {purpose}", depth, 1, f"There are {purpose}; read the queue, mend, send them again"
        )

    def of_waiting(self, purpose: str, queue: sqs.IQueue) -> None:
        description = (
            f"The oldest of {purpose} waits over {QUEUE_AGE_S // 60} minutes; look at the function's log"
        )
        self._alarm(f"Age of {purpose}", oldest_message(queue), QUEUE_AGE_S, description)

    def of_projection(self, name: str, function: lambda_.IFunction) -> None:
        age = iterator_age(function)
        self._alarm("IteratorAge", age, ITERATOR_AGE_MS, f"Changes wait over a minute for {name}", periods=3)
        description = (
            f"The index is over {INDEX_LAG_S} s behind; recalls read what it lacks from the table meanwhile"
        )
        self._alarm("IndexLag", index_lag(name), INDEX_LAG_S, description, periods=3)

    def of_counting(self, name: str, function: lambda_.IFunction) -> None:
        description = f"Receipts wait over {UNCOUNTED_MS // 60_000} minutes for {name}: are accesses counted?"
        self._alarm("UncountedAge", iterator_age(function), UNCOUNTED_MS, description, periods=3)

    def of_sweeps(self, name: str) -> None:
        description = (
            f'A sweep could not do all it should; call function {name} with {{"sweep": NAME}} to be told what'
        )
        self._alarm("SweepFailed", sweep_failed(name), 1, description)
        repaired = (
            "The index was not as the table says, and was repaired: what is in the projector's failure queue?"
        )
        self._alarm("IndexRepaired", index_repaired(name), 1, repaired)
        uncovered = (
            f"More than {100 - COVERAGE_PERCENT} % of the memories have no vectors: does the model load?"
        )
        coverage = index_coverage(name)
        self._alarm("IndexCoverage", coverage, COVERAGE_PERCENT, uncovered, periods=3, is_low=True)

    def of_domain(self, metrics: Mapping[str, cloudwatch.Metric], volume_gb: int) -> None:
        """Alarms of the search domain. Args: volume_gb: of each data node."""
        red, blocked = metrics["ClusterStatus.red"], metrics["ClusterIndexWritesBlocked"]
        self._alarm("DomainRed", red, 1, "A shard of the index is lost: run a reindex")
        self._alarm("DomainBlocked", blocked, 1, "The index refuses writes: is its disk full?")
        self._alarm(
            "DomainDisk",
            metrics["FreeStorageSpace"],
            int(FREE_STORAGE_SHARE * volume_gb * MB_PER_GB),
            "A node's disk is three quarters full; raise search_volume_gb before it takes no more writes",
            is_low=True,
        )
        self._alarm(
            "DomainHeap",
            metrics["JVMMemoryPressure"],
            JVM_PRESSURE_PERCENT,
            "The index is short of heap; take a larger search_instance or more search_nodes",
            periods=3,
        )
        self._alarm(
            "DomainVectors",
            metrics["KNNGraphMemoryUsagePercentage"],
            KNN_MEMORY_PERCENT,
            "The vectors fill the memory that k-NN may use; take a larger search_instance or more search_nodes",
            periods=3,
        )

    def _alarm(
        self,
        id: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        description: str,
        *,
        periods: int = 1,
        breaches: int | None = None,
        is_low: bool = False,
    ) -> None:
        """Adds an alarm. Args: is_low: it warns of falling to the threshold, not of rising to it."""
        alarm = cloudwatch.Alarm(
            self,
            id,
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            datapoints_to_alarm=breaches or periods,
            comparison_operator=_FALLS if is_low else _RISES,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            alarm_description=description,
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)
        self.made.append(alarm)
