"""Positions of receipts in the table's stream: what is delivered again is recognised by them, and counted once."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from memory_layer.adapters.aws.table import keys

LANES_MAX: Final = 12
"""Positions kept in a count: the eight partitions of its project's receipts, and the latest of other projects'. With
them the item stays below the kilobyte that a write unit takes."""

_LANE_LENGTH: Final = 8

CountedPositions = Mapping[str, str]
"""Position up to which receipts are counted, by lane."""


class Showing(NamedTuple):
    """One recall that showed a record.

    Args:
        at: time of the recall.
        lane: partition of its receipt, shortened: the stream delivers a partition's receipts in their order.
        position: of the receipt in its lane; later ones are greater texts.
    """

    at: datetime
    lane: str
    position: str


def showing(event: Mapping[str, Any], at: datetime) -> Showing:
    """Reads the position of a receipt. Args: event: the `dynamodb` part of a stream record. at: of the receipt."""
    partition = event["Keys"]["pk"]["S"]
    second = int(event["ApproximateCreationDateTime"])
    return Showing(at, keys.text_digest(partition)[:_LANE_LENGTH], _position(second, event["SequenceNumber"]))


def _position(second: int, sequence_number: str) -> str:
    """Position as a text that sorts as it does: by the second of the write, then by the number in the stream.

    The number alone would do within a shard. A shard that follows another may begin with any number: the second keeps
    its receipts from being taken for counted ones.
    """
    number = sequence_number.lstrip("0")
    return f"{second:010d}#{len(number):02d}{number}"


def uncounted(showings: Iterable[Showing], counted: CountedPositions) -> list[Showing]:
    """Showings that come after what is counted in their lanes."""
    return [one for one in showings if one.position > counted.get(one.lane, "")]


def counted_positions(counted: CountedPositions, showings: Sequence[Showing]) -> dict[str, str]:
    """Positions after these showings; of more than LANES_MAX lanes the latest."""
    after = dict(counted)
    for one in showings:
        after[one.lane] = max(one.position, after.get(one.lane, ""))
    latest = sorted(after.items(), key=lambda item: item[1], reverse=True)[:LANES_MAX]
    return dict(sorted(latest))


def positions_value(counted: CountedPositions) -> dict[str, Any]:
    """Positions as an attribute of an item."""
    return {"M": {lane: {"S": position} for lane, position in counted.items()}}


def positions_of(value: Any) -> CountedPositions:
    """Positions of an attribute; none of one that is missing or damaged, which is then counted as if it were new."""
    read = value.get("M") if isinstance(value, Mapping) else None
    if not isinstance(read, Mapping):
        return {}
    return {lane: one["S"] for lane, one in read.items() if isinstance(one, Mapping) and "S" in one}
