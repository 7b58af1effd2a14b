"""Contents that an index has not seen yet: the newest records, compared with new ones beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_layer.domain.arrays import np
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Ports
from memory_layer.usecases.write.comparable_rows import stored_row

UNSEEN_COMPARED: Final = 300
"""Newest records that an index has not seen yet, whose vectors are compared beside it: three reads of a hundred."""

Unseen = Sequence[Ref] | IndexUnavailable
"""Newest records that the index lacks; or why they are not known."""


def policy_and_unseen(ports: Ports, scope: Scope, *, reads_unseen: bool) -> tuple[Policy, Unseen | None]:
    """Reads the settings of a project beside what the index lacks. Args: reads_unseen: False: nobody asks for it."""
    unseen, policy = ports.together.both(
        lambda: read_unseen(ports, scope) if reads_unseen else None,
        lambda: ports.store.projects.policy(scope),
    )
    return policy, unseen


def read_unseen(ports: Ports, scope: Scope, taken: Sequence[Ref] = ()) -> Unseen:
    """Newest records that the index lacks; read before the index, or what reaches it in between is in neither.

    Args:
        taken: those for which a commit was refused; they may be older than all that are compared.
    """
    try:
        position = ports.index.covered(scope)
        written = [] if position is None else ports.store.memories.written_after(scope, position)
    except IndexUnavailable as error:
        return error
    newest = written[:UNSEEN_COMPARED]
    return [*newest, *(ref for ref in taken if ref not in newest)]


def near_unseen(
    ports: Ports, scope: Scope, refs: Sequence[Ref], vectors: Sequence[Vector], nearer_than: float
) -> list[dict[Ref, float]]:
    """Near records among these, with their cosines, for each vector. Args: nearer_than: least cosine."""
    stored = ports.store.memories.unseen(scope.tenant, refs) if refs else {}
    contents = {
        ref: row
        for ref, (memory, own) in stored.items()
        if own is not None and (row := stored_row(ports, memory, own.content)) is not None
    }
    contents = {ref: row for ref, row in contents.items() if row.shape == vectors[0].shape}
    if not contents:
        return [{} for _ in vectors]
    cosines = np.stack(list(vectors)) @ np.stack(list(contents.values())).T
    return [
        {ref: cosine for ref, cosine in zip(contents, row, strict=True) if cosine > nearer_than}
        for row in cosines.tolist()
    ]
