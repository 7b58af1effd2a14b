"""Ports of one caller: every commit through them tells the audit log whose request it is."""

from collections.abc import Sequence
from dataclasses import replace

from memory_layer.domain.access import Principal
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Commit, Signer
from memory_layer.ports.process import Ports
from memory_layer.ports.record_store import CommitWriter


class SignedCommits:
    """Writer that signs each commit: the port ports.record_store.CommitWriter."""

    def __init__(self, writer: CommitWriter, signer: Signer) -> None:
        self._writer = writer
        self._signer = signer

    def commit(self, commit: Commit) -> None:
        self._writer.commit(replace(commit, signer=self._signer))

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        return self._writer.commit_each([replace(commit, signer=self._signer) for commit in commits])


def signed_ports(ports: Ports, principal: Principal, request_id: str | None = None) -> Ports:
    """Ports whose commits are this caller's. Args: request_id: as the answer has it."""
    signer = Signer(principal.name, principal.user, request_id)
    return replace(ports, store=replace(ports.store, writer=SignedCommits(ports.store.writer, signer)))
