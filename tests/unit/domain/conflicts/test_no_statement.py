"""Lines that state nothing that lasts contradict nothing: leads, headings, titles, lines of one release or commit."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import ComparedStatement, contradiction

BOTH_HOLD = [
    ("The guest process can *not* read:", "The guest process *will* be able to read:"),
    ("Two to four days in advance for:", "Six to nine days in advance for:"),
    ("## Reasons to pin `left-pad`", "## Reasons not to pin `left-pad`"),
    (
        "From this release on, the minimum required version is Blob 2.1.",
        "From this release on, the minimum required version is Blob 2.4.",
    ),
    ("Policy-Version: 4.1.2 (no changes required)", "Policy-Version: 4.1.3 (no changes required)"),
    ("[breaking] update `lint-rules` to v13", "[breaking] update `lint-rules` to v3"),
    ("\u2b06 Bump the linters group with 12 updates.", "\u2b06 Bump the linters group with 8 updates."),
    ("\u2b06 Bump tools/fetch from 5 to 6.", "\u2b06 Bump tools/fetch from 4 to 5."),
    (
        "Installer rewrite (attempt 3): unpack the modules first.",
        "Installer rewrite (attempt 1): unpack the modules first.",
    ),
    ("add a newline before the main block (5f38e37)", "add a newline before the main block (e875975)"),
    ("chore(deps): Bump parser from 4.7.10 to 4.9.7", "chore(deps): bump parser from 4.11.4 to 4.11.7"),
    ("ci(deps): bump acme/checkout from 5 to 6", "ci(deps): bump acme/checkout from 4 to 5"),
    ("Moved the parser into its own package", "Moved the package to Git"),
    ("Something about two.", "Something about three."),
    ("Deploy to the staging cluster.", "Deploy the demo service."),
    ("The oldest backup of the last 14 days", "The oldest backup of the last 7 days"),
    (
        "Das \u00e4lteste Backup der letzten 14 Tage (`14D` = jetzt - 14 Tage)",
        "Das \u00e4lteste Backup der letzten 7 Tage (`7D` = jetzt - 7 Tage)",
    ),
    ("Fehlerrate der letzten 5 Minuten", "Fehlerrate der letzten 30 Minuten"),
    ("As of March 2023, there are 40 zones.", "As of May 2024, there are 40 zones."),
    (
        "When the press uses rubber blankets, then a run is only checked on the first few sheets.",
        "When the press doesn't use rubber blankets, then a run is checked on all sheets.",
    ),
    (
        "> Don't repaint the fence, but don't over-use the amount of outside help you take.",
        "> Do not repaint the fence, but do not over-use the amount of outside help you take.",
    ),
    (
        "If the hub cannot listen on port 80, packets from port `80` must be forwarded to the HTTP port.",
        "If the hub cannot listen on port 443, packets from port `443` must be forwarded to the HTTPS port.",
    ),
]
ONE_HOLDS = [
    ("fix(core): never retry on 401", "fix(core): always retry on 401"),
    ("Docs(API): keys expire after 30 days", "Docs(API): keys expire after 90 days"),
    ("Refactor: use pnpm, never npm", "Refactor: use npm, never pnpm"),
    (
        "Update the clients from 1 to 2. Never retry on 401, go from 3 to 4",
        "Update the clients from 1 to 2. Always retry on 401, go from 3 to 4",
    ),
    ("Deploys go to the staging cluster in Oslo.", "Deploys go to the staging cluster in Bergen."),
    ("Remove stale flags after 30 days.", "Remove stale flags after 60 days."),
    ("We keep backups of the last 14 days.", "We keep backups of the last 30 days."),
    ("Logs der letzten 7 Tage werden aufbewahrt.", "Logs der letzten 30 Tage werden aufbewahrt."),
    ("Add a test to every change.", "Do not add a test to every change."),
    ("Use Blob 2.1 in every service.", "Use Blob 2.4 in every service."),
    (
        "The importer compiles with Rust 1.70 (stable) or newer.",
        "The importer compiles with Rust 1.80 (stable) or newer.",
    ),
    ("As of version 2.53, durations are numbers.", "As of version 2.54, durations are numbers."),
    ("Releases are made by hand.", "Releases are made automatically."),
    ("Hotfixes skip the review.", "Hotfixes must go through the review."),
    ("Deploys need approval from the security team.", "Deploys need approval from the platform team."),
    ("The log level defaults to info.", "The log level defaults to debug."),
    ("Schema changes must be approved by two reviewers.", "Schema changes must be approved by one reviewer."),
    ("This means that pages are cached for 1 hour.", "This means pages are cached for 5 minutes."),
    (
        "Acme.io 2nd Line are responsible for the DNS zones.",
        "Acme.io Platform Team are responsible for the DNS zones.",
    ),
]


def disagreement(one: str, other: str) -> object:
    new, known = ComparedStatement(one), ComparedStatement(other)
    return contradiction(new, known, cosine=0.95)


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_what_states_nothing_that_lasts_contradicts_nothing(one: str, other: str) -> None:
    assert disagreement(one, other) is None
    assert disagreement(other, one) is None


@pytest.mark.parametrize(("one", "other"), ONE_HOLDS)
def test_what_holds_for_good_still_contradicts(one: str, other: str) -> None:
    assert disagreement(one, other) is not None
