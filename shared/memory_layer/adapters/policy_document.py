"""A project's policy as JSON text, the same in a row and in an item."""

from __future__ import annotations

import json
from dataclasses import asdict

from memory_layer.domain.policy import Limits, Policy


def policy_text(policy: Policy) -> str:
    return json.dumps(asdict(policy) | {"default_expiry_days": dict(policy.default_expiry_days)})


def policy_of(text: str | None) -> Policy:
    """The stored policy; the defaults where the project never set one."""
    if text is None:
        return Policy()
    document = json.loads(text)
    document["limits"] = Limits(**document["limits"])
    document["review_sources"] = tuple(document["review_sources"])
    return Policy(**document)
