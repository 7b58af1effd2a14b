"""Headings that forbid or restrict stay with their lines; those that only name a subject do not."""

from __future__ import annotations

import pytest

from memory_layer.domain.text.governing_headings import Force, force_of, governing

FORCES: dict[Force, tuple[str, ...]] = {
    "forbids": (
        "Never do this",
        "Don't",
        "Don\u2019ts",
        "DO NOT",
        "Avoid",
        "3. Forbidden commands",
        "Not allowed",
        "What not to do",
        "Things to avoid",
        "Rule 4: never push to main",
        "\u274c Lodash",
        "No magic numbers",
        "What we are NOT building",
        "Nicht erlaubt",
        "Niemals",
        "Verboten",
        "Verbotene Befehle",
        "Vermeiden",
        "Bitte nicht",
        "Auf keinen Fall",
        "Finger weg",
        "Das machen wir nicht",
        "Was ich nie protokolliere",
        "Deny list",
        "Hands off",
        "Leave these alone",
        "Won't do",
        "2A) No fallback paths",
        "2.1 Avoid barrel files",
        "What we no longer do",
        "Stay away from",
        "Off-limits",
        "Tools not to use",
        "Things that will get your PR rejected",
        "We decided against",
        "Agents may not",
        "Das Deployment darf nicht",
        "Ignore these folders",
        "Restrictions for agents",
        "Was wir nicht mehr machen",
        "Bitte unterlassen",
        "Was man lassen sollte",
        "Abgelehnte Vorschl\u00e4ge",
    ),
    "condemns": (
        "Anti-patterns",
        "Antipatterns of the API",
        "Deprecated",
        "Bad",
        "Bad practices",
        "Common mistakes",
        "Out of scope",
        "Non-goals",
        "Veraltet",
        "H\u00e4ufige Fehler",
        "Deprecations",
        "Outdated",
        "Smells",
        "End of life",
        "Discontinued",
        "Removed features",
        "Parts that are rejected",
        "Abgeschafft",
    ),
    "restricts": (
        "On Windows",
        "Windows",
        "When the build fails",
        "If you are a reviewer",
        "Before each commit",
        "In production",
        "Staging (read only)",
        "Unter Windows",
        "Nur f\u00fcr Tests",
        "Until the release",
        "Once it is merged",
        "For maintainers",
        "Archives are kept unless",
        "Log format (required when logs are written)",
        "Exceptions",
        "Bevor du pushst",
    ),
    "reports": (
        "Fixed",
        "Bug Fixes",
        "Bugfixes",
        "\u26a0 BREAKING CHANGES",
        "Reverts",
        "Planned: search by voice",
        "Roadmap",
        "The exporter is slow. The plan is to",
        "Experimental",
        "Fehlerbehebungen",
        "Behoben",
        "Geplant",
    ),
    "weighs": (
        "Cons",
        "Drawbacks of the second option",
        "Nachteile",
        "Vorteile der Migration",
        "What went poorly \u2717",
        "What went well",
        "Where we got lucky",
        "Was schlecht lief",
    ),
    "denies": (
        "The backup does not include",
        "The following are not included in the backup",
        "The API doesn't support",
        "In the free plan the following fields are ignored",
        "Excluded from the snapshot are",
        "We no longer use",
        "The deploy script won't",
        "Users without the role cannot",
        "The following options have no effect",
        "In der Datensicherung sind *nicht* enthalten",
        "Dieser Dienst unterst\u00fctzt nicht",
        "Folgende Dateien werden nicht gesichert",
        "Vom Backup ausgeschlossen sind",
        "Es fehlen noch",
        "Domains mit folgenden Einschr\u00e4nkungen",
        "Known limitations",
    ),
    "releases": ("Instead", "Do", "Do this instead", "Good", "\u2705 Preferred way", "Stattdessen"),
    "neutral": (
        "Naming",
        "Do's and don'ts",
        "DRY (Don't Repeat Yourself)",
        "Handling deprecated fields",
        "When to use server components",
        "Notes",
        "Note on the backend",
        "No. 5",
        "No downtime deploys",
        "No-code tools",
        "Never-ending jobs",
        "Not found pages",
        "Forbidden responses (403)",
        "Removed users",
        "Unsafe Rust",
        "Bad requests",
        "Deprecated headers in responses",
        "Planned maintenance windows",
        "Experimental design",
        "On call",
        "Bei Fragen",
        "Why is nothing allowed?",
        "One database",
        "Badges",
        "Online mode",
        "Never mind the order. Every page should cover",
        "Reject broken archives early",
        "This is NOT the old client",
        "Thread safety (if applicable)",
        "For example",
        "Added",
        "The backup includes",
        "The following are included, not only files",
        "Make sure that no tests fail",
        "How to find users that are not active",
        "Creating a user that cannot log in",
        "For users who can't use Docker",
        "The checks must pass, otherwise the build does not start",
        "The service is not affected because",
        "Why the job isn't running",
        "Show, don't tell",
        "Cache misses",
        "Wie man Dateien findet, die nicht gesichert werden",
        "Was tun, wenn nichts geht",
        "Pros and cons",
    ),
}


@pytest.mark.parametrize(("title", "force"), [(title, force) for force in FORCES for title in FORCES[force]])
def test_a_heading_has_its_force(title: str, force: Force) -> None:
    assert force_of(title) == force


def test_all_that_govern_are_said_and_a_subject_is_not() -> None:
    titles = ("Project", "On Windows", "Never do this", "Styling")
    assert governing(titles, "Use lodash") == ("On Windows", "Never do this")


def test_what_is_recommended_under_a_heading_that_forbids_is_not_forbidden() -> None:
    assert governing(("In CI", "Never", "Instead"), "Use ruff") == ("In CI",)


@pytest.mark.parametrize("text", ["Never push to main", "\u274c Do not push to main", "Niemals pushen"])
def test_what_forbids_itself_needs_no_heading_that_says_no_more(text: str) -> None:
    assert governing(("Never do this",), text) == ()
    assert governing(("Never in CI",), text) == ("Never in CI",)
    assert governing(("Common mistakes",), text) == ("Common mistakes",)


@pytest.mark.parametrize("text", ["Fix a crash of the editor", "**cli:** fixed a crash", "Fixes #7"])
def test_what_begins_as_its_heading_does_needs_no_heading(text: str) -> None:
    assert governing(("Bug fixes",), text) == ()
    assert governing(("Breaking changes",), text) == ("Breaking changes",)
    assert governing(("Bug fixes",), "Crash of the editor, fixed by a patch") == ("Bug fixes",)
