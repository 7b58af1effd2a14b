"""What says the same in other words, and what only shares them."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.paraphrase import PARAPHRASE_COSINE, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always start the linter before pushing.", "Don't forget to run the linter before you push."),
        ("Feature switches are kept in the vault.", "We store our feature switches in the vault."),
        ("The pump retries failed jobs three times.", "Jobs that fail are retried 3 times by the pump."),
        ("Deploys happen on Tuesdays.", "We deploy every Tuesday."),
        ("Use snake_case for the names of tables.", "Tables are named in snake_case."),
        ("Never commit keys to the repository.", "Keys must not be checked into the repo."),
        ("The lease lasts 60 seconds.", "The lease lasts 1 minute."),
        ("Vor jedem Merge laufen die Tests.", "Die Tests werden vor jedem Merge ausgeführt."),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert say_the_same(one, other, 0.85)
    assert say_the_same(other, one, 0.85)
    assert not say_the_same(one, other, PARAPHRASE_COSINE - 0.01)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Log limit of the worker in lines.", "Log limit of the broker in lines."),
        ("The lease lasts 60 seconds.", "The lease lasts 90 seconds."),
        ("This handler speaks `HTTP/1.1` to hosts.", "This handler speaks `HTTP/2` to hosts."),
        ("The lock is taken.", "The lock is not taken."),
        ("Copies go from Oslo to Bergen.", "Copies go from Bergen to Oslo."),
        ("Run the seed before the migration.", "Run the seed after the migration."),
        ("The incoming rate is in bytes.", "The outgoing rate is in bytes."),
        ("Sent first to the broker and stored.", "Sent last to the broker and stored."),
        ("Keep the lock until the job ends.", "Keep the lock after the job ends."),
        ("The pump speaks level 1 to valves.", "The pump speaks level 1 or 2 to valves."),
        ("The broker log.", "The log of the broker is rotated daily."),
    ],
)
def test_shared_words_are_not_enough(one: str, other: str) -> None:
    assert not say_the_same(one, other, 0.99)
    assert not say_the_same(other, one, 0.99)


def test_copies_say_the_same_whatever_they_are() -> None:
    assert say_the_same("Ja.", "Ja.", 0.1)
