"""Our own metrics: names and the dimension that they carry. Standard library only."""

from typing import Final

NAMESPACE: Final = "MemoryLayer"
"""Of every metric that a function emits."""

SERVICE_DIMENSION: Final = "service"
"""The one dimension, with the function's name (Powertools' default)."""

INDEX_LAG: Final = "IndexLagSeconds"
"""Seconds from a change in the table to its document being searchable; the projector emits it once a batch."""

RECALL_LATENCY: Final = "RecallLatency"
"""Milliseconds of a recall inside the function."""

RECALL_DEGRADED: Final = "RecallDegraded"
"""1 for a recall without the index or the embedder, else 0: the average is their share."""

RECALL_ABSTAINED: Final = "RecallAbstained"
"""1 for a recall that found nothing relevant, else 0."""

SERVER_ERRORS: Final = "ServerErrors"
"""Answers from 500 on."""

INDEX_DOCUMENTS: Final = "IndexDocuments"
"""Stream records that a batch brought to the index."""

INDEX_FAILED: Final = "IndexFailed"
"""Those that will be delivered again."""

INDEX_SET_ASIDE: Final = "IndexSetAside"
"""Items that no index ever takes: they lie in the failure queue."""

INDEX_COVERAGE: Final = "IndexCoverage"
"""Percent of all records that have vectors of the model in use; the sweep `backfill` emits it."""

INDEX_REPAIRED: Final = "IndexRepaired"
"""Entries of the index that were not as the table says; the sweep `reconcile` emits it."""

SWEEP_FAILED: Final = "SweepFailed"
"""What a run of a sweep could not do; the next one tries again."""

LAYER_DIMENSION: Final = "layer"
"""The second dimension, of the two metrics that sources of contexts have."""

ASSEMBLY_DURATION: Final = "memory_assembly_duration_seconds"
"""Of a context, from the request to the answer, kept ones included."""

COHERENCE_SCORE: Final = "memory_coherence_score"
"""Mean cosine between two fragments of a context, 0..1; contexts of one fragment or none are left out."""

CACHE_HIT_RATIO: Final = "memory_cache_hit_ratio"
"""1 for a context that was kept from before, else 0: the average is their share."""

CACHE_EVICTED: Final = "memory_cache_evicted_total"
"""Kept contexts that gave way to newer ones before their time."""

SOURCE_LATENCY: Final = "memory_source_latency"
"""Milliseconds that a source took, by layer."""

SOURCE_ERRORS: Final = "memory_source_errors_total"
"""Sources that failed or were late, by layer."""
