"""Ports of one caller: every commit through them tells the audit log whose request it is, and events its trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.portability.trace_context import TRACEPARENT, valid_traceparent
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.audit import NOBODY
from memory_layer.ports.commit import Commit, Signer
from memory_layer.ports.process import EventBus, Ports
from memory_layer.ports.record_store import CommitWriter


@dataclass(frozen=True, slots=True)
class SignedCommits:
    """Writer that signs each commit: the port ports.record_store.CommitWriter."""

    writer: CommitWriter
    signer: Signer

    def commit(self, commit: Commit) -> None:
        self.writer.commit(replace(commit, signer=self.signer))

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        return self.writer.commit_each([replace(commit, signer=self.signer) for commit in commits])


@dataclass(frozen=True, slots=True)
class TracedBus:
    """Bus whose events name the trace of the request that they come from: the port ports.process.EventBus."""

    bus: EventBus
    traceparent: str

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        self.bus.publish(kind, {**detail, TRACEPARENT: self.traceparent})


def signed_ports(
    ports: Ports, principal: Principal, request_id: str | None = None, traceparent: str | None = None
) -> Ports:
    """Ports whose commits are this caller's, whoever signed them before.

    Args:
        request_id: as the answer has it.
        traceparent: valid trace context of the request; None: the one that the ports have.
    """
    traced = traceparent or _signer(ports).traceparent
    return _signed(ports, Signer(principal.name, principal.user, request_id, traced))


def traced_ports(ports: Ports, traceparent: str | None) -> Ports:
    """Ports of the same caller, or of nobody, within another trace. Args: traceparent: None, or none: as they are."""
    taken = valid_traceparent(traceparent)
    return ports if taken is None else _signed(ports, replace(_signer(ports), traceparent=taken))


def _signer(ports: Ports) -> Signer:
    writer = ports.store.writer
    return writer.signer if isinstance(writer, SignedCommits) else Signer(NOBODY)


def _signed(ports: Ports, signer: Signer) -> Ports:
    writer, bus = ports.store.writer, ports.bus
    plain = writer.writer if isinstance(writer, SignedCommits) else writer
    untraced = bus.bus if isinstance(bus, TracedBus) else bus
    return replace(
        ports,
        store=replace(ports.store, writer=SignedCommits(plain, signer)),
        bus=untraced if signer.traceparent is None else TracedBus(untraced, signer.traceparent),
    )
