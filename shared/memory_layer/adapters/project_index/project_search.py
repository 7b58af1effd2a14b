"""Searches over the indexes of several projects of one tenant, whose answers are merged into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memory_layer.adapters.project_index.across_projects import (
    merge_candidates,
    merge_mentions,
    merge_standing,
    no_records,
    trusted_candidates,
)
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.adapters.project_index.project_view import ProjectQuery, counts_by_hash
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import OVERLAPS, Filters
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, added_up
from memory_layer.domain.retrieval.candidates import (
    Mentioned,
    MentionedRows,
    RecordTable,
    candidates_of_lists,
    mentioned_rows,
)
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.domain.text.analyzer import analyze, term_hash
from memory_layer.domain.tier_policy import first_matching_labels
from memory_layer.ports.index import IndexAnswer, IndexQuery, Labels

Loaded = Sequence[tuple[Scope, ProjectIndex]]
"""Those of the asked projects that exist, in the order of asking."""


def search(loaded: Loaded, query: IndexQuery) -> IndexAnswer:
    """The best `k` of each arm and field over all projects; an unknown project is empty."""
    counts = Counter(() if query.text is None else analyze(query.text))
    asked = ProjectQuery(
        terms=None if query.text is None else counts_by_hash(counts),
        vector=query.vector,
        filters=query.filters,
        viewer=query.viewer,
        now=query.now,
        k=query.k,
        content_only=query.content_only,
        nearer_than=query.nearer_than,
        days=query.days,
        trusted=query.trusted,
    )
    scans = [index.scan(asked) for _, index in loaded]
    found = [scan.candidates() for scan in scans]
    if not found:
        return IndexAnswer(candidates_of_lists(query.scopes[0].tenant, {}))
    table = merge_candidates(found, query.k)
    trusted = trusted_candidates(scans, found, table)
    if query.vector is None or query.content_only:
        return IndexAnswer(table, trusted=trusted)
    scope, first = loaded[0]
    return IndexAnswer(
        table,
        trusted=trusted,
        typical_cosine=first.typical_cosine() if scope == query.scopes[0] else UNKNOWN_TYPICAL_COSINE,
        searched=sum(scan.searched for scan in scans),
        words=added_up(scan.word_counts(list(counts)) for scan in scans),
    )


def standing(
    loaded: Loaded, scopes: Sequence[Scope], filters: Filters, viewer: Viewer, now: datetime, k: int
) -> RecordTable:
    """The `k` records with the highest confidence × relevance_score, best first, then by id."""
    found = [index.standing(filters, viewer, now, k) for _, index in loaded]
    return merge_standing(found, k) if found else no_records(scopes[0])


def mentioning(
    loaded: Loaded,
    scopes: Sequence[Scope],
    mentions: Sequence[Mentioned],
    filters: Filters,
    viewer: Viewer,
    *,
    now: datetime,
    k: int,
    hub_above: int,
) -> MentionedRows:
    """The `k` records in the best standing that are tied to each of these things; none of a hub."""
    hashes = [key if isinstance(key, int) else term_hash(key) for key in mentions]
    found = [index.mentioning(hashes, filters, viewer, now, k, hub_above) for _, index in loaded]
    if not found:
        return mentioned_rows(scopes[0].tenant, [MentionedRecords(0)] * len(mentions))
    return merge_mentions(found, k, hub_above)


def tags(loaded: Loaded, sight: Sight | None) -> KnownTags:
    """Every tag that a record of these projects carries, in order, and those of trusted ones in somebody's sight."""
    found = {tag for _, index in loaded for tag in index.labels("tags")}
    trusted = set() if sight is None else {tag for _, index in loaded for tag in index.trusted_tags(*sight)}
    return KnownTags(sorted(found), sorted(trusted))


def labels(loaded: Loaded, patterns: Sequence[str], k: int) -> Labels:
    """The first `k`, in order, of the tags and of the URNs in use that fit the patterns."""
    return {
        field: first_matching_labels(
            patterns, {label for _, index in loaded for label in index.labels(field)}, k
        )
        for field in OVERLAPS
    }
