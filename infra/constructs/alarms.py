"""Alarms: few, each with its name, its meaning, and a page of docs/runbook.md."""

from collections.abc import Mapping, Sequence
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.metrics import FIVE_MINUTES, ProductMetrics, account_concurrency, api_metric, throttles
from infra.constructs.metrics import oldest_message as age_of
from infra.deployment import Deployment
from memory_layer.manifest import metrics as names
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.stacks import FAILURE_QUEUES

MB_PER_GB: Final = 1024
"""FreeStorageSpace is told in mebibytes."""

_RISES: Final = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
_FALLS: Final = cloudwatch.ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD

SERVER_ERRORS: Final = 5
SLOW_RECALL_MS: Final = 2_000
"""Slowest recall without an alarm: longer work answers 202 (SPEC 2.91)."""

SLOW_CONTEXT_S: Final = 5
DEGRADED_SHARE: Final = 0.05
LEAST_RECALLS: Final = 20
"""Recalls in five minutes below which a share of them says nothing."""

ITERATOR_AGE_MS: Final = 60_000
UNCOUNTED_MS: Final = 900_000
"""As long as readers look at receipts that are not counted yet."""

INDEX_LAG_S: Final = 60
"""Seconds within which the index is level again after an outage."""

QUEUE_AGE_S: Final = 900
"""Seconds within which a burst is worked off, or the function is stuck."""

OWN_QUEUE_AGE_S: Final = 86_400
"""Seconds within which the projects of a daily sweep are swept, or the next day's come on top."""

_OWN_QUEUES: Final = {function.own_queue for function in FUNCTIONS}

REVIEW_AGE_S: Final = 14 * 86_400
"""Age from which on what waits for a person is told of every day as well (SPEC 5.15)."""

COVERAGE_PERCENT: Final = 99
"""Least share of memories with vectors over three hours: the backfill comes four times an hour."""

CONCURRENCY_SHARE: Final = 0.8
FREE_STORAGE_SHARE: Final = 0.25
JVM_PRESSURE_PERCENT: Final = 95
KNN_MEMORY_PERCENT: Final = 80
"""Source: recommended CloudWatch alarms, OpenSearch Service developer guide: a quarter of each node's volume; 95 % of
the heap three times in a row. Of what k-NN may use 80 %: what is above that waits for disks."""


