"""Words of broken rules: what a field must be, of whatever face it is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.domain import text_rules
from memory_layer.domain.policy import WEIGHTS_RULE, PriorityWeights

_NO_SUCH_FIELD: Final = "there is no such field"
_OBJECT: Final = "give a JSON object"
_MOMENT: Final = "must be a date and time, such as 2026-03-14T09:00:00Z"
_DATE: Final = "must be a date, such as 2026-03-14"
_WHOLE: Final = "must be a whole number"
_NUMBER: Final = "must be a number"
_TRUTH: Final = "say true or false"
_LIST: Final = "a list is wanted, also of one"
_LONGEST: Final = "must have at most {max_length} characters"

_WORDS: Final = {
    "missing": "is required",
    "extra_forbidden": _NO_SUCH_FIELD,
    "unexpected_keyword_argument": _NO_SUCH_FIELD,
    "bool_parsing": _TRUTH,
    "bool_type": _TRUTH,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "string_type": "must be text",
    "string_unicode": "half a surrogate pair is no character; remove it and send the text again",
    "string_too_long": _LONGEST,
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "too_long": "must have at most {max_length} items",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "datetime_object_invalid": _MOMENT,
    "timezone_aware": "must say its time zone: 2026-03-14T09:00:00Z, or +01:00 in the place of Z",
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
}
"""Sentences by the type of Pydantic's error, whose own words are about Python."""

_PATTERNS: Final = {
    f"^(?:{text_rules.MEMORY_ID})$": "must be an id: up to 128 letters, digits and _.:-",
    f"^(?:{text_rules.PROJECT})$": "must be a project's name: up to 64 letters, digits and _.-; no mark is its first",
}
_FEWEST: Final = {"string_too_short": "characters", "too_short": "items"}


def error_message(item: Mapping[str, Any]) -> str:
    """Message of one of Pydantic's errors, in terms of JSON. It repeats nothing that was sent."""
    kind, told = item.get("type", ""), item.get("ctx", {})
    if told.get("class_name") == PriorityWeights.__name__:
        return WEIGHTS_RULE
    if kind in _FEWEST:
        fewest = told["min_length"]
        return "must not be empty" if fewest == 1 else f"must have at least {fewest} {_FEWEST[kind]}"
    if told.get("pattern") in _PATTERNS:
        return _PATTERNS[told["pattern"]]
    if kind in _WORDS:
        return _WORDS[kind].format_map({name: _plain(value) for name, value in told.items()})
    return str(item["msg"]).removeprefix("Value error, ").replace(" after validation", "")


def _plain(bound: object) -> object:
    """Bound as people write it: 1, and not 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
