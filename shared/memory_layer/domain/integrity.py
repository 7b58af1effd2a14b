"""Digests that tell whether a record, or a request, is still the same."""

from __future__ import annotations

from hashlib import sha256

from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.memory import Memory

ACCESS_COUNTERS = ("access_count", "last_accessed_at")
"""Written in batches and lossy by design: a recall does not change what a record says."""


def record_digest(memory: Memory) -> str:
    """SHA-256, hex, of the record as canonical JSON, without what being read changes."""
    document = {name: value for name, value in memory_to_json(memory).items() if name not in ACCESS_COUNTERS}
    return sha256(canonical_json(document).encode()).hexdigest()


def request_fingerprint(method: str, path: str, body: bytes) -> str:
    """SHA-256, hex, of what a request asks for: the same key with another one is a mistake of the caller."""
    return sha256(canonical_json([method.upper(), path]).encode() + b"\n" + body).hexdigest()
