"""Kept contexts: given again as they were, and nothing for a collection of garbage to look through."""

from __future__ import annotations

import gc
from datetime import UTC, datetime, timedelta

from memory_layer.adapters.process.context_cache import ContextCache
from memory_layer.domain.context.fragments import AssembledContext, Omission
from memory_layer.ports.process import CachedContext

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def kept(number: int) -> CachedContext:
    omitted = [Omission(f"mem_{number}_{other}", "over_budget") for other in range(50)]
    assembled = AssembledContext(
        fragments=[],
        rendered=f"page {number}",
        omitted=omitted,
        conflicts=[],
        total_tokens=2,
        source_coverage=0.5,
        quality_achieved=0.5,
        coherence=1.0,
        warnings=[],
    )
    return CachedContext(assembled, ("7",), NOW + timedelta(minutes=1))


def test_what_is_kept_is_given_again_and_no_collection_looks_through_it() -> None:
    """Safeguard: the pickle; 1,000 contexts as objects held every thread up for 100 ms now and then."""
    cache = ContextCache()
    gc.collect()
    before = len(gc.get_objects())
    for number in range(200):
        cache.keep(str(number), kept(number), NOW)
    gc.collect()
    assert len(gc.get_objects()) - before < 200 * 5
    assert cache.find("3", ("7",), NOW) == kept(3).assembled
    assert cache.find("3", ("8",), NOW) is None, "something was written since"
