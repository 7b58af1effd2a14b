"""Recognisers of what papers say about a person: numbers of passports and of insurances, dates of birth."""

import re
from collections.abc import Iterator

from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan, matches

_IS = r"(?:\s{1,3}(?:is|was|ist|war|lautet|on|am|the|der))?\s{0,3}[:=#]?\s{0,3}[\"'`]?"
_NUMBER = r"(?:[-. ]{0,2}(?:number|no|nr|num|nummer)\b\.?)?"

_SSN = re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}(?<![\w.-][0-9]{3}-[0-9]{2}-[0-9]{4})(?![\w-])(?!\.[0-9])")
_NO_SSN = re.compile(r"000|666|9..|...-00|...-..-0000")
"""Numbers that are never issued. Source: Social Security Administration, randomization of 2011."""

_NATIONAL = re.compile(
    r"(?i)\b(?:ssn|social security|itin|national insurance|tax id|steuer-?id(?:entifikationsnummer|nr)?"
    r"|sozialversicherungs|rentenversicherungs|sv-|krankenversicherungs)"
    rf"(?:{_NUMBER}|nummer|nr\.?){_IS}(?P<secret>[A-Z]{{0,2}}[0-9](?:[ /-]?[0-9A-Z]){{7,13}})(?![\w-])"
)
_PASSPORT = re.compile(
    r"(?i)\b(?:passport|reisepass(?:es)?|(?:personal)?ausweis(?:es)?|pass(?=[- ]?(?:nr|nummer))"
    r"|identity card|id card|driver'?s licen[cs]e|führerschein)"
    rf"{_NUMBER}(?:s?nummer|s?nr\.?)?{_IS}(?P<secret>(?=[A-Z]{{0,8}}[0-9])[A-Z0-9]{{7,11}})(?!\w)"
)
_MONTHS = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]{0,7}\.?"
_DATE = (
    rf"(?:[0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}|[0-9]{{1,2}}[-/. ]{{1,2}}[0-9]{{1,2}}[-/. ]{{1,2}}[0-9]{{2,4}}"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTHS}\s[0-9]{{4}}|{_MONTHS}\s[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s[0-9]{{4}})"
)
_BORN = re.compile(
    r"(?i)\b(?:date of birth|birth ?dates?|birthday|d\.?o\.?b\.?|born|geburtsdatum|geburtstag|geboren|geb\.|\*)"
    rf"{_IS}(?:\s?(?:on|am)\s)?(?P<secret>{_DATE})(?!\w)"
)


def national_numbers(text: str) -> Iterator[SecretSpan]:
    """Finds numbers of social security and of tax payers: the American by its form, any behind its name."""
    for span in matches(_SSN, text, "national_id"):
        if not _NO_SSN.match(text[span.start : span.end]):
            yield span
    if _holds(text, ("ssn", "social", "itin", "insurance", "tax", "steuer", "versicherung", "sv-")):
        yield from matches(_NATIONAL, text, "national_id")


def passport_numbers(text: str) -> Iterator[SecretSpan]:
    """Finds numbers of passports, identity cards and driving licences behind their names."""
    if not _holds(text, ("pass", "ausweis", "card", "driver", "führerschein")):
        return
    for match in _PASSPORT.finditer(text):
        if any(map(str.isdigit, match[SECRET])):
            yield SecretSpan(*match.span(SECRET), "passport")


def birth_dates(text: str) -> Iterator[SecretSpan]:
    """Finds dates of birth behind the words that announce them; other dates are worth remembering."""
    if _holds(text, ("birth", "born", "dob", "d.o.b", "gebo", "geburt", "geb.", "*")):
        yield from matches(_BORN, text, "birth_date")


_TWO_DIGITS = re.compile("[0-9]{2}")


def _holds(text: str, words: tuple[str, ...]) -> bool:
    """Tests if a text has a number, and one of the words before which a pattern is worth its time."""
    return _TWO_DIGITS.search(text) is not None and any(word in text.lower() for word in words)
