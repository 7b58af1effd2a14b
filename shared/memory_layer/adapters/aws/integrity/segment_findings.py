"""Findings about the segments of all projects, for an operator."""

from collections.abc import Iterator
from typing import Final

from memory_layer.adapters.aws.segments.segment_store import SegmentStore

RECORDS_MAX: Final = 100_000
"""Records of a project that segments are made for: the index in RAM takes some 270 MB then."""


def segment_findings(store: SegmentStore) -> Iterator[str]:
    """A sentence about each project that is too large, or whose manifest is damaged. Raises: IndexUnavailable."""
    for scope in store.projects():
        found = store.manifest(scope)
        if found.damage is not None:
            yield (
                f"project {scope.project} of tenant {scope.tenant}: its index is damaged ({found.damage}); "
                "run: mem admin reindex"
            )
        elif found.manifest.records > RECORDS_MAX:
            yield (
                f"project {scope.project} of tenant {scope.tenant} has {found.manifest.records:,} memories, and "
                f"segments are made for {RECORDS_MAX:,}: move to a search domain, as the deployer's guide says "
                "(mem admin migrate domain)"
            )
