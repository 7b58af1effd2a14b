"""Units and number words, English and German, in lower case and without accents."""

from collections.abc import Mapping

_SECONDS = {
    **dict.fromkeys(("ns", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "msec"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sekunde", "sekunden"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunde", "stunden"), 3_600.0),
    **dict.fromkeys(("day", "days", "tag", "tage", "tagen"), 86_400.0),
    **dict.fromkeys(("week", "weeks", "woche", "wochen"), 604_800.0),
    **dict.fromkeys(("month", "months", "monat", "monate", "monaten"), 30 * 86_400.0),
    **dict.fromkeys(("year", "years", "jahr", "jahre", "jahren"), 365 * 86_400.0),
}
_BYTES = {
    **dict.fromkeys(("byte", "bytes"), 1.0),
    **dict.fromkeys(("kb", "kib", "kilobytes"), 2.0**10),
    **dict.fromkeys(("mb", "mib", "megabyte", "megabytes"), 2.0**20),
    **dict.fromkeys(("gb", "gib", "gigabyte", "gigabytes"), 2.0**30),
    **dict.fromkeys(("tb", "tib", "terabyte", "terabytes"), 2.0**40),
}
UNITS: Mapping[str, tuple[str, float]] = {
    **{unit: ("time", factor) for unit, factor in _SECONDS.items()},
    **{unit: ("bytes", factor) for unit, factor in _BYTES.items()},
    **dict.fromkeys(("%", "percent", "pct", "prozent"), ("percent", 1.0)),
    **dict.fromkeys(("px", "pixels", "pixel"), ("pixels", 1.0)),
    **dict.fromkeys(("rps", "qps"), ("per second", 1.0)),
    **dict.fromkeys(("am", "a.m"), ("clock", 60.0)),
    **dict.fromkeys(("pm", "p.m"), ("clock", 60.0)),
}
GLUED_UNITS: Mapping[str, str] = {"m": "min", "d": "days", "w": "weeks", "k": "thousand"}
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_ONES = "one two three four five six seven eight nine"
_COUNTED = (
    "two three four five six seven eight nine ten eleven twelve"
    " thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_COUNTED_IN_GERMAN = (
    "zwei drei vier funf sechs sieben acht neun zehn elf zwolf"
    " dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS_IN_GERMAN = "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"


def _counted(names: str, first: int, step: int = 1) -> dict[str, float]:
    return {word: float(first + step * place) for place, word in enumerate(names.split())}


NUMBER_WORDS: Mapping[str, float] = {
    **_counted(_COUNTED, 2),
    **_counted(_COUNTED_IN_GERMAN, 2),
    **_counted(_TENS, 20, 10),
    **_counted(_TENS_IN_GERMAN, 20, 10),
    **{
        f"{ten}-{one}": number + rest
        for ten, number in _counted(_TENS, 20, 10).items()
        for one, rest in _counted(_ONES, 1).items()
    },
}
"""Numbers by their words, from two on, in lower case without accents."""

COUNTS: Mapping[str, float] = {**NUMBER_WORDS, "twice": 2.0}
