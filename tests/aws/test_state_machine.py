"""The state machine of the contract tests in the cloud, with a search domain and without one.

It agrees with the same model, step by step.

The index hears of changes when the machine says so, and never by itself, but before a sweep that goes by it: most steps
read what has not arrived there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.bootstrap.embedded import EmbeddedBackend
from tests.aws.deployment import Deployment, deployed, deployed_small
from tests.contract.test_state_machine import RecordMachine
from tests.fuzzing import examples
from tests.given import START, NoEmbedder

pytestmark = [pytest.mark.engines, pytest.mark.hypothesis]

Deploy = Callable[[Path], AbstractContextManager[Deployment]]


def runs(number: int, steps: int) -> settings:
    return settings(
        max_examples=examples(number),
        stateful_step_count=steps,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


class CloudMachine(RecordMachine):
    """Each run has a deployment of its own: what a sweep has done is kept of the table as a whole."""

    def __init__(self, deploy: Deploy) -> None:
        super().__init__()
        self.deploy = deploy
        self.opened = ExitStack()
        self.deployment: Deployment | None = None

    def _open(self) -> EmbeddedBackend:
        if self.deployment is None:
            self.deployment = self.opened.enter_context(self.deploy(self.folder))
        return self.deployment.open(embedder=NoEmbedder(), clock=self.clock, make_id=self.new_id)

    def teardown(self) -> None:
        super().teardown()
        self.opened.close()

    def _index_is_told(self) -> None:
        self.project_stream()

    @rule()
    def project_stream(self) -> None:
        assert self.deployment is not None
        self.deployment.project()


@pytest.fixture(autouse=True)
def _small_calendar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks jump by years here, and a walk asks every shard of every day in between: one will do."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START)
    monkeypatch.setattr(lifecycle_keys, "DUE_SHARDS", 1)


def test_it_agrees_with_the_model_at_every_step(dynamodb_endpoint: str, opensearch_endpoint: str) -> None:
    """Falls without the log that recalls and lists read beside the indexes, and without the version condition."""

    def deploy(folder: Path) -> AbstractContextManager[Deployment]:
        return deployed(dynamodb_endpoint, opensearch_endpoint, folder, NoEmbedder())

    run_state_machine_as_test(lambda: CloudMachine(deploy), settings=runs(12, steps=30))


def test_without_a_search_domain_it_agrees_as_well(dynamodb_endpoint: str) -> None:
    """Falls without the changes that are read beside the segments."""

    def deploy(folder: Path) -> AbstractContextManager[Deployment]:
        return deployed_small(dynamodb_endpoint, folder, NoEmbedder())

    run_state_machine_as_test(lambda: CloudMachine(deploy), settings=runs(8, steps=8))