class Alarms(Construct):
    """Alarms with one action, made one kind at a time; those of no use to the deployment's level are left out.

    `made` has them by name: `{deployment}-{name}` in CloudWatch.
    """

    def __init__(
        self, scope: Construct, id: str, deployment: Deployment, action: cloudwatch.IAlarmAction
    ) -> None:
        super().__init__(scope, id)
        self._deployment = deployment
        self._product = ProductMetrics(deployment.title)
        self._action = action
        self.made: dict[str, cloudwatch.Alarm] = {}

    def of_api(self, api_id: str) -> None:
        errors = api_metric("5xx", api_id, statistic="Sum", period=FIVE_MINUTES)
        self._alarm(
            "Api5xx", errors, SERVER_ERRORS, "The API answers 5xx", periods=3, breaches=2, is_vital=True
        )

    def of_canary(self) -> None:
        """Alarm on the canary, which is there at no traffic: a missing flight is a failed one."""
        self._alarm(
            "CanaryFailed",
            self._product.of("canary", names.CANARY_FAILED, statistic="Maximum", period=FIVE_MINUTES),
            1,
            "The canary could not remember, recall and forget, or did not fly",
            periods=3,
            breaches=2,
            is_vital=True,
            missing=cloudwatch.TreatMissingData.BREACHING,
        )

    def of_answers(self) -> None:
        """Alarms on slow and degraded answers; few of them do not wake anybody."""
        recall = self._product.of("recall", names.RECALL_LATENCY, statistic="p95", period=FIVE_MINUTES)
        slow = {"periods": 3, "ignores_few": True}
        self._alarm("RecallSlow", recall, SLOW_RECALL_MS, "One recall in twenty takes over 2 s", **slow)
        context = self._product.of("context", names.ASSEMBLY_DURATION, statistic="p95", period=FIVE_MINUTES)
        self._alarm("ContextSlow", context, SLOW_CONTEXT_S, "One context in twenty takes over 5 s", **slow)
        self._alarm(
            "RecallDegraded",
            self._degraded(),
            DEGRADED_SHARE,
            "One recall in twenty does without the index or the embedder",
            periods=3,
        )

    def _degraded(self) -> cloudwatch.MathExpression:
        of = self._product.of
        used = {
            "share": of("recall", names.RECALL_DEGRADED, statistic="Average", period=FIVE_MINUTES),
            "recalls": of("recall", names.RECALL_DEGRADED, statistic="SampleCount", period=FIVE_MINUTES),
        }
        expression = f"IF(recalls >= {LEAST_RECALLS}, share, 0)"
        return cloudwatch.MathExpression(expression=expression, using_metrics=used, period=FIVE_MINUTES)

    def of_throttles(self, functions: Mapping[str, lambda_.IFunction], tables: Sequence[str]) -> None:
        """Alarms on what is refused for want of room. Args: functions: those that callers wait for."""
        used = {name: function.metric_throttles(period=FIVE_MINUTES) for name, function in functions.items()}
        refused = cloudwatch.MathExpression(
            expression=" + ".join(f"FILL({name}, 0)" for name in used),
            using_metrics=used,
            period=FIVE_MINUTES,
        )
        self._alarm("FunctionsThrottled", refused, 1, "Functions of the API ran into their concurrency")
        quota = int(CONCURRENCY_SHARE * self._deployment.concurrency_quota)
        self._alarm(
            "ConcurrencyClaimed", account_concurrency(), quota, "The account's executions are nearly used up"
        )
        for table in tables:
            self._alarm("TableThrottled", throttles(table), 1, "The table refuses reads or writes", periods=3)

    def of_claims(self, function: lambda_.IFunction) -> None:
        errors = function.metric_errors(period=FIVE_MINUTES)
        self._alarm("TokensFailed", errors, 1, "The user pool could not complete tokens: nobody new gets in")

    def of_queue(self, name: str, queue: sqs.IQueue) -> None:
        """Alarm on a queue of what failed. Args: name: of FAILURE_QUEUES, or `alarms`."""
        depth = queue.metric_approximate_number_of_messages_visible(period=FIVE_MINUTES, statistic="Maximum")
        held = FAILURE_QUEUES.get(name, "alarms that the mailbox did not take")
        self._alarm(f"{name.title()}Kept", depth, 1, f"There are {held}", is_vital=True)

    def of_waiting(self, name: str, queue: sqs.IQueue) -> None:
        age_s = OWN_QUEUE_AGE_S if name in _OWN_QUEUES else QUEUE_AGE_S
        waiting = f"What is queued for {name} waits over {age_s // 60} minutes"
        self._alarm(f"{name.title()}Waiting", age_of(queue), age_s, waiting)

    def of_projection(self, name: str, function: lambda_.IFunction) -> None:
        age = function.metric("IteratorAge", statistic="Maximum", period=FIVE_MINUTES)
        self._alarm(
            "IteratorAge",
            age,
            ITERATOR_AGE_MS,
            "Changes of the table wait over a minute for the projector",
            periods=3,
        )
        lag = self._product.of(name, names.INDEX_LAG, statistic="Maximum", period=FIVE_MINUTES)
        description = (
            f"The index is over {INDEX_LAG_S} s behind; recalls read what it lacks from the table meanwhile"
        )
        self._alarm("IndexLag", lag, INDEX_LAG_S, description, periods=3, is_vital=True)

    def of_counting(self, function: lambda_.IFunction) -> None:
        age = function.metric("IteratorAge", statistic="Maximum", period=FIVE_MINUTES)
        description = f"Receipts of recalls wait over {UNCOUNTED_MS // 60_000} minutes to be counted"
        self._alarm("UncountedAge", age, UNCOUNTED_MS, description, periods=3)

    def of_sweeps(self, name: str) -> None:
        hour, of = Duration.hours(1), self._product.of
        failed = of(name, names.SWEEP_FAILED, statistic="Sum", period=hour)
        self._alarm("SweepFailed", failed, 1, "A sweep could not do all it should")
        repaired = of(name, names.INDEX_REPAIRED, statistic="Sum", period=Duration.days(1))
        self._alarm("IndexRepaired", repaired, 1, "The index was not as the table says, and was repaired")
        coverage = of(name, names.INDEX_COVERAGE, statistic="Minimum", period=hour)
        uncovered = f"More than {100 - COVERAGE_PERCENT} % of the memories have no vectors"
        self._alarm("IndexCoverage", coverage, COVERAGE_PERCENT, uncovered, periods=3, is_low=True)
        age = of(name, names.REVIEW_AGE, statistic="Maximum", period=hour)
        self._alarm("ReviewsWaiting", age, REVIEW_AGE_S, "A memory has waited for a person for two weeks")

    def of_domain(self, metrics: Mapping[str, cloudwatch.Metric], volume_gb: int) -> None:
        """Alarms of the search domain. Args: volume_gb: of each data node."""
        red, blocked = metrics["ClusterStatus.red"], metrics["ClusterIndexWritesBlocked"]
        self._alarm("DomainRed", red, 1, "A shard of the index is lost", is_vital=True)
        self._alarm("DomainBlocked", blocked, 1, "The index refuses writes", is_vital=True)
        disk = int(FREE_STORAGE_SHARE * volume_gb * MB_PER_GB)
        full = "A node's disk is three quarters full"
        self._alarm("DomainDisk", metrics["FreeStorageSpace"], disk, full, is_low=True)
        heap = metrics["JVMMemoryPressure"]
        self._alarm("DomainHeap", heap, JVM_PRESSURE_PERCENT, "The index is short of heap", periods=3)
        vectors = metrics["KNNGraphMemoryUsagePercentage"]
        full = "The vectors fill the memory that k-NN may use"
        self._alarm("DomainVectors", vectors, KNN_MEMORY_PERCENT, full, periods=3)
        breaker = metrics["KNNCircuitBreakerTriggered"]
        self._alarm(
            "DomainBreaker", breaker, 1, "k-NN takes no more vectors into memory: its breaker is open"
        )
        rejected = cloudwatch.MathExpression(
            expression="DIFF(rejected)",  # the metric counts from the start of the node
            using_metrics={"rejected": metrics["ThreadpoolSearchRejected"]},
            period=FIVE_MINUTES,
        )
        self._alarm("DomainRejected", rejected, 1, "The index rejects searches: its queue is full")

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        description: str,
        *,
        periods: int = 1,
        breaches: int | None = None,
        is_low: bool = False,
        is_vital: bool = False,
        ignores_few: bool = False,
        missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING,
    ) -> None:
        """Adds an alarm, if the deployment's level has it.

        Args:
            is_low: it warns of falling to the threshold, not of rising to it.
            is_vital: it is there at the level `vital` as well.
            ignores_few: a percentile of so few values that it says nothing changes nothing.
        """
        if not (is_vital or self._deployment.alarms == "all"):
            return
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._deployment.title}-{name}",
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            datapoints_to_alarm=breaches or periods,
            comparison_operator=_FALLS if is_low else _RISES,
            treat_missing_data=missing,
            evaluate_low_sample_count_percentile="ignore" if ignores_few else None,
            alarm_description=f"{description}. What to do: docs/runbook.md, {name}",
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)
        self.made[name] = alarm
