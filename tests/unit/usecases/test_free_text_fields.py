"""Every field that a caller may fill with words of their own is redacted or refused, and screened.

Falls where a new field of the record is in `CALLER_SET_FIELDS` and in neither list.
"""

from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from memory_layer.domain.memory import Memory
from memory_layer.usecases.ground.admission import NAME_FIELDS
from memory_layer.usecases.ground.redacted_fields import REDACTED_FIELDS
from memory_layer.usecases.write.draft import CALLER_SET_FIELDS
from memory_layer.usecases.write.screening import SCREENED_FIELDS

WHO = {"created_by", "persona"}
"""Names of callers: no page shows them as words of a memory."""


def holds_words(hint: Any) -> bool:
    """True for a text that is no choice of a few, and for whatever may hold one."""
    if get_origin(hint) is Literal:
        return False
    if get_origin(hint) is Annotated:
        return holds_words(get_args(hint)[0])
    inner = get_args(hint)
    return any(holds_words(each) for each in inner) if inner else hint is str or hasattr(hint, "_fields")


FREE_TEXT = {
    name for name, hint in get_type_hints(Memory, include_extras=True).items() if holds_words(hint)
} & set(CALLER_SET_FIELDS)


def test_words_of_callers_are_found_by_their_type() -> None:
    assert {"content", "summary", "context", "detail", "tags", "session_id"} <= FREE_TEXT
    assert not {"type", "category", "position", "confidence", "pinned", "expires_at"} & FREE_TEXT


def test_no_words_of_callers_go_unredacted() -> None:
    assert FREE_TEXT - REDACTED_FIELDS - set(NAME_FIELDS) == set()


def test_no_words_of_callers_go_unscreened() -> None:
    assert FREE_TEXT - set(SCREENED_FIELDS) - WHO == set()
