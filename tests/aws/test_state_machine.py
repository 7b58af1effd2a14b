"""The state machine of the contract tests on DynamoDB and OpenSearch: it agrees with the same model, step by step.

The index hears of changes when the machine says so, and never by itself: most steps read what has not arrived there.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from memory_layer.adapters.aws import lifecycle_keys
from memory_layer.bootstrap import Embedded
from tests.aws.deployment import Deployment, deployed
from tests.contract.test_state_machine import ADMIN, NoEmbedder, RecordMachine

pytestmark = pytest.mark.engines

RUNS = settings(
    max_examples=12,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class CloudMachine(RecordMachine):
    """Each run is a tenant of its own in one deployment."""

    numbers = count()

    def __init__(self, deployment: Deployment) -> None:
        super().__init__()
        self.deployment = deployment
        self.admin = replace(ADMIN, tenant=f"tenant-{next(self.numbers)}")

    def _open(self) -> Embedded:
        return self.deployment.open(embedder=NoEmbedder(), clock=self.clock, make_id=self.new_id)

    @rule()
    def project_stream(self) -> None:
        self.deployment.project()


@pytest.fixture(autouse=True)
def _one_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks jump by years here, and a walk asks every shard of every day in between: one will do."""
    monkeypatch.setattr(lifecycle_keys, "DUE_SHARDS", 1)


def test_it_agrees_with_the_model_at_every_step(
    dynamodb_endpoint: str, opensearch_endpoint: str, tmp_path: Path
) -> None:
    """Falls without the log that recalls and lists read beside the indexes, and without the version condition."""
    with deployed(dynamodb_endpoint, opensearch_endpoint, tmp_path, NoEmbedder()) as deployment:
        run_state_machine_as_test(lambda: CloudMachine(deployment), settings=RUNS)
