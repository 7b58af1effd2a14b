"""Search of a project for contradictions and near-duplicates: mostly for a person to decide."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from memory_layer.domain.conflicts import pair_verdict
from memory_layer.domain.conflicts.contradiction import CANDIDATE_COSINE
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Ref, Scope
from memory_layer.errors import MemoryLayerError, Unavailable
from memory_layer.ports.commit import Vector, Vectors
from memory_layer.ports.index import NearQuery
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.sweeps.close_obsolete_pairs import DROPPED, drop_obsolete_pairs
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, over_projects
from memory_layer.usecases.sweeps.supersede_by_precedence import SUPERSEDED, ConflictResolver
from memory_layer.usecases.write.near_duplicates import SCAN_SLACK

LOOKED_AT_TOGETHER: Final = 100

LONGEST_MONTH: Final = timedelta(days=31)
"""Look-back on `valid_from` once a month: a project without writes is searched then, and validity begins unwritten."""

NEIGHBOURS: Final = 10
"""Nearest memories of each, itself left out."""

ACTIVE: Final = Filters(tier=("hot", "warm"))

FOUND: Final = {"conflict": "conflicts found", "duplicate": "duplicates found"}


class _Seen:
    """Pairs and supersessions decided so far: in a dry run of a whole project no stored pair shows them."""

    def __init__(self, ports: Ports, walk: SweepWalk, scope: Scope) -> None:
        self.pairs: set[str] = set()
        self.superseding = ConflictResolver(ports, walk, scope)


def consolidate_page(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Consolidates one page of a project; in a dry run as much as there is time for, so that no pair counts twice.

    Raises:
        IndexUnavailable, StoreUnavailable
    """
    since = walk.since_unless_all
    if walk.cursor is None and since is not None and not ports.store.sweeps.written_since(scope, since):
        return StepReport()
    dropped = drop_obsolete_pairs(ports, walk, scope) if walk.cursor is None else 0
    seen = _Seen(ports, walk, scope)
    done = _with_dropped(_page(ports, walk, scope, seen), dropped)
    while walk.is_dry_run and done.next_cursor is not None and not walk.is_over(ports.clock.now()):
        more = _page(ports, replace(walk, cursor=done.next_cursor), scope, seen)
        did = Counter(done.did) + Counter(more.did)
        done = StepReport(more.next_cursor, done.looked_at + more.looked_at, did, done.failed + more.failed)
    return done


def _with_dropped(done: StepReport, dropped: int) -> StepReport:
    return replace(done, did={**done.did, DROPPED: dropped}) if dropped else done


def _page(ports: Ports, walk: SweepWalk, scope: Scope, seen: _Seen) -> StepReport:
    """Compares a page of a project's active memories, each with its nearest neighbours."""
    page = ports.store.memories.page(
        scope,
        ACTIVE,
        EVERYONE,
        now=walk.at,
        after=None if walk.cursor is None else _place_of(walk.cursor),
        limit=walk.page_size(LOOKED_AT_TOGETHER),
        oldest_first=True,
    )
    held = [memory for memory in page.memories if pair_verdict.is_in_force(memory, walk.at)]
    asking = _changed_since(ports, scope, held, walk)
    found = _PairSearch(ports, walk, scope).findings(asking) if asking else iter(())
    findings = [finding for finding in found if finding.id not in seen.pairs]
    seen.pairs.update(finding.id for finding in findings)
    done = _decided(ports, walk, scope, findings, seen.superseding) if findings else StepReport()
    if page.next_key is None:
        pair_verdict.SWEEP_READER.cache_clear()
    next_cursor = None if page.next_key is None else "#".join(page.next_key)
    return replace(done, next_cursor=next_cursor, looked_at=len(page.memories))


def _place_of(cursor: str) -> tuple[str, str]:
    at, _, id = cursor.partition("#")
    return at, id


def _changed_since(ports: Ports, scope: Scope, memories: Sequence[Memory], walk: SweepWalk) -> list[Memory]:
    """Memories that changed since the last walk: in words, audience or status, or because their validity began.

    Times of an imported or restored memory are older than its arrival: its history is compared instead.
    """
    since = walk.since
    if since is None:
        return list(memories)
    quiet = [memory.id for memory in memories if max(memory.created_at, memory.updated_at) < since]
    then = ports.store.history.at(scope, quiet, since) if quiet else {}
    holds_since = since - LONGEST_MONTH if walk.is_first_of_month else since
    return [
        memory
        for memory in memories
        if memory.id not in then
        or _compared_fields(memory) != _compared_fields(then[memory.id])
        or (memory.valid_from is not None and memory.valid_from >= holds_since)
    ]


def _compared_fields(memory: Memory) -> tuple[object, ...]:
    fields = (memory.content_hash, memory.persona, memory.status, memory.entities, memory.valid_from)
    return *fields, memory.embedding_model  # without vectors of this model it was compared with nothing


