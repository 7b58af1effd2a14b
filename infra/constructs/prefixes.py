"""How keys in the blob bucket begin: what grants and lifecycle rules are about."""

from typing import Final

ANSWERS_PREFIX: Final = "answers/"
"""Answers too large for a response, fetched by a link that is good for minutes."""

OPERATIONS_PREFIX: Final = "operations/"
"""What background work was given, and what it made for its caller to fetch."""

SNAPSHOTS_PREFIX: Final = "snapshots/"
"""Copies of projects; they stay until somebody deletes them."""

ERASURES_PREFIX: Final = "erasures/"
"""What was erased, by ids alone; it stays for good, so that no snapshot brings it back."""

BODIES_PREFIX: Final = "bodies/"
"""Contents of memories that are not hot; each goes when its memory is erased."""
