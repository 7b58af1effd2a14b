"""Metrics of the product: their names and dimensions. Standard library only."""

from typing import Final

NAMESPACE: Final = "MemoryLayer"
"""Namespace of every metric that a function emits."""

SERVICE_DIMENSION: Final = "service"
"""Dimension of every metric, with the function's name (Powertools' default)."""

DEPLOYMENT_DIMENSION: Final = "deployment"
"""Dimension of every metric, with the deployment's name: several in one account have metrics of their own."""

INDEX_LAG: Final = "IndexLagSeconds"
"""Seconds from a change in the table to its document being searchable; the projector emits it once a batch."""

RECALL_LATENCY: Final = "RecallLatency"
"""Milliseconds of a recall inside the function."""

RECALL_DEGRADED: Final = "RecallDegraded"
"""1 for a recall without the index or the embedder, else 0: the average is their share."""

RECALL_ABSTAINED: Final = "RecallAbstained"
"""1 for a recall that found nothing relevant, else 0."""

CANARY_FAILED: Final = "CanaryFailed"
"""1 for a flight of the canary of which a step failed, else 0."""

CANARY_LATENCY: Final = "CanaryLatency"
"""Milliseconds of all steps of a flight."""

REVIEW_BACKLOG: Final = "ReviewBacklog"
"""Memories of all tenants that wait for a person; the sweep `backfill` emits it."""

REVIEW_AGE: Final = "ReviewBacklogAgeSeconds"
"""Seconds since the oldest of them was created."""

SERVER_ERRORS: Final = "ServerErrors"
"""Answers with a status from 500 on."""

INDEX_DOCUMENTS: Final = "IndexDocuments"
"""Stream records that a batch wrote to the index."""

INDEX_FAILED: Final = "IndexFailed"
"""Stream records that failed and will be delivered again."""

INDEX_SET_ASIDE: Final = "IndexSetAside"
"""Items that can never be indexed: they are in the failure queue."""

INDEX_COVERAGE: Final = "IndexCoverage"
"""Percent of all records that have vectors of the model in use; the sweep `backfill` emits it."""

INDEX_REPAIRED: Final = "IndexRepaired"
"""Entries of the index that differed from the table; the sweep `reconcile` emits it."""

SWEEP_FAILED: Final = "SweepFailed"
"""Failures in a run of a sweep; the next run tries again."""

LAYER_DIMENSION: Final = "layer"
"""Second dimension, of the two metrics of context sources."""

CONTEXT_LAYERS: Final = ("global", "project", "experience", "workshop")
"""Values of that dimension (domain.context.fragments.LAYERS)."""

ASSEMBLY_DURATION: Final = "memory_assembly_duration_seconds"
"""Duration of assembling a context, from the request to the answer, cached contexts included."""

COHERENCE_SCORE: Final = "memory_coherence_score"
"""Mean cosine between two fragments of a context, 0..1; contexts of one fragment or none are left out."""

CACHE_HIT_RATIO: Final = "memory_cache_hit_ratio"
"""1 for a context from the cache, else 0: the average is their share."""

CACHE_EVICTED: Final = "memory_cache_evicted_total"
"""Cached contexts evicted for newer ones while still valid."""

SOURCE_LATENCY: Final = "memory_source_latency"
"""Milliseconds that a source took, by layer."""

SOURCE_ERRORS: Final = "memory_source_errors_total"
"""Sources that failed or were late, by layer."""
