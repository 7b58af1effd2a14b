"""Documents of records whose words somebody has changed in an export."""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.domain.fields import instant
from memory_layer.domain.memory import content_hash
from memory_layer.domain.resolved_time import times_to_json
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.time.resolve_times import resolve_times

_OF_EARLIER_WORDS: Final = (
    *("approved_by", "approved_at", "embedding_model", "embedding_text_hash", "summary", "times"),
)
"""Fields that were given to the words that stood there before."""


def is_edited(document: Mapping[str, Any]) -> bool:
    """Tells whether a document's content is another one than its hash was taken of."""
    content = document.get("content")
    try:
        return isinstance(content, str) and document.get("content_hash") != content_hash(content)
    except UnicodeEncodeError:
        return False


def with_edit(document: Mapping[str, Any]) -> dict[str, Any]:
    """Document that says what stands there now: nobody has approved these words, and what follows from them is new.

    Raises:
        ValueError: its time of saying is none.
    """
    content = document["content"]
    kept = {name: value for name, value in document.items() if name not in _OF_EARLIER_WORDS}
    said_at = kept.get("said_at")
    times = resolve_times(content, instant(said_at) if isinstance(said_at, str) else None)
    return {
        **kept,
        "content_hash": content_hash(content),
        "summary": first_sentence(content),
        "times": times_to_json(times),
    }
