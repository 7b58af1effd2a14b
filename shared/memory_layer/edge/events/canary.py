"""Canary: asks the API if it is ready, remembers something new, recalls it and forgets it, each step timed.

Its memories are those of a tenant that no token can name. It leaves what every erasure leaves: a tombstone.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Final

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.domain.access import Principal
from memory_layer.edge.events.observability import Observability
from memory_layer.errors import IndexUnavailable, StoreUnavailable
from memory_layer.manifest import metrics
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.signed_ports import signed_ports
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember

TENANT: Final = "_canary"
"""Tenant of its memories: a token's tenant never begins so."""

PROJECT: Final = "canary"
API_TIMEOUT_S: Final = 10.0

AskApi = Callable[[str], Mapping[str, Any]]
"""Document that the API answers at an address. Raises: OSError, ValueError: it does not answer, or no JSON."""


@dataclass(frozen=True, slots=True)
class CanaryStep:
    """Step of a flight. Args: ms: its duration; error: None: it went well."""

    name: str
    ms: float
    error: str | None


def ask(url: str) -> Mapping[str, Any]:
    """Asks an address over HTTPS, as `AskApi`."""
    with urllib.request.urlopen(url, timeout=API_TIMEOUT_S) as answer:
        told: Mapping[str, Any] = json.load(answer)
    return told


def fly(
    ports: Ports,
    watch: Observability,
    api_url: str | None,
    *,
    ask_api: AskApi = ask,
    timer: Callable[[], float] = perf_counter,
) -> dict[str, Any]:
    """Flies once, and measures if it failed and how long it took; a failed step ends the flight, but for forgetting.

    Args:
        api_url: of the deployment; None: the API is left out.
        timer: seconds from anywhere, only differences count.

    Returns:
        `failed` and `steps`, each with `name`, `ms` and `error`.
    """
    flight = _Flight(ports, timer)
    if api_url is not None:
        flight.step("api", lambda: _is_ready(ask_api, api_url))
    flight.step("remember", flight.remember)
    flight.step("recall", flight.recall)
    flight.step("forget", flight.forget)
    failed = [step for step in flight.steps if step.error]
    watch.tell("canary", failed=[step.name for step in failed], ms=sum(step.ms for step in flight.steps))
    watch.measure(
        **{
            metrics.CANARY_FAILED: (MetricUnit.Count, int(bool(failed))),
            metrics.CANARY_LATENCY: (MetricUnit.Milliseconds, sum(step.ms for step in flight.steps)),
        }
    )
    return {"failed": bool(failed), "steps": [asdict(step) for step in flight.steps]}


class _Flight:
    """State of one flight: its steps, and the memory that is to be forgotten whatever happens."""

    def __init__(self, ports: Ports, timer: Callable[[], float]) -> None:
        self._principal = Principal(tenant=TENANT, subject="canary", roles=frozenset({"admin"}))
        self._ports = signed_ports(ports, self._principal)
        self._timer = timer
        self._mark = ports.new_id("")
        self._id: str | None = None
        self.steps: list[CanaryStep] = []

    def step(self, name: str, do: Callable[[], None]) -> None:
        """Does and times a step; after a failed one nothing but what was stored is cleaned up."""
        if any(step.error for step in self.steps) and (name != "forget" or self._id is None):
            return
        started, error = self._timer(), None
        try:
            do()
        except Exception as failure:  # whatever it is: the canary is there to tell of it
            error = f"{type(failure).__name__}: {failure}"
        self.steps.append(CanaryStep(name, 1_000 * (self._timer() - started), error))

    def remember(self) -> None:
        fields = {"content": f"The canary's mark of this flight is {self._mark}."}
        stored = remember(
            self._ports, self._principal, PROJECT, RememberRequest(fields=fields, on_duplicate="create")
        )
        if not isinstance(stored, StoredMemory) or not stored.memory.is_active:
            raise StoreUnavailable("it was not stored as an active memory")
        self._id = stored.memory.id

    def recall(self) -> None:
        """Recalls the mark. Raises: IndexUnavailable: it is not found, or the recall did without the index."""
        found = recall(self._ports, self._principal, PROJECT, RecallRequest(query=self._mark, min_score=0.0))
        if self._id not in {ranked.memory.id for ranked in found.memories}:
            raise IndexUnavailable("what was just remembered is not found")
        if found.degraded:
            raise IndexUnavailable(f"it is found, but the recall is degraded: {found.note}")

    def forget(self) -> None:
        if self._id is not None:
            erase_memory(self._ports, self._principal, PROJECT, self._id)


def _is_ready(ask_api: AskApi, api_url: str) -> None:
    """Asks if the API can read records. Raises: StoreUnavailable: it says that it cannot."""
    told = ask_api(f"{api_url}/readyz")
    if told.get("status") != "ready":
        raise StoreUnavailable(f"/readyz says {told.get('status')!r}")
