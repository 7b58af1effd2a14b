"""A BlobStore in a dict, for tests of what lies above it; it keeps what is frozen as S3's Deep Archive does."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_layer.domain.memory import Tier
from memory_layer.errors import BodyFrozen


@dataclass
class BlobsInMemory:
    """Bodies by key, the tier that each was last put at, and which were asked back."""

    bodies: dict[str, bytes] = field(default_factory=dict)
    tiers: dict[str, Tier] = field(default_factory=dict)
    asked_back: list[str] = field(default_factory=list)

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        self.bodies[key], self.tiers[key] = body, tier

    def reclass(self, key: str, tier: Tier) -> None:
        self.tiers[key] = tier

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        if self.tiers.get(key) == "frozen":
            self.asked_back += [key] if thaws else []
            raise BodyFrozen(f"{key} is in deep archive")
        return self.bodies.get(key)

    def delete(self, key: str) -> None:
        self.bodies.pop(key, None)
        self.tiers.pop(key, None)

    def keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self.bodies if key.startswith(prefix))
