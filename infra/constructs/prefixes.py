"""Prefixes of keys in the blob bucket, for grants and lifecycle rules."""

from typing import Final

ANSWERS_PREFIX: Final = "answers/"
"""Answers too large for a response, fetched by a link that is good for minutes."""

OPERATIONS_PREFIX: Final = "operations/"
"""Input of background work, and its results for the caller to fetch."""

SNAPSHOTS_PREFIX: Final = "snapshots/"
"""Copies of projects; they stay until somebody deletes them."""

ERASURES_PREFIX: Final = "erasures/"
"""Erased memories, by ids alone; the list stays for good, so that no snapshot brings them back."""

ROLLBACKS_PREFIX: Final = "rollbacks/"
"""Rollbacks of principals, by names and ids alone; they stay, so that what was taken back stays so."""

SEGMENTS_PREFIX: Final = "segments/"
"""Segments and manifests of the index, in a bucket of their own that keeps no old versions."""
HISTORIES_PREFIX: Final = "runs/"
"""Iterations of runs; each goes when its run is erased."""

BODIES_PREFIX: Final = "bodies/"
"""Contents of memories that are not hot; each goes when its memory is erased."""
