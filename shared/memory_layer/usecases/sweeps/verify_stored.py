"""Sweep that reads everything once a month, in slices, heals what it can and names the rest (SPEC 7.30)."""

import logging
from collections.abc import Collection, Sequence
from typing import Final

from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord, broken_parts
from memory_layer.domain.memory import Scope
from memory_layer.errors import DamagedSettings, EmbedderUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.audit_log import broken_sentence, check_chain
from memory_layer.usecases.ground.stored_state import PAGE_IDS
from memory_layer.usecases.sweeps.backfill import embed_again
from memory_layer.usecases.sweeps.step import StepReport, SweepWalk, over_projects

_RECORDS, _BESIDE = "records:", "beside"
"""Places inside a project: after an id, and, at last, what lies beside the records."""

FILE: Final = "storage"

_log = logging.getLogger(__name__)


def verify_page(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    if walk.cursor == _BESIDE:
        return _beside(ports, walk, scope)
    after = None if walk.cursor is None else walk.cursor.removeprefix(_RECORDS)
    page = ports.store.integrity.kept(scope, after=after, limit=walk.page_size(PAGE_IDS))
    healed = () if walk.is_dry_run else ports.store.integrity.mend(scope, [kept.id for kept in page.kept])
    broken = _still_broken(ports, scope, _broken(ports, scope, page.kept))
    following = _BESIDE if page.next_key is None else f"{_RECORDS}{page.next_key}"
    again = _found_again(ports, walk, scope, {part.id for part in broken if part.part == "vectors"})
    if again.did:
        broken = _still_broken(ports, scope, broken)
    did = {"healed": len(healed)} if healed else {}
    return StepReport(following, len(page.kept), {**did, **again.did}, _sentences(scope, broken))


def _found_again(ports: Ports, walk: SweepWalk, scope: Scope, ids: Collection[str]) -> StepReport:
    """Embeds records anew that are found by damaged vectors or ties, all of which follow from their words."""
    if not ids or walk.is_dry_run:
        return StepReport()
    try:
        return embed_again(ports, walk, scope, ids, lost=ids)
    except EmbedderUnavailable as error:
        _log.warning("damaged vectors of %s stay as they are: %s", scope.project, error.detail)
        return StepReport()


def _broken(ports: Ports, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
    embedder = ports.embedder
    found = [
        part
        for one in kept
        for part in broken_parts(one, model=embedder.model, dimensions=embedder.dimensions)
    ]
    return [*found, *ports.store.integrity.body_flaws(scope, kept)]


def _still_broken(ports: Ports, scope: Scope, found: Sequence[BrokenPart]) -> list[BrokenPart]:
    """Parts that are broken when read again: what was healed is not, nor what was being written."""
    ids = {part.id for part in found}
    again = _broken(ports, scope, ports.store.integrity.kept_under(scope, ids)) if ids else ()
    return [part for part in found if part in again]


def _beside(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    broken = _broken_beside(ports, scope)
    again = _found_again(ports, walk, scope, {part.id for part in broken if part.part == "mentions"})
    mended = _mended_storage(ports, walk) if any(part.part == "counts" for part in broken) else 0
    if again.did or mended:
        broken = _broken_beside(ports, scope)
    did = {"healed": mended} if mended else {}
    failed = (*_sentences(scope, broken), *_settings(ports, scope), *_audit(ports, scope))
    return StepReport(None, 1, {**did, **again.did}, failed)


def _broken_beside(ports: Ports, scope: Scope) -> list[BrokenPart]:
    return [item.broken for item in ports.store.integrity.beside(scope) if item.broken is not None]


def _mended_storage(ports: Ports, walk: SweepWalk) -> int:
    return 0 if walk.is_dry_run else len(ports.store.integrity.mend_storage())


def _audit(ports: Ports, scope: Scope) -> tuple[str, ...]:
    broken = check_chain(ports, scope).broken
    return (
        ()
        if broken is None
        else (f"{broken_sentence(scope, broken)}; run: mem audit --verify -p {scope.project}",)
    )


def _settings(ports: Ports, scope: Scope) -> tuple[str, ...]:
    try:
        ports.store.projects.policy(scope)
    except DamagedSettings as error:
        return (f"{scope.project}: {error.detail}",)
    return ()


def _sentences(scope: Scope, broken: list[BrokenPart]) -> tuple[str, ...]:
    return tuple(
        f"{scope.project}: {part.part} {part.id}: {part.what}; run: mem verify -p {scope.project}"
        for part in dict.fromkeys(broken)
    )


_over_projects: Final = over_projects(verify_page)


def verify_stored(ports: Ports, walk: SweepWalk) -> StepReport:
    """Verifies a page. What was whole this month is not read again, unless somebody asks for it; a walk that found
    damage is repeated daily.
    """
    if not (walk.is_first_of_month or walk.is_dry_run or walk.is_asked):
        return StepReport()
    if walk.cursor is not None:
        return _over_projects(ports, walk)
    flaws = ports.store.integrity.damage()
    mended = _mended_storage(ports, walk) if flaws else 0
    if flaws and not walk.is_dry_run:
        flaws = ports.store.integrity.damage()
    done = _over_projects(ports, walk)
    told = tuple(f"{FILE}: {flaw}; run: mem doctor" for flaw in flaws)
    did = {**done.did, "healed": done.did.get("healed", 0) + mended} if mended else done.did
    return StepReport(done.next_cursor, done.looked_at, did, (*told, *done.failed))
