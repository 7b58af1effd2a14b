"""Contradictions by subject, attribute and value: one subject in other words, and parallel sentences about two."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.contradiction import (
    ComparedStatement,
    Contradiction,
    contradiction,
    may_contradict,
)
from memory_layer.domain.conflicts.ownership import disagreement, responsibilities


def found(one: str, other: str, cosine: float = 0.8) -> Contradiction | None:
    there, back = (
        contradiction(ComparedStatement(a), ComparedStatement(b), cosine=cosine)
        for a, b in ((one, other), (other, one))
    )
    assert there == back
    return there


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (
            "Calls to the ledger time out after 29 s.",
            "The timeout of calls to the ledger is 60 seconds.",
            "29 s",
        ),
        ("Snapshots are kept for 30 days.", "We retain snapshots for 90 days.", "90 days"),
        ("Snapshots are kept for 30 days.", "Snapshots are deleted after 90 days.", "90 days"),
        ("Access keys are valid for 15 minutes.", "Access keys expire after one hour.", "one hour"),
        (
            "Tickets are closed after 24 hours.",
            "Tickets are closed after 5 business days.",
            "5 business days",
        ),
        ("Uploads over 10 MB need a permit.", "Uploads over 20 MB need a permit.", "over 20 mb"),
        ("The queue waits 1 minute (60 seconds).", "The queue waits 3 minutes (180 seconds).", "3 minutes"),
        ("The gateway listens on `8080`.", "The gateway listens on `9090`.", "9090"),
        ("Invoices need two approvals.", "Invoices need one approval.", "one"),
        (
            "The overhead lies between 10 and 30 percent.",
            "The overhead lies between 20 and 30 percent.",
            "20",
        ),
        ("Rate limit: 100 requests per minute.", "The rate limit is 60 requests per minute.", "60"),
        (
            "From version 2.4 onwards the lock is required.",
            "From version 2.6 onwards the lock is required.",
            "2.6",
        ),
        (
            "You need to spend 90% of the time on projects.",
            "You need to spend 80% of the time on projects.",
            "80%",
        ),
    ],
)
def test_another_value_of_the_same_attribute_is_told_with_both_values(
    one: str, other: str, words: str
) -> None:
    contradicted = found(one, other)
    assert contradicted
    assert contradicted.kind == "value"
    assert words in contradicted.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Snapshots are kept for 30 days.", "Snapshots are deleted after one month."),
        ("The pump starts after 30 s.", "The pump starts after half a minute."),
        ("The default limit is 50 on Windows.", "The default limit is 80 on Linux."),
        ("The page cache holds 50 entries.", "The page cache holds 80 entries in production."),
        (
            "Extra packages are required for Python 3.7 by the checks.",
            "Extra packages are required for Python 3.8 by the checks.",
        ),
        ("If you lead a team, you can take 16 days.", "If you join a team, you can take 6 days."),
        (
            "Sketch of how the pump works with queues without the skip flag.",
            "Sketch of how the pump works with queues with the skip flag.",
        ),
        ("Return true if any of the jobs isn't ready.", "Return true if any of the jobs is ready."),
        ("Called before a job is stored.", "Called after a job is stored."),
        (
            "If you lead the crew, you get 16 days of paid leave a year.",
            "If you join the crew, you get 6 days of paid leave a year.",
        ),
        ("The intake pump carries 50 litres.", "The outlet pump carries 80 litres."),
        ("For example, the pump takes 30 s to start.", "For example, the pump takes 90 s to start."),
        ("Node A sends the list in a message (10).", "Node A sends the list in a message (13)."),
        ("It can be used to check addresses.", "It cannot be used to check addresses."),
    ],
)
def test_another_scope_or_another_subject_is_no_contradiction(one: str, other: str) -> None:
    assert found(one, other, 0.95) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Host name of the Couchbase server.", "Host name of the Consul server."),
        ("Name of the pool class used by the worker.", "Name of the timer class used by the worker."),
        ("To ship, run `2-ship.sh`.", "To ship, run `3-ship.sh`."),
        (
            "These two tools are required to authenticate to Quay, so they come from elsewhere.",
            "These two tools are required to authenticate to Harbor, so they come from elsewhere.",
        ),
        ("To use ARM, replace `img-a` with `img-b`.", "To use ARM, replace `whl-a` with `whl-b`."),
        (
            "If using the drum interface instead of the horn, tune it.",
            "By default the horn interface is tuned by hand.",
        ),
    ],
)
def test_titles_code_and_pointers_name_no_single_choice(one: str, other: str) -> None:
    assert found(one, other, 0.95) is None


@pytest.mark.parametrize(
    ("one", "other", "kind", "words"),
    [
        (
            "Die Berichte werden 30 Tage aufbewahrt.",
            "Die Berichte werden 90 Tage aufbewahrt.",
            "value",
            "90 tage",
        ),
        ("Die Sitzung endet nach zwei Stunden.", "Die Sitzung endet nach 30 Minuten.", "value", "30 minuten"),
        (
            "Der Import darf parallel laufen.",
            "Der Import darf nicht parallel laufen.",
            "negation",
            "nicht parallel",
        ),
        (
            "Das Protokoll ist im Test aktiviert.",
            "Das Protokoll ist im Test deaktiviert.",
            "opposite",
            "deaktiviert",
        ),
        ("Mindestens 4 GB sind frei zu halten.", "Mindestens 8 GB sind frei zu halten.", "value", "8 gb"),
    ],
)
def test_german_is_read_too(one: str, other: str, kind: str, words: str) -> None:
    contradicted = found(one, other)
    assert contradicted
    assert contradicted.kind == kind
    assert words in contradicted.reason


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("The drill may be used twice.", "The drill may not be used twice.", "\u201cnot be used twice\u201d"),
        ("The audit log is enabled in tests.", "The audit log is disabled in tests.", "disabled"),
    ],
)
def test_a_denial_and_an_opposite_are_told_with_their_words(one: str, other: str, words: str) -> None:
    contradicted = found(one, other)
    assert contradicted
    assert words in contradicted.reason


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        (
            "The billing service is owned by the payments team.",
            "The platform team owns billing.",
            ("payments", "platform"),
        ),
        ("Clara owns the importer.", "The owner of the importer is Jonas.", ("Clara", "Jonas")),
        (
            "The lead of the data guild is Mira. It meets on Fridays.",
            "Tom leads the data guild.",
            ("Mira", "Tom"),
        ),
        (
            "Verantwortlich für den Import ist Clara.",
            "Jonas ist verantwortlich für den Import.",
            ("Clara", "Jonas"),
        ),
        ("The importer's owner is Clara.", "Jonas is responsible for the importer.", ("Clara", "Jonas")),
        (
            "Ask the Maps team before you open the east shed.",
            "Ask the Keys team before you open the east shed.",
            ("Maps", "Keys"),
        ),
        (
            "At this point, the transfer is completed by the Vault Guild.",
            "The transfer is completed by the Maps Squad.",
            ("Vault", "Maps"),
        ),
        (
            "The Toy Board ultimately decides what to lend.",
            "The core team decides what to lend.",
            ("Toy", "core"),
        ),
    ],
)
def test_two_names_for_one_responsibility_contradict(one: str, other: str, names: tuple[str, str]) -> None:
    contradicted = found(one, other)
    assert contradicted
    assert (contradicted.kind, contradicted.shared) == ("choice", 0.0), "nothing is retired on it by itself"
    assert all(name in contradicted.reason for name in names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Clara owns the importer.", "Jonas owns the exporter."),
        ("Clara owns the importer.", "The owner of the importer is Clara."),
        ("The worker runs the tests.", "The pipeline runs the tests."),
        ("The cache is managed by Redis.", "Each cache is maintained by a process."),
        ("Ask Clara if you have questions.", "Ask Jonas if you have questions."),
        ("Ask Clara for help.", "Ask Jonas for help."),
        ("Ask Clara before you open the shed.", "Ask Jonas before you open the vault."),
        ("The scheduler decides where jobs run.", "Precedence decides where jobs run."),
        ("Clara owns the importer and the docs.", "The importer belongs to Clara since May."),
    ],
)
def test_another_thing_or_the_same_name_is_no_disagreement(one: str, other: str) -> None:
    assert disagreement(tuple(responsibilities(one)), tuple(responsibilities(other))) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lamp is on in winter.", "The lamp is off in winter."),
        ("The archive stores maps in boxes.", "The archive stores maps in tubes."),
        ("Heaters are set up by default.", "Heaters are not setup by default."),
        ("Do not use labels (e.g. red ones) in winter.", "You may use labels in winter."),
        ("Each shed has at least one heater.", "Sheds have no heater."),
        ("The east shed is owned by Crew Amber and painted green.", "Crew Cobalt owns the east shed."),
        ("Bins are emptied on Mondays.", "Bins are emptied on Thursdays."),
        ("You are expected to answer within one business day.", "Answer within four hours."),
    ],
)
def test_states_phrases_examples_and_owners_of_one_kind_are_read(one: str, other: str) -> None:
    """Falls where `on` is a preposition, a phrase two words, an example in parentheses the whole sentence."""
    assert contradiction(ComparedStatement(one), ComparedStatement(other), cosine=0.8) is not None


@pytest.mark.parametrize(
    ("one", "other", "is_other"),
    [
        ("Reader 3.9 is the oldest supported reader.", "Reader 3.11 is the oldest supported reader.", True),
        ("eu-west-1 is the primary site.", "The primary site is us-east-1.", True),
        ("Port 8080 is the default port of the kiosk.", "Port 9090 is the default port of the kiosk.", True),
        ("Linie 4 ist die aktuelle Linie.", "Linie 7 ist die aktuelle Linie.", True),
        ("Reader 3.9 is the oldest supported reader.", "Reader 3.13 is the newest supported reader.", False),
        ("Port 8080 is the default port of the kiosk.", "Port 9090 is the default port of the gate.", False),
        ("Reader 3.9 is a supported reader.", "Reader 3.11 is a supported reader.", False),
    ],
)
def test_a_role_that_one_has_alone_is_a_subject(one: str, other: str, *, is_other: bool) -> None:
    """Falls without `_role_first`."""
    assert (found(one, other) is not None) is is_other
    assert may_contradict(one, other) or not is_other