class _PairSearch:
    """Finds pairs for one page of memories: a search a persona, and one read of each kind for all results."""

    def __init__(self, ports: Ports, walk: SweepWalk, scope: Scope) -> None:
        self._ports = ports
        self._walk = walk
        self._scope = scope

    def findings(self, asking: Sequence[Memory]) -> Iterator[pair_verdict.PairFinding]:
        """Judges each pair once."""
        own = self._ports.store.memories.vectors(self._scope, [memory.id for memory in asking])
        near = self._near([memory for memory in asking if memory.id in own], own)
        ids = list({id for ids in near.values() for id in ids})
        vectors = {
            **self._ports.store.memories.vectors(self._scope, [id for id in ids if id not in own]),
            **own,
        }
        held = self._held([*near, *ids])
        pairs = {tuple(sorted((id, other))) for id, others in near.items() for other in others}
        for one, other in sorted(pairs):
            if one in held and other in held and other in vectors:
                yield from self._judged(held[one], held[other], vectors)

    def _near(self, asking: Sequence[Memory], own: Mapping[str, Vectors]) -> dict[str, list[str]]:
        """Ids of each memory's neighbours, those of one persona asked for together; everyone's are near to all."""
        by_persona: defaultdict[str | None, list[Memory]] = defaultdict(list)
        for memory in asking:
            by_persona[memory.persona].append(memory)
        return {
            memory.id: ids
            for persona, memories in by_persona.items()
            for memory, ids in zip(memories, self._nearest(persona, memories, own), strict=True)
        }

    def _nearest(
        self, persona: str | None, memories: Sequence[Memory], own: Mapping[str, Vectors]
    ) -> Iterator[list[str]]:
        """Ids of each memory's neighbours in the index, which scans quantised vectors: hence slack below the
        threshold."""
        query = NearQuery(
            scope=self._scope,
            vectors=[own[memory.id].content for memory in memories],
            persona=persona,
            now=self._walk.at,
            k=NEIGHBOURS + 1,
            nearer_than=CANDIDATE_COSINE - SCAN_SLACK,
            is_of_all=persona is None,
        )
        found = self._ports.index.nearest_contents(query).near
        for memory, near in zip(memories, found, strict=True):
            yield [
                ref.id for ref, cosine in near.items() if ref.id != memory.id and cosine > query.nearer_than
            ]

    def _held(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Reads those of the memories that hold now, from their records: the index is no authority."""
        refs = [Ref(self._scope.project, id) for id in dict.fromkeys(ids)]
        found = self._ports.store.memories.get_many(self._scope.tenant, refs)
        return {
            ref.id: memory
            for ref, memory in found.items()
            if memory.tier in ACTIVE.tier and pair_verdict.is_in_force(memory, self._walk.at)
        }

    def _judged(
        self, one: Memory, other: Memory, vectors: Mapping[str, Vectors]
    ) -> Iterator[pair_verdict.PairFinding]:
        if one.embedding_model == other.embedding_model:
            finding = pair_verdict.judge_pair(
                one, other, _cosine(vectors[one.id].content, vectors[other.id].content)
            )
            yield from () if finding is None else (finding,)


def _cosine(one: Vector, other: Vector) -> float:
    return float(one @ other)


def _decided(
    ports: Ports,
    walk: SweepWalk,
    scope: Scope,
    findings: Sequence[pair_verdict.PairFinding],
    superseding: ConflictResolver,
) -> StepReport:
    """Settles the findings that precedence decides, and writes the others, which wait for a person, in one go."""
    known = ports.store.pairs.get_many(scope, [id for finding in findings for id in finding.decision_ids])
    waiting: list[Pair] = []
    did: Counter[str] = Counter()
    failed: list[str] = []
    for finding in findings:
        try:
            decided = _settled_or_flagged(superseding, finding, known, walk)
        except Unavailable:
            raise
        except MemoryLayerError as error:
            failed.append(f"{scope.project}: {finding.one.id} and {finding.other.id}: {error.detail}")
            continue
        did[SUPERSEDED] += decided is finding
        waiting += [decided] if isinstance(decided, Pair) else []
    waiting = [pair for pair in waiting if not superseding.retired & set(pair.ids)]
    written = [True] * len(waiting) if walk.is_dry_run else ports.store.pairs.put(waiting)
    did.update(FOUND[pair.kind] for pair, was_written in zip(waiting, written, strict=True) if was_written)
    return StepReport(did={verb: count for verb, count in did.items() if count}, failed=tuple(failed))


def _settled_or_flagged(
    superseding: ConflictResolver,
    finding: pair_verdict.PairFinding,
    known: Mapping[str, Pair],
    walk: SweepWalk,
) -> pair_verdict.PairFinding | Pair | None:
    """Settles a finding and returns it, or returns the pair that is to wait, or None: there is nothing to do."""
    before = known.get(finding.id)
    pair = pair_verdict.open_pair(finding, before, walk.at)
    if pair_verdict.is_kept_both(map(known.get, finding.decision_ids), pair.content_hashes):
        return None
    if finding.winner is not None:
        why_not = superseding.why_not(finding)
        if why_not is None:
            return finding if superseding.settle(finding, before) else None
        pair = replace(pair, reason=f"{pair.reason}; {why_not}"[:REASON_MAX_CHARS])
    return pair if pair_verdict.differs_from_stored(pair, before) else None


consolidate: Step = over_projects(consolidate_page)
