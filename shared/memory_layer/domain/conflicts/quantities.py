"""Quantities, and tests on whether two of them can both hold."""

from typing import Literal, NamedTuple

Bound = Literal["is", "at least", "at most", "range", "about"]

_ABOUT = 0.25
"""Tolerance of an amount given as `about`, as a share of the greater one."""

_UNIT_TOLERANCE = 0.08
"""Tolerance of sizes: a kilobyte is 1,000 or 1,024 bytes; up to gigabytes both agree within it (1.024 ** 3 = 1.074)."""

_MONTH_S = 28 * 86_400.0
_CALENDAR_TOLERANCE = 0.035
"""Tolerance from a month on: 30 days, 31 days and a month are equal, and so are 12 months and a year."""


class Quantity(NamedTuple):
    """Amount in the base unit of its dimension (seconds, bytes), or a version as its numbers.

    Args:
        dimension: the kind within which amounts compare; `number` where there is no unit.
        low, high: the amounts meant, inclusive; of a bound the other end is infinite.
    """

    dimension: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    bound: Bound = "is"
    text: str = ""


_OPEN_BOUNDS = ("at least", "at most", "range")


def are_incompatible(one: Quantity, other: Quantity) -> bool:
    """Tells whether two quantities cannot both hold: other amounts, other bounds of one kind, disjoint ranges."""
    if one.bound == other.bound == "at least":
        return _differ(one.low, other.low, one, other)
    if one.bound == other.bound == "at most":
        return _differ(one.high, other.high, one, other)
    if one.bound == other.bound == "range":
        return _differ(one.low, other.low, one, other) or _differ(one.high, other.high, one, other)
    if one.bound in _OPEN_BOUNDS or other.bound in _OPEN_BOUNDS:
        return _below(one.high, other.low) or _below(other.high, one.low)
    return _differ(one.low, other.low, one, other)


def _differ(a: tuple[float, ...], b: tuple[float, ...], one: Quantity, other: Quantity) -> bool:
    if _padded(a, len(b)) == _padded(b, len(a)):
        return False
    if len(a) > 1 or len(b) > 1:
        return True
    tolerance = _ABOUT if "about" in (one.bound, other.bound) else 0.0
    if one.dimension == "bytes":
        tolerance = max(tolerance, _UNIT_TOLERANCE)
    if one.dimension in ("time", "recurrence") and min(a[0], b[0]) >= _MONTH_S:
        tolerance = max(tolerance, _CALENDAR_TOLERANCE)
    return abs(a[0] - b[0]) > tolerance * max(abs(a[0]), abs(b[0])) + 1e-9 * abs(a[0])


def _below(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return _padded(a, len(b)) < _padded(b, len(a))


def _padded(numbers: tuple[float, ...], length: int) -> tuple[float, ...]:
    return (*numbers, *(0.0,) * (length - len(numbers)))


def ratio(one: Quantity, other: Quantity) -> float:
    """Ratio of the greater amount to the smaller, >= 1; infinite where it has no meaning."""
    a, b = (quantity.low if quantity.bound != "at most" else quantity.high for quantity in (one, other))
    smaller, greater = sorted((abs(a[0]), abs(b[0])))
    return greater / smaller if smaller > 0 and len(a) == len(b) == 1 else float("inf")
