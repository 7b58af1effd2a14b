"""Texts that are alike word for word but for one value contradict each other; a name, a setting or a report is none."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction

ONE_HOLDS = [
    (
        "If none is named, `format` defaults to only `tar`.",
        "If none is named, `format` defaults to only `zip`.",
    ),
    (
        "`--target (-t)`: The index to push to (default: `main`).",
        "`--target (-t)`: The index to push to (default: `test`).",
    ),
    ("The default branch is `main`.", "The default branch is `trunk`."),
    (
        "Ingested samples are grouped into two-hour blocks.",
        "Ingested samples are grouped into four-hour blocks.",
    ),
    (
        "**Ruby** Version 3.2.0 oder h\u00f6her ist erforderlich.",
        "**Ruby** Version 3.1.0 oder h\u00f6her ist erforderlich.",
    ),
    ("Die Schnittstelle lauscht auf Port 8080.", "Die Schnittstelle lauscht auf Port 9090."),
    ("The API keeps 30 tokens a user.", "The API keeps 60 tokens a user."),
    ("Python 3.11 or newer is required.", "Python 3.12 or newer is required."),
    ("Sicherungen werden t\u00e4glich erstellt.", "Sicherungen werden w\u00f6chentlich erstellt."),
]
BOTH_HOLD = [
    ("Defaults to `per_second: 5`.", "Defaults to `per_second: 8`."),
    ("The `type` and default key is `device`.", "The `type` and default key is `runtime`."),
    ("Override the default template `form_a` here.", "Override the default template `form_b` here."),
    ("Series that match the default `info_a` stay.", "Series that match the default `info_b` stay."),
    (
        "Starting with `v3.7.8`, it can be set on the gateway.",
        "Starting with `v3.6.2`, it can be set on the gateway.",
    ),
    ("No significant changes since v1.21.0.", "No significant changes since v1.20.0."),
    (
        "Continue with step 8 of the setup guide for new hosts.",
        "Continue with step 9 of the setup guide for new hosts.",
    ),
    ("Extra wheels are built for Python 3.7.", "Extra wheels are built for Python 3.8."),
    ("In version 5 the login form is hidden.", "In version 4 the login form is hidden."),
    ("Renaming a tier 3 vault", "Renaming a tier 2 vault"),
    ("We send the weekly report to the board.", "We send the monthly report to the board."),
    (
        "Customers in tier 1 get a response within an hour.",
        "Customers in tier 2 get a response within an hour.",
    ),
    ("We support Python 3.11 in the worker image.", "We support Python 3.12 in the worker image."),
    (
        "Die Rechnung 4711 ist vom Kunden noch nicht bezahlt worden.",
        "Die Rechnung 4712 ist vom Kunden noch nicht bezahlt worden.",
    ),
    ("The release notes of version 4.7 are in the wiki", "The release notes of version 4.8 are in the wiki"),
    ("Expose port 8080 for the web service.", "Expose port 9090 for the web service."),
    ("Allow port 22 in the security group.", "Allow port 443 in the security group."),
    ("The API also listens on port 8080.", "The API also listens on port 9090."),
    ("Users on plan 3 pay per seat.", "Users on plan 4 pay per seat."),
    ("The backup of server 3 runs at night.", "The backup of server 4 runs at night."),
    ("The cookie format is described in RFC 6265.", "The cookie format is described in RFC 2965."),
    ("Enable rule 12 in the linter config.", "Enable rule 13 in the linter config."),
]


def contradict(one: str, other: str) -> bool:
    return contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.9) is not None


@pytest.mark.parametrize(("one", "other"), ONE_HOLDS)
def test_another_value_in_one_place_contradicts(one: str, other: str) -> None:
    assert contradict(one, other)


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_a_name_a_setting_or_a_value_of_no_subject_does_not(one: str, other: str) -> None:
    assert not contradict(one, other)
