"""Words that stand in several places, of one file or of several: each place is kept, and no edit takes another."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.attribution import edition_of
from memory_layer.domain.conflicts.pair_verdict import judge_pair
from memory_layer.domain.text.heading_places import PLACES_MAX_CHARS, places_of
from tests.contract.transfer.test_import_edited import Team, told


@pytest.fixture
def team(backend: EmbeddedBackend, admin: Principal) -> Team:
    return Team(backend, admin)


def test_a_line_of_two_releases_is_news_of_both(team: Team) -> None:
    """Falls where equal words under another release are known (`attribution.are_of_other_releases`)."""
    line = "- Keep the key in the header of the handshake.\n"
    text = f"# Changelog\n\n## 0.7.0 (2023-11-27)\n{line}{line}\n## 0.6.18 (2023-04-30)\n{line}"
    first = team.bring(text, "CHANGELOG.md")
    assert told(first) == {"stored": 2, "skipped": 1}
    records = [memory for memory in team.records() if memory.is_active]
    assert sorted(map(str, map(edition_of, records))) == ["0.6.18", "0.7.0"]
    assert judge_pair(*records, cosine=1.0) is None
    again = team.bring(text, "CHANGELOG.md")
    assert told(again) == {"unchanged": 2, "skipped": 1}


def test_a_line_of_two_days_tells_of_both(team: Team) -> None:
    """Falls where equal words about time are known, whatever days they mean (`are_of_other_occasions`)."""
    line = "- The release of the shop was built yesterday.\n- Leave the roadmap on the agenda.\n"
    minutes = {day: f"# Weekly sync 2024-03-{day}\n\n{line}" for day in ("02", "09")}
    tallies = [team.bring(text, f"{day}.md") for day, text in minutes.items()]
    assert [told(tally) for tally in tallies] == [{"stored": 2}, {"stored": 1, "moved": 1}]
    built = [memory for memory in team.records() if memory.is_active and "built" in memory.content]
    assert sorted(time.from_.day for memory in built for time in memory.times) == [1, 8]
    assert judge_pair(*built, cosine=1.0) is None
    assert [told(team.bring(text, f"{day}.md")) for day, text in minutes.items()] == [{"unchanged": 2}] * 2
    log = "# Log\n" + "".join(f"\n## 2024-04-{day}\n\n{line}" for day in minutes)
    assert told(team.bring(log, "log.md")) == {"stored": 2, "moved": 2}


def test_words_under_two_headings_are_one_memory_that_names_both(team: Team) -> None:
    """Falls where the second place is dropped: its alert would have no impact."""
    text = "# {0}\n\n## Impact\n\nRolling upgrades of the shop are not possible.\n"
    files = {f"{name}.md": text.format(name) for name in ("PodCrashLooping", "NodeNotReady", "JobFailed")}
    tallies = [team.bring(text, name) for name, text in files.items()]
    assert [told(tally) for tally in tallies] == [{"stored": 1}, {"moved": 1}, {"moved": 1}]
    memory = team.saying("Rolling upgrades")
    assert places_of(memory.context) == (
        "PodCrashLooping > Impact",
        "NodeNotReady > Impact",
        "JobFailed > Impact",
    )
    assert [told(team.bring(text, name)) for name, text in files.items()] == [{"unchanged": 1}] * 3
    assert team.saying("Rolling upgrades") == memory


def test_places_within_one_file_are_kept_as_well(team: Team) -> None:
    line = "- Use unique names in every test.\n"
    text = f"# Rules\n\n## Queues\n{line}\n## Tables\n{line}\n## Caches\n{line}"
    assert told(team.bring(text)) == {"stored": 1, "moved": 2}
    names = ("Queues", "Tables", "Caches")
    assert places_of(team.saying("unique").context) == tuple(f"Rules > {name}" for name in names)
    assert told(team.bring(text)) == {"unchanged": 3}


def test_boilerplate_gains_no_more_places_than_there_is_room(team: Team) -> None:
    line = "- Keep the suite green before every single push.\n"
    text = "".join(f"## Heading number {number} of a long file of rules\n{line}" for number in range(80))
    team.bring(text)
    context = team.saying("Keep the suite").context or ""
    assert 1_000 < len(context) <= PLACES_MAX_CHARS
    assert told(team.bring(text))["unchanged"] == len(places_of(context))


def test_an_edit_of_one_file_takes_nothing_from_another_that_says_it_too(team: Team) -> None:
    """Falls where the shared memory is superseded, or keeps the place of the file that says it no more."""
    text = "# {0}\n\n## Impact\n\nRolling upgrades of the shop are not possible.\n"
    team.bring(text.format("Crash"), "Crash.md")
    team.bring(text.format("Failed"), "Failed.md")
    edited = text.format("Crash").replace("are not possible", "are not possible for an hour")
    assert told(team.bring(edited, "Crash.md", prunes=True)) == {"stored": 1, "gone": 1}
    assert team.said() == {
        "Rolling upgrades of the shop are not possible.",
        "Rolling upgrades of the shop are not possible for an hour.",
    }
    kept = team.saying("are not possible.")
    assert (kept.tags[-1], kept.context) == ("Failed.md", "Failed > Impact")
    assert team.saying("for an hour").context == "Crash > Impact"
    assert told(team.bring(text.format("Failed"), "Failed.md")) == {"unchanged": 1}
