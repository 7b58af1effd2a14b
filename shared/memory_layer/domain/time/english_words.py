"""English vocabulary of time: weekdays, months and numbers, as patterns and as numbers."""

from typing import Final

WEEKDAY: Final = (
    r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|(?-i:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun))"
)
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTH: Final = (
    r"(?P<month>january|february|april|june|july|august|september|october|november|december"
    r"|(?-i:March|May|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec))"
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NUMBER: Final = (
    r"(?P<number>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?couple(?: of)?"
    r"|(?:a )?few|several)"
)
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        (
            "",
            "a an one",
            "two couple",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
        )
    )
    for word in words.split()
} | {"twelve": 12}


def weekday_number(name: str) -> int:
    """Number of an English weekday, 0 to 6 from Monday, by its first three letters."""
    return _WEEKDAYS.index(name[:3].lower())


def month_number(name: str) -> int:
    """Number of an English month, 1 to 12, by its first three letters."""
    return _MONTHS.index(name[:3].lower()) + 1


def number_word(words: str) -> str:
    """Number as it was said, without its article: `a couple of` is `couple`."""
    return words.lower().removeprefix("a ").removesuffix(" of")


def number_of(number: str) -> int:
    """Number in digits or words; 0 of an unknown one."""
    return int(number) if number.isdigit() else _NUMBERS.get(number, 0)
