"""Wiring of operators' commands to a deployment: its stacks, functions, queues and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_layer.adapters.aws.deployment.failure_queues import (
        FailureQueues,
        QueueDepth,
        RedriveReport,
    )
    from memory_layer.adapters.aws.deployment.functions import FunctionCaller
    from memory_layer.adapters.aws.deployment.stack import DeployedStack
    from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport


class Deployment:
    """Deployment on AWS, by the name of its stacks.

    Args:
        name: such as memory-layer-prod.
        region: None: that of the caller's AWS profile.
        endpoint: address of AWS's services in tests.
    """

    def __init__(self, name: str, region: str | None = None, endpoint: str | None = None) -> None:
        self._name = name
        self._region = region
        self._endpoint = endpoint

    @cached_property
    def stack(self) -> DeployedStack:
        """Outputs of its stacks. Raises: NotFound, Forbidden, Unavailable"""
        from memory_layer.adapters.aws.deployment.stack import read_stack

        return read_stack(self._client("cloudformation"), self._name)

    def call(self, function: str, event: Mapping[str, Any]) -> Any:
        """Answer of a function of the manifest. Raises: NotFound, Forbidden, Unavailable"""
        return self._caller.call(self.stack.function(function), event)

    def rebuild(self) -> RebuildReport:
        """Report of one run of the function `reindex`. Raises: NotFound, Forbidden, Unavailable"""
        from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport

        told = self.call("reindex", {})
        return RebuildReport(**{**told, "dropped": tuple(told["dropped"])})

    def lag(self, now: datetime) -> dict[str, float | None]:
        """Lags of the index, as `stream_lag.read_lag` has them."""
        from memory_layer.adapters.aws.deployment.stream_lag import read_lag

        reader = self.stack.stream_reader
        function = self.stack.function(reader)
        return read_lag(self._client("cloudwatch"), self.stack.name, reader, function, now)

    def depths(self) -> dict[str, QueueDepth]:
        """Depths of the queues of what failed, by what they are for. Raises: Forbidden, Unavailable"""
        return {name: self._queues.depth(url) for name, url in self.stack.failure_queues.items()}

    def redrive(self, name: str, most: int, *, is_dropping: bool) -> RedriveReport:
        """Sends what a queue holds again. Raises: NotFound, Forbidden, Unavailable"""
        from memory_layer.errors import NotFound

        queues = self.stack.failure_queues
        if name not in queues:
            raise NotFound(f"there is no queue {name!r}; there are: {', '.join(queues)}")
        return self._queues.redrive(name, queues[name], most, is_dropping=is_dropping)

    @cached_property
    def _queues(self) -> FailureQueues:
        from memory_layer.adapters.aws.deployment.failure_queues import FailureQueues
        from memory_layer.adapters.aws.services.boto_clients import sqs

        return FailureQueues(
            sqs(self._region, self._endpoint),
            self._client("dynamodbstreams"),
            self._caller,
            self.stack.function(self.stack.stream_reader),
        )

    @cached_property
    def _caller(self) -> FunctionCaller:
        from memory_layer.adapters.aws.deployment.functions import FunctionCaller
        from memory_layer.adapters.aws.services.boto_clients import functions

        return FunctionCaller(functions(self._region, self._endpoint))

    def _client(self, service: str) -> Any:
        from memory_layer.adapters.aws.services.boto_clients import operator_client

        return operator_client(service, self._region, self._endpoint)
