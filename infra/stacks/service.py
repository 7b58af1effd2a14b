"""Stack that a release replaces: functions, routes, the stream's mapping, the bus with its rules, schedules."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from aws_cdk import CfnOutput, Duration, Environment, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.code_assets import CodeAssets
from infra.constructs.console import Console
from infra.constructs.console_sign_in import oidc_settings, page_client
from infra.constructs.environment import MODEL_FOLDER, model_variables
from infra.constructs.event_queue import EventQueue
from infra.constructs.event_rules import EventRule
from infra.constructs.functions import ManifestFunctions, completes_tokens, is_called_by_hand
from infra.constructs.grants import bedrock_arn
from infra.constructs.http_api import HttpApiGateway
from infra.constructs.schedules import ScheduledCall
from infra.constructs.stream_projection import COMPACTED, PROJECTED, StreamProjection
from infra.deployment import Deployment
from infra.event_sources import as_text
from infra.stacks.stateful import StatefulStack
from memory_layer.manifest import env
from memory_layer.manifest.change_events import CHANGES_SOURCE
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.tables import RECORDS

CHANGES_KEPT: Final = Duration.days(7)


class ServiceStack(Stack):
    """Stack with `functions` by name, `queues` of failures and `waiting` ones by their purpose, and the `api`."""

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
        made = self._make_functions(deployment, assets, stateful)
        self.functions = made
        self.queues: dict[str, sqs.Queue] = dict(self._failed_events)
        self.api = HttpApiGateway(
            self, "Api", deployment, document=document, functions=made, issuer=stateful.issuer
        )
        if deployment.console:
            self._make_console(deployment, assets, stateful)
        self.queues.update(self._connect_stream(deployment, stateful))
        self.queues.update(self._connect_bus())
        self.waiting: dict[str, sqs.Queue] = {}
        self.queues.update(self._connect_queues(deployment, stateful))
        self.queues.update(self._connect_clock())
        CfnOutput(self, "ApiUrl", value=self.api.url)
        CfnOutput(self, "EventBusName", value=self.bus.event_bus_name)
        for function in self._declared:
            if is_called_by_hand(function):
                CfnOutput(self, f"{function.name.title()}Function", value=made[function.name].function_name)

    def _make_console(self, deployment: Deployment, assets: CodeAssets, stateful: StatefulStack) -> None:
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
        )
        client_id = deployment.console_client
        if place.pool_id is not None:
            client_id = page_client(site, deployment, place.pool_id, issuer, site.url).ref
            self.api.let_in(client_id)
            CfnOutput(self, "ConsoleClientId", value=client_id)
        site.tell(None if client_id is None else oidc_settings(issuer, client_id))
        CfnOutput(self, "ConsoleUrl", value=site.url)

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
                env.SEARCH_REPLICAS: str(deployment.sizes.search_replicas),
                env.BLOBS_BUCKET: stateful.bucket.bucket_name,
                env.EVENT_BUS: self.bus.event_bus_name,
                env.EVENT_SOURCES: as_text(deployment.event_sources),
                env.ISSUER: stateful.issuer.url,
                env.SCOPES: " ".join(stateful.issuer.scopes),
                env.ORIGINS: " ".join(deployment.cors_origins),
                env.MODEL_DIR: MODEL_FOLDER,
                **model_variables(deployment),
            },
            resources=replace(
                stateful.resources,
                bus=self.bus.event_bus_arn,
                model=bedrock_arn(self.partition, deployment),
            ),
            containers=stateful.exported_containers(),
        )
        made = {
            function.name: functions.add(function, stateful.roles[function.name])
            for function in self._declared
            if not completes_tokens(function)
        }
        self._failed_events = {
            f"events that {name} failed on": queue for name, queue in functions.failed.items()
        }
        return made

    def _connect_stream(
        self, deployment: Deployment, stateful: StatefulStack
    ) -> Iterator[tuple[str, sqs.Queue]]:
        stream_arn = stateful.tables[RECORDS.name].table_stream_arn
        for function in self._declared:
            if function.reads_stream and stream_arn is not None:
                projection = StreamProjection(
                    self,
                    f"{function.name.title()}Stream",
                    function=self.functions[function.name],
                    role=stateful.roles[function.name],
                    stream_arn=stream_arn,
                    pace=COMPACTED if deployment.has_segments else PROJECTED,
                )
                yield f"changes that {function.name} gave up", projection.failed

    def _connect_bus(self) -> Iterator[tuple[str, sqs.Queue]]:
        for function in self._declared:
            for kind in function.events:
                rule = EventRule(
                    self, f"On-{kind}", kind=kind, bus=self.bus, function=self.functions[function.name]
                )
                yield f"events {kind} that were not delivered", rule.undelivered

    def _connect_queues(
        self, deployment: Deployment, stateful: StatefulStack
    ) -> Iterator[tuple[str, sqs.Queue]]:
        if deployment.is_small and not deployment.event_sources:
            return  # Lambda would ask the queue all month long, at more than all the rest costs
        for function in self._declared:
            for kind in function.queued_events:
                made = EventQueue(
                    self,
                    f"Queue-{kind}",
                    kind=kind,
                    sources=sorted(deployment.event_sources),
                    bus=self.bus,
                    entry=function,
                    function=self.functions[function.name],
                    role=stateful.roles[function.name],
                )
                self.waiting[f"events {kind}"] = made.queue
                yield f"events {kind} that {function.name} gave up", made.failed
                yield f"events {kind} that were not delivered", made.undelivered

    def _connect_clock(self) -> Iterator[tuple[str, sqs.Queue]]:
        for schedule in SCHEDULES:
            call = ScheduledCall(self, f"At-{schedule.name}", schedule, self.functions[schedule.function])
            yield f"starts of {schedule.name} that failed", call.failed
