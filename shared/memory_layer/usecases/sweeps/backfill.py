"""Backfill of vectors for records stored while the model was down, or embedded by another model (SPEC 7.12)."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from memory_layer.domain.integrity.verification import StoredRecord
from memory_layer.domain.memory import Memory, Scope, needs_vectors
from memory_layer.ports.commit import Change
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.embed import embed_or_fail
from memory_layer.usecases.ground.stored_state import with_bodies
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, over_projects, sweep_change, write

EMBEDDED: Final = "embedded"

PAGE_RECORDS: Final = 100


def backfill_page(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Embeds one page. Raises: EmbedderUnavailable: nothing is written without vectors."""
    limit = walk.page_size(PAGE_RECORDS)
    ids = ports.index.unembedded(scope, after=walk.cursor, k=limit)
    done = embed_again(ports, walk, scope, ids, lost=()) if ids else StepReport()
    return replace(done, next_cursor=ids[-1] if len(ids) == limit else None, looked_at=len(ids))


def embed_again(
    ports: Ports, walk: SweepWalk, scope: Scope, ids: Collection[str], *, lost: Collection[str]
) -> StepReport:
    """Embeds the records among these that need vectors; a damaged record is reported, and left as it is.

    Args:
        lost: ids whose vectors are gone, whatever the record says.

    Raises:
        EmbedderUnavailable, StoreUnavailable
    """
    under = with_bodies(
        ports.store.memories,
        ports.store.integrity,
        scope,
        ports.store.integrity.kept_under(scope, ids, with_history=False),
    )
    found = [kept for kept in under if kept.is_there]
    model = ports.embedder.model
    lacking = [
        kept.memory
        for kept in found
        if kept.memory is not None
        and kept.body_bytes is None  # its body is in deep archive, which is not searched
        and not _is_damaged(kept)
        and (kept.id in lost or kept.content_vector is None or needs_vectors(kept.memory, model))
    ]
    done = write(ports, walk, list(_changes(ports, walk, lacking)))
    damaged = tuple(
        f"{scope.project}: {kept.id} is damaged and gets no vectors; run: mem verify -p {scope.project}"
        for kept in found
        if _is_damaged(kept)
    )
    return replace(done, failed=(*damaged, *done.failed))


def _is_damaged(kept: StoredRecord) -> bool:
    """True if the words are lost or the seal is broken: a change would seal the record anew, and hide the damage."""
    is_lost = any(flaw.part == "body" for flaw in kept.flaws)
    return kept.memory is None or is_lost or (kept.seal is not None and kept.seal.is_broken)


def _changes(ports: Ports, walk: SweepWalk, memories: list[Memory]) -> Iterator[Change]:
    """Changes that add vectors; in a dry run without the model."""
    pairs = [(memory, None) for memory in memories]
    for before, (stamped, vectors) in zip(
        memories, pairs if walk.is_dry_run else embed_or_fail(ports.embedder, memories), strict=True
    ):
        after = replace(stamped, version=before.version + 1)
        yield sweep_change(walk, before, after, EMBEDDED, vectors=vectors)


backfill: Step = over_projects(backfill_page)
