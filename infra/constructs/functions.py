"""Lambda functions of the manifest, each with a log group, a policy of exactly its grants, and its layers."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_logs import ILogGroup
from constructs import Construct

from infra.acknowledgements import (
    FAILURES_KEPT,
    RUNTIME_CHOICE,
    SYNCHRONOUS,
    TRACES_EVERYWHERE,
    acknowledge,
    everything_inside,
)
from infra.code_assets import CodeAssets
from infra.constructs.environment import environment_of
from infra.constructs.grants import Container, Resources, reaching_into, statements_of
from infra.constructs.logs import log_group
from infra.constructs.network import Network, attach_statement
from infra.constructs.queues import dead_letter_queue
from infra.deployment import Deployment
from memory_layer.manifest.functions import Function, Layer
from memory_layer.manifest.layers import PYTHON

RUNTIME: Final = lambda_.Runtime(f"python{PYTHON}", lambda_.RuntimeFamily.PYTHON, supports_inline_code=True)
"""Runtime for which the layers are built."""

READY: Final = "ready"
"""Alias of a function's version whose executions are kept ready."""

MAX_EVENT_AGE: Final = Duration.hours(6)
"""Time that Lambda keeps an event that failed; the most that it can."""


def is_queued(function: Function) -> bool:
    """Tells if events wait in Lambda's own queue; a caller waits for all other functions."""
    return bool(function.events) or is_called_by_hand(function)


def is_called_by_hand(function: Function) -> bool:
    """Tells if only a person or a schedule calls it."""
    is_called = (
        function.tags or function.routes or function.events or function.queued_events or function.stream
    )
    return not (is_called or completes_tokens(function))


def completes_tokens(function: Function) -> bool:
    """Tells if the user pool calls it to complete a token: it alone reads the clients' rows."""
    return "read clients" in function.grants


def function_role(scope: Construct, function: Function) -> iam.Role:
    """Role that may do nothing yet."""
    return iam.Role(
        scope,
        f"{function.name.title()}Role",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        description=f"Function {function.name} of Memory Layer",
    )


class ManifestFunctions(Construct):
    """Functions of one stack, made one by one, which share its versions of the layers.

    Args:
        environment: the value of every variable that some grant calls for.
        resources: what grants are about.
        containers: those that grants reach into (bucket, domain), by the names that cdk-nag has for their ARNs.
        network: to which they are attached; None: Lambda's own.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        assets: CodeAssets,
        *,
        environment: Mapping[str, str],
        resources: Resources,
        containers: Mapping[Container, str] | None = None,
        network: Network | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._deployment = deployment
        self._assets = assets
        self._environment = environment
        self._resources = resources
        self._network = network
        self._reasons = [TRACES_EVERYWHERE, *map(everything_inside, reaching_into(containers or {}))]
        self._layers: dict[Layer, lambda_.LayerVersion] = {}
        self.failed: sqs.Queue | None = None

    def add(self, function: Function, role: iam.Role) -> lambda_.Function:
        """Adds a function. Raises: BadDeployment: its code or a layer is missing, or all together is too large."""
        self._assets.check_size(function)
        logs = log_group(self, f"{function.name.title()}Log", self._deployment)
        policy = iam.Policy(
            self,
            f"{function.name.title()}Grants",
            roles=[role],
            statements=statements_of(function, self._resources, logs.log_group_arn),
        )
        made = self._make(function, role, logs)
        if self._network is not None:
            policy.add_statements(attach_statement())
            self._network.attach(made)
        made.node.add_dependency(policy)
        acknowledge(made, RUNTIME_CHOICE)
        for reasons in self._reasons:
            acknowledge(policy, reasons)
        if is_queued(function):
            self._keep_failed(made, policy)
        else:
            acknowledge(made, SYNCHRONOUS)
        return made

    def keep_ready(self, function: lambda_.Function, executions: int) -> lambda_.Alias:
        """Alias of the newest version, of which so many executions have begun before anybody calls."""
        return lambda_.Alias(
            self,
            "Ready",
            alias_name=READY,
            version=function.current_version,
            provisioned_concurrent_executions=executions,
        )

    def _make(self, function: Function, role: iam.Role, logs: ILogGroup) -> lambda_.Function:
        return lambda_.Function(
            self,
            function.name.title(),
            description=f"Memory Layer: {function.name}",
            runtime=RUNTIME,
            architecture=_ARCHITECTURES[self._deployment.architecture],
            handler=f"functions.{function.name}.handler.handler",
            code=lambda_.Code.from_asset(str(self._assets.function_folder(function))),
            layers=[self._layer(layer) for layer in function.layers],
            role=role.without_policy_updates(),
            environment=environment_of(function, self._environment),
            log_group=logs,
            memory_size=function.memory_mb,
            timeout=Duration.seconds(function.timeout_s),
            tracing=lambda_.Tracing.ACTIVE,
            reserved_concurrent_executions=self._reserved(function),
        )

    def _keep_failed(self, made: lambda_.Function, policy: iam.Policy) -> None:
        """Keeps events that the function failed on, twice and again, in one queue: each names its function."""
        queue = self.failed = self.failed or dead_letter_queue(self, "Failed")
        policy.add_statements(iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[queue.queue_arn]))
        made.configure_async_invoke(
            max_event_age=MAX_EVENT_AGE, retry_attempts=2, on_failure=destinations.SqsDestination(queue)
        )
        acknowledge(made, FAILURES_KEPT)

    def _reserved(self, function: Function) -> int | None:
        return function.reserved_concurrency if self._deployment.reserves_concurrency else None

    def _layer(self, layer: Layer) -> lambda_.LayerVersion:
        if layer not in self._layers:
            self._layers[layer] = lambda_.LayerVersion(
                self,
                f"{layer.title()}Layer",
                code=lambda_.Code.from_asset(str(self._assets.layer_folder(layer))),
                compatible_runtimes=[RUNTIME],
                compatible_architectures=[_ARCHITECTURES[self._deployment.architecture]],
                description=f"Memory Layer: third-party code, {layer}",
            )
        return self._layers[layer]


_ARCHITECTURES: Final = {"arm64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}
