"""Where a record's words lie: those of a long one leave its row once it is hot no more, and a stub stays."""

from typing import Final

from memory_layer.domain.memory import Memory, Tier, content_hash

BODY_MIN_BYTES: Final = 1_024
"""Shorter words stay in their row whatever the tier: a blob of their own would cost more than it saves."""

STUB_MAX_CHARS: Final = 200

OUT_OF_RECALL: Final[tuple[Tier, ...]] = ("cold", "frozen")
"""What lies there is listed and read, and no question finds it."""


def is_stub(memory: Memory) -> bool:
    """Whether the record carries the beginning of its words alone; `content_hash` stays that of all of them."""
    return (
        memory.tier != "hot"
        and len(memory.content) <= STUB_MAX_CHARS
        and content_hash(memory.content) != memory.content_hash
    )
