"""Recognisers of numbers with a checksum: payment cards by Luhn, bank accounts by mod 97."""

import re
from collections.abc import Iterator

from memory_layer.domain.safety.secret_spans import SecretSpan

_CARD = re.compile(
    r"(?<![A-Za-z0-9])(?<![0-9][.-])"
    r"(?:[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}|3[0-9]{3}([ -])[0-9]{6}\2[0-9]{4,5}|[0-9]{14,19})"
    r"(?![A-Za-z0-9])(?![.-][0-9])"
)
_ISSUED = re.compile(
    r"4[0-9]{15}|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}"
    r"|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}"
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}|62[0-9]{14,17}"
)
"""Number ranges of Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, by ISO/IEC 7812."""

_SEPARATORS = str.maketrans("", "", " -")
_LUHN_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


_DIGITS = re.compile(r"[0-9]{3,4}[0-9 -]{10}")
_OF_A_THING = re.compile(
    r"(?i)order|invoice|ticket|track|shipment|parcel|bestell|auftrag|rechnung|vorgang|sendung|nummer|number|snowflake|epoch"
    r"|timestamp|offset|sequence|serial|isbn|gtin|imei|account|customer|kunde|reference|transaction|checksum"
    r"|(?:(?:^|[\W_])(?:no|nr|ids?|seq|sku|ean|ref|job|run|row|key|case|issue|user|seed|hash|size|bytes|trace|span|build|commit)"
    r"|(?-i:[a-z]Id))(?:\s(?:is|was|ist|war))?[\W_]{0,4}\Z"
)
"""Names of things that have numbers; the short ones only right before the number."""

_CARD_WORD = re.compile(
    r"(?i)cards?\b|visa\b|master ?card|amex|american express|credit|debit|\bpan\b|\bcv[vc]2?\b|expir|kreditkarte|karten"
)
_UNIT = re.compile(r"\s?(?:[nµum]?s|ns|nanoseconds?|bytes?|rows?|[kmg]i?b)\b")


def is_number_of_a_thing(name: str) -> bool:
    """Tests if a name is that of an order, an id or a time, whose numbers may look like a card's."""
    return _OF_A_THING.search(name) is not None and _CARD_WORD.search(name) is None


def _is_called_otherwise(match: re.Match[str]) -> bool:
    text, start, end = match.string, match.start(), match.end()
    if _CARD_WORD.search(text, max(0, start - 60), end + 60):
        return False
    return is_number_of_a_thing(text[max(0, start - 32) : start]) or _UNIT.match(text, end) is not None


def card_numbers(text: str) -> Iterator[SecretSpan]:
    """Finds numbers in an issuer's range with a valid check digit, which one in ten other numbers has by chance.

    What is called an order, an id or a time is therefore none, unless it is called a card as well.
    """
    for match in _CARD.finditer(text) if _DIGITS.search(text) else ():
        digits = match[0].translate(_SEPARATORS)
        if _ISSUED.fullmatch(digits) and luhn_holds(digits) and not _is_called_otherwise(match):
            yield SecretSpan(match.start(), match.end(), "card")


def luhn_holds(digits: str) -> bool:
    """Validates the Luhn check digit, the last of a number.

    Source: ISO/IEC 7812-1, annex B.
    """
    values = [int(digit) for digit in reversed(digits)]
    return (sum(values[::2]) + sum(_LUHN_DOUBLED[value] for value in values[1::2])) % 10 == 0


_IBAN_HEAD = re.compile(
    r"[0-9]{2}(?:(?<=[A-Z]{2}..)(?<![A-Za-z0-9]....)(?=[ -]?[A-Z0-9])|(?<=[a-z]{2}..)(?<![A-Za-z0-9]....)(?=[a-z0-9]))"
)
"""Check digits of an IBAN behind its country, which is looked at then: few words of a text have digits."""

_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        "15": "NO", "16": "BE", "18": "DK FI FK FO GL NL SD", "19": "MK SI", "20": "AT BA EE KZ LT LU MN XK",
        "21": "CH HR LI LV", "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ OM SO TL",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "LY PT ST", "26": "IS TR",
        "27": "BI DJ FR GR IT MC MR SM", "28": "AL AZ BY CY DO GT HN HU LB NI PL SV", "29": "BR EG PS QA UA",
        "30": "JO KW MU YE", "31": "MT SC", "32": "LC", "33": "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""Length of an IBAN in characters by country. Source: SWIFT IBAN registry."""


def bank_accounts(text: str) -> Iterator[SecretSpan]:
    """Finds IBANs of their country's length with valid check digits, grouped by blanks or dashes or not grouped."""
    for digits in _IBAN_HEAD.finditer(text):
        start = digits.start() - 2
        length = _IBAN_LENGTHS.get(text[start : start + 2].upper())
        end = _end_of(text, start, length) if length else None
        if end is not None and mod97_holds(text[start:end].translate(_SEPARATORS).upper()):
            yield SecretSpan(start, end, "iban")


def _end_of(text: str, start: int, length: int) -> int | None:
    """End of a run of `length` letters and digits, single separators between them not counted; None: it is shorter."""
    at, left = start, length
    while left:
        character = text[at : at + 1]
        if character.isascii() and character.isalnum():
            left -= 1
        elif character not in (" ", "-") or text[at - 1] in " -":
            return None
        at += 1
    following = text[at : at + 1]
    return None if following.isascii() and following.isalnum() else at


def mod97_holds(account: str) -> bool:
    """Validates the check digits of an IBAN (capitals and digits alone).

    Source: ISO 13616-1, by ISO/IEC 7064 MOD 97-10.
    """
    rearranged = account[4:] + account[:4]
    return int("".join(str(int(character, 36)) for character in rearranged)) % 97 == 1
