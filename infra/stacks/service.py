"""Stack that a release replaces: functions, routes, the stream's mapping, the bus with its rules, schedules."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from aws_cdk import CfnOutput, Duration, Environment, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.code_assets import CodeAssets
from infra.constructs.bus_readers import BusReaders
from infra.constructs.console import Console
from infra.constructs.console_sign_in import page_client
from infra.constructs.environment import MODEL_FOLDER, model_variables
from infra.constructs.event_queue import FunctionQueue
from infra.constructs.event_rules import EventRule
from infra.constructs.functions import ManifestFunctions, completes_tokens
from infra.constructs.grants import bedrock_arn
from infra.constructs.http_api import HttpApiGateway
from infra.constructs.origin_lock import OriginLock
from infra.constructs.queues import dead_letter_queue
from infra.constructs.schedules import ScheduledCall
from infra.constructs.stream_projection import StreamProjection
from infra.deployment import RECALL, Deployment
from infra.event_sources import as_text
from infra.stacks.stateful import StatefulStack
from memory_layer.console.issuer_sign_in import oidc_settings
from memory_layer.manifest import env
from memory_layer.manifest.change_events import CHANGES_SOURCE
from memory_layer.manifest.functions import Function
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.stacks import FAILURE_QUEUE_OUTPUT, FUNCTION_OUTPUT
from memory_layer.manifest.tables import RECORDS

CANARY: Final = "canary"
"""Function that asks the API too, whose address is known once its routes are."""

CHANGES_KEPT: Final = Duration.days(7)


class ServiceStack(Stack):
    """Stack with `functions` by name, `queues` of failures by the keys of FAILURE_QUEUES, `waiting` ones by their
    purpose, the `api`, and the `url` by which it is called."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        assets: CodeAssets,
        *,
        document: dict[str, Any],
        stateful: StatefulStack,
    ) -> None:
        self._declared = deployment.functions
        super().__init__(
            scope,
            id,
            env=Environment(region=deployment.region),
            description=f"Memory Layer, {deployment.profile}: API, functions, events",
        )
        self.bus = events.EventBus(self, "Bus", description="Work of Memory Layer that no request waits for")
        self._keep_changes()
        if deployment.bus_readers:
            BusReaders(self, "BusReaders", self.bus, deployment.bus_readers)
            CfnOutput(self, "EventBusArn", value=self.bus.event_bus_arn)
        made = self._make_functions(deployment, assets, stateful)
        self.functions = made
        self._undelivered = dead_letter_queue(self, "Undelivered")
        self.queues: dict[str, sqs.Queue] = {"deliveries": self._undelivered, **self._failed_events}
        self.api = HttpApiGateway(
            self,
            "Api",
            deployment,
            document=document,
            functions={**made, **self._ready},
            issuer=stateful.issuer,
        )
        self.url = self.api.url
        if deployment.console:
            site = self._make_console(deployment, assets, stateful)
            self.url = site.url if deployment.waf else self.url
        if deployment.network is None:  # from inside, the API is out of reach
            self.functions[CANARY].add_environment(env.API_URL, self.url)
        self.queues.update(self._connect_stream(stateful))
        self._connect_bus()
        self.waiting: dict[str, sqs.Queue] = {}
        self.queues.update(self._connect_queues(deployment, stateful))
        self._connect_clock(deployment)
        CfnOutput(self, "ApiUrl", value=self.url)
        CfnOutput(self, "EventBusName", value=self.bus.event_bus_name)
        self._tell_operators()

    def _tell_operators(self) -> None:
        """Outputs by which `mem admin --stack` finds functions and failure queues."""
        for name, function in self.functions.items():
            CfnOutput(self, f"{name.title()}{FUNCTION_OUTPUT}", value=function.function_name)
        for name, queue in self.queues.items():
            CfnOutput(self, f"{name.title()}{FAILURE_QUEUE_OUTPUT}", value=queue.queue_url)

    def _make_console(self, deployment: Deployment, assets: CodeAssets, stateful: StatefulStack) -> Console:
        """Makes the console beside the API, and has the API take the tokens that people sign in for there."""
        place, issuer = stateful.sign_in, stateful.issuer
        site = Console(
            self,
            "Console",
            deployment,
            api_url=self.api.url,
            operations=self.api.operations,
            folder=assets.console_folder(),
            sign_in_at=place.origins,
            lock=self._lock_api() if deployment.waf else None,
        )
        client_id = deployment.console_client
        if place.pool_id is not None:
            client_id = page_client(site, deployment, place.pool_id, issuer, site.url).ref
            self.api.let_in(client_id)
            CfnOutput(self, "ConsoleClientId", value=client_id)
        site.tell(None if client_id is None else oidc_settings(issuer.url, client_id, issuer.scopes))
        CfnOutput(self, "ConsoleUrl", value=site.url)
        return site

    def _lock_api(self) -> OriginLock:
        """Lock that each function behind the API asks for."""
        lock = OriginLock(self, "OriginLock")
        for name in sorted({operation.function for operation in self.api.operations}):
            lock.shut(self.functions[name])
        return lock

    def _keep_changes(self) -> None:
        """Keeps changes for a while, so that a receiver that was away, or is new, has them replayed."""
        pattern = events.EventPattern(source=[CHANGES_SOURCE])
        self.bus.archive(
            "Changes",
            event_pattern=pattern,
            description="Changes of memories, with ids and no words",
            retention=CHANGES_KEPT,
        )

    def _make_functions(
        self, deployment: Deployment, assets: CodeAssets, stateful: StatefulStack
    ) -> dict[str, lambda_.Function]:
        functions = ManifestFunctions(
            self,
            "Functions",
            deployment,
            assets,
            environment={
                env.RECORDS_TABLE: stateful.tables[RECORDS.name].table_name,
                **stateful.index_environment,
                env.SEARCH_ENGINE: deployment.engine,
                env.SEARCH_SHARDS: str(deployment.sizes.search_shards),
                env.SEARCH_SPREAD: str(deployment.sizes.search_spread),
                env.SEARCH_REPLICAS: str(deployment.sizes.search_replicas),
                env.BLOBS_BUCKET: stateful.bucket.bucket_name,
                env.EVENT_BUS: self.bus.event_bus_name,
                env.EVENT_SOURCES: as_text(deployment.event_sources),
                env.ISSUER: stateful.issuer.url,
                env.SCOPES: " ".join(stateful.issuer.scopes),
                env.ORIGINS: " ".join(deployment.cors_origins),
                env.MODEL_DIR: MODEL_FOLDER,
                **model_variables(deployment),
                env.DEPLOYMENT: deployment.title,
            },
            resources=replace(
                stateful.resources,
                bus=self.bus.event_bus_arn,
                model=bedrock_arn(self.partition, deployment),
            ),
            containers=stateful.exported_containers(),
            network=stateful.network,
        )
        made = {
            function.name: functions.add(function, stateful.roles[function.name])
            for function in self._declared
            if not completes_tokens(function)
        }
        self._ready: dict[str, lambda_.IFunction] = {}
        if deployment.warm_recalls:
            self._ready[RECALL] = functions.keep_ready(made[RECALL], deployment.warm_recalls)
        self._failed_events = {} if functions.failed is None else {"events": functions.failed}
        return made

    def _connect_stream(self, stateful: StatefulStack) -> Iterator[tuple[str, sqs.Queue]]:
        stream_arn = stateful.tables[RECORDS.name].table_stream_arn
        for function in self._declared:
            if function.stream and stream_arn is not None:
                projection = StreamProjection(
                    self,
                    f"{function.name.title()}Stream",
                    lane=function.stream,
                    function=self.functions[function.name],
                    role=stateful.roles[function.name],
                    stream_arn=stream_arn,
                )
                if projection.failed is not None:
                    yield "changes", projection.failed

    def _connect_bus(self) -> None:
        for function in self._declared:
            for kind in function.events:
                EventRule(
                    self,
                    f"On-{kind}",
                    kind=kind,
                    bus=self.bus,
                    function=self.functions[function.name],
                    undelivered=self._undelivered,
                )

    def _connect_queues(
        self, deployment: Deployment, stateful: StatefulStack
    ) -> Iterator[tuple[str, sqs.Queue]]:
        if deployment.is_small and not deployment.event_sources:
            return  # Lambda would ask the queue all month long, at more than all the rest costs
        for function in self._declared:
            for kind in function.queued_events:
                made = self._queue_before(f"Queue-{kind}", function, stateful)
                made.fill(kind, sorted(deployment.event_sources), self.bus, self._undelivered)
                self.waiting[function.name] = made.queue
                yield function.name, made.failed
            if function.own_queue is not None:
                yield function.own_queue, self._own_queue(function, function.own_queue, stateful)

    def _queue_before(
        self, id: str, function: Function, stateful: StatefulStack, **more: Any
    ) -> FunctionQueue:
        made, role = self.functions[function.name], stateful.roles[function.name]
        return FunctionQueue(self, id, entry=function, function=made, role=role, **more)

    def _own_queue(self, function: Function, name: str, stateful: StatefulStack) -> sqs.Queue:
        """Queue that a function fills for itself, by half of its executions: the others are the clock's."""
        half = function.reserved_concurrency // 2
        made = self._queue_before(f"Queue-{name}", function, stateful, batch_size=1, concurrency=half)
        sends = iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[made.queue.queue_arn])
        iam.Policy(made, "Sends", roles=[stateful.roles[function.name]], statements=[sends])
        self.functions[function.name].add_environment(env.SWEEP_QUEUE, made.queue.queue_url)
        self.waiting[name] = made.queue
        return made.failed

    def _connect_clock(self, deployment: Deployment) -> None:
        """Connects the schedules; a canary flies where somebody watches: its flights cost what others cost."""
        for schedule in SCHEDULES:
            if schedule.function != CANARY or deployment.is_watched:
                function = self.functions[schedule.function]
                ScheduledCall(self, f"At-{schedule.name}", schedule, function, self._undelivered)
