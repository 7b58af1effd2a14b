"""Calendar spans about a day: weeks from Monday, weekends, months, seasons, years, weekdays."""

from calendar import monthrange
from datetime import date, timedelta
from typing import Final, NamedTuple

DAY: Final = timedelta(days=1)
SATURDAY: Final = 5
_MONTHS_OF_YEAR: Final = 12
_LAST_DAYS_OF_SEASON: Final = 90


class Span(NamedTuple):
    """Days from the first to the last, both included."""

    first: date
    last: date


def day_span(day: date, offset: int = 0) -> Span:
    """Span of one day. Args: offset: days from `day` to it."""
    return Span(day + offset * DAY, day + offset * DAY)


def around(day: date, reach: int) -> Span:
    """Span of a day and of `reach` days on both sides."""
    return Span(day - reach * DAY, day + reach * DAY)


def week_of(day: date, offset: int = 0) -> Span:
    """Week of a day, Monday to Sunday. Args: offset: weeks from it."""
    monday = day - day.weekday() * DAY + 7 * offset * DAY
    return Span(monday, monday + 6 * DAY)


def weekend_of(day: date, offset: int = 0) -> Span:
    """Saturday and Sunday of a day's week. Args: offset: weeks from it."""
    sunday = week_of(day, offset).last
    return Span(sunday - DAY, sunday)


def last_weekend(day: date, count: int = 1) -> Span:
    """The weekend that was over last, on a Saturday or Sunday the one before. Args: count: 2: the one before that."""
    return weekend_of(day, -count)


def month_span(year: int, month: int) -> Span:
    """First to last day of a month."""
    return Span(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def month_of(day: date, offset: int = 0) -> Span:
    """Month of a day. Args: offset: months from it."""
    years, month = divmod(day.month - 1 + offset, _MONTHS_OF_YEAR)
    return month_span(day.year + years, month + 1)


def same_day_of_month(day: date, offset: int) -> date:
    """Day with the same number, or the last one, of the month `offset` months from it."""
    month = month_of(day, offset)
    return month.first.replace(day=min(day.day, month.last.day))


def quarter_of(day: date, offset: int = 0) -> Span:
    """Quarter of a day. Args: offset: quarters from it."""
    first = month_of(day, 3 * offset - (day.month - 1) % 3).first
    return Span(first, month_of(first, 2).last)


def year_of(day: date, offset: int = 0) -> Span:
    """Year of a day. Args: offset: years from it."""
    return Span(date(day.year + offset, 1, 1), date(day.year + offset, 12, 31))


def weekday_before(day: date, weekday: int) -> date:
    """Nearest such weekday before a day, which itself does not count. Args: weekday: 0 is Monday."""
    return day - ((day.weekday() - weekday - 1) % 7 + 1) * DAY


def weekday_after(day: date, weekday: int) -> date:
    """Nearest such weekday after a day, which itself does not count. Args: weekday: 0 is Monday."""
    return day + ((weekday - day.weekday() - 1) % 7 + 1) * DAY


def season_span(year: int, first_month: int) -> Span:
    """Three months, of a season of the northern hemisphere. Args: first_month: 3, 6, 9 or 12."""
    first = date(year, first_month, 1)
    return Span(first, month_of(first, 2).last)


def last_season(day: date, first_month: int) -> Span | None:
    """The season that ended last before a day; None: it is just over, so that people may mean it or the one before."""
    spans = (season_span(year, first_month) for year in (day.year, day.year - 1, day.year - 2))
    found = next(span for span in spans if span.last < day)
    return found if (day - found.last).days > _LAST_DAYS_OF_SEASON else None


def past_month(day: date, month: int) -> Span:
    """Latest such month that has begun by a day."""
    return month_span(day.year if month <= day.month else day.year - 1, month)


def coming_month(day: date, month: int) -> Span:
    """Earliest such month that is not over on a day."""
    return month_span(day.year if month >= day.month else day.year + 1, month)


def past_date(day: date, month: int, number: int) -> date:
    """Latest day of this name, not after a day. Raises: ValueError: there is none."""
    years = (day.year - back for back in range(9))
    return max(found for year in years if (found := _dated(year, month, number)) and found <= day)


def coming_date(day: date, month: int, number: int) -> date:
    """Earliest day of this name, not before a day. Raises: ValueError: there is none."""
    years = (day.year + on for on in range(9))
    return min(found for year in years if (found := _dated(year, month, number)) and found >= day)


def past_day_of_month(day: date, number: int) -> date:
    """Latest day of this number, not after a day. Raises: ValueError: there is none."""
    months = (month_of(day, -back).first for back in range(3))
    return max(found for m in months if (found := _dated(m.year, m.month, number)) and found <= day)


def coming_day_of_month(day: date, number: int) -> date:
    """Earliest day of this number, not before a day. Raises: ValueError: there is none."""
    months = (month_of(day, on).first for on in range(3))
    return min(found for m in months if (found := _dated(m.year, m.month, number)) and found >= day)


def _dated(year: int, month: int, number: int) -> date | None:
    """Day of these numbers, where the calendar has it."""
    exists = 1 <= month <= _MONTHS_OF_YEAR and 1 <= number <= monthrange(year, month)[1]
    return date(year, month, number) if exists else None
