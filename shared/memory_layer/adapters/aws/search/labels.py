"""Tags and URNs in use in projects: all of them, or those that patterns match."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from memory_layer.adapters.aws.search.filter_clauses import RECALLABLE, Body, filter_clauses, in_scopes
from memory_layer.domain.filters import OVERLAPS, Filters, LabelField
from memory_layer.domain.globs import literal_texts
from memory_layer.domain.memory import Scope
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.domain.tier_policy import first_matching_labels
from memory_layer.ports.index import Labels

PAGE = 1_000

APART_MAX = 8
"""Patterns that are looked for each by itself; of many together the engine would have to try all combinations."""

MAX_REGEX_CHARS = 1_000
"""OpenSearch's `index.max_regex_length`."""


def all_labels(search: Callable[[Body], Body], scopes: Sequence[Scope], field: LabelField) -> list[str]:
    """All labels of a field, in order. Args: search: asks the index."""
    return sorted({bucket["key"]["label"] for page in _pages(search, scopes, field, {}) for bucket in page})


def known_tags(search: Callable[[Body], Body], scopes: Sequence[Scope], sight: Sight | None) -> KnownTags:
    """All tags, in order, and those of trusted records in somebody's sight. Args: search: asks the index."""
    if sight is None:
        return KnownTags(all_labels(search, scopes, "tags"), ())
    conditions = filter_clauses(Filters(standing="trusted"), *sight)
    trusted = {"trusted": {"filter": {"bool": {"filter": conditions}}}}
    found = {
        bucket["key"]["label"]: bucket["trusted"]["doc_count"] > 0
        for page in _pages(search, scopes, "tags", trusted)
        for bucket in page
    }
    return KnownTags(sorted(found), sorted(tag for tag, is_trusted in found.items() if is_trusted))


def matching_labels(
    search: Callable[[Body], Body], scopes: Sequence[Scope], patterns: Sequence[str], k: int
) -> Labels:
    """First `k` labels of each field that match the patterns.

    In one search, unless a whole page holds the texts of a pattern and few of it are meant.
    """
    groups = [[pattern] for pattern in patterns] if len(patterns) <= APART_MAX else [patterns]
    answer = search(_likely_body(scopes, groups))["aggregations"]
    found: dict[LabelField, tuple[str, ...]] = {}
    for field in OVERLAPS:
        likely = [_keys(answer[_name(field, number)]) for number in range(len(groups))]
        is_sure = all(
            len(labels) < PAGE or len(first_matching_labels(group, labels, k)) == k
            for group, labels in zip(groups, likely, strict=True)
        )
        labels = {*chain.from_iterable(likely)} if is_sure else all_labels(search, scopes, field)
        found[field] = first_matching_labels(patterns, labels, k)
    return found


def _keys(aggregation: Body) -> list[str]:
    return [bucket["key"] for bucket in aggregation["buckets"]]


def _pages(
    search: Callable[[Body], Body], scopes: Sequence[Scope], field: LabelField, inner: Body
) -> Iterator[list[Body]]:
    """Buckets of the labels of a field, page by page. Args: inner: aggregations of each."""
    after: Mapping[str, str] | None = {}
    while after is not None:
        page = {"size": PAGE, "sources": [{"label": {"terms": {"field": field}}}]}
        asked = {
            "composite": page | ({"after": dict(after)} if after else {}),
            **({"aggs": inner} if inner else {}),
        }
        found = search(_body(scopes, {"labels": asked}))["aggregations"]["labels"]
        yield found["buckets"]
        after = found.get("after_key")


def _likely_body(scopes: Sequence[Scope], groups: Sequence[Sequence[str]]) -> Body:
    """Search for labels with the texts of the patterns: cheap to match, where a glob may be too much for the engine.

    One by one of the projects' own documents ("map"): the engine's list of terms is of all tenants.
    """
    page = {"size": PAGE, "order": {"_key": "asc"}, "execution_hint": "map"}
    aggregations = {
        _name(field, number): {"terms": {"field": field, **page, **_label_pattern(group)}}
        for field in OVERLAPS
        for number, group in enumerate(groups)
    }
    return _body(scopes, aggregations)


def _name(field: LabelField, number: int) -> str:
    return f"{field}-{number}"


def _label_pattern(patterns: Sequence[str]) -> dict[str, str]:
    """Pattern of labels with these texts; none where every label has them, or where it would be longer than allowed."""
    alternatives = {texts for pattern in patterns for texts in literal_texts(pattern)}
    if len(alternatives) > 1:
        alternatives = {(max(texts, key=len),) for texts in alternatives}
    said = sorted(".*".join(map(_literal, texts)) for texts in alternatives)
    expression = f".*({'|'.join(said)}).*"
    characters = len(expression.encode("utf-16-le")) // 2  # as Java counts them
    return {} if "" in said or characters > MAX_REGEX_CHARS else {"include": expression}


def _literal(text: str) -> str:
    """Literal text for Lucene: anything may be escaped but a letter or a digit, which stands for itself."""
    return re.sub(r"\W", r"\\\g<0>", text)


def _body(scopes: Sequence[Scope], aggregations: Mapping[str, Any]) -> Body:
    return {
        "query": {"bool": {"filter": [*in_scopes(scopes), RECALLABLE]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": aggregations,
    }
