"""Words about time in a content with the days that they mean, as the record keeps them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Annotated, Any, Final, Literal, get_args

from annotated_types import MaxLen, MinLen

Certainty = Literal["exact", "likely", "rough"]

TIMES_MAX: Final = 16
"""Most resolved times of a record."""

WORDS_MAX_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTime:
    """Words about time in a content, and the days that they mean.

    Args:
        words: as the content has them.
        from_, to: first and last day of what they mean; of one day the same twice.
        certainty: exact: they mean these very days; likely: another reading is possible; rough: about then.
    """

    words: Annotated[str, MinLen(1), MaxLen(WORDS_MAX_CHARS)]
    from_: date
    to: date
    certainty: Certainty

    @property
    def is_day(self) -> bool:
        return self.from_ == self.to


Times = Annotated[tuple[ResolvedTime, ...], MaxLen(TIMES_MAX)]


def times_to_json(times: Iterable[ResolvedTime]) -> list[dict[str, str]]:
    """Serializes resolved times as JSON objects."""
    return [
        {
            "words": time.words,
            "from": time.from_.isoformat(),
            "to": time.to.isoformat(),
            "certainty": time.certainty,
        }
        for time in times
    ]


def times_from_json(documents: Iterable[Mapping[str, Any]]) -> tuple[ResolvedTime, ...]:
    """Parses resolved times that `times_to_json` wrote."""
    return tuple(
        ResolvedTime(
            words=one["words"],
            from_=date.fromisoformat(one["from"]),
            to=date.fromisoformat(one["to"]),
            certainty=one["certainty"],
        )
        for one in documents
    )


def is_resolved_time(document: Any) -> bool:
    """Tests if a JSON value is a resolved time whose end is not before its beginning."""
    try:
        (time,) = times_from_json([document])
    except (KeyError, TypeError, ValueError):
        return False
    is_worded = isinstance(time.words, str) and 1 <= len(time.words) <= WORDS_MAX_CHARS
    return (
        len(document) == len(fields(ResolvedTime))
        and is_worded
        and time.certainty in get_args(Certainty)
        and time.from_ <= time.to
    )
